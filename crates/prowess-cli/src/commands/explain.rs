//! `prowess explain`: the decisions about one skill, from its location to the model, or the meaning
//! of a code.

mod code;
mod meant;
pub(crate) mod nowhere;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use prowess::format::{Profile, parse};
use prowess::lint::hooks_of_a_shell;
use prowess::prompt::{ChangeKind, Prompt};
use prowess::registry::codes::PROJECT_NOT_TRUSTED;
use prowess::source_fs::Discovery;
use prowess::source_fs::codes::{
    DIRECTORY_UNREADABLE, LEFT_OUT_BY_GITIGNORE, LINK_NOT_SEARCHED, ROOT_IS_SYMLINK, ROOT_OUTSIDE,
    SCAN_TRUNCATED,
};
use prowess::{
    Availability, Caller, Catalog, Code, Diagnostic, Lookup, ReadLimit, Record, ResourcePath,
    Runtime,
};
use prowess_text::counted;
use serde::Serialize;

use crate::args::Global;
use crate::commands::conversation::Conversation;
use crate::commands::elsewhere::Elsewhere;
use crate::commands::user_trust::{self, TrustedRecord, UserTrust};
use crate::failure::Failure;
use crate::output::{DIM, HEADING, ID, Output};
use crate::paths::absolute;
use crate::policies::Found;
use crate::runtime::{self, with_prowess};
use crate::terminal::{columns_behind, plain, wrapped};

/// The output of `explain --format json`.
#[derive(Serialize)]
pub(crate) struct Explained<'c> {
    query: &'c str,
    records: Vec<TrustedRecord<'c>>,
    decisions: Vec<Decision>,
    /// The tokens of these records in each turn, as far as the prompt shows them.
    tokens: usize,
    /// Whether nothing is known of it below the roots.
    #[serde(skip)]
    is_under_no_root: bool,
}

impl Explained<'_> {
    /// Returns whether there is neither a skill nor a finding about one.
    fn is_nowhere(&self) -> bool {
        self.decisions.first().is_some_and(|decision| decision.outcome == nowhere::NOT_FOUND)
    }
}

#[derive(Serialize)]
struct Decision {
    step: &'static str,
    outcome: &'static str,
    reason: String,
}

impl Decision {
    fn new(step: &'static str, outcome: &'static str, reason: impl Into<String>) -> Self {
        Self { step, outcome, reason: reason.into() }
    }
}

pub(crate) fn run(global: &Global, query: &str, output: &Output) -> Result<ExitCode, Failure> {
    let code = code::named_by(query);
    let of_code = code::explanations(&code);
    let global = &match of_code.is_empty() {
        true => Found::tolerant(global, runtime::check, output)?,
        false => global.clone(),
    };
    let runtime = match runtime::runtime(global) {
        // A code of a configuration is explained while that is broken.
        Err(_) if !of_code.is_empty() => return code::print(&code, &of_code, output),
        built => built?,
    };
    let conversation = Conversation::open(&runtime)?;
    let turn = conversation.turn()?;
    let explained = explained(global, &runtime, (turn.catalog(), &turn.prompt()), query)?;
    if !of_code.is_empty() && explained.is_nowhere() {
        return code::print(&code, &of_code, output);
    }
    output.result(&explained, text)?;
    let is_offered =
        |shown: &TrustedRecord<'_>| shown.record.availability() == Availability::Offered;
    let is_offered = explained.records.iter().any(is_offered);
    Ok(ExitCode::from(u8::from(!is_offered)))
}

