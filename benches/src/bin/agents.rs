//! Prints what skills cost a model: the catalog per skill, by format and size, and three tasks of a
//! scripted model in the format of each vendor. Fails if a catalog exceeds its budget, a path does
//! not resolve, a script is read, or the tokens of one task differ by more than 20 %.
//!
//! The scripts run in the sandbox, whose stage is this program.
#![expect(clippy::print_stdout, reason = "tables are what the program is for")]

use std::path::Path;
use std::process::ExitCode;

use prowess::prompt::{CatalogFormat, PromptInput, PromptPolicy, compose, resolve_path};
use prowess::sandbox::Program;
use prowess::session::SessionHandle;
use prowess::vendor::{RequestOptions, WireFormat};
use prowess::{
    Boundary, DeliveryPolicy, EstimatedTokens, Message, Policies, RequestParts, Runtime,
    TokenCounter, ToolCall,
};
use prowess_testkit::{Corpus, Tree, memory_catalog};
use serde_json::{Value, json};

/// The maximum number of tokens of a catalog under the budget of the tables.
const BUDGET: usize = 4_000;

/// The most that the tokens of one task may differ, in percent of the least.
const MOST: usize = 120;

const FORMATS: [WireFormat; 4] = [
    WireFormat::OpenAiChat,
    WireFormat::OpenAiResponses,
    WireFormat::Anthropic,
    WireFormat::Gemini,
];

/// The tasks, each with the tools that it takes.
const TASKS: [(&str, &[&str]); 3] = [
    ("load", &["skills_load"]),
    ("reference", &["skills_load", "skills_read"]),
    ("script", &["skills_load", "skills_read", "skills_run"]),
];

/// A line that only a reader of a script sees.
const INSIDE: &str = "A comment that only a reader sees.";

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("sandbox-stage") {
        return prowess::sandbox::run_stage();
    }
    let is_small = catalogs();
    println!();
    let is_done = tasks();
    if is_small && is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the tokens of a catalog per skill. Returns whether each is within its budget.
