//! `prowess list`: all skills, shadowed skills and problems.

#[cfg(feature = "web")]
mod searches;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
#[cfg(feature = "web")]
use prowess::RecordIndex;
use prowess::{Availability, Catalog, Diagnostic, Record, Severity};
#[cfg(feature = "web")]
pub(crate) use searches::Searches;
use serde::Serialize;

use crate::args::{Global, List, SkillOrder};
use crate::commands::elsewhere::{Elsewhere, UnreadLine};
use crate::commands::own_copies::{announce, is_again};
use crate::commands::user_trust::{TrustedRecord, UserTrust};
use crate::failure::Failure;
use crate::lock_place::shown_root;
use crate::output::{DIM, HEADING, ID, Output, counted, grouped};
use crate::runtime;
use crate::terminal::{
    columns_behind, end_of_path, fitted, most_of_name, one_line, padded, plain, width,
};

/// The output of `list --format json`.
#[derive(Serialize)]
struct Listed<'c> {
    generation: u64,
    skills: Vec<TrustedRecord<'c>>,
    shadowed: Vec<TrustedRecord<'c>>,
    diagnostics: Vec<&'c Diagnostic>,
    /// Directories with skills that are not searched.
    unread: Vec<UnreadLine>,
    #[serde(skip)]
    catalog: &'c Catalog,
}

const HIDDEN: Style = AnsiColor::Yellow.on_default();

pub(crate) fn run(global: &Global, args: &List, output: &Output) -> Result<ExitCode, Failure> {
    let runtime = runtime::runtime(global)?;
    let catalog = runtime.catalog();
    if let Some(layer) = &args.layer {
        known_layer(&catalog, layer)?;
    }
    let elsewhere = Elsewhere::of(global, runtime.policies(), &catalog)?;
    let wanted = args.text.as_deref().unwrap_or_default().to_lowercase();
    let has = |field: &str| wanted.is_empty() || field.to_lowercase().contains(&wanted);
    let found = found(&catalog, args, |it| has(it.id()) || has(it.description()));
    let findings = catalog.diagnostics().collect();
    let listed = listed(&catalog, found, &UserTrust::of(&catalog)?, &elsewhere, findings);
    // Those that are another skill by a second path need no attention.
    let shadowed = listed.shadowed.iter().map(|skill| skill.record);
    let is_listed = |skill: &Record<'_>| output.is_text() && !is_again(&catalog, *skill);
    let shadowed: Vec<_> = shadowed.filter(is_listed).collect();
    output.result(&listed, |listed| text(listed, &shadowed, args.sort, output))?;
    output.remark(&counts(&listed, shadowed.len(), args.hidden));
    announce(&catalog, output);
    elsewhere.remark(output);
    Ok(ExitCode::SUCCESS)
}

/// Returns a part of the list as JSON, shadowed skills behind the others, and where the next part
/// begins. Findings are those of the first part, errors first if they are too many.
#[cfg(feature = "web")]
pub(crate) fn part(
    global: &Global,
    runtime: &prowess::Runtime,
    args: &List,
    (from, most): (usize, usize),
    searches: &Searches,
) -> Result<(serde_json::Value, Option<u64>), Failure> {
    let catalog = runtime.catalog();
    let elsewhere = Elsewhere::of(global, runtime.policies(), &catalog)?;
    let found = searches.found(&catalog, args);
    let [offset, all] = [found[0].len(), found[0].len() + found[1].len()];
    let end = from.saturating_add(most).min(all);
    let part = |all: &[RecordIndex], before: usize| {
        let [from, end] = [from, end].map(|it| it.saturating_sub(before).min(all.len()));
        all[from..end].iter().filter_map(|index| catalog.record(*index)).collect()
    };
    let found = [part(&found[0], 0), part(&found[1], offset)];
    let most = if from == 0 { most } else { 0 };
    let mut diagnostics: Vec<_> = catalog.diagnostics().take(most + 1).collect();
    if diagnostics.len() > most {
        let of = |severity| catalog.diagnostics().filter(move |it| it.severity == severity);
        let all = [Severity::Error, Severity::Warning, Severity::Hint].into_iter().flat_map(of);
        diagnostics = all.take(most).collect();
    }
    let mut listed = listed(&catalog, found, &UserTrust::of(&catalog)?, &elsewhere, diagnostics);
    // The command is a program that has read the skills for the first time.
    listed.generation = 1;
    let next = (end < all).then_some(end as u64);
    Ok((crate::output::value(&listed)?, next))
}

