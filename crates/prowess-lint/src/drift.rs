//! Compares the instructions with the state of their dependencies outside of the package.

use prowess_core::{Code, RequiredSkill};
use prowess_format::for_message;

use crate::codes;
use crate::dependency::{Dependency, DependencyKind, Fact};
use crate::findings::Findings;
use crate::options::LintOptions;
use crate::package::{Package, place};

/// The keys of `metadata` that name dependencies, each item apart from the next by blanks.
const KEYS: [(&str, DependencyKind); 3] = [
    ("depends-on-files", DependencyKind::Files),
    ("depends-on-commands", DependencyKind::Command),
    ("depends-on-skills", DependencyKind::Skill),
];

/// The keys of `metadata` with the day on which a person last compared the instructions with what
/// they depend on, as `2026-03-01`.
const VERIFIED: [&str; 2] = ["last-verified", "last_verified"];

/// The most items of a key that are looked up.
const MOST_ITEMS: usize = 64;

pub(crate) fn check(package: &Package<'_>, options: &LintOptions<'_>, findings: &mut Findings<'_>) {
    let metadata = &package.document.frontmatter.metadata;
    let text = |key: &str| metadata.get(key).and_then(|field| field.value.as_text());
    let verified = VERIFIED.into_iter().find_map(text);
    let directory = place(package.source.root(), package.path.as_str());
    for (key, kind) in KEYS {
        let Some(field) = metadata.get(key) else { continue };
        for item in text(key).unwrap_or_default().split_whitespace().take(MOST_ITEMS) {
            let named = RequiredSkill::parse(item);
            let name = if kind == DependencyKind::Files { item } else { named.id };
            let dependency = Dependency { package: &directory, kind, name, verified };
            let fact = (options.facts)(&dependency);
            if let Some((code, message, help)) = fact.and_then(|fact| judge(named, name, &fact)) {
                findings.at(code, field.value_span.clone(), message, help);
            }
        }
    }
}

/// Returns what is wrong with a dependency.
fn judge(
    named: RequiredSkill<'_>,
    name: &str,
    fact: &Fact,
) -> Option<(Code, String, &'static str)> {
    let name = for_message(name);
    Some(match fact {
        Fact::Changed { since, file, commit } => {
            let commit = commit.as_deref().map(for_message);
            let commit = commit.map_or(String::new(), |commit| format!(" in {commit}"));
            let message = format!(
                "stale since {}: `{}` changed{commit}",
                for_message(since),
                for_message(file)
            );
            let help = "compare the instructions with it, then set `last-verified` to today";
            (codes::SKILL_STALE, message, help)
        }
        Fact::Missing => {
            let message = format!("the skill depends on `{name}`, which is not here");
            (codes::DEPENDENCY_MISSING, message, "correct the instructions, or what they depend on")
        }
        Fact::Version(text) => {
            let version = version_in(text)?;
            if named.accepts(Some(version)) {
                return None;
            }
            let wanted = named.range.unwrap_or_default();
            let message = format!(
                "the skill is for `{name}` {}, and here is {}",
                for_message(wanted),
                for_message(version)
            );
            let help = "compare the instructions with this version, then change the range";
            (codes::DEPENDENCY_VERSION, message, help)
        }
    })
}

/// Returns the first version in a text such as `git version 2.43.0 (Debian)`, of three numbers at
/// most.
fn version_in(text: &str) -> Option<&str> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let is_end = |c: char| !c.is_ascii_digit() && c != '.';
        let numbers = word.split(is_end).next()?.trim_end_matches('.');
        let third = numbers.match_indices('.').nth(2).map_or(numbers.len(), |(at, _)| at);
        numbers.contains('.').then(|| &numbers[..third])
    })
}
