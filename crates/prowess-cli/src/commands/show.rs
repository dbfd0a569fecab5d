//! `prowess show`: one skill with its metadata, files and instructions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::format::{Directory, Mapping, parse_in};
use prowess::governance::{package_diff, package_digest};
use prowess::tools::closest;
use prowess::{
    AGENT_LAYER, Availability, Caller, Catalog, Digest, Listing, Lookup, PackageFiles, ReadLimit,
    Record, ResourcePath,
};
use prowess_text::counted;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{Global, LEAST_SIMILARITY};
use crate::commands::own_copies::announce;
use crate::commands::skill_change::{Target, surface};
use crate::commands::user_trust::{self, TrustedRecord, UserTrust};
use crate::failure::Failure;
use crate::output::{DIM, HEADING, ID, Output};
use crate::runtime;
use crate::terminal::{columns_behind, plain, plain_lines, wrapped};

/// The maximum number of listed files of a package.
const MOST_RESOURCES: usize = 200;

/// The output of `show --format json`.
#[derive(Serialize)]
pub(crate) struct Shown<'c> {
    record: TrustedRecord<'c>,
    digest: Digest,
    /// The digest of all files, as a history and an approval have it, if they are here.
    package: Option<Digest>,
    /// The capabilities of the skill, as `kind:value`.
    surface: BTreeSet<String>,
    /// The skill with its files as `trust --skill` names it, and these as a diff, if an agent has
    /// written it and they wait for a review.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<Value>,
    properties: Mapping,
    #[serde(flatten)]
    resources: Listing,
    body: String,
}

pub(crate) fn run(global: &Global, id: &str, output: &Output) -> Result<ExitCode, Failure> {
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    output.result(&shown(&catalog, id)?, text_of)?;
    announce(&catalog, output);
    Ok(ExitCode::SUCCESS)
}

/// Returns what is known of a skill.
pub(crate) fn shown<'c>(catalog: &'c Catalog, id: &str) -> Result<Shown<'c>, Failure> {
    let record = record(catalog, id)?;
    let resource = ResourcePath::new(record.file())
        .map_err(|error| Failure::new("path-invalid", error.to_string(), "reload"))?;
    let failed = |error: prowess::SourceError| {
        let help = "see `prowess explain` for where it was found";
        Failure::new(error.kind.as_str(), error.to_string(), help)
    };
    let text = catalog.read(record, &resource, ReadLimit::default()).map_err(failed)?;
    let resources = catalog.list(record, MOST_RESOURCES).map_err(failed)?;
    let directory = Directory { name: record.directory(), is_compared: false };
    let document = parse_in(&text, Some(directory), record.rules()).document.ok_or_else(|| {
        let message = format!("the `SKILL.md` of `{id}` can no longer be read");
        Failure::new("skill-changed", message, "see `prowess validate` for what is wrong with it")
    })?;
    let files = Target::of_record(record).and_then(|target| target.files()).ok();
    let package = files.as_ref().map(package_digest);
    let waits =
        *record.layer().name == *AGENT_LAYER && record.availability() == Availability::Hidden;
    let review = package.zip(files.as_ref()).filter(|_| waits).map(|(digest, files)| {
        let diff = package_diff(&PackageFiles::new(), files);
        json!({ "skill": format!("{}@{digest}", record.id()), "diff": diff })
    });
    Ok(Shown {
        package,
        surface: files.as_ref().map(surface).unwrap_or_default(),
        review,
        record: TrustedRecord::new(record, &UserTrust::of(catalog)?),
        digest: Digest::of(&text),
        properties: document.frontmatter.fields,
        resources,
        body: document.body.to_owned(),
    })
}

