//! Many skills and a long log: what one request for a page reads does not depend on them.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use prowess_audit::{Head, seal_line};
use prowess_testkit::Tree;
use serde_json::json;

use crate::plain_skill;
use crate::serve_web::{Page, read};

const SKILLS: usize = 10_000;
const EVENTS: usize = 100_000;

/// The maximum number of bytes that the server reads for a request: settings, lists of the user,
/// directories, and the events of one page.
const MOST_BYTES: u64 = 256 << 10;

/// The same for the last events of all sessions, which are looked for in so many bytes.
const MOST_WINDOW: u64 = (2 << 20) + MOST_BYTES;

/// How often each page is requested for the time that is printed.
const ROUNDS: usize = 100;

/// Returns a log with so many events, a hundred in each session.
fn log(events: usize) -> String {
    let (mut head, mut log) = (Head::empty(), String::new());
    for event in 0..events {
        let entry = json!({
            "event": "tool_execution", "timestamp": "2026-01-01T00:00:00Z", "call": event,
            "session_id": format!("s{}", event / 100), "tool_name": "Read", "outcome": "done",
            "duration_ms": 1, "agent_id": "agent", "skill_name": format!("skill-{}", event % 50),
            "decision": { "verdict": "allowed" }, "caller": "model", "generation": 1,
        });
        let (line, next) = seal_line(head, &entry);
        log += &line;
        head = next;
    }
    log
}

#[test]
fn request_reads_a_part_of_the_log_and_no_skill_again() {
    let [skills, events] = [("SKILLS", SKILLS), ("EVENTS", EVENTS)].map(|(name, default)| {
        let chosen = std::env::var(format!("PROWESS_WEB_{name}")).ok();
        chosen.and_then(|chosen| chosen.parse().ok()).unwrap_or(default)
    });
    let tree: Tree = Page::tree();
    for skill in 0..skills {
        let name = format!("skill-{skill}");
        tree.write(&format!("home/.agents/skills/{name}/SKILL.md"), plain_skill(&name));
    }
    Page::prepare(&tree);
    tree.write("home/.local/state/prowess/audit.jsonl", log(events));
    let page = Page::serve(tree);
    // The log is read beside the answers that say so.
    while page.body("/stats").contains("audit-log-being-read") {}
    while page.body("/health").contains("setup-being-checked") {}
    let mut figures = String::new();
    let small = "/ /approvals?all=1 /proposals /proposal?id=pdf /history?id=pdf /skills \
                 /skills?q=skill-77 /skills?q=another-ROUND /skill?id=skill-7 /explain?id=skill-7 \
                 /explain?id=sk1ll-ROUND /skill?id=sk1ll-ROUND /history?id=sk1ll-ROUND \
                 /audit?session=s7 /chain /stats /trust /quarantine";
    // The last is made beside the answers, so its bytes are not those of the request.
    let pages = [(small, MOST_BYTES), ("/sessions /audit", MOST_WINDOW), ("/health", u64::MAX)];
    let pages = pages.iter().flat_map(|(all, most)| all.split(' ').map(move |it| (it, *most)));
    for (path, most) in pages {
        // The first one may wait for what the others have.
        let first = page.body(path);
        let is_refusal = path == "/" || path.contains("sk1ll");
        assert!(!first.contains("class=\"refusal\"") || is_refusal, "{path}: {first}");
        let bytes = |_| {
            let before = read(page.process());
            page.body(path);
            read(page.process()) - before
        };
        // A scan of the watched directories may run beside one of them.
        let bytes = (0..5).map(bytes).min().unwrap_or_default();
        assert!(bytes <= most, "{path} reads {bytes} bytes");
        let time = |round: usize| {
            let path = path.replace("ROUND", &round.to_string());
            let begun = Instant::now();
            page.body(&path);
            begun.elapsed()
        };
        let mut times: Vec<Duration> = (0..ROUNDS).map(time).collect();
        times.sort_unstable();
        let (half, most) = (times[ROUNDS / 2], times[ROUNDS * 99 / 100]);
        let _ = writeln!(figures, "{path:22} {bytes:9} bytes, p50 {half:9.2?}, p99 {most:9.2?}");
    }
    println!("{skills} skills, {events} events\n{figures}");
}
