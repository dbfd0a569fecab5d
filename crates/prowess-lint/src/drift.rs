//! Compares the instructions with the state of their dependencies outside of the package.

use std::ops::Range;

use prowess_core::{Code, RequiredSkill};
use prowess_format::{Field, Value, for_message, nearest_of};

use crate::codes;
use crate::dependency::{Dependency, DependencyKind, Fact};
use crate::findings::Findings;
use crate::options::LintOptions;
use crate::package::{Package, place};
use crate::paths;

/// The start of the keys of `metadata` that name dependencies.
const START: &str = "depends-on-";

/// The kinds of things that the keys name, by their ends.
const KINDS: [(&str, DependencyKind); 4] = [
    ("files", DependencyKind::Files),
    ("commands", DependencyKind::Command),
    ("skills", DependencyKind::Skill),
    ("urls", DependencyKind::Url),
];

/// The key of `metadata` with the day on which a person last compared the instructions with what
/// they depend on, as `2026-03-01`.
const VERIFIED: &str = "last-verified";

/// The most items of a key that are looked up.
const MOST_ITEMS: usize = 64;

/// The most files of the repository that a body names and that are looked for.
const MOST_MENTIONS: usize = 64;

pub(crate) fn check(package: &Package<'_>, options: &LintOptions<'_>, findings: &mut Findings<'_>) {
    let directory = place(package.source.root(), package.path.as_str());
    let metadata = &package.document.frontmatter.metadata;
    let mut verified = None;
    for field in metadata.iter().filter(|field| meaning(&field.key) == Meaning::Verified) {
        match day(&field.value, options.today) {
            Ok(day) => verified = Some(day),
            Err((message, help)) => {
                findings.at(codes::DEPENDENCY_INVALID, field.value_span.clone(), message, help);
            }
        }
    }
    let mut check = Check { package, options, directory: &directory, verified, findings };
    for field in metadata.iter() {
        match meaning(&field.key) {
            Meaning::Dependencies(kind) => check.field(field, kind),
            Meaning::Misspelt(help) => {
                let message = format!("unknown key `{}`", for_message(&field.key));
                check.invalid(field.key_span.clone(), message, &help);
            }
            Meaning::Verified | Meaning::Other => {}
        }
    }
    for (path, span) in paths::of_repository(package, options).take(MOST_MENTIONS) {
        check.item(path, DependencyKind::Mention, span);
    }
}

/// The meaning of a key of `metadata`.
#[derive(PartialEq, Eq)]
enum Meaning {
    Dependencies(DependencyKind),
    Verified,
    /// It is nearly one of the others; the help names it.
    Misspelt(String),
    Other,
}

fn meaning(key: &str) -> Meaning {
    let plain = key.trim().to_ascii_lowercase().replace(['_', ' '], "-");
    if let Some(end) = plain.strip_prefix(START) {
        if let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == end) {
            return Meaning::Dependencies(*kind);
        }
    } else if plain == VERIFIED {
        return Meaning::Verified;
    }
    // Of keys with another start, such as `last-modified`, few are misspelt ones of these.
    if plain.contains("ver") && nearest_of(&plain, [VERIFIED]).is_some() {
        return Meaning::Misspelt(format!("did you mean `{VERIFIED}`?"));
    }
    let (start, end) = plain.rsplit_once('-').unwrap_or((&plain, ""));
    let is_start =
        [START, "dependson"].iter().any(|it| plain.starts_with(it.trim_end_matches('-')));
    if !is_start && nearest_of(start, [START.trim_end_matches('-')]).is_none() {
        return Meaning::Other;
    }
    let ends = KINDS.map(|(end, _)| end);
    let meant = ends.into_iter().find(|it| *it == end).or_else(|| nearest_of(end, ends));
    Meaning::Misspelt(match meant {
        Some(meant) => format!("did you mean `{START}{meant}`?"),
        None => format!("the keys are `{}`", ends.map(|end| format!("{START}{end}")).join("`, `")),
    })
}

