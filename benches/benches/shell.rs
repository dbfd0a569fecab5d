//! The cost of a command in a sandbox in memory, beside the start of a process.
//!
//! `cargo bench -p benches --no-default-features --features shell --bench shell`

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use prowess_core::{Cancel, Catalog, MemorySource, SessionId, ShellRequest, VirtualShell};
use prowess_shell::{InMemoryShell, ShellPolicy};
use prowess_testkit::catalog_over;

/// Returns a catalog of this many skills with a script each.
fn catalog(count: usize) -> Arc<Catalog> {
    let ids: Vec<String> = (0..count).map(|number| format!("skill-{number:05}")).collect();
    let mut source = MemorySource::builder("bench");
    for id in &ids {
        let text = format!("---\nname: {id}\ndescription: x\n---\nBody\n");
        source = source.file(&format!("{id}/SKILL.md"), text);
        source = source.file(&format!("{id}/scripts/run.sh"), "echo ran\n");
    }
    let source = source.build().expect("the paths are good");
    catalog_over(Arc::new(source), ids.iter().map(|id| (id.as_str(), "x", &[] as &[&str])))
}

fn run(shell: &InMemoryShell, catalog: &Arc<Catalog>, session: &SessionId, command: &str) {
    let request = ShellRequest { catalog, session, command };
    let outcome = shell.execute(&request, &Cancel::default()).expect("the command runs");
    assert_eq!(outcome.exit_code, 0, "{outcome:?}");
}

fn benches(criterion: &mut Criterion) {
    let session = SessionId::new("session").expect("a valid id");
    let mut group = criterion.benchmark_group("shell");
    group.bench_function("process, /bin/true", |bencher| {
        bencher.iter(|| Command::new("/bin/true").status().expect("it starts"));
    });
    for count in [1, 1000] {
        let catalog = catalog(count);
        group.bench_function(format!("start, {count} skills"), |bencher| {
            let new = || InMemoryShell::new(ShellPolicy::default());
            let start = |shell: InMemoryShell| {
                run(&shell, &catalog, &session, "true");
                shell
            };
            bencher.iter_batched(new, start, BatchSize::PerIteration);
        });
    }
    let catalog = catalog(1);
    let shell = InMemoryShell::new(ShellPolicy::default());
    for (name, command) in [
        ("next command", "true"),
        ("script of a skill", "sh /.sandbox/skills/skill-00000/scripts/run.sh"),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| run(&shell, &catalog, &session, command));
        });
    }
    group.finish();
}

fn brief() -> Criterion {
    let second = Duration::from_secs(1);
    Criterion::default().sample_size(20).warm_up_time(second / 4).measurement_time(second)
}

criterion_group! {
    name = shell;
    config = brief();
    targets = benches
}
criterion_main!(shell);
