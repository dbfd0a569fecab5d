//! The capabilities of a package, as far as its files show them.

use std::collections::BTreeSet;

use prowess_archive::{Archive, File};
use prowess_core::{Digest, SKILL_MD_FILES};
use prowess_format::{AllowedTools, Profile, parse};
use prowess_text::has_invisible;

/// The texts in front of the name of an environment variable.
const VARIABLES: [&str; 8] =
    ["${", "$", "environ[\"", "environ['", "environ.get(\"", "getenv(\"", "process.env.", "ENV[\""];

/// The maximum number of facts of one package, so that a lock stays readable.
const MOST_FACTS: usize = 500;

/// Returns the capabilities of a package, as `kind:value`: scripts and their interpreters, hosts,
/// environment variables, tools that it asks for, and files with invisible text.
///
/// It is a summary for people who decide on an update, and no limit: a script may do more than its
/// text shows. A package with very many facts has the digest of all of them instead.
pub fn surface(package: &Archive) -> BTreeSet<String> {
    let is_skill_md = |file: &&File| SKILL_MD_FILES.contains(&file.path.as_str());
    let content = package.files().iter().find(is_skill_md).map(|file| &*file.content);
    let document = content.and_then(|content| parse(content, Profile::Lenient).document);
    let tools = document.map(|document| document.frontmatter.allowed_tools);
    surface_with(package, &tools.unwrap_or_default())
}

/// Returns the capabilities of a package whose `SKILL.md` asks for these tools.
pub(crate) fn surface_with(package: &Archive, allowed: &AllowedTools) -> BTreeSet<String> {
    let mut facts: BTreeSet<_> = tools(allowed).collect();
    for file in package.files() {
        let is_script = is_script(file);
        if is_script {
            facts.insert(format!("script:{}", file.path));
            facts.extend(interpreter(&file.content).map(|name| format!("interpreter:{name}")));
        }
        let Ok(text) = str::from_utf8(&file.content) else { continue };
        facts.extend(hosts(text).map(|host| format!("host:{host}")));
        if is_script {
            facts.extend(variables(text).map(|name| format!("env:{name}")));
        }
        // A line may end as on Windows; a carriage return elsewhere hides what is in front of it.
        if text.trim_start_matches('\u{feff}').split("\r\n").any(has_invisible) {
            facts.insert(format!("hidden-text:{}", file.path));
        }
    }
    if facts.len() > MOST_FACTS {
        let all: String = facts.iter().map(|fact| format!("{fact}\n")).collect();
        return BTreeSet::from([format!("many:{}", Digest::of(all.as_bytes()))]);
    }
    facts
}

fn is_script(file: &File) -> bool {
    let starts = |start: &[u8]| file.content.starts_with(start);
    file.is_executable || file.path.starts_with("scripts/") || starts(b"#!") || starts(b"\x7fELF")
}

/// Returns the name of the program in the first line, such as `python3`.
fn interpreter(content: &[u8]) -> Option<String> {
    let line = content.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let mut words = str::from_utf8(line).ok()?.split_whitespace();
    let mut name = words.next()?.rsplit('/').next()?;
    if name == "env" {
        name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    Some(name.to_owned())
}

/// Returns the hosts of the URLs in a text.
fn hosts(text: &str) -> impl Iterator<Item = String> {
    let after = text.match_indices("://").map(|(at, mark)| &text[at + mark.len()..]);
    let host = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-._~%:@[]".contains(c));
        let authority = &rest[..end.unwrap_or(rest.len())];
        let host = authority.rsplit('@').next().unwrap_or_default();
        host.trim_end_matches(['.', ':', ']', '_']).to_ascii_lowercase()
    };
    after.map(host).filter(|host| host.contains('.') || host.starts_with("localhost"))
}

/// Returns the names of the environment variables that a script reads.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let after = VARIABLES.iter().flat_map(move |&start| {
        text.match_indices(start).map(move |(at, start)| &text[at + start.len()..])
    });
    let name = |rest: &'_ str| {
        let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        rest.find(|c| !is_part(c)).unwrap_or(rest.len())
    };
    after.map(move |rest| &rest[..name(rest)]).filter(|name| name.len() > 1)
}

/// Returns the tools that the frontmatter asks for.
fn tools(allowed: &AllowedTools) -> impl Iterator<Item = String> {
    allowed.rules().iter().map(|rule| match &rule.pattern {
        Some(pattern) => format!("tool:{}({pattern})", rule.tool),
        None => format!("tool:{}", rule.tool),
    })
}