fn known_layer(catalog: &Catalog, name: &str) -> Result<(), Failure> {
    let layers = || catalog.layers().iter().map(|layer| &*layer.name);
    if layers().any(|layer| layer == name) {
        return Ok(());
    }
    let help = format!("the layers are {}", layers().collect::<Vec<_>>().join(", "));
    Err(Failure::usage("usage", format!("no layer named `{name}`"), help))
}

/// Returns the skills that are meant, and the shadowed ones among them. `is_named` says whether the
/// text that is looked for is in the id or the description of one.
fn found<'c>(
    catalog: &'c Catalog,
    args: &List,
    is_named: impl Fn(&Record<'_>) -> bool,
) -> [Vec<Record<'c>>; 2] {
    let is_meant = |record: &Record<'_>| {
        (!args.hidden || record.reason().is_some())
            && args.layer.as_ref().is_none_or(|layer| *record.layer().name == **layer)
            && is_named(record)
    };
    let (shadowed, mut others): (Vec<_>, Vec<_>) = catalog
        .excluded()
        .filter(is_meant)
        .partition(|record| record.availability() == Availability::Shadowed);
    others.sort_by_key(|record| runtime::is_off(*record));
    let mut skills: Vec<_> = catalog.skills().filter(is_meant).chain(others).collect();
    // A stable sort keeps the order by id, with the skills that are not offered behind the others,
    // and those about this program last.
    match args.sort {
        SkillOrder::Name => {}
        SkillOrder::Directory => skills.sort_by_key(|skill| (skill.rank(), skill.index().source())),
        SkillOrder::Tokens => skills.sort_by_key(|skill| Reverse(skill.tokens())),
    }
    [skills, shadowed]
}

fn listed<'c>(
    catalog: &'c Catalog,
    [skills, shadowed]: [Vec<Record<'c>>; 2],
    trust: &UserTrust,
    elsewhere: &Elsewhere,
    diagnostics: Vec<&'c Diagnostic>,
) -> Listed<'c> {
    let with_trust = |record: Record<'c>| TrustedRecord::new(record, trust);
    Listed {
        generation: catalog.generation(),
        skills: skills.into_iter().map(with_trust).collect(),
        shadowed: shadowed.into_iter().map(with_trust).collect(),
        diagnostics,
        unread: elsewhere.in_json(),
        catalog,
    }
}

/// Writes a line for each skill, on a terminal below a heading.
fn text<'c>(
    listed: &Listed<'c>,
    shadowed: &[Record<'c>],
    order: SkillOrder,
    output: &Output,
) -> String {
    let mut text = String::new();
    let styles = output.styles([ID, DIM, HEADING, HIDDEN]);
    let [strong, dim, heading, hidden] = styles.map(|style| style.to_string());
    // Each style ends alike, and nothing where there are none.
    let end = format!("{:#}", styles[0]);
    let all = || listed.skills.iter().chain(&listed.shadowed).map(|skill| skill.record);
    let widest = |column: &dyn Fn(Record<'c>) -> usize, least| {
        all().map(column).max().unwrap_or_default().max(least)
    };
    // The column in front of the description; a heading for each directory has the layer.
    let second = |skill: Record<'c>| match order {
        SkillOrder::Name => plain(&skill.layer().name),
        SkillOrder::Directory => Cow::Borrowed(""),
        SkillOrder::Tokens => Cow::Owned(format!("{:>6}", grouped(skill.tokens()))),
    };
    let (title, least) = match order {
        SkillOrder::Name => ("LAYER", 5),
        SkillOrder::Directory => ("", 0),
        SkillOrder::Tokens => ("TOKENS", 6),
    };
    let seconds = widest(&|skill| width(&second(skill)), least);
    let gap = if seconds == 0 { "" } else { "  " };
    let most = most_of_name(seconds + gap.len() + 2);
    let id = |skill: Record<'c>| one_line(skill.id(), most);
    let ids = widest(&|skill| width(&id(skill)), "SKILL".len());
    let blanks = " ".repeat(ids.max(seconds));
    let behind = |text: &str, columns: usize| &blanks[..columns.saturating_sub(width(text))];
    if output.is_for_a_terminal() && !listed.skills.is_empty() {
        let (skill, title) = (padded("SKILL", ids), padded(title, seconds));
        let _ = writeln!(text, "{dim}{skill}  {title}{gap}DESCRIPTION{end}");
    }
    let mut directory = None;
    for skill in listed.skills.iter().map(|skill| skill.record) {
        let source = skill.index().source();
        if order == SkillOrder::Directory && directory.replace(source) != Some(source) {
            let root = shown_root(listed.catalog.sources()[source].source.root());
            let layer = plain(&skill.layer().name);
            let _ = writeln!(text, "{heading}{layer}{end}  {dim}{root}{end}");
        }
        let (id, second) = (id(skill), second(skill));
        let (style, rest) = described(skill, ids + seconds + gap.len() + 2, [&dim, &hidden]);
        let rest_end = if style.is_empty() { "" } else { &end };
        // Not formatted: that takes longer than reading the skill did.
        text.extend([&*strong, &id, behind(&id, ids), &end, "  "]);
        text.extend([&*dim, &second, behind(&second, seconds), &end, gap]);
        text.extend([style, &rest, rest_end, "\n"]);
    }
    if !shadowed.is_empty() {
        let _ = writeln!(text, "\n{heading}Shadowed{end}");
    }
    for &skill in shadowed {
        let location = skill.location();
        let location = fitted(&location, ids + 2);
        let _ = writeln!(text, "{strong}{}{end}  {location}", padded(&id(skill), ids));
    }
    text
}