/// Returns the decisions about what a query names, and the places that are not searched.
pub(crate) fn explained<'c>(
    global: &Global,
    runtime: &Runtime,
    (catalog, prompt): (&'c Catalog, &Prompt),
    query: &'c str,
) -> Result<Explained<'c>, Failure> {
    let trust = UserTrust::of(catalog)?;
    let discovery = &runtime.policies().discovery;
    let mut explained = explain(catalog, prompt, discovery, &trust, query);
    if explained.is_nowhere() {
        let path = absolute(query.as_ref()).unwrap_or_default();
        let elsewhere = Elsewhere::with_insides(global, runtime.policies(), catalog)?;
        let reason = elsewhere.reason(query, &path, explained.is_under_no_root);
        let not_read = reason.map(|reason| vec![Decision::new("find", "not-read", reason)]);
        explained.decisions = not_read.unwrap_or(explained.decisions);
    }
    Ok(explained)
}

fn explain<'c>(
    catalog: &'c Catalog,
    prompt: &Prompt,
    discovery: &Discovery,
    trust: &UserTrust,
    query: &'c str,
) -> Explained<'c> {
    let path = absolute(query.as_ref()).unwrap_or_default();
    let path = meant::as_found(catalog, path).to_string_lossy().into_owned();
    let mut records = meant::records(catalog, query, &path);
    let mut decisions = Vec::new();
    let is_id = records.iter().any(|record| record.id() == query);
    if let Some(id) = catalog.alias(query).filter(|_| !is_id) {
        let reason = format!("`{query}` is an alias for `{id}`");
        decisions.push(Decision::new("name", "alias", reason));
    }
    for &record in &records {
        decisions.push(found_at(record, trust));
        explain_record(catalog, prompt, record, &mut decisions);
    }
    decisions.extend(findings_elsewhere(catalog, &records, query, &path));
    // It may be there. A look at a directory that does not answer would not end.
    let late = catalog.diagnostics().filter(|it| it.code.as_str() == "source-late");
    if decisions.is_empty() {
        decisions
            .extend(late.map(|it| Decision::new("find", "late", format!("{it}; {}", it.help))));
    }
    let places = if decisions.is_empty() { nowhere::places(catalog, query) } else { Vec::new() };
    for place in &places {
        // A link to a skill that was found by another path.
        if let [record] = *meant::records(catalog, "", &place.to_string_lossy()) {
            decisions.push(found_at(record, trust));
            explain_record(catalog, prompt, record, &mut decisions);
            records.push(record);
            continue;
        }
        let found = findings_elsewhere(catalog, &records, query, &place.to_string_lossy());
        if found.is_empty() {
            decisions.push(nowhere::decide(catalog, discovery, &place.to_string_lossy(), place));
            decisions.extend(ends_above(catalog, place));
        }
        decisions.extend(found);
    }
    let root = nowhere::root_of(catalog, query, path.as_ref());
    let is_under_no_root = decisions.is_empty() && root.is_none();
    if decisions.is_empty() {
        decisions.push(nowhere::decide(catalog, discovery, query, path.as_ref()));
        decisions.extend(ends_above(catalog, path.as_ref()));
    }
    let tokens = records
        .iter()
        .filter(|record| {
            record.availability() == Availability::Offered && prompt.shown.contains(record.id())
        })
        .map(Record::tokens)
        .sum();
    let records = records.into_iter().map(|record| TrustedRecord::new(record, trust)).collect();
    Explained { query, records, decisions, tokens, is_under_no_root }
}

/// Returns the findings about skills without a record, such as unusable ones. They are found by the
/// name of their directory, or by any directory above.
fn findings_elsewhere<'c>(
    catalog: &'c Catalog,
    records: &[Record<'c>],
    query: &str,
    path: &str,
) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for found in catalog.diagnostics() {
        let place = found.path.as_deref().unwrap_or_default();
        let rest = place.strip_prefix(path);
        let is_inside = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_named = place.rsplit('/').nth(1) == Some(query);
        let is_record = || records.iter().any(|record| record.is_at(place));
        if (is_inside || is_named) && !is_record() {
            decisions.push(checked(found, place));
        }
    }
    decisions
}

