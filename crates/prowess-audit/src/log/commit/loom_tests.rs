//! Tests of every interleaving of appending threads, by a model checker: `cargo xtask loom`.

use std::io;
use std::sync::Arc;

use loom::sync::Mutex;
use loom::thread;

use super::GroupCommit;

/// A log whose disk counts entries instead of storing them.
struct Log {
    commits: GroupCommit,
    disk: Mutex<Disk>,
}

#[derive(Default)]
struct Disk {
    /// The last entry that was written.
    written: u64,
    /// The entries that are on disk, in their order.
    stored: Vec<u64>,
    /// The number of syncs.
    syncs: usize,
    /// The number of the sync that fails and drops what was written; 0 for none.
    fails_at: usize,
}

impl Log {
    fn new(fails_at: usize) -> Arc<Self> {
        let disk = Mutex::new(Disk { fails_at, ..Disk::default() });
        Arc::new(Self { commits: GroupCommit::new(0), disk })
    }

    /// Appends an entry as the log does. Returns its number, once it is on disk.
    fn append(&self) -> io::Result<u64> {
        self.commits.check()?;
        let seq = {
            let mut disk = self.disk.lock().expect("no thread panics");
            disk.written += 1;
            disk.written
        };
        self.commits.wait_for(seq, || self.sync())?;
        Ok(seq)
    }

    fn sync(&self) -> (u64, io::Result<()>) {
        // The last entry is read before the sync, as from the writer.
        let last = self.disk.lock().expect("no thread panics").written;
        let mut disk = self.disk.lock().expect("no thread panics");
        disk.syncs += 1;
        if disk.syncs == disk.fails_at {
            return (last, Err(io::Error::other("the disk fails")));
        }
        let first = disk.stored.last().map_or(1, |stored| stored + 1);
        disk.stored.extend(first..=last);
        (last, Ok(()))
    }

    fn is_stored(&self, seq: u64) -> bool {
        self.disk.lock().expect("no thread panics").stored.contains(&seq)
    }
}

/// Returns the results of two threads that append at the same time.
fn race(log: &Arc<Log>) -> [io::Result<u64>; 2] {
    let other = Arc::clone(log);
    let thread = thread::spawn(move || {
        let seq = other.append()?;
        assert!(other.is_stored(seq), "entry {seq} is on disk when the call returns");
        Ok(seq)
    });
    let own = log.append();
    if let Ok(seq) = own {
        assert!(log.is_stored(seq), "entry {seq} is on disk when the call returns");
    }
    [own, thread.join().expect("no assertion fails")]
}

#[test]
fn each_entry_is_on_disk_before_its_call_returns() {
    loom::model(|| {
        let log = Log::new(0);
        let mut numbers = race(&log).map(|result| result.expect("the disk works"));
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 2], "each entry has a number of its own");
        let disk = log.disk.lock().expect("no thread panics");
        assert_eq!(disk.stored, [1, 2], "no entry is missing or twice");
        assert!(disk.syncs <= 2, "no entry is synced twice");
    });
}

#[test]
fn failed_sync_refuses_every_later_entry() {
    loom::model(|| {
        let log = Log::new(1);
        let results = race(&log);
        assert!(results.iter().any(Result::is_err), "the first sync fails");
        assert!(log.append().is_err(), "what was dropped never becomes a part of the log");
        let disk = log.disk.lock().expect("no thread panics");
        let stored = results.iter().filter(|result| result.is_ok()).count();
        assert_eq!(disk.stored.len(), stored, "only acknowledged entries are on disk");
    });
}
