//! What many conversations at once cost: 4,096 sessions, on one thread and on eight. And what a
//! lookup of an id shows of other ids.

use std::hint::black_box;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use prowess::session::{MemoryStore, SessionHandle, SessionPolicy, Sessions};
use prowess::{Runtime, SessionId, SessionStore, SystemClock, ToolCall};
use prowess_state::SessionDatabase;
use serde_json::json;

const SESSIONS: usize = 4_096;

/// Runs one turn of a session: compose the prompt, load a skill, read it in the next prompt, and
/// unload it.
fn converse(runtime: &Runtime, session: &SessionHandle) {
    let load = ToolCall::new("skills_load", json!({ "names": ["skill-writing"] }));
    let unload = ToolCall::new("skills_unload", json!({ "all": true }));
    for call in [load, unload] {
        let turn = runtime.turn(session).expect("the session is open");
        assert!(!turn.prompt().text.is_empty(), "there is a skill");
        assert!(!turn.call(&call).result.is_error, "the skill is there");
    }
}

/// Runs one turn of each session, on this many threads.
fn all(runtime: &Runtime, sessions: &[SessionHandle], threads: usize) {
    thread::scope(|scope| {
        for part in sessions.chunks(sessions.len().div_ceil(threads)) {
            scope.spawn(move || part.iter().for_each(|session| converse(runtime, session)));
        }
    });
}

fn benches(criterion: &mut Criterion) {
    let runtime = Runtime::builder().default_skills().build().expect("the runtime is complete");
    let runtime = Arc::new(runtime);
    let open = |_| runtime.open_session().expect("the store is in memory");
    let sessions: Vec<_> = (0..SESSIONS).map(open).collect();
    let mut group = criterion.benchmark_group("sessions");
    group.throughput(Throughput::Elements(SESSIONS as u64));
    for threads in [1, 8] {
        let id = BenchmarkId::new(format!("{SESSIONS} sessions"), format!("{threads} threads"));
        group.bench_function(id, |bencher| bencher.iter(|| all(&runtime, &sessions, threads)));
    }
    group.finish();
}

/// Looks up ids that no session has: one that is another's but for its last digit, and one that
/// shares nothing with it. Equal times mean that no lookup shows a part of an id.
fn lookups(criterion: &mut Criterion) {
    let memory: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    lookups_in("memory", &memory, criterion);
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let database = SessionDatabase::open(directory.path().join("state.db")).expect("it is new");
    let database: Arc<dyn SessionStore> = Arc::new(database);
    lookups_in("a database", &database, criterion);
}

fn lookups_in(place: &str, store: &Arc<dyn SessionStore>, criterion: &mut Criterion) {
    let clock = Arc::new(SystemClock::default());
    let sessions = Sessions::new(store.clone(), clock, SessionPolicy::default());
    let open = |_| sessions.open().expect("there is room").id().clone();
    let ids: Vec<_> = (0..500).map(open).collect();
    let known = ids[0].as_str();
    let (start, last) = known.split_at(known.len() - 1);
    let other = if last == "0" { "1" } else { "0" };
    let near = format!("{start}{other}");
    let far: String = known.chars().rev().collect();
    let mut group = criterion.benchmark_group(format!("lookup of an unknown id in {place}"));
    for (name, text) in [("valid but for its end", near), ("other", far)] {
        let id = SessionId::new(text).expect("hexadecimal digits are allowed");
        assert!(store.load(&id).expect("it can be read").is_none());
        group.bench_function(name, |bencher| bencher.iter(|| store.load(black_box(&id))));
    }
    group.finish();
}

/// One iteration is thousands of turns, so few samples must do.
fn brief() -> Criterion {
    let second = Duration::from_secs(1);
    Criterion::default().sample_size(10).warm_up_time(second / 2).measurement_time(3 * second)
}

criterion_group! {
    name = sessions;
    config = brief();
    targets = benches, lookups
}
criterion_main!(sessions);
