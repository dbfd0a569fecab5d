//! Prints what a host pays for a runtime, a load and a prompt, measured through the facade.
//!
//! `facade [ROUNDS]`: 15 rounds by default. `facade first DIRECTORY` prints the cost of the first
//! runtime of its process, over DIRECTORY.
#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use benches::measure::{cpu_time, least, private_kib, resident_kib, rounds_at};
use benches::table::{milliseconds, print_alone, print_beside};
use benches::{SIZES, corpus, floor};
use prowess::prompt::{Composer, ComposerInput, PromptPolicy};
use prowess::session::SessionHandle;
use prowess::{
    AuditEvent, AuditSink, Boundary, Catalog, DeliveryPolicy, EstimatedTokens, Policies, Runtime,
    ToolCall, Turn, format,
};
use serde_json::json;
use tempfile::TempDir;

/// How often a work is measured where the arguments do not say.
const ROUNDS: usize = 15;

/// How many processes show the cost of the first runtime.
const PROCESSES: usize = 15;

/// How many skills are loaded in a round, one after the other: fewer than the tools remember, so
/// that later rounds find them, as later turns of a conversation do.
const LOADS: usize = 50;

/// The catalog that a prompt is composed of.
const SKILLS: usize = SIZES[0];

/// The maximum ratio of a composed catalog to its texts put together without a look at them.
const MOST_OF_COMPOSING: f64 = 5.0;

/// A budget that shortens descriptions and leaves skills out.
const BUDGET: usize = 4_000;

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    if let ["first", directory] = arguments[..] {
        return print_first_runtime(Path::new(directory));
    }
    let rounds = arguments.first().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    first_runtime();
    loads(rounds);
    prompts(rounds);
}

/// Returns skills on disk that are old enough: a file that has just been written is read again
/// after a pause.
fn skills(count: usize) -> TempDir {
    let directory = corpus::on_disk(count);
    std::thread::sleep(Duration::from_secs(1));
    directory
}

/// Prints the least cost of several fresh processes.
fn first_runtime() {
    let directory = skills(1);
    let program = std::env::current_exe().expect("the program knows itself");
    let mut least = [f64::INFINITY; 6];
    for _ in 0..PROCESSES {
        let output = Command::new(&program).arg("first").arg(directory.path()).output();
        let output = output.expect("the program can start itself");
        let printed = String::from_utf8_lossy(&output.stdout);
        let numbers = printed.split_whitespace().map(str::parse);
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().expect("it prints numbers");
        for (least, number) in least.iter_mut().zip(numbers) {
            *least = number.min(*least);
        }
    }
    let [build, build_kib, build_resident, turn, turn_kib, turn_resident] = least;
    let megabytes = |kib: f64| kib * 1_024.0 / 1e6;
    let time = |what, value, most| print_alone(what, 1, value, "ms", most);
    let memory = |what, kib, most| print_alone(what, 1, megabytes(kib), "MB", most);
    time("build the first runtime of a process", build, Some(0.5));
    memory("first runtime, private memory", build_kib, Some(1.0));
    memory("first runtime, resident memory with the program's code", build_resident, None);
    time("first turn with prompt, tools and a load", turn, None);
    memory("first turn, private memory", turn_kib, None);
    memory("first turn, resident memory with the program's code", turn_resident, None);
}

/// Prints the CPU time in milliseconds, and the growth of private and of resident memory in KiB, of
/// the first runtime and then of its first turn.
fn print_first_runtime(directory: &Path) {
    // The measuring code itself is in memory before the first number counts.
    let memory = || [private_kib(), resident_kib()];
    black_box((cpu_time(|| 0), memory()));
    let before = memory();
    let (runtime, build) = cpu_time(|| runtime(directory, Policies::default()));
    let built = memory();
    let ((), turn) = cpu_time(|| {
        let session = runtime.open_session().expect("memory takes another session");
        let turn = runtime.turn(&session).expect("the session is open");
        let id = turn.catalog().skills().next().expect("there is a skill").id().to_owned();
        black_box((turn.prompt(), turn.tools(), load(&turn, &id)));
    });
    let used = memory();
    let print = |time, [private, resident]: [u64; 2], [before, resident_before]: [u64; 2]| {
        let [private, resident] =
            [private.saturating_sub(before), resident.saturating_sub(resident_before)];
        println!("{} {private} {resident}", milliseconds(time));
    };
    print(build, built, before);
    print(turn, used, built);
}

fn loads(rounds: usize) {
    let directory = skills(SKILLS);
    let root = directory.path();
    let runtime = runtime(root, Policies::default());
    let session = runtime.open_session().expect("memory takes another session");
    let turn = runtime.turn(&session).expect("the session is open");
    let ids = benches::turn::some_ids(turn.catalog(), LOADS);
    let paths: Vec<PathBuf> = ids.iter().map(|id| root.join(id).join("SKILL.md")).collect();
    let [read, parsed, digests, loaded] = least(
        rounds_at(SKILLS, rounds),
        [
            &mut || paths.iter().map(|path| floor::read_whole(path)).sum(),
            &mut || paths.iter().map(|path| parsed(path)).sum(),
            &mut || paths.iter().map(|path| digested(path)).sum(),
            &mut || ids.iter().map(|id| load(&turn, id)).sum(),
        ],
    );
    let each = |time: Duration| time / u32::try_from(LOADS).expect("it is small");
    let row = |what, time, other, most| {
        print_beside(what, SKILLS, each(time), each(other), most);
    };
    row("open, stat, read and parse one skill, compared with no parsing", parsed, read, None);
    row("the same with a digest, and parsed by yaml_serde", digests, read, None);
    // The result names the digest.
    row("load one skill by a tool call, compared with that", loaded, digests, Some(1.3));
}

