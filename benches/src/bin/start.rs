//! Prints what a start costs that knows what the last one found, beside the floor of the same run.
//!
//! `start [ROUNDS]`: 15 rounds without it. A start asks for each file's state once, so its own floor is
//! the bare sweep of states; what it is compared with first is the floor of reading every file. The files
//! have been there for some seconds, as most are that a start meets: a root that changed just before has to
//! be listed again.
#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use benches::{
    SIZES, corpus, floor,
    measure::{least, rounds_at},
    table::beside,
};
use prowess_core::{RecordSet, SkillSource};
use prowess_state::RecordCache;

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    for count in SIZES {
        start(corpus::on_disk(count).path(), count, rounds_at(count, rounds));
    }
}

fn start(root: &Path, count: usize, rounds: usize) {
    let place = tempfile::tempdir().expect("a temporary directory");
    let cache = RecordCache::new(place.path(), "benchmark");
    let recall = |source: &dyn SkillSource| -> Option<Arc<RecordSet>> {
        cache.load(&source.cache_key()?).ok()?.map(Arc::new)
    };
    std::thread::sleep(Duration::from_secs(4));
    // Twice, as a file that changed just before a scan may be read once more by the next.
    for _ in 0..2 {
        let catalog = corpus::registry_that_recalls(root, recall).reload().catalog;
        let scanned = &catalog.sources()[0];
        let key = scanned.source.cache_key().expect("a directory has a key");
        cache.save(&key, &scanned.records).expect("it can be written");
    }
    let [floor, states, without, with] = least(
        rounds,
        [
            &mut || floor::discover(root),
            &mut || floor::stat_sweep(root),
            &mut || corpus::registry(root).reload().catalog.len(),
            &mut || corpus::registry_that_recalls(root, recall).reload().changes.unchanged,
        ],
    );
    println!("{}", beside("start that knows the last one", count, with, floor, Some(0.65)));
    println!("{}", beside("the same beside a sweep of states", count, with, states, None));
    println!("{}", beside("start that knows nothing", count, without, floor, None));
}