/// Returns the findings that ended the scan in a directory above a path.
fn ends_above(catalog: &Catalog, path: &Path) -> Vec<Decision> {
    const ENDS: [Code; 6] = [
        LEFT_OUT_BY_GITIGNORE,
        SCAN_TRUNCATED,
        DIRECTORY_UNREADABLE,
        ROOT_IS_SYMLINK,
        ROOT_OUTSIDE,
        LINK_NOT_SEARCHED,
    ];
    let place = |found: &Diagnostic| found.path.as_deref().unwrap_or_default().to_owned();
    let ends = catalog.diagnostics().filter(|found| {
        ENDS.contains(&found.code) && path.exists() && path.starts_with(place(found))
    });
    ends.map(|found| checked(found, &place(found))).collect()
}

/// Converts a finding, with its location in brackets.
fn checked(found: &Diagnostic, path: &str) -> Decision {
    let outcome = if found.is_error() { "refused" } else { "noted" };
    let place = match (path, found.line, found.column) {
        ("", Some(line), Some(column)) => format!(" (line {line}, column {column})"),
        ("", ..) => String::new(),
        (path, Some(line), Some(column)) => format!(" ({path}:{line}:{column})"),
        (path, ..) => format!(" ({path})"),
    };
    let reason = format!("[{}] {}{place}; {}", found.code, found.message, found.help);
    Decision::new("check", outcome, reason)
}

/// Returns where a skill was found, and how far that place is trusted.
fn found_at(record: Record<'_>, trust: &UserTrust) -> Decision {
    let directory = record.root_directory();
    let real = Path::new(&directory).canonicalize().unwrap_or_default();
    let root = record
        .location()
        .strip_suffix(&*format!("{}/{}", record.package().as_str(), record.file()))
        .and_then(|root| Path::new(root).canonicalize().ok());
    let by_link = root.is_some_and(|root| root.join(record.package().as_str()) != real);
    let by_link =
        if by_link { format!(", by a link to {},", real.display()) } else { String::new() };
    let place = format!(
        "{}{by_link} in source `{}` of layer `{}` ({})",
        record.location(),
        record.source(),
        record.layer().name,
        user_trust::described(record.trust().as_str(), trust.in_record(record))
    );
    Decision::new("find", "found", place)
}

fn explain_record(
    catalog: &Catalog,
    prompt: &Prompt,
    record: Record<'_>,
    decisions: &mut Vec<Decision>,
) {
    decisions.push(match record.missing_requirement() {
        Some(lack) => Decision::new("ready", "not-ready", lack),
        None => Decision::new("ready", "ready", "its requirements are met"),
    });
    let reason = match record.reason() {
        Some(reason) if Some(reason) == record.missing_requirement() => {
            "it is offered once its requirements are met".to_owned()
        }
        Some(_) if runtime::is_off(record) => {
            format!("it is about prowess itself; `{}` offers it", with_prowess())
        }
        Some(reason) => reason.to_owned(),
        None => format!("no other `{}` takes precedence", record.id()),
    };
    decisions.push(Decision::new("place", record.availability().as_str(), reason));
    decisions.push(match record.availability() {
        Availability::Offered => shown(prompt, record),
        _ => loadable(catalog, record),
    });
    let location = record.location();
    // One finding about a project's trust covers all of its skills.
    let is_of_project = |found: &Diagnostic, place: &str| {
        found.code == PROJECT_NOT_TRUSTED
            && record.availability() != Availability::Offered
            && Path::new(location.trim_start_matches("prowess-lock://")).starts_with(place)
    };
    decisions.extend(
        catalog
            .diagnostics()
            .filter(|found| {
                let place = found.path.as_deref();
                place.is_some_and(|place| place == location || is_of_project(found, place))
            })
            .map(|found| checked(found, "")),
    );
    decisions.extend(hooks(catalog, record).iter().map(|found| checked(found, "")));
}

