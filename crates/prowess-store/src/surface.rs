//! The capabilities of a package, as far as its files show them.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use prowess_archive::File;
use prowess_core::{Digest, SKILL_MD_FILES};
use prowess_format::{AllowedTools, Document, Frontmatter, Mapping, Profile, Value, parse};
use prowess_text::has_invisible;

/// The texts in front of the name of an environment variable.
const VARIABLES: [&str; 8] =
    ["${", "$", "environ[\"", "environ['", "environ.get(\"", "getenv(\"", "process.env.", "ENV[\""];

/// The maximum number of facts of one package in a lock, so that it stays readable.
const MOST_FACTS: usize = 500;

/// The maximum length of the value of a fact. Of a longer one, the digest says whether it changes.
const MOST_BYTES: usize = 200;

/// The endings of files that are read and not run. A text may ask a model to run any other file.
const DOCUMENTS: &str = " adoc bib bmp csl css csv docx eot gif htm html ico jpeg jpg json \
    json5 jsonc jsonl ldif license log markdown md ndjson odt otf pdf png potx pptx rst rtf svg tex \
    tiff toml tsv ttf txt webp woff woff2 xlsx xml xsd yaml yml ";

/// The names of documents without an ending, and of files that programs take orders from.
const PLAIN: &str =
    " authors changelog code_of_conduct contributing copying license notice readme version ";
const ORDERS: &str = " \
    action.yaml action.yml build.xml cargo.toml cmakelists.txt compose.yaml compose.yml \
    deno.json docker-compose.yaml docker-compose.yml environment.yml hooks.json mcp.json \
    package.json plugin.json pom.xml pyproject.toml requirements.txt settings.json \
    settings.local.json ";

/// The programs behind which a host need not be written as a URL.
const FETCHERS: [&str; 4] = ["curl", "wget", "ncat", "nc"];

/// The fields by which a skill chooses what runs it, and brings servers of its own.
const CHOICES: [&str; 9] = [
    "agent", "context", "effort", "model", "permissionMode", "shell", "mcpServers", "mcp-servers",
    "mcp_servers",
];

/// The fields that limit a skill: without one, it may do more.
const LIMITS: [&str; 2] = ["disallowed-tools", "paths"];

/// The kind of a fact that limits a skill.
const LIMIT: &str = "limit:";

