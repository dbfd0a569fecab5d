//! Discovery, reloads, loading a skill, and composing a prompt, by Criterion.

use std::time::Duration;

use benches::{corpus, floor, turn::Conversation};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

fn benches(criterion: &mut Criterion) {
    for count in benches::SIZES {
        let directory = corpus::on_disk(count);
        let root = directory.path();
        let registry = corpus::registry(root);
        let turn = Conversation::new(registry.reload().catalog);
        let ids = turn.some_ids(100);
        let mut ids = ids.iter().cycle();
        let mut bench = |name: &str, work: &mut dyn FnMut() -> usize| {
            criterion.bench_function(&format!("{name}/{count}"), |bencher| {
                bencher.iter(&mut *work);
            });
        };
        bench("discovery, floor", &mut || floor::discover(root));
        bench("discovery", &mut || corpus::registry(root).reload().catalog.len());
        bench("reload, floor", &mut || floor::stat_sweep(root));
        bench("reload", &mut || registry.reload().changes.unchanged);
        bench("load", &mut || turn.load(ids.next().expect("it never ends")));
        bench("compose", &mut || turn.prompt(None).len());
        let mut version = 0;
        let mut touch = || {
            version += 1;
            corpus::touch(root, version);
        };
        let name = format!("reload, one changed/{count}");
        criterion.bench_function(&name, |bencher| {
            bencher.iter_batched(&mut touch, |()| registry.reload(), BatchSize::PerIteration);
        });
    }
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