/// Returns the description of a skill, or why it is not offered, with its style.
fn described<'s>(
    skill: Record<'s>,
    used: usize,
    [dim, hidden]: [&'s str; 2],
) -> (&'s str, Cow<'s, str>) {
    let Some(reason) = skill.reason() else { return ("", fitted(skill.description(), used)) };
    if runtime::is_off(skill) {
        return (dim, fitted("off: about prowess itself", used));
    }
    let state = format!("{}: {reason}", skill.availability().as_str());
    let state = with_short_path(&state, columns_behind(used));
    (hidden, Cow::Owned(fitted(&state, used).into_owned()))
}

/// Returns a text that is too wide without the start of the path in it, since what is behind the
/// path says more.
fn with_short_path(text: &str, columns: usize) -> String {
    let parts: Vec<_> = text.splitn(3, '`').collect();
    let [before, path, behind] = parts[..] else { return text.to_owned() };
    if !path.starts_with('/') {
        return text.to_owned();
    }
    let room = columns.saturating_sub(width(text) - width(path));
    match before.split_once(':').filter(|_| room == 0) {
        Some((state, _)) => format!("{state}:{behind}"),
        None => format!("{before}`{}`{behind}", end_of_path(path, room)),
    }
}

/// Returns the numbers of listed skills and of findings. The skills about this program count where
/// they are asked for, or alone.
fn counts(listed: &Listed<'_>, shadowed: usize, with_off: bool) -> String {
    let skills = || listed.skills.iter().map(|skill| skill.record);
    let with_off = with_off || skills().all(runtime::is_off);
    let meant: Vec<_> = skills().filter(|it| with_off || !runtime::is_off(*it)).collect();
    let not_offered = meant.iter().filter(|skill| skill.reason().is_some()).count();
    let mut skills = counted(meant.len(), "skill");
    for (count, state) in [(not_offered, "not offered"), (shadowed, "shadowed")] {
        if count > 0 {
            let _ = write!(skills, ", {} {state}", grouped(count));
        }
    }
    match counted_findings(&listed.diagnostics) {
        None => format!("{skills}\n"),
        Some(found) => format!("{skills}; {found}\n"),
    }
}

/// Returns the number of findings of each severity, and the command that shows them; `None` if
/// there are none.
pub(crate) fn counted_findings(found: &[&Diagnostic]) -> Option<String> {
    let count = |severity| found.iter().filter(|it| it.severity == severity).count();
    let found = [
        (count(Severity::Error), "error"),
        (count(Severity::Warning), "warning"),
        (count(Severity::Hint), "hint"),
    ];
    let found = found.into_iter().filter(|(number, _)| *number > 0);
    let found: Vec<_> = found.map(|(number, word)| counted(number, word)).collect();
    (!found.is_empty()).then(|| format!("{}: see `prowess doctor`", found.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::with_short_path;

    #[test]
    fn reason_keeps_the_words_behind_its_path() {
        let text = "hidden: the folder `/a/long/path` is not trusted";
        let short = "hidden: the folder `…ath` is not trusted";
        for (columns, expected) in [(48, text), (40, short), (36, "hidden: is not trusted")] {
            assert_eq!(with_short_path(text, columns), expected);
        }
    }
}
