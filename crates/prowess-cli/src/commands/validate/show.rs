//! The text output of `validate`: findings with their lines, then a summary by code.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use prowess::format::Profile;
use prowess::lint::PackageReport;
use prowess::{Diagnostic, Severity};

use crate::args::Validate;
use crate::output::{DIM, HEADING, counted, grouped, severity_style};
use crate::package::Package;
use crate::paths::absolute;
use crate::snippet;
use crate::terminal::{columns_behind, plain, wrapped};

use super::fixing::FixedFile;
use super::{Summary, Validated};

/// The number of codes that are shown with an example.
const FIRST: usize = 6;

/// The maximum width of a row of the summary in a pipe or a file.
const WIDTH: usize = 80;

/// The width of a row without the code and the location: the number and the blanks.
const FRAME: usize = 13;

/// The minimum width of a location, however long the code before it is.
const LEAST_PLACE: usize = 20;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();

/// Returns the whole output. Paths below `base` are shown relative to it.
pub(super) fn text(validated: &Validated, args: &Validate, base: &str) -> String {
    let mut text = String::new();
    for fixed in &validated.fixed {
        write_fixed(&mut text, fixed, base);
    }
    let is_single = validated.packages.len() <= 1;
    let shows_hints = args.hints || is_single;
    let wanted = chosen(validated, shows_hints);
    let shown = if args.all || is_single || wanted.len() <= FIRST {
        wanted.clone()
    } else {
        examples(&wanted)
    };
    write_findings(&mut text, &shown, validated, base);
    match validated.packages.as_slice() {
        [] => write_nothing(&mut text, validated),
        [package] => write_verdict(&mut text, validated, package, base),
        _ => write_summary(&mut text, validated, &root(args, base)),
    }
    write_rest(&mut text, validated, wanted.len() - shown.len(), shows_hints);
    if let Some(roles) = &validated.roles {
        roles.write(&mut text);
    }
    text
}

/// Appends the number of findings that are not shown, and how to show them.
fn write_rest(text: &mut String, validated: &Validated, rest: usize, shows_hints: bool) {
    let hints = if shows_hints { 0 } else { validated.summary.hints };
    if rest > 0 {
        let rest = counted(rest, "more finding");
        let _ = writeln!(text, "\n{DIM}above is one of each kind; {rest} with --all{DIM:#}");
    }
    if hints > 0 {
        let hints = counted(hints, "hint");
        let _ = writeln!(text, "{DIM}{hints} for authors with --hints{DIM:#}");
    }
}

/// Returns the folder that a single path names, which locations in the summary are relative to.
fn root(args: &Validate, base: &str) -> String {
    match args.paths.as_slice() {
        [path] => match absolute(path) {
            Ok(root) => root.to_string_lossy().trim_end_matches('/').to_owned(),
            Err(_) => base.to_owned(),
        },
        _ => base.to_owned(),
    }
}

/// Returns the first finding of each code, the most severe and most frequent first, at most
/// [`FIRST`].
fn examples<'v>(wanted: &[Chosen<'v>]) -> Vec<Chosen<'v>> {
    let mut kinds: Vec<(Chosen<'v>, usize)> = Vec::new();
    for chosen in wanted {
        match kinds.iter_mut().find(|(first, _)| first.0.code == chosen.0.code) {
            Some((_, count)) => *count += 1,
            None => kinds.push((*chosen, 1)),
        }
    }
    kinds.sort_by_key(|((found, _), count)| (Reverse(found.severity), Reverse(*count)));
    kinds.into_iter().map(|(first, _)| first).take(FIRST).collect()
}

/// A finding, and the directory of its package.
type Chosen<'v> = (&'v Diagnostic, Option<&'v str>);

/// Returns the findings to show, the most severe first.
fn chosen(validated: &Validated, with_hints: bool) -> Vec<Chosen<'_>> {
    let of_packages = validated.packages.iter().flat_map(|package| {
        package.diagnostics.iter().map(|found| (found, Some(package.path.as_str())))
    });
    let others = validated.diagnostics.iter().map(|found| (found, None));
    let mut chosen: Vec<Chosen<'_>> = of_packages
        .chain(others)
        .filter(|(found, _)| with_hints || found.severity != Severity::Hint)
        .collect();
    if validated.packages.len() > 1 {
        chosen.sort_by_key(|(found, _)| Reverse(found.severity));
    }
    chosen
}