/// Returns the skill that a user would load; for the operator of the host, otherwise any skill with
/// that name.
pub(crate) fn record<'c>(catalog: &'c Catalog, id: &str) -> Result<Record<'c>, Failure> {
    match catalog.find(id, Caller::User) {
        Lookup::Found(record) | Lookup::Unavailable(record, _) => Ok(record),
        Lookup::Ambiguous(one, other) => Err(ambiguous(id, one, other)),
        Lookup::Unknown => {
            catalog.all_named(id).first().copied().ok_or_else(|| unknown(catalog, id))
        }
    }
}

/// Returns the failure for a name that two skills have in another spelling.
fn ambiguous(id: &str, one: Record<'_>, other: Record<'_>) -> Failure {
    let message = format!("`{}` may be `{}` or `{}`", plain(id), one.id(), other.id());
    Failure::new("skill-ambiguous", message, "name one of them, see `prowess list` for the ids")
}

/// Returns the failure for an unknown id.
fn unknown(catalog: &Catalog, id: &str) -> Failure {
    // It may be saved at this moment.
    let is_of_skill = |path: &str| {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        directory.rsplit('/').next() == Some(id)
    };
    let mut errors = catalog.diagnostics().filter(|found| found.is_error());
    if let Some(error) = errors.find(|it| it.path.as_deref().is_some_and(is_of_skill)) {
        let message = format!("`{}` cannot be used: {error}", plain(id));
        return Failure::new("skill-invalid", message, "see `prowess doctor`, or try again");
    }
    let message = match suggestion(catalog, id, []) {
        Some(meant) => format!("no skill named `{id}`; did you mean `{meant}`?"),
        None => format!("no skill named `{id}`"),
    };
    let late = catalog.diagnostics().find(|found| found.code.as_str() == "source-late");
    let help = late.map_or_else(
        || "see `prowess list` for the ids, or `prowess explain` for why it is missing".to_owned(),
        |late| format!("{late}; {}", late.help),
    );
    Failure::new("skill-not-found", message, help)
}

/// Returns the id of a skill, offered or not, or the other name that is most similar to an unknown
/// one.
pub(crate) fn suggestion<'c>(
    catalog: &'c Catalog,
    id: &str,
    others: impl IntoIterator<Item = &'static str>,
) -> Option<&'c str> {
    let ids = catalog.skills().chain(catalog.excluded()).map(|record| record.id());
    let others = others.into_iter().map(|name| -> &'c str { name });
    closest(id, ids.chain(others), LEAST_SIMILARITY)
}

fn text_of(shown: &Shown<'_>) -> String {
    let Shown {
        record: TrustedRecord { record, trusted_by_user }, digest, resources, body, ..
    } = shown;
    let description = wrapped(&plain(record.description()), columns_behind(0), 0);
    let mut text = format!("{ID}{}{ID:#}\n{description}\n\n", plain(record.id()));
    // A digest behind the margin takes 80 columns.
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(text, "{DIM}{key:8}{DIM:#} {}", plain(value));
    };
    line("location", &record.location());
    let trust = user_trust::described(record.trust().as_str(), *trusted_by_user);
    line("layer", &format!("{} ({trust})", record.layer().name));
    if let Some(version) = record.version() {
        line("version", version);
    }
    line("digest", &digest.to_string());
    for resource in &resources.resources {
        line("file", &format!("{} ({})", resource.path, counted(resource.bytes, "byte")));
    }
    if !resources.is_complete {
        line("file", "… and more");
    }
    let _ = writeln!(text, "\n{HEADING}Instructions{HEADING:#}\n");
    text + &broken_between_words(&plain_lines(body.trim()))
}

/// Breaks the lines of a text in Markdown that are too long, but those of code and of tables.
fn broken_between_words(text: &str) -> String {
    let mut lines = String::new();
    let mut is_code = false;
    for line in text.lines() {
        let start = line.trim_start();
        let is_fence = start.starts_with("```") || start.starts_with("~~~");
        is_code ^= is_fence;
        lines += &match is_code || is_fence || start.starts_with('|') {
            true => line.to_owned(),
            false => wrapped(line, columns_behind(0), line.len() - start.len()),
        };
        lines.push('\n');
    }
    lines
}
