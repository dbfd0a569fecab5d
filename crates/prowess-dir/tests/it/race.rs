//! While a directory and a link to another are swapped, no byte of the other is read.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use prowess_dir::{Dir, Links};
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

/// Reads `swapped/notes.md` many times during the swaps; returns the numbers of reads and of
/// refusals.
fn race(target: &Path, open: fn(&Path) -> Dir, links: Links) -> (usize, usize) {
    const READS: usize = 3_000;

    let place = Place::new();
    let [swapped, spare] = ["swapped", "spare"].map(|name| place.inside(name));
    std::fs::rename(place.inside("references"), &swapped).unwrap();
    place.link("spare", target);
    let directory = open(&place.inside(""));
    let done = AtomicBool::new(false);
    // Dropped when an assertion fails too: the scope waits for the swaps.
    let until_here = SetOnDrop(&done);
    let (mut read, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let until_here = until_here;
        scope.spawn(|| swap_until(&done, &swapped, &spare));
        // A busy machine may start the swaps late: continue until both outcomes were seen, within a
        // limit.
        let mut tries = 0;
        while tries < READS || (read == 0 || refused == 0) && tries < 1_000 * READS {
            tries += 1;
            let file = directory.open_file("swapped/notes.md", links);
            match file.and_then(|file| file.read_whole(100)) {
                Ok(bytes) => {
                    assert_ne!(bytes, CANARY.as_bytes(), "the canary outside was read");
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
        drop(until_here);
    });
    (read, refused)
}

#[test]
fn directory_replaced_by_a_link_never_leaks() {
    for open in WAYS {
        for links in [Links::Refuse, Links::FollowInside] {
            for target in ["../elsewhere", "../inside/../elsewhere"] {
                let (read, refused) = race(Path::new(target), open, links);
                assert!(read > 0, "{links:?}: the file inside was read between the swaps");
                assert!(refused > 0, "{links:?}: the link outside was met and refused");
            }
        }
    }
}