/// Returns the findings about hooks that keep the skill from being loaded where hooks run.
fn hooks(catalog: &Catalog, record: Record<'_>) -> Vec<Diagnostic> {
    let file = ResourcePath::new(record.file()).ok();
    let text = file.and_then(|file| catalog.read(record, &file, ReadLimit::default()).ok());
    let text = text.unwrap_or_default();
    let document = parse(&text, Profile::Lenient).document;
    document.map_or_else(Vec::new, |document| hooks_of_a_shell(&text, &document))
}

/// Returns how the prompt shows a visible skill.
fn shown(prompt: &Prompt, record: Record<'_>) -> Decision {
    let id = record.id();
    let changes: Vec<_> = prompt.ledger.changes.iter().filter(|at| at.id == id).collect();
    let change = |kind| changes.iter().any(|at| at.change == kind);
    let (outcome, reason) = if change(ChangeKind::Dropped) {
        ("cut", "left out, because the catalog exceeds `prompt.max_tokens`")
    } else if change(ChangeKind::Shortened) {
        ("shortened", "its description is shortened to stay within `prompt.max_tokens`")
    } else if change(ChangeKind::Unnameable) {
        ("cut", "left out, because its id cannot be typed exactly")
    } else if !prompt.shown.contains(id) {
        ("not-shown", "the prompt has no catalog; the model uses a tool")
    } else if record.is_name_only() {
        ("name-only", "only its name is shown, because of a rule in `visibility.skills`")
    } else {
        ("shown", "with its name and description")
    };
    Decision::new("prompt", outcome, reason)
}

/// Returns whether a model or a user can load a skill that is not offered.
fn loadable(catalog: &Catalog, record: Record<'_>) -> Decision {
    let means_it = |id: &str, caller| match catalog.find(id, caller) {
        Lookup::Found(found) => found.index() == record.index(),
        Lookup::Unavailable(..) | Lookup::Ambiguous(..) | Lookup::Unknown => false,
    };
    let id = record.qualified_id().unwrap_or_default();
    match (means_it(&id, Caller::Model), means_it(&id, Caller::User)) {
        (true, true) => Decision::new("load", "by-id", format!("it can be loaded as `{id}`")),
        (true, false) => Decision::new(
            "load",
            "by-model",
            format!("a model can load it as `{id}`, a user cannot"),
        ),
        (false, true) => Decision::new(
            "load",
            "by-user",
            format!("a user can load it as `{id}`, a model cannot"),
        ),
        (false, false) => {
            Decision::new("load", "refused", "neither a model nor a user can load it")
        }
    }
}

/// The number of columns before a reason.
const MARGIN: usize = 14;

fn text(explained: &Explained<'_>) -> String {
    let mut text = format!("{ID}{}{ID:#}\n", plain(explained.query));
    for decision in &explained.decisions {
        let label = label(decision);
        let reason = wrapped(&plain(&decision.reason), columns_behind(MARGIN), MARGIN);
        let _ = writeln!(text, "  {HEADING}{label:11}{HEADING:#} {reason}");
    }
    if explained.tokens > 0 {
        let cost = format!("about {} in each model call", counted(explained.tokens, "token"));
        let _ = writeln!(text, "  {DIM}{:11} {cost}{DIM:#}", "cost");
    }
    text
}

/// Returns the word in front of a reason, so that both read as one sentence.
fn label(decision: &Decision) -> &'static str {
    match (decision.step, decision.outcome) {
        ("find", "found") => "found at",
        ("find", "pack") => "a pack",
        ("find", _) => "not found",
        ("ready", "ready") => "ready",
        ("ready", _) => "not ready",
        ("place", "visible") => "offered",
        ("place", "not-ready") => "withheld",
        ("place", outcome) => outcome,
        ("prompt", _) => "in prompts",
        ("load", _) => "loading",
        ("check", "refused") => "error",
        ("check", _) => "warning",
        (step, _) => step,
    }
}
