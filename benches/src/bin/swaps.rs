//! Swaps a catalog of a thousand skills ten thousand times, or as often as the argument says, while
//! eight threads read it: each must see complete catalogs of one version. `cargo xtask soak` runs
//! it.
#![expect(clippy::print_stdout, reason = "a program that reports")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use prowess_core::CatalogProvider;
use prowess_testkit::VersionedSource;

const READERS: usize = 8;

fn main() {
    let swaps = std::env::args().nth(1).map_or(Ok(10_000), |swaps| swaps.parse());
    let swaps: u64 = swaps.expect("`swaps [NUMBER]`");
    let registry = benches::corpus::registry_of(Arc::new(VersionedSource::default()));
    registry.reload();
    let is_over = AtomicBool::new(false);
    let read_until_over = || {
        let (mut reads, mut last) = (0_u64, 0);
        while !is_over.load(Ordering::Acquire) {
            let catalog = registry.catalog();
            VersionedSource::check(&catalog);
            assert!(catalog.generation() >= last, "generations never decrease");
            last = catalog.generation();
            reads += 1;
            // Lets the writer run on a machine with few cores.
            thread::yield_now();
        }
        reads
    };
    let reads: u64 = thread::scope(|scope| {
        let readers = [(); READERS].map(|()| scope.spawn(read_until_over));
        for _ in 1..swaps {
            registry.reload();
        }
        is_over.store(true, Ordering::Release);
        let reads = readers.map(|reader| reader.join().expect("no reader saw a mixture"));
        assert!(reads.iter().all(|reads| *reads > 0), "each reader has read catalogs");
        reads.iter().sum()
    });
    assert_eq!(registry.catalog().generation(), swaps, "each reload was a swap");
    println!("{swaps} swaps under {READERS} readers, which saw {reads} complete catalogs");
}
