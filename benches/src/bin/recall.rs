//! Prints the share of needs whose skill a scripted model reaches within two calls, by policy, and
//! fails if the default policy reaches fewer than 95 %.
//!
//! `recall DIRECTORY NEEDS`: a line of NEEDS is a need, a tab, and the id of the skill that is
//! meant, with others that would do after it, which do not count here.
//!
//! The model sees the prompt and the tools of a turn. If the prompt names the skill, it loads it.
//! Otherwise it calls the tool that the prompt or a definition offers for a search, with the need
//! as the query, and loads the skill if the result names it. It knows the right skill when it sees
//! its id, so this measures what can be reached, not how well a model chooses.
#![expect(clippy::print_stdout, reason = "a table is what the program is for")]

use std::path::Path;
use std::process::ExitCode;

use prowess::prompt::{CatalogPlace, Overflow, Prompt, PromptPolicy};
use prowess::{Content, Policies, Runtime, ToolCall, Turn};
use serde_json::{Value, json};

/// The least share that the default policy may reach, in percent.
const LEAST: usize = 95;

struct Need {
    text: String,
    id: String,
}

/// How a model reached a skill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    Named,
    /// At this rank of a search, from 1.
    Found(usize),
    Missed,
}

struct Row {
    name: &'static str,
    shown: usize,
    tokens: usize,
    reached: Vec<Reached>,
}

impl Row {
    fn count(&self, is_counted: impl Fn(Reached) -> bool) -> usize {
        self.reached.iter().filter(|&&reached| is_counted(reached)).count()
    }

    fn percent(&self) -> usize {
        self.count(|reached| reached != Reached::Missed) * 100 / self.reached.len()
    }

    fn print(&self) {
        let named = self.count(|reached| reached == Reached::Named);
        let first = self.count(|reached| reached == Reached::Found(1));
        let found = self.count(|reached| matches!(reached, Reached::Found(_)));
        let Self { name, shown, tokens, .. } = self;
        let percent = self.percent();
        println!("| {name} | {shown} | {tokens} | {named} | {found} | {first} | {percent} % |");
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, needs] = &arguments[..] else { return ExitCode::from(2) };
    let needs = read(&std::fs::read_to_string(needs).expect("the needs can be read"));
    println!("{} needs; a skill is reached by a load, or by a search and a load\n", needs.len());
    println!("| policy | skills in the prompt | tokens | named | found | as the first | reached |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let mut is_enough = true;
    for (name, prompt) in policies() {
        let is_default = prompt == PromptPolicy::default();
        let row = measured(name, prompt, Path::new(directory), &needs);
        row.print();
        if is_default {
            is_enough = row.percent() >= LEAST;
            print_missed(&row, &needs);
        }
    }
    if is_enough {
        return ExitCode::SUCCESS;
    }
    println!("\nthe default policy reaches fewer than {LEAST} %");
    ExitCode::FAILURE
}

fn read(text: &str) -> Vec<Need> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let needs = lines.map(|line| {
        let (text, ids) = line.split_once('\t').expect("a need, a tab, ids");
        let id = ids.split(',').next().unwrap_or_default();
        Need { text: text.to_owned(), id: id.to_owned() }
    });
    needs.collect()
}

/// The policies that are compared, the default last, for its missed needs to follow its row.
fn policies() -> Vec<(&'static str, PromptPolicy)> {
    let of = |on_overflow| PromptPolicy { on_overflow, ..PromptPolicy::default() };
    vec![
        ("no budget", PromptPolicy { max_tokens: None, ..PromptPolicy::default() }),
        (
            "`tool_only`",
            PromptPolicy { catalog_place: CatalogPlace::ToolOnly, ..PromptPolicy::default() },
        ),
        ("`names_only`", of(Overflow::NamesOnly)),
        ("`layer`", of(Overflow::Layer)),
        ("`usage`", of(Overflow::Usage)),
        ("`relevance`", of(Overflow::Relevance)),
        ("`shorten`, the default", PromptPolicy::default()),
    ]
}

fn measured(name: &'static str, prompt: PromptPolicy, directory: &Path, needs: &[Need]) -> Row {
    let policies = Policies { prompt, ..Policies::default() };
    let runtime = Runtime::builder().policies(policies).tree("user", directory);
    let runtime = runtime.build().expect("the policies fit together");
    let catalog = runtime.catalog();
    let unknown = needs.iter().find(|need| catalog.get(&need.id).is_none());
    assert!(unknown.is_none(), "no skill `{}`", unknown.map_or("", |need| &need.id));
    // Every tenth skill was used before.
    let used = catalog.skills().step_by(10).map(|skill| (skill.id(), 1));
    let reached = needs.iter().map(|need| {
        let turn = first_turn(&runtime).with_message(&need.text);
        reach(&turn.with_usage(used.clone()), need)
    });
    let reached = reached.collect();
    let prompt = first_turn(&runtime).prompt();
    Row { name, shown: prompt.shown.len(), tokens: prompt.ledger.tokens, reached }
}

fn first_turn(runtime: &Runtime) -> Turn {
    let session = runtime.open_session().expect("memory takes another session");
    runtime.turn(&session).expect("the session is open")
}

fn reach(turn: &Turn, need: &Need) -> Reached {
    let prompt = turn.prompt();
    let text = &prompt.text;
    let reached = if text.contains(&format!("<name>{}</name>", need.id)) {
        Reached::Named
    } else {
        search(turn, &prompt, need)
    };
    if reached != Reached::Missed {
        let answer = turn.call(&ToolCall::new("skills_load", json!({ "names": [need.id] }))).result;
        assert!(!answer.is_error, "`{}` was named and cannot be loaded: {answer:?}", need.id);
    }
    reached
}

/// Has the model search by a tool that takes a query: the one that the text names or, if the text
/// lists no skill, any.
fn search(turn: &Turn, prompt: &Prompt, need: &Need) -> Reached {
    let tools = turn.tools();
    let takes_query =
        tools.iter().filter(|tool| tool.input_schema["properties"]["query"].is_object());
    let is_named =
        |name: &str| prompt.shown.is_empty() || prompt.text.contains(&format!("`{name}`"));
    let Some(tool) = takes_query.map(|tool| &tool.name).find(|name| is_named(name)) else {
        return Reached::Missed;
    };
    let answer = turn.call(&ToolCall::new(tool, json!({ "query": need.text }))).result;
    let Some(Content::Text { text }) = answer.content.first() else { return Reached::Missed };
    let data: Value = serde_json::from_str(text).expect("a search returns JSON");
    let hits = data["hits"].as_array().map_or(&[][..], Vec::as_slice);
    let rank = hits.iter().position(|hit| hit["id"] == need.id.as_str());
    rank.map_or(Reached::Missed, |rank| Reached::Found(rank + 1))
}

fn print_missed(row: &Row, needs: &[Need]) {
    println!();
    for (need, _) in
        needs.iter().zip(&row.reached).filter(|(_, reached)| **reached == Reached::Missed)
    {
        println!("missed: {} ({})", need.text, need.id);
    }
}