/// Reads the day of the last comparison.
fn day<'v>(value: &'v Value, today: Option<&str>) -> Result<&'v str, (String, &'static str)> {
    let text = value.as_text().map(str::trim).filter(|text| is_day(text));
    let Some(day) = text else {
        let message = format!("`{}` is no day", for_message(&value.to_text()));
        return Err((message, "write it as `2026-03-01`"));
    };
    if today.is_some_and(|today| day > today) {
        let message = format!("`{day}` is in the future, so no change would be found until then");
        return Err((message, "write the day on which you compared the instructions"));
    }
    Ok(day)
}

/// Returns whether a text is a day of the calendar, as `2026-03-01`.
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_form = bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !has_form {
        return false;
    }
    let number = |range: Range<usize>| text[range].parse::<u32>().unwrap_or_default();
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// The check of one package.
struct Check<'c, 't> {
    package: &'c Package<'c>,
    options: &'c LintOptions<'c>,
    directory: &'c str,
    verified: Option<&'c str>,
    findings: &'c mut Findings<'t>,
}

impl Check<'_, '_> {
    fn invalid(&mut self, span: Range<usize>, message: String, help: &str) {
        self.findings.at(codes::DEPENDENCY_INVALID, span, message, help);
    }

    /// Checks the items of a key: words of a text, or the texts of a list.
    fn field(&mut self, field: &Field, kind: DependencyKind) {
        let items: Option<Vec<&str>> = match &field.value {
            Value::Text(text) => Some(text.split_whitespace().collect()),
            Value::List(items) => items.iter().map(Value::as_text).collect(),
            Value::Map(_) => None,
        };
        // People also write commas between the items.
        let trimmed = items.into_iter().flatten().map(|item| item.trim().trim_end_matches(','));
        let items: Vec<_> = trimmed.filter(|item| !item.is_empty()).collect();
        let span = field.value_span.clone();
        if items.is_empty() {
            let message = format!("`{}` names nothing", for_message(&field.key));
            let help = "write a text with blanks between the items, or a list of texts";
            return self.invalid(span, message, help);
        }
        if items.len() > MOST_ITEMS {
            let message = format!(
                "`{}` has more than {MOST_ITEMS} items; the others are not compared",
                for_message(&field.key)
            );
            self.invalid(span.clone(), message, "name fewer items, such as patterns of files");
        }
        for item in items.into_iter().take(MOST_ITEMS) {
            let span = self.place(item, span.clone());
            match problem(item, kind) {
                Some(help) => {
                    let message = format!("`{}` is not compared with anything", for_message(item));
                    self.invalid(span, message, help);
                }
                None => self.item(item, kind, span),
            }
        }
    }

    /// Returns the bytes of an item in those of all items.
    fn place(&self, item: &str, span: Range<usize>) -> Range<usize> {
        let text = self.package.text.get(span.clone()).and_then(|it| std::str::from_utf8(it).ok());
        let is_edge = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || "\"',[]".contains(c));
        let is_whole = |text: &str, at: usize| {
            is_edge(text[..at].chars().next_back())
                && is_edge(text[at + item.len()..].chars().next())
        };
        let place = text.and_then(|text| {
            text.match_indices(item).map(|(at, _)| at).find(|at| is_whole(text, *at))
        });
        place.map_or(span.clone(), |at| span.start + at..span.start + at + item.len())
    }

    fn item(&mut self, item: &str, kind: DependencyKind, span: Range<usize>) {
        let named = RequiredSkill::parse(item);
        let name = match kind {
            DependencyKind::Command | DependencyKind::Skill => named.id,
            _ => item.trim_start_matches("./"),
        };
        let Self { directory, verified, .. } = *self;
        let fact = (self.options.facts)(&Dependency { package: directory, kind, name, verified });
        if let Some((code, message, help)) = fact.and_then(|fact| judge(named, kind, name, &fact)) {
            self.findings.at(code, span, message, help);
        }
    }
}

