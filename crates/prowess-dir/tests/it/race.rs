//! While a directory and a link to another are swapped, no byte of the other is read.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_dir::Links;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::{CANARY, Place, WAYS};

/// Exchanges two names in one step, over and over, until `done`.
fn swap_until(done: &AtomicBool, one: &Path, other: &Path) {
    while !done.load(Ordering::Relaxed) {
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).expect("names can be swapped");
    }
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The reads of one race; there are eight.
const READS: usize = 25_000;
/// The most reads for what the swaps of a busy machine show late.
const MOST_READS: usize = 1_000 * READS;

/// The numbers of reads during the swaps.
#[derive(Debug, Default)]
struct Reads {
    inside: usize,
    outside: usize,
    refused: usize,
}

/// Reads `swapped/notes.md` during the swaps, until `is_done` or the limit of reads. `reader` takes
/// the directory and returns a function that reads a file in it.
fn race<R: FnMut(&str) -> Option<Vec<u8>>>(
    target: &Path,
    reader: impl FnOnce(&Path) -> R,
    is_done: impl Fn(&Reads, usize) -> bool,
) -> Reads {
    let place = Place::new();
    let [swapped, spare] = ["swapped", "spare"].map(|name| place.inside(name));
    fs::rename(place.inside("references"), &swapped).unwrap();
    place.link("spare", target);
    let mut read = reader(&place.inside(""));
    let done = AtomicBool::new(false);
    // Dropped when a read panics too: the scope waits for the swaps.
    let until_here = SetOnDrop(&done);
    let mut reads = Reads::default();
    std::thread::scope(|scope| {
        let until_here = until_here;
        scope.spawn(|| swap_until(&done, &swapped, &spare));
        let mut tries = 0;
        while tries < MOST_READS && !is_done(&reads, tries) {
            tries += 1;
            match read("swapped/notes.md") {
                Some(bytes) if bytes == CANARY.as_bytes() => reads.outside += 1,
                Some(_) => reads.inside += 1,
                None => reads.refused += 1,
            }
        }
        drop(until_here);
    });
    reads
}

fn check_then_open(directory: &Path, path: &str) -> io::Result<Vec<u8>> {
    let directory = directory.canonicalize()?;
    let path = directory.join(path);
    if path.canonicalize()?.starts_with(&directory) {
        return fs::read(path);
    }
    Err(io::ErrorKind::PermissionDenied.into())
}

#[test]
fn directory_replaced_by_a_link_never_leaks() {
    for open in WAYS {
        for links in [Links::Refuse, Links::FollowInside] {
            for target in ["../elsewhere", "../inside/../elsewhere"] {
                let reader = |path: &Path| {
                    let directory = open(path);
                    move |path: &str| {
                        let file = directory.open_file(path, links);
                        file.and_then(|file| file.read_whole(100)).ok()
                    }
                };
                // A busy machine may start the swaps late.
                let is_done = |reads: &Reads, tries: usize| {
                    tries >= READS && reads.inside > 0 && reads.refused > 0
                };
                let reads = race(Path::new(target), reader, is_done);
                assert_eq!(reads.outside, 0, "{links:?}: the canary outside is never read");
                assert!(reads.inside > 0, "{links:?}: the file inside was read between the swaps");
                assert!(reads.refused > 0, "{links:?}: the link outside was met and refused");
            }
        }
    }
}

#[test]
fn control_that_checks_and_then_opens_leaks() {
    let reader = |directory: &Path| {
        let directory = directory.to_owned();
        move |path: &str| check_then_open(&directory, path).ok()
    };
    let reads = race(Path::new("../elsewhere"), reader, |reads, _| reads.outside > 0);
    assert!(reads.outside > 0, "the race finds a reader that leaks: {reads:?}");
}
