//! Files that a person names, which may be pipes.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use prowess_dir::{Content, FileTime, Stillness};

/// The maximum size of a text that a person wrote, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The time until a pipe is opened by its writer, and until everything is written.
const UNTIL_OPENED: Duration = Duration::from_secs(1);
const UNTIL_WRITTEN: Duration = Duration::from_secs(60);

/// Reads a text that a person wrote. Returns the reason of a failure.
pub(crate) fn text(file: &Path) -> Result<String, String> {
    String::from_utf8(bytes(file, MOST_BYTES)?).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// Reads a file of a limited size. It does not wait for ever for a pipe without a writer, or for a
/// device that gives nothing. Returns the reason of a failure.
pub(crate) fn bytes(file: &Path, most: u64) -> Result<Vec<u8>, String> {
    let kind = fs::metadata(file).map_err(|error| error.to_string())?;
    if kind.is_dir() {
        return Err("it is a directory".to_owned());
    }
    let read = if kind.is_file() {
        still(file, most)
            .map_err(|error| error.to_string())?
            .ok_or("it was written to each time it was read")?
    } else {
        written_to(file, most)?
    };
    if read.len() as u64 > most {
        return Err(format!("it is larger than {most} bytes"));
    }
    Ok(read)
}

/// Reads a file that nothing is writing to: a part of a configuration may be a valid one that lacks
/// what is denied.
fn still(file: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    Stillness::default().read(|_| {
        let opened = File::open(file)?;
        let stat = opened.metadata()?;
        let time = |seconds, nanoseconds: i64| FileTime {
            seconds,
            nanoseconds: u32::try_from(nanoseconds).unwrap_or_default(),
        };
        let times = [time(stat.mtime(), stat.mtime_nsec()), time(stat.ctime(), stat.ctime_nsec())];
        Ok(Some(Content { bytes: start_of(opened, most)?, times }))
    })
}

/// Returns at most one byte more than may be read.
fn start_of(opened: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    opened.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a pipe or a device on a thread of its own, which is left behind if nothing comes.
fn written_to(file: &Path, most: u64) -> Result<Vec<u8>, String> {
    let (sender, receiver) = mpsc::channel();
    let file = file.to_owned();
    thread::spawn(move || {
        let opened = File::open(file);
        let is_open = opened.as_ref().map(|_| Vec::new()).map_err(ToString::to_string);
        let _ = sender.send(is_open);
        if let Ok(opened) = opened {
            let _ = sender.send(start_of(opened, most).map_err(|error| error.to_string()));
        }
    });
    receiver.recv_timeout(UNTIL_OPENED).map_err(|_| "nobody writes to this pipe")??;
    receiver.recv_timeout(UNTIL_WRITTEN).map_err(|_| "nothing was written to it in a minute")?
}
