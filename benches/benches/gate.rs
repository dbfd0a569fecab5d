//! The cost of a decision about a tool call.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use prowess_core::{AllowedTools, SessionId, Timestamp, Trust};
use prowess_gate::{GateInput, GatePolicy, GatedSkill, GatedTool, ToolKind, decide};
use serde_json::{Value, json};

const SHELL: ToolKind<'static> = ToolKind::Shell { command: "command", harmless: &[] };
const FILE: ToolKind<'static> = ToolKind::File { paths: &["path"] };

/// The calls: a tool without patterns, one with a path, a plain and a quoted shell command, a line of them, and
/// commands that take the filter or the parser the longest.
fn calls() -> Vec<(&'static str, &'static str, ToolKind<'static>, Value)> {
    let shell = |command: &str| json!({ "command": command });
    let list = "git log;".repeat(127);
    let long = format!("git commit -m '{}'", "x".repeat(16_000));
    vec![
        ("plain tool", "json_query", ToolKind::Other, json!({ "query": "$.a" })),
        ("path", "Read", FILE, json!({ "path": "references/guide.md" })),
        ("shell, one command", "Bash", SHELL, shell("git status --short")),
        ("shell, one quoted command", "Bash", SHELL, shell("git status '--short'")),
        ("shell, a line", "Bash", SHELL, shell("git add -A && git commit -m 'a; b' && git push")),
        ("shell, refused by the filter", "Bash", SHELL, shell("git log $(touch x)")),
        ("shell, 127 commands", "Bash", SHELL, shell(&list)),
        ("shell, 16 KB in one word", "Bash", SHELL, shell(&long)),
        ("shell, 1 MiB", "Bash", SHELL, shell(&"x".repeat(1 << 20))),
    ]
}

fn benches(criterion: &mut Criterion) {
    let tools =
        AllowedTools::parse("Bash(git:*) Bash(cargo test:*) Read(references/**) json_query")
            .expect("rules");
    let skill = GatedSkill {
        id: "release",
        location: "/skills/release/SKILL.md",
        trust: Trust::Trusted,
        allowed_tools: &tools,
        positions: &[],
        package: None,
    };
    let policy = GatePolicy::default();
    let session = SessionId::new("session").expect("a valid id");
    let mut group = criterion.benchmark_group("decision");
    for (name, tool, kind, arguments) in calls() {
        let input = GateInput {
            policy: &policy,
            tool: GatedTool { name: tool, aliases: &[], kind },
            arguments: &arguments,
            skills: &[skill],
            approvals: &[],
            session: &session,
            tenant: None,
            now: Timestamp(0),
            consent: None,
        };
        group.bench_function(name, |bencher| bencher.iter(|| decide(black_box(&input))));
    }
    group.finish();
}

fn brief() -> Criterion {
    let second = Duration::from_secs(1);
    Criterion::default().sample_size(20).warm_up_time(second / 4).measurement_time(second)
}

criterion_group! {
    name = gate;
    config = brief();
    targets = benches
}
criterion_main!(gate);
