//! Prints the cost of a start with the cache of the last start, compared with the lower limit of
//! the same run.
//!
//! `start [ROUNDS]`: 15 rounds by default. A start with a cache stats each file once, so its lower
//! limit is one `stat` per file, by which it is judged; how much less that is than reading every
//! file depends on the kernel. The files are some seconds old, as most files are: a root that has
//! just changed is listed again.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use benches::{
    SIZES, corpus, floor,
    measure::{least, rounds_at},
    table::print_beside,
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
    print_beside("start with the cache of the last start", count, with, floor, None);
    print_beside(
        "start with the cache, compared with a stat of each file",
        count,
        with,
        states,
        Some(1.65),
    );
    print_beside("start without a cache", count, without, floor, None);
}