/// Reads one file by the bare system calls and parses it whole. Returns the lengths of name and
/// body.
fn parsed(path: &Path) -> usize {
    length(&floor::content(path))
}

/// Reads one file so, computes its digest, which every load reports, and parses the frontmatter by
/// another reader.
fn digested(path: &Path) -> usize {
    let bytes = floor::content(path);
    black_box(prowess::Digest::of(&bytes));
    benches::parsing::by_serde_yaml(&[String::from_utf8(bytes).expect("the corpus is valid")])
}

fn length(bytes: &[u8]) -> usize {
    let parsed = format::parse(bytes, format::Profile::default());
    let document = parsed.document.expect("the corpus is valid");
    document.frontmatter.name.len() + document.body.len()
}

/// Prints the cost of a prompt: of a catalog that is composed for the first time, and of an
/// unchanged one.
fn prompts(rounds: usize) {
    let directory = skills(SKILLS);
    let root = directory.path();
    let under = |max_tokens| Policies {
        prompt: PromptPolicy { max_tokens, ..PromptPolicy::default() },
        ..Policies::default()
    };
    let whole = Host::new(root, under(None));
    let bounded = Host::new(root, under(Some(BUDGET)));
    let catalog = whole.turn().catalog().clone();
    let [plain, first, first_bounded] = least(
        rounds_at(SKILLS, rounds),
        [&mut || put_together(&catalog), &mut || composed_first(&catalog, None), &mut || {
            composed_first(&catalog, Some(BUDGET))
        }],
    );
    // The text as the host has it: what it does with it is a copy at least.
    let [text, text_bounded] = [&whole, &bounded].map(|host| host.turn().prompt().text.clone());
    let copy = |text: &String| black_box(text.clone()).len();
    let [copied, unchanged, copied_bounded, unchanged_bounded] = least(
        rounds_at(SKILLS, rounds),
        [&mut || copy(&text), &mut || whole.prompt(), &mut || copy(&text_bounded), &mut || {
            bounded.prompt()
        }],
    );
    let row = |what, time, copy, most| print_beside(what, SKILLS, time, copy, most);
    let what = "compose a catalog for the first time, compared with its texts as they are";
    row(what, first, plain, Some(MOST_OF_COMPOSING));
    let what =
        "compose a catalog for the first time, under 4,000 tokens, compared with all its texts";
    row(what, first_bounded, plain, Some(MOST_OF_COMPOSING));
    row(
        "prompt of an unchanged catalog, compared with a copy of its text",
        unchanged,
        copied,
        Some(2.0),
    );
    let what =
        "prompt of an unchanged catalog under 4,000 tokens, compared with a copy of its text";
    row(what, unchanged_bounded, copied_bounded, Some(2.0));
}

/// Puts the texts of a catalog together as they are: each may hold anything, and is not looked at.
fn put_together(catalog: &Catalog) -> usize {
    let mut text = String::new();
    for skill in catalog.skills() {
        let parts = ["<skill>\n<name>", skill.id(), "</name>\n<description>", skill.description()];
        parts.into_iter().for_each(|part| text.push_str(part));
        text.push_str("</description>\n</skill>\n");
    }
    black_box(text).len()
}

fn composed_first(catalog: &Arc<Catalog>, max_tokens: Option<usize>) -> usize {
    let policy = PromptPolicy { max_tokens, ..PromptPolicy::default() };
    let composer = Composer::new(policy, DeliveryPolicy::default(), Arc::new(EstimatedTokens));
    let boundary = &Boundary::new("5f3a9c1e77b04d28");
    let input = ComposerInput {
        catalog,
        active: &[],
        changed: &[],
        preferred: &[],
        baseline: None,
        boundary,
    };
    composer.compose(&input).text.len()
}

struct Host {
    runtime: Runtime,
    session: SessionHandle,
}

impl Host {
    fn new(root: &Path, policies: Policies) -> Self {
        let runtime = runtime(root, policies);
        let session = runtime.open_session().expect("memory takes another session");
        Self { runtime, session }
    }

    fn turn(&self) -> Turn {
        self.runtime.turn(&self.session).expect("the session is open")
    }

    /// Starts a turn and composes its prompt. Returns the length of its text.
    fn prompt(&self) -> usize {
        self.turn().prompt().text.len()
    }
}

/// Counts calls, which is the least that an audit does.
#[derive(Default)]
struct CountedCalls(AtomicUsize);

impl AuditSink for CountedCalls {
    fn record(&self, event: &AuditEvent) {
        self.0.fetch_add(event.intent.skills.len(), Ordering::Relaxed);
    }
}

fn runtime(root: &Path, policies: Policies) -> Runtime {
    let builder = Runtime::builder().policies(policies).skills_directory("user", root);
    let runtime = builder.audit(Arc::new(CountedCalls::default())).build();
    runtime.expect("the layer and the directory are there")
}

/// Loads one skill by the tool instead of the last one. Returns the length of the result.
fn load(turn: &Turn, id: &str) -> usize {
    let answer = turn.call(&ToolCall::new("skills_load", json!({ "names": [id] }))).result;
    assert!(!answer.is_error, "{answer:?}");
    answer.content.len()
}