/// Returns why an item cannot be looked up, as the help.
fn problem(item: &str, kind: DependencyKind) -> Option<&'static str> {
    let named = RequiredSkill::parse(item);
    if item.chars().any(char::is_control) {
        return Some("write a text without control characters");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    match kind {
        DependencyKind::Files if item.contains(['{', '}']) => {
            Some("write each pattern by itself, without braces")
        }
        DependencyKind::Files => {
            let leaves = item.starts_with(['/', '~', '\\'])
                || item.split('/').any(|part| part == "..")
                || item.get(1..3).is_some_and(|it| it == ":\\" || it == ":/");
            leaves.then_some("name files relative to the root of the repository, and none above it")
        }
        DependencyKind::Command | DependencyKind::Skill if !named.has_valid_range() => {
            Some("write a range as cargo does, with commas between its parts: `name@>=1.5,<2`")
        }
        DependencyKind::Command => {
            let is_name = !named.id.is_empty()
                && !named.id.starts_with(['-', '.'])
                && named.id.chars().all(is_plain);
            (!is_name).then_some("name a program of the search path, as `terraform@>=1.5,<2`")
        }
        DependencyKind::Skill => {
            let is_name = !named.id.is_empty() && !named.id.contains(char::is_whitespace);
            (!is_name).then_some("name a skill by its id, as `forms@^1.2`")
        }
        DependencyKind::Url => {
            let rest = item.strip_prefix("https://").or_else(|| item.strip_prefix("http://"));
            let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
            let is_host = host.is_some_and(|host| !host.is_empty() && !host.contains(['@', ' ']));
            (!is_host).then_some("write a whole URL of `https`, without a password")
        }
        DependencyKind::Mention => None,
    }
}

/// Returns what is wrong with a dependency.
fn judge(
    named: RequiredSkill<'_>,
    kind: DependencyKind,
    name: &str,
    fact: &Fact,
) -> Option<(Code, String, &'static str)> {
    let name = for_message(name);
    Some(match fact {
        Fact::Changed { since, file, commit } => {
            let (since, file) = (for_message(since), for_message(file));
            let commit = commit.as_deref().map(for_message);
            let commit = commit.map_or(String::new(), |commit| format!(" in {commit}"));
            if kind == DependencyKind::Mention {
                let message = format!("the body names `{name}`, removed {since}{commit}");
                return Some((codes::DEPENDENCY_MISSING, message, "correct the instructions"));
            }
            let message = format!("stale since {since}: `{file}` changed{commit}");
            let help = "compare the instructions with it, then set `last-verified` to today";
            (codes::SKILL_STALE, message, help)
        }
        Fact::Missing => {
            let message = match kind {
                DependencyKind::Mention => format!("the body names `{name}`, which was removed"),
                _ => format!("the skill depends on `{name}`, which is not here"),
            };
            (codes::DEPENDENCY_MISSING, message, "correct the instructions, or what they depend on")
        }
        Fact::Version(text) => {
            let version = version_in(text);
            if named.accepts(version) {
                return None;
            }
            let (wanted, is) = (named.range.unwrap_or_default(), "and here is ");
            let is = version.map(|version| is.to_owned() + &for_message(version));
            let is = is.as_deref().unwrap_or("whose version here cannot be read");
            let message = format!("the skill is for `{name}` {}, {is}", for_message(wanted));
            let help = "compare the instructions with this version, then change the range";
            (codes::DEPENDENCY_VERSION, message, help)
        }
    })
}

/// Returns the first version in a text such as `git version 2.43.0 (Debian)`, of three numbers at
/// most, or else the number in a first line such as `less 551`.
fn version_in(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    let version = words.find_map(|word| {
        let word = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let is_end = |c: char| !c.is_ascii_digit() && c != '.';
        let numbers = word.split(is_end).next()?.trim_end_matches('.');
        let third = numbers.match_indices('.').nth(2).map_or(numbers.len(), |(at, _)| at);
        numbers.contains('.').then(|| &numbers[..third])
    });
    let first = text.lines().next().unwrap_or_default().split([' ', ',', '(', ')']);
    let mut first = first.map(|word| word.trim_start_matches('v'));
    version.or_else(|| first.find(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit())))
}