fn write_findings(text: &mut String, chosen: &[Chosen<'_>], validated: &Validated, base: &str) {
    let mut last: Option<(&str, Option<Package>)> = None;
    for (found, directory) in chosen {
        // Findings of one package are adjacent, so its file is read once.
        if let Some(directory) = directory
            && last.as_ref().is_none_or(|(known, _)| known != directory)
        {
            last = Some((directory, Package::read(Path::new(directory)).ok()));
        }
        let package = last.as_ref().filter(|(known, _)| Some(*known) == *directory);
        let file = package.and_then(|(_, package)| package.as_ref());
        let file = validated.stdin.as_deref().or(file.map(|it| it.text.as_slice()));
        let path = found.path.as_deref().map_or("", |path| relative(path, base));
        text.push_str(&snippet::render(found, path, file));
        text.push('\n');
    }
}

fn write_fixed(text: &mut String, fixed: &FixedFile, base: &str) {
    let verb = if fixed.is_written { "fixed" } else { "would fix" };
    let codes: Vec<&str> = fixed.codes.iter().map(prowess::Code::as_str).collect();
    let path = plain(relative(&fixed.path, base));
    let _ = writeln!(text, "{GOOD}{verb}{GOOD:#}: {path} {DIM}({}){DIM:#}", codes.join(", "));
    // The first two lines of the diff repeat the name of the file.
    for line in fixed.diff.lines().skip(2) {
        let style = match line.as_bytes().first() {
            Some(b'+') => ADDED,
            Some(b'-') => REMOVED,
            _ => DIM,
        };
        let _ = writeln!(text, "  {style}{}{style:#}", plain(line));
    }
    text.push('\n');
}

/// Appends the verdict where no package could be checked.
fn write_nothing(text: &mut String, validated: &Validated) {
    let counts = counts(&validated.diagnostics);
    let _ = writeln!(text, "{BAD}no skill was checked{BAD:#}: {counts}");
}

/// Appends the verdict on a single package, which depends on that package alone, and the number of
/// findings about other files.
fn write_verdict(text: &mut String, validated: &Validated, package: &PackageReport, base: &str) {
    let (style, verdict) = if package.valid { (GOOD, "valid") } else { (BAD, "invalid") };
    let path = plain(relative(&package.path, base));
    let remark = remark(validated, &package.diagnostics);
    let line = format!("{style}{verdict}{style:#}: {path} {remark}");
    let _ = writeln!(text, "{}", wrapped(&line, columns_behind(2), 2));
    write_outside(text, validated, "skill");
}

/// Appends the number of findings that are of no skill.
fn write_outside(text: &mut String, validated: &Validated, what: &str) {
    if !validated.diagnostics.is_empty() {
        let others = counts(&validated.diagnostics);
        let _ = writeln!(text, "{BAD}outside of the {what}{BAD:#}: {others}");
    }
}

/// Returns the profile and the number of findings.
fn remark<'d>(
    validated: &Validated,
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
) -> String {
    let counts = counts(diagnostics);
    let separator = if counts.is_empty() { "" } else { ": " };
    let of = |profile| validated.packages.iter().filter(|it| it.profile == profile).count();
    let others = Profile::ALL.into_iter().filter(|it| *it != validated.profile && of(*it) > 0);
    let others: Vec<_> = others.collect();
    let profile = match others[..] {
        [only] if of(only) == validated.packages.len() => only.to_string(),
        _ => others.iter().fold(validated.profile.to_string(), |text, it| {
            format!("{text}, {it} for {}", of(*it))
        }),
    };
    format!("{DIM}(profile {profile}){DIM:#}{separator}{counts}")
}

/// Returns the number of findings of each severity.
fn counts<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> String {
    let mut numbers = [(Severity::Error, 0), (Severity::Warning, 0), (Severity::Hint, 0)];
    for found in diagnostics {
        for (severity, number) in &mut numbers {
            *number += usize::from(found.severity == *severity);
        }
    }
    let found = numbers.into_iter().filter(|(_, number)| *number > 0);
    let found: Vec<_> =
        found.map(|(severity, number)| counted(number, severity.as_str())).collect();
    found.join(", ")
}

/// Appends the verdict on a tree, and each code with its number of findings and its first location.
fn write_summary(text: &mut String, validated: &Validated, base: &str) {
    let Summary { packages, valid, errors, warnings, hints } = validated.summary;
    let style = if errors == 0 { GOOD } else { BAD };
    let of_packages = validated.packages.iter().flat_map(|package| &package.diagnostics);
    let remark = remark(validated, of_packages);
    let verdict = format!("{} of {} are valid", grouped(valid), counted(packages, "skill"));
    let line = format!("{style}{verdict}{style:#} {remark}");
    let _ = writeln!(text, "{}", wrapped(&line, columns_behind(2), 2));
    write_outside(text, validated, "skills");
    if errors + warnings + hints == 0 {
        return;
    }
    let rows = rows(validated);
    let width = rows.iter().map(|row| row.code.len()).max().unwrap_or_default();
    let columns = columns_behind(0);
    let columns = if columns == usize::MAX { WIDTH } else { columns };
    let room = columns.saturating_sub(FRAME + width).max(LEAST_PLACE);
    let mut severity = None;
    for row in rows {
        if severity != Some(row.severity) {
            severity = Some(row.severity);
            let style = severity_style(row.severity);
            let _ = writeln!(text, "\n  {style}{}s{style:#}", row.severity);
        }
        let code = row.code;
        let number = grouped(row.count);
        let line = row.line.map_or(String::new(), |line| format!(":{line}"));
        let first = format!("{}{line}", relative(row.first, base));
        let _ = writeln!(
            text,
            "  {number:>7}  {HEADING}{code:<width$}{HEADING:#}  {DIM}{}{DIM:#}",
            end_of(&plain(&first), room)
        );
    }
}

/// One line of the summary.
struct Row<'v> {
    severity: Severity,
    code: &'v str,
    count: usize,
    /// The first location of the code.
    first: &'v str,
    line: Option<u32>,
}

fn rows(validated: &Validated) -> Vec<Row<'_>> {
    let mut rows: BTreeMap<(Severity, &str), Row<'_>> = BTreeMap::new();
    let of_packages = validated.packages.iter().flat_map(|package| &package.diagnostics);
    for found in of_packages.chain(&validated.diagnostics) {
        let severity = found.severity;
        let code = found.code.as_str();
        let first = found.path.as_deref().unwrap_or_default();
        let row = Row { severity, code, count: 0, first, line: found.line };
        rows.entry((severity, code)).or_insert(row).count += 1;
    }
    let mut rows: Vec<Row<'_>> = rows.into_values().collect();
    rows.sort_by_key(|row| (Reverse(row.severity), Reverse(row.count)));
    rows
}

/// Returns a path below `base` relative to it.
fn relative<'p>(path: &'p str, base: &str) -> &'p str {
    match path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')) {
        Some(rest) if !rest.is_empty() => rest,
        _ => path,
    }
}

/// Returns the last characters of a text, with an ellipsis if it was cut.
fn end_of(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(length + 1 - most)).collect()
}
