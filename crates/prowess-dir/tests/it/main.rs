//! Every rule is tested twice: confined by the kernel, and part by part.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod batch;
mod confined;
mod create;
mod entries;
#[cfg(target_os = "linux")]
mod epoch;
mod file;
mod guards;
mod race;
mod replace;
#[cfg(target_os = "linux")]
mod unchecked;
mod vectors;
mod walk;

use std::fs;
use std::path::{Path, PathBuf};

use prowess_dir::Dir;
use tempfile::TempDir;

/// The two mechanisms that confine paths.
const WAYS: [fn(&Path) -> Dir; 2] = [
    |path| Dir::open(path).expect("the directory opens"),
    |path| Dir::open_by_hand(path).expect("the directory opens by hand"),
];

/// Content outside the directory, which must never be read.
const CANARY: &str = "CANARY";

/// A directory `inside` with some files, and a canary next to it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary directory"));
        fs::create_dir_all(place.inside("references")).unwrap();
        fs::write(place.inside("file.md"), "file").unwrap();
        fs::write(place.inside("references/notes.md"), "notes").unwrap();
        fs::create_dir(place.outside("elsewhere")).unwrap();
        fs::write(place.outside("CANARY"), CANARY).unwrap();
        fs::write(place.outside("elsewhere/notes.md"), CANARY).unwrap();
        place
    }

    fn inside(&self, path: &str) -> PathBuf {
        self.0.path().join("inside").join(path)
    }

    fn outside(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Opens the directory with both mechanisms.
    fn opened(&self) -> [Dir; 2] {
        WAYS.map(|open| open(&self.inside("")))
    }

    fn link(&self, link: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.inside(link)).expect("a link can be made");
    }
}

fn make_fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode};
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR, 0).expect("a FIFO can be made");
}