/// Returns the capabilities of a package with these files, as `kind:value`: scripts and their interpreters, hosts,
/// environment variables, tools that it asks for, hooks, commands in its text that run when it is
/// loaded, the agent and the model that it chooses, limits that it sets itself, and files with
/// invisible text.
///
/// It is a summary for people who decide on an update, and no limit: a script may do more than its
/// text shows.
pub fn surface(files: &[File]) -> BTreeSet<String> {
    let is_skill_md = |file: &&File| SKILL_MD_FILES.contains(&file.path.as_str());
    let content = files.iter().find(is_skill_md).map(|file| &*file.content);
    let document = content.and_then(|content| parse(content, Profile::Lenient).document);
    let mut facts: BTreeSet<_> = document.iter().flat_map(declared).collect();
    for file in files {
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
    facts
}

/// Returns the facts of a package as a lock has them: of very many, the digest of all.
pub(crate) fn of_lock(facts: BTreeSet<String>) -> BTreeSet<String> {
    if facts.len() <= MOST_FACTS {
        return facts;
    }
    let all: String = facts.iter().map(|fact| format!("{fact}\n")).collect();
    BTreeSet::from([format!("many:{}", Digest::of(all.as_bytes()))])
}

/// Returns the capabilities that only the second package has. A limit that only the first one has
/// is one, too.
pub fn gained(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<String> {
    let limit = |fact: &&String| fact.starts_with(LIMIT);
    let more = after.difference(before).filter(|fact| !limit(fact)).cloned();
    let less = before.difference(after).filter(limit);
    more.chain(less.map(|fact| format!("unlimited:{}", &fact[LIMIT.len()..]))).collect()
}

/// Returns the capabilities that the instructions declare.
fn declared(document: &Document<'_>) -> Vec<String> {
    let Frontmatter { fields, allowed_tools, .. } = &document.frontmatter;
    let mut facts: Vec<_> = tools(allowed_tools).collect();
    let hooks = fields.get("hooks").map(|field| &field.value);
    facts.extend(hooks.into_iter().flat_map(hooks_of).map(|hook| fact("hook", &hook)));
    facts.extend(commands(document.body).map(|command| fact("command", command)));
    for field in fields.iter() {
        let (key, value) = (&*field.key, field.value.to_text());
        if CHOICES.contains(&key) {
            facts.push(fact(key, &value));
        } else if LIMITS.contains(&key) {
            facts.push(fact("limit", &format!("{key} {value}")));
        }
    }
    if *allowed_tools != AllowedTools::Absent {
        facts.push(format!("{LIMIT}allowed-tools"));
    }
    if !document.frontmatter.is_chosen_by_model() {
        facts.push(format!("{LIMIT}disable-model-invocation"));
    }
    facts
}

/// Returns a fact, whose value is on one line.
fn fact(kind: &str, value: &str) -> String {
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match prowess_text::clipped(&value, MOST_BYTES) {
        whole if whole == value => format!("{kind}:{value}"),
        start => format!("{kind}:{start} {}", Digest::of(value.as_bytes())),
    }
}

/// Returns each hook as its event, the calls that it is about and what runs. One in a form that is
/// not known is as it was written: another program may know it.
fn hooks_of(hooks: &Value) -> Vec<String> {
    let Some(events) = hooks.as_map() else { return vec![hooks.to_text().into_owned()] };
    let mut found = Vec::new();
    for (event, value) in events.iter().map(|field| (&field.key, &field.value)) {
        for matcher in value.as_list().unwrap_or(std::slice::from_ref(value)) {
            let known = known(matcher, &["matcher", "hooks"]);
            let part = |key: &str| known?.get(key).map(|field| &field.value);
            let calls = part("matcher").map(|it| format!(" {}", it.to_text())).unwrap_or_default();
            let handlers = part("hooks").unwrap_or(matcher);
            for handler in handlers.as_list().unwrap_or(std::slice::from_ref(handlers)) {
                let known = self::known(handler, &["type", "command", "timeout", "once"]);
                let is_command = |it: &&Mapping| {
                    it.get("type").and_then(|kind| kind.value.as_text()) == Some("command")
                };
                let command = known.filter(is_command).and_then(|it| it.get("command"));
                let runs = command.map_or(handler, |field| &field.value).to_text();
                found.push(format!("{event}{calls}: {runs}"));
            }
        }
    }
    found
}

/// Returns a mapping that has no other keys than these.
fn known<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Mapping> {
    value.as_map().filter(|it| it.iter().all(|field| keys.contains(&&*field.key)))
}

/// Returns the commands in a text that some clients run when they load it: a code span behind an
/// exclamation mark, and a block of code with one behind its fence.
fn commands(body: &str) -> impl Iterator<Item = &str> {
    let after = body.match_indices("!`").map(|(at, mark)| &body[at + mark.len()..]);
    let spans = after.filter_map(|rest| rest.split('`').next());
    let blocks = body.split("```!").skip(1).filter_map(|rest| rest.split("```").next());
    spans.chain(blocks).filter(|command| !command.trim().is_empty())
}

fn is_script(file: &File) -> bool {
    let path = file.path.to_ascii_lowercase();
    let starts = |start: &[u8]| file.content.starts_with(start);
    let is_program =
        [&b"#!"[..], b"\x7fELF", b"MZ", b"\0asm", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"]
            .into_iter()
            .any(starts);
    file.is_executable || file.path.starts_with("scripts/") || is_program || !is_document(&path)
}

/// Returns whether a path is that of a document. What starts with a dot is for programs.
fn is_document(path: &str) -> bool {
    let is_in = |list: &str, word: &str| list.contains(&format!(" {word} "));
    let name = path.rsplit('/').next().unwrap_or_default();
    let known = match name.rsplit_once('.') {
        Some((_, ending)) => is_in(DOCUMENTS, ending),
        None => is_in(PLAIN, name),
    };
    known && !path.split('/').any(|part| part.starts_with('.')) && !is_in(ORDERS, name)
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

/// Returns the hosts of URLs in a text, its addresses, and what programs fetch without a scheme.
fn hosts(text: &str) -> impl Iterator<Item = String> {
    let after = text.match_indices("://").map(|(at, mark)| &text[at + mark.len()..]);
    let bare = text.lines().flat_map(|line| {
        let words = || line.split(|c: char| !c.is_ascii_alphanumeric() && !"-._~%:@/".contains(c));
        let is_fetched = words().any(|word| FETCHERS.contains(&word));
        words().filter(move |word| {
            let host = word.split(['/', ':']).next().unwrap_or_default();
            let end = host.rsplit('.').next().unwrap_or_default();
            let is_name = end.len() > 1 && end.bytes().all(|byte| byte.is_ascii_alphabetic());
            let may_be_host = is_name && !host.starts_with(['.', '-']) && !is_document(host);
            host.parse::<Ipv4Addr>().is_ok() || (is_fetched && may_be_host)
        })
    });
    let host = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-._~%:@[]".contains(c));
        let authority = &rest[..end.unwrap_or(rest.len())];
        let host = authority.rsplit('@').next().unwrap_or_default();
        host.trim_end_matches(['.', ':', ']', '_']).to_ascii_lowercase()
    };
    // An address may be written as one number.
    let is_number = |host: &str| {
        let is_hex = host.starts_with("0x");
        is_hex || (host.len() > 6 && host.bytes().all(|byte| byte.is_ascii_digit()))
    };
    after
        .chain(bare)
        .map(host)
        .filter(move |host| host.contains('.') || host.starts_with("localhost") || is_number(host))
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
