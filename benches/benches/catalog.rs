//! Discovery, reload, and looking a skill up while the catalog is replaced.

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use benches::{corpus, floor, turn::some_ids};
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use dashmap::DashMap;
use prowess_core::{Catalog, Record};

fn benches(criterion: &mut Criterion) {
    for count in benches::SIZES {
        let directory = corpus::on_disk(count);
        discovery(criterion, directory.path(), count);
        reload(criterion, directory.path(), count);
        lookup(criterion, directory.path(), count);
    }
}

fn discovery(criterion: &mut Criterion, root: &Path, count: usize) {
    let mut group = criterion.benchmark_group("discovery");
    group.bench_function(BenchmarkId::new("floor", count), |bencher| {
        bencher.iter(|| floor::discover(root));
    });
    group.bench_function(BenchmarkId::new("registry", count), |bencher| {
        bencher.iter(|| corpus::registry(root).reload());
    });
}

fn reload(criterion: &mut Criterion, root: &Path, count: usize) {
    let registry = corpus::registry(root);
    registry.reload();
    let mut group = criterion.benchmark_group("reload");
    group.bench_function(BenchmarkId::new("floor", count), |bencher| {
        bencher.iter(|| floor::stat_sweep(root));
    });
    group.bench_function(BenchmarkId::new("nothing changed", count), |bencher| {
        bencher.iter(|| registry.reload());
    });
    let mut version = 0;
    group.bench_function(BenchmarkId::new("one changed", count), |bencher| {
        let touch = || {
            version += 1;
            corpus::touch(root, version);
        };
        bencher.iter_batched(touch, |()| registry.reload(), BatchSize::PerIteration);
    });
}

/// Three ways to hand a catalog to readers while a writer replaces it.
fn lookup(criterion: &mut Criterion, root: &Path, count: usize) {
    // Two catalogs of the same skills, to be swapped for each other.
    let catalogs = [(); 2].map(|()| corpus::registry(root).reload().catalog);
    let ids = some_ids(&catalogs[0], 100);
    let mut group = criterion.benchmark_group("lookup during swaps");
    let mut compare = |name: &str, shelf: &dyn Shelf| {
        while_swapping(shelf, &catalogs, || {
            let mut ids = ids.iter().cycle();
            group.bench_function(BenchmarkId::new(name, count), |bencher| {
                bencher.iter(|| shelf.has(ids.next().expect("it never ends")));
            });
        });
    };
    let [first, _] = &catalogs;
    compare("arc-swap", &ArcSwap::new(Arc::clone(first)));
    compare("rwlock", &RwLock::new(Arc::clone(first)));
    compare("dashmap", &entries(first).into_iter().collect::<DashMap<_, _>>());
}

/// Runs `read` beside a thread that swaps as fast as it can.
fn while_swapping(shelf: &dyn Shelf, catalogs: &[Arc<Catalog>; 2], read: impl FnOnce()) {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for catalog in catalogs.iter().cycle() {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                shelf.swap(catalog);
            }
        });
        read();
        is_done.store(true, Ordering::Relaxed);
    });
}

/// Where readers find the catalog of the moment.
trait Shelf: Sync {
    fn has(&self, id: &str) -> bool;
    fn swap(&self, catalog: &Arc<Catalog>);
}

impl Shelf for ArcSwap<Catalog> {
    fn has(&self, id: &str) -> bool {
        black_box(self.load().get(id)).is_some()
    }

    fn swap(&self, catalog: &Arc<Catalog>) {
        self.store(Arc::clone(catalog));
    }
}

impl Shelf for RwLock<Arc<Catalog>> {
    fn has(&self, id: &str) -> bool {
        // The lock is held for the copy of the handle alone, as a turn would.
        let catalog = Arc::clone(&self.read().unwrap_or_else(PoisonError::into_inner));
        black_box(catalog.get(id)).is_some()
    }

    fn swap(&self, catalog: &Arc<Catalog>) {
        *self.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(catalog);
    }
}

/// Entry by entry: cheap to read, and a reader sees half of a swap.
impl Shelf for DashMap<String, Arc<str>> {
    fn has(&self, id: &str) -> bool {
        black_box(self.get(id).as_deref()).is_some()
    }

    fn swap(&self, catalog: &Arc<Catalog>) {
        for (id, description) in entries(catalog) {
            self.insert(id, description);
        }
    }
}

fn entries(catalog: &Catalog) -> HashMap<String, Arc<str>> {
    let entry = |skill: Record<'_>| (skill.id().to_owned(), skill.description().into());
    catalog.skills().map(entry).collect()
}

/// One scan of ten thousand skills takes a tenth of a second, so few samples must do.
fn brief() -> Criterion {
    let second = Duration::from_secs(1);
    Criterion::default().sample_size(20).warm_up_time(second / 2).measurement_time(2 * second)
}

criterion_group! {
    name = catalog;
    config = brief();
    targets = benches
}
criterion_main!(catalog);