fn catalogs() -> bool {
    println!("| format | skills | tokens per skill | whole | within {BUDGET} | shown |");
    println!("|---|--:|--:|--:|--:|--:|");
    let mut is_small = true;
    for count in [100, 1_000, 10_000] {
        let skills: Vec<_> =
            Corpus::new(1).skills(count).map(|skill| parsed(&skill.skill_md)).collect();
        let none: &[&str] = &[];
        let skills = skills.iter().map(|(name, text)| (name.as_str(), text.as_str(), none));
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

/// Returns name and description of a generated skill.
fn parsed(text: &str) -> (String, String) {
    let parsed = prowess::format::parse(text.as_bytes(), prowess::format::Profile::default());
    let frontmatter = parsed.document.expect("the corpus is valid").frontmatter;
    (frontmatter.name.to_string(), frontmatter.description.to_string())
}

/// Prints the cost of each task by vendor. Returns whether all are done as they should be.
fn tasks() -> bool {
    println!("| task | format | calls | failed paths | scripts read | tokens | of the least |");
    println!("|---|---|--:|--:|--:|--:|--:|");
    let mut is_done = true;
    for (task, tools) in TASKS {
        let tree = shelf(task);
        let runs = FORMATS.map(|format| Run::of(&tree, task, format));
        let least = runs.iter().map(|run| run.tokens).min().expect("there are formats");
        for run in runs {
            let Run { format, failed_paths, scripts_read, tokens, .. } = &run;
            let calls = run.tools.len();
            let share = tokens * 100 / least;
            println!(
                "| {task} | {format:?} | {calls} | {failed_paths} | {scripts_read} | {tokens} | \
                 {share} % |"
            );
            is_done &= run.tools == tools && *failed_paths == 0 && *scripts_read == 0;
            is_done &= share <= MOST;
        }
    }
    is_done
}

/// Returns a skill whose instructions need what the task is about.
fn shelf(task: &str) -> Tree {
    let read = if task == "load" { "" } else { "First read `references/deep/fields.md`. " };
    let run = if task == "script" { "Then run `scripts/fill.sh`." } else { "" };
    let tree = Tree::new("");
    let text = format!(
        "---\nname: pdf\ndescription: Fills forms. Use when a form is to be filled in.\n\
         allowed-tools: skills_run\n---\nThe color is blue. {read}{run}\n"
    );
    tree.write("pdf/SKILL.md", text);
    tree.write("pdf/references/deep/fields.md", "Each field has a color.\n");
    tree.write("pdf/scripts/fill.sh", format!("# {INSIDE}\necho filled in\n"));
    tree
}

/// One task in one format.
struct Run {
    format: WireFormat,
    tools: Vec<String>,
    failed_paths: usize,
    scripts_read: usize,
    tokens: usize,
    messages: Vec<Message>,
}

impl Run {
    fn of(tree: &Tree, task: &str, format: WireFormat) -> Self {
        let program = std::env::current_exe().expect("a program has a file");
        let mut policies = Policies::default();
        policies.scripts.exec = prowess::script::ScriptExecution::Tool;
        let builder = Runtime::builder().policies(policies).skills_directory("user", tree.path());
        let stage = Program::new(program).argument("sandbox-stage");
        let runtime = builder.sandboxed_scripts(stage, std::env::temp_dir()).build();
        let runtime = runtime.expect("the policies fit together");
        let session = runtime.open_session().expect("memory takes another session");
        let messages = vec![Message::user(format!("Fill in this form: {task}."))];
        let mut run = Self {
            format,
            tools: Vec::new(),
            failed_paths: 0,
            scripts_read: 0,
            tokens: 0,
            messages,
        };
        while run.tools.len() < 10 && run.step(&runtime, &session) {}
        run
    }

    /// Makes one model call. Returns whether the model called a tool.
    fn step(&mut self, runtime: &Runtime, session: &SessionHandle) -> bool {
        let turn = runtime.turn(session).expect("the session is open");
        let parts = RequestParts::new("You help people.", self.messages.clone());
        let body = turn.request(self.format, &RequestOptions::model("a-model"), parts);
        let body = body.expect("it has model calls");
        self.tokens += EstimatedTokens.count(&body.to_string());
        self.scripts_read += usize::from(body.to_string().contains(INSIDE));
        let Some(call) = next_call(&body) else { return false };
        let id = format!("call_{}", self.tools.len());
        let reply = self.format.call(&id, &call);
        let received = self.format.calls(&reply, &turn.tools()).remove(0);
        let call = received.call.expect("the model writes JSON");
        let result = turn.call(&call).result;
        self.failed_paths += usize::from(result.is_error || !resolves(&body, &call));
        self.messages.push(Message::Verbatim { message: reply });
        self.messages.push(Message::ToolResult { id, name: received.name, result });
        self.tools.push(call.name);
        true
    }
}

/// Returns whether the path of a call, resolved as the instructions say, is a file.
fn resolves(body: &Value, call: &ToolCall) -> bool {
    let Some(path) = call.arguments["path"].as_str() else { return true };
    let text = body.to_string();
    let directory = text.split("directory=\\\"").nth(1).and_then(|rest| rest.split("\\\"").next());
    directory.is_some_and(|base| Path::new(&*resolve_path(base, path)).is_file())
}

/// The model: it follows what it reads in a body, whatever its format is.
fn next_call(body: &Value) -> Option<ToolCall> {
    let text = body.to_string();
    if !text.contains("The color is blue") {
        let (_, rest) = text.split_once("<name>").expect("the catalog is in the request");
        let (skill, _) = rest.split_once("</name>").expect("it is whole");
        return Some(ToolCall::new("skills_load", json!({ "names": [skill] })));
    }
    let named = |verb: &str| {
        let (_, rest) = text.split_once(&format!("{verb} `"))?;
        Some(rest.split_once('`')?.0.to_owned())
    };
    if let Some(path) = named("First read").filter(|_| !text.contains("Each field has a color")) {
        return Some(ToolCall::new("skills_read", json!({ "path": path })));
    }
    let script = named("Then run").filter(|_| !text.contains("filled in\\"))?;
    Some(ToolCall::new("skills_run", json!({ "path": script })))
}
