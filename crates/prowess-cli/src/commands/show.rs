//! `prowess show`: one skill with its metadata, files and instructions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;

use prowess::format::{Directory, Mapping, parse_in};
use prowess::governance::{package_diff, package_digest};
use prowess::{
    AGENT_LAYER, Availability, Catalog, Digest, Listing, PackageFiles, ReadLimit, ResourcePath,
};
use prowess_text::counted;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::Global;
use crate::commands::found::record;
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
    /// Why these are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    surface_unknown: Option<String>,
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
    let files = Target::of_record(record).and_then(|target| target.files());
    let package = files.as_ref().ok().map(package_digest);
    let waits =
        *record.layer().name == *AGENT_LAYER && record.availability() == Availability::Hidden;
    let review = package.zip(files.as_ref().ok()).filter(|_| waits).map(|(digest, files)| {
        let diff = package_diff(&PackageFiles::new(), files);
        json!({ "skill": format!("{}@{digest}", record.id()), "diff": diff })
    });
    Ok(Shown {
        package,
        surface: files.as_ref().map(surface).unwrap_or_default(),
        surface_unknown: files.as_ref().err().map(|failure| failure.message.clone()),
        review,
        record: TrustedRecord::new(record, &UserTrust::of(catalog)?),
        digest: Digest::of(&text),
        properties: document.frontmatter.fields,
        resources,
        body: document.body.to_owned(),
    })
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
    if let Some(reason) = &shown.surface_unknown {
        line("surface", &format!("not known: {reason}"));
    }
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
