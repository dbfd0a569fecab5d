//! Prints the tokens of a catalog per skill, by format and size, and the share of prompt tokens
//! that a provider's prompt cache would have kept over 200 turns with loads, unloads and edits, by
//! policy. Fails if a catalog exceeds its budget, if the default policy keeps less than 90 %, or if
//! writing the catalog in each call keeps as much: then the turns show nothing.
//!
//! The cached part of a request is its common prefix with the request of the turn before: the
//! definitions of the tools, which providers put first, and the instructions. Messages are the
//! host's, and do not count.
#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::path::Path;
use std::process::ExitCode;

use benches::corpus;
use prowess::prompt::{
    CatalogEvery, CatalogFormat, CommonPrefix, PromptInput, PromptPolicy, common_prefix, compose,
};
use prowess::session::SessionHandle;
use prowess::{Boundary, DeliveryPolicy, EstimatedTokens, Policies, Runtime, ToolCall};
use prowess_testkit::memory_catalog;
use serde_json::json;

const TURNS: usize = 200;
const SKILLS: usize = 40;

/// The least share that the default policy may keep, in percent.
const LEAST: usize = 90;

/// The lengths of public skills, at the median.
const DESCRIPTION: usize = 248;
const BODY: usize = 6_500;

/// The maximum number of tokens of a catalog in the last columns of its table.
const BUDGET: usize = 4_000;

fn main() -> ExitCode {
    if !catalogs() {
        println!("\na catalog exceeds its budget");
        return ExitCode::FAILURE;
    }
    println!();
    println!("{TURNS} turns, {SKILLS} skills\n");
    println!("| `catalog_every` | tokens | kept | share |");
    println!("|---|--:|--:|--:|");
    let [every_call, _, default] =
        [CatalogEvery::Call, CatalogEvery::Session, CatalogEvery::default()].map(|every| {
            let kept = replayed(every);
            let share = kept.tokens * 100 / kept.of_tokens;
            println!("| {every:?} | {} | {} | {share} % |", kept.of_tokens, kept.tokens);
            share
        });
    if default < LEAST {
        println!("\nthe default policy keeps less than {LEAST} %");
    } else if every_call >= LEAST {
        println!("\nwriting the catalog in each call keeps {LEAST} %, too: too little is edited");
    } else {
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}

/// Prints the tokens of a catalog per skill. Returns whether each is within its budget.
fn catalogs() -> bool {
    println!("| format | skills | tokens per skill | whole | within {BUDGET} | shown |");
    println!("|---|--:|--:|--:|--:|--:|");
    let mut is_small = true;
    for count in [100, 1_000, 10_000] {
        let skills: Vec<_> = (0..count).map(|at| parsed(&corpus::skill(at).1)).collect();
        let skills = skills.iter().map(|(name, text)| (name.as_str(), text.as_str(), &[][..]));
        let catalog = memory_catalog(skills);
        for catalog_format in CatalogFormat::ALL {
            let composed = |max_tokens| {
                let policy = PromptPolicy { catalog_format, max_tokens, ..PromptPolicy::default() };
                let prompt = compose(&PromptInput {
                    catalog: &catalog,
                    active: &[],
                    changed: &[],
                    preferred: &[],
                    baseline: None,
                    policy: &policy,
                    delivery: &DeliveryPolicy::default(),
                    boundary: &Boundary::new("5f3a9c1e77b04d28"),
                    counter: &EstimatedTokens,
                });
                let rule = prompt.ledger.entries.first().map_or(0, |entry| entry.tokens);
                (prompt.ledger.tokens - rule, prompt.shown.len())
            };
            let (whole, _) = composed(None);
            let (within, shown) = composed(Some(BUDGET));
            let each = whole / count;
            println!("| {catalog_format:?} | {count} | {each} | {whole} | {within} | {shown} |");
            is_small &= within <= BUDGET;
        }
    }
    is_small
}

fn parsed(text: &str) -> (String, String) {
    let parsed = prowess::format::parse(text.as_bytes(), prowess::format::Profile::default());
    let frontmatter = parsed.document.expect("the corpus is valid").frontmatter;
    (frontmatter.name.to_string(), frontmatter.description.to_string())
}

/// Replays the turns; returns the sums of all prompts after the first.
fn replayed(catalog_every: CatalogEvery) -> CommonPrefix {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for number in 0..SKILLS {
        write(directory.path(), number, "first");
    }
    let prompt = PromptPolicy { catalog_every, ..PromptPolicy::default() };
    let policies = Policies { prompt, ..Policies::default() };
    let builder = Runtime::builder().policies(policies);
    let runtime = builder.skills_directory("user", directory.path()).build();
    let runtime = runtime.expect("the policies fit together");
    let session = runtime.open_session().expect("memory takes another session");
    let mut before: Option<String> = None;
    let mut kept = CommonPrefix::default();
    for number in 0..TURNS {
        change_files(&runtime, directory.path(), number);
        let turn = runtime.turn(&session).expect("the session is open");
        let tools = serde_json::to_string(&turn.tools()).expect("definitions are JSON");
        let text = tools + &turn.prompt().text;
        if let Some(before) = before {
            let prefix = common_prefix(&before, &text, &EstimatedTokens);
            kept.tokens += prefix.tokens;
            kept.of_tokens += prefix.of_tokens;
        }
        before = Some(text);
        call_tools(&runtime, &session, number);
    }
    kept
}

/// Edits a skill in each fifth turn, and adds or removes one now and then.
fn change_files(runtime: &Runtime, directory: &Path, turn: usize) {
    if turn > 0 && turn.is_multiple_of(5) {
        write(directory, turn / 5 * 7 % SKILLS, &format!("edited in turn {turn}"));
    }
    if turn % 40 == 25 {
        write(directory, SKILLS + turn, "added");
    }
    if turn % 50 == 45 {
        let removed = directory.join(name(turn % SKILLS));
        std::fs::remove_dir_all(removed).expect("the skill is there");
    }
    runtime.reload();
}

/// Loads a skill in each eighth turn, and unloads the oldest in each twenty-fourth.
fn call_tools(runtime: &Runtime, session: &SessionHandle, number: usize) {
    let turn = runtime.turn(session).expect("the session is open");
    let ids: Vec<_> = turn.catalog().skills().map(|skill| skill.id().to_owned()).collect();
    if number % 8 == 3 && turn.state().active.len() < 8 {
        let arguments = json!({ "names": [ids[number * 3 % ids.len()]], "mode": "add" });
        let answer = turn.call(&ToolCall::new("skills_load", arguments)).result;
        assert!(!answer.is_error, "{answer:?}");
    }
    let oldest = turn.state().active.first().map(|skill| skill.id.clone());
    if number % 24 == 20
        && let Some(oldest) = oldest
    {
        let answer =
            turn.call(&ToolCall::new("skills_unload", json!({ "names": [oldest] }))).result;
        assert!(!answer.is_error, "{answer:?}");
    }
}

fn name(number: usize) -> String {
    format!("skill-{number:03}")
}

fn write(directory: &Path, number: usize, state: &str) {
    let name = name(number);
    let description = "Works on one kind of task. ".repeat(DESCRIPTION / 27);
    let body = "Read the file, then write the result. ".repeat(BODY / 38);
    let text = format!(
        "---\nname: {name}\ndescription: {description}It is {state}.\n---\n# {name}\n{body}\n"
    );
    std::fs::create_dir_all(directory.join(&name)).expect("a directory can be made");
    std::fs::write(directory.join(name).join("SKILL.md"), text).expect("a file can be written");
}
