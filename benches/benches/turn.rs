//! What a turn of a conversation costs: loading a skill, and composing the prompt.

use std::hint::black_box;
use std::time::Duration;

use benches::{corpus, floor, turn::Conversation};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn benches(criterion: &mut Criterion) {
    for count in benches::SIZES {
        let directory = corpus::on_disk(count);
        let root = directory.path();
        let turn = Conversation::new(corpus::registry(root).reload().catalog);

        let mut group = criterion.benchmark_group("activation");
        let ids = turn.some_ids(100);
        let mut next = ids.iter().cycle();
        let mut next = || next.next().expect("it never ends");
        group.bench_function(BenchmarkId::new("floor", count), |bencher| {
            bencher.iter(|| floor::read_whole(&root.join(next()).join("SKILL.md")));
        });
        group.bench_function(BenchmarkId::new("skills.load", count), |bencher| {
            bencher.iter(|| turn.load(next()));
        });
        group.finish();

        let mut group = criterion.benchmark_group("composing");
        group.throughput(Throughput::Elements(count as u64));
        for (name, max_tokens) in [("whole catalog", None), ("4000 tokens", Some(4_000))] {
            group.bench_function(BenchmarkId::new(name, count), |bencher| {
                bencher.iter(|| turn.prompt(max_tokens));
            });
            let composer = Conversation::composer(max_tokens);
            group.bench_function(
                BenchmarkId::new(format!("{name}, unchanged"), count),
                |bencher| {
                    bencher.iter(|| turn.prompt_of(&composer));
                },
            );
            let text = turn.prompt(max_tokens);
            group.bench_function(BenchmarkId::new(format!("{name}, a copy"), count), |bencher| {
                bencher.iter(|| black_box(&text).clone());
            });
        }
    }
}

/// One scan of ten thousand skills takes a tenth of a second, so few samples must do.
fn brief() -> Criterion {
    let second = Duration::from_secs(1);
    Criterion::default().sample_size(20).warm_up_time(second / 2).measurement_time(2 * second)
}

criterion_group! {
    name = turn;
    config = brief();
    targets = benches
}
criterion_main!(turn);
