//! From the fields of several clients to one value.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{Conditions, Requirements, Scope, SummaryConditions};
use crate::fields::{Fields, Known, Shape};
use crate::findings::Findings;
use crate::yaml::{Node, NodeValue, Pair};
use crate::{AllowedTools, Mapping, Value, check, codes, for_message};

/// How many items of a list are kept, and how many bytes of each. A skill that names more is none
/// that anybody wrote, and a cut item fits nothing, so a limit never becomes wider.
const MOST_ITEMS: usize = 64;
const MOST_BYTES: usize = 256;

/// The fields of the top level whose values are looked at.
const KEYS: [&str; 5] =
    ["disable-model-invocation", "user-invocable", "scope", "paths", "requires"];

/// The fields that hide a skill, and do so too if their value cannot be read: their author wanted
/// them to decide something.
const SWITCHES: [&str; 2] = [KEYS[0], KEYS[1]];

/// The number of letters of a switch for each that may be wrong.
const LETTERS_FOR_A_FAULT: usize = 10;

/// Returns the switch that a key is, or a misspelling of: by case, by signs other than its hyphens,
/// or by a letter or two.
fn switch(key: &str) -> Option<&'static str> {
    // Nearly all keys are shorter than a misspelt one may be.
    if key.len() + 2 < SWITCHES[1].len() {
        return None;
    }
    let letters = |text: &str| -> String {
        text.chars().filter(|it| it.is_alphabetic()).flat_map(char::to_lowercase).collect()
    };
    let count = key.chars().filter(|it| it.is_alphabetic()).count();
    SWITCHES.into_iter().find(|switch| {
        let most = switch.len() / LETTERS_FOR_A_FAULT;
        let hyphens = switch.matches('-').count();
        count.abs_diff(switch.len() - hyphens) <= most
            && strsim::osa_distance(&letters(key), &letters(switch)) <= most
    })
}

/// Whether a line begins with the word of a switch, behind whatever signs and in whatever way a
/// value follows.
pub(crate) fn begins_with_switch(line: &str) -> bool {
    let line = line.trim_start_matches(|it: char| !it.is_alphabetic());
    let is_colon = |it: char| matches!(it, ':' | '=' | '：');
    let is_end = |it: char| {
        is_colon(it) || it.is_whitespace() || (it.is_ascii_punctuation() && !"-_".contains(it))
    };
    let until = |end: Option<usize>| switch(&line[..end.unwrap_or(line.len())]).is_some();
    until(line.find(is_end)) || line.find(is_colon).is_some_and(|colon| until(Some(colon)))
}

/// Returns whether a text has a word that may be the key of a condition.
pub(crate) fn names_condition(text: &str) -> bool {
    words(text).any(|word| KEYS.contains(&word) || word == "hooks" || begins_with_switch(word))
        || text.lines().any(begins_with_switch)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_ascii_alphanumeric() && !matches!(it, '-' | '_'))
}

/// Returns lines that close each switch that a text names; `None` if it may have another condition.
pub(crate) fn closing_lines(text: &str) -> Option<String> {
    let is_other = |word: &str| KEYS[2..].contains(&word) || word == "hooks";
    let is_named = |key: &&str| words(text).any(|word| switch(word) == Some(*key));
    let lines: String =
        SWITCHES.iter().filter(|it| is_named(it)).map(|it| format!("\n{it}: ''")).collect();
    (!lines.is_empty() && !words(text).any(is_other)).then_some(lines)
}

/// Returns the switch that a field is read as, and its value as it is read: what does not keep a
/// skill open hides it.
pub fn read_switch(key: &str, value: &Value) -> Option<(&'static str, &'static str)> {
    let switch = switch(key)?;
    let (open, words) =
        if switch == SWITCHES[0] { (FALSE, ["false", "true"]) } else { (TRUE, ["true", "false"]) };
    let is_open = is_in(value.as_text().map(str::trim), &open);
    Some((switch, words[usize::from(!is_open)]))
}

/// The start of an item of `requires` that names a tool instead of a skill.
const TOOL: &str = "tool:";

/// Where OpenClaw's fields stand, below `metadata`.
const OPENCLAW: &str = "openclaw";

/// Whether there may be a field whose value only the full parser keeps. Asked of each file, so it
/// looks at keys that are no field of the standard, and at the text of `metadata`.
pub(crate) fn may_have(text: &str, fields: &Fields<'_>) -> bool {
    let is_one = |key: &str| KEYS.contains(&key) || switch(key).is_some();
    fields.foreign.iter().any(|foreign| is_one(&foreign.key))
        || fields
            .get(Known::Metadata)
            .is_some_and(|entry| may_be_in_metadata(&text[entry.value_span.clone()]))
}

/// Whether there may be such a field in the text of `metadata`.
pub(crate) fn may_be_in_metadata(metadata: &str) -> bool {
    static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(OPENCLAW));
    FINDER.find(metadata.as_bytes()).is_some()
}

/// The conditions of a frontmatter. Without `pairs` only `allowed-tools` can say something, as
/// [`may_have`] found out.
pub(crate) fn read<'t>(pairs: &[Pair<'_>], fields: &Fields<'t>) -> SummaryConditions<'t> {
    let tools_field =
        fields.get(Known::AllowedTools).or_else(|| fields.get(Known::AllowedToolsAlias));
    if pairs.is_empty() {
        match tools_field.map(|entry| &entry.shape) {
            None => return SummaryConditions::None,
            Some(Shape::Text { text, .. }) => return SummaryConditions::tools(text.clone()),
            Some(_) => {}
        }
    }
    let value = |key: &str| get(pairs, key);
    let Required { skills, tools } = required(value("requires"));
    let texts = || pairs.iter().map(|pair| (&*pair.key, text(&pair.value)));
    let conditions = Conditions {
        not_by_model: is_closed(texts(), SWITCHES[0], &FALSE),
        not_by_user: is_closed(texts(), SWITCHES[1], &TRUE),
        scope: scope(value("scope")),
        requirements: requirements(value("metadata").and_then(|node| within(node, OPENCLAW))),
        paths: value("paths").map(listing).unwrap_or_default(),
        tools: [tool_names(check::allowed_tools(fields)), tools].concat(),
        skills,
    };
    if conditions.is_empty() {
        return SummaryConditions::None;
    }
    SummaryConditions::All(Box::new(conditions))
}

/// Returns whether a model may choose a skill with these fields by itself.
pub(crate) fn is_chosen_by_model(fields: &Mapping) -> bool {
    let texts = fields.0.iter().map(|field| (&*field.key, field.value.as_text()));
    !is_closed(texts, SWITCHES[0], &FALSE)
}

/// Returns whether one of the fields is this switch, and has none of the words that leave it open.
fn is_closed<'f>(
    mut fields: impl Iterator<Item = (&'f str, Option<&'f str>)>,
    key: &str,
    open: &[&str],
) -> bool {
    fields.any(|(field, text)| switch(field) == Some(key) && !is_in(text, open))
}

/// Reports the switches that cannot be read, and those whose name is misspelled. What an extension
/// declares is checked there.
pub(crate) fn report(pairs: &[Pair<'_>], findings: &mut Findings<'_>) {
    let extensions = &findings.rules().extensions;
    let is_declared = |key: &str| extensions.of_field(key).next().is_some();
    for pair in pairs {
        let Some(switch) = switch(&pair.key) else { continue };
        let node = &pair.value;
        let is_named = pair.key == switch;
        let is_known = is_declared(switch);
        let is_checked = is_known && !(is_named && is(node, &UNSET));
        if is_checked || (is_named && (is(node, &TRUE) || is(node, &FALSE))) {
            continue;
        }
        // An extension takes a field without a value for one that is not there.
        let code = if is_known { codes::EXTENSION_FIELD_IDLE } else { codes::SWITCH_UNREADABLE };
        let caller = if switch == SWITCHES[0] { "the model" } else { "the user" };
        let span = if is_named { node.span.clone() } else { pair.key_span.clone() };
        findings.report(code, span, || {
            let message = if is_named {
                format!(
                    "`{switch}` is neither `true` nor `false`, so the skill is hidden from {caller}"
                )
            } else {
                format!(
                    "`{}` is read as `{switch}`: what is not known to keep the skill open hides it \
                     from {caller}",
                    for_message(&pair.key)
                )
            };
            (message, format!("write `{switch}: true` or `{switch}: false`"))
        });
    }
}

/// The items of `requires`.
struct Required {
    skills: Vec<Box<str>>,
    tools: Vec<Box<str>>,
}

fn required(node: Option<&Node<'_>>) -> Required {
    let items = node.map(listing).unwrap_or_default();
    let (tools, skills): (Vec<Box<str>>, Vec<_>) =
        items.into_iter().partition(|item| item.starts_with(TOOL));
    let tools = tools.iter().map(|tool| tool[TOOL.len()..].trim().into()).collect();
    Required { skills, tools }
}

const TRUE: [&str; 3] = ["true", "yes", "on"];
const FALSE: [&str; 3] = ["false", "no", "off"];
/// No value, which an extension does not check.
const UNSET: [&str; 3] = ["", "~", "null"];

fn is(node: &Node<'_>, words: &[&str]) -> bool {
    is_in(text(node), words)
}

fn is_in(text: Option<&str>, words: &[&str]) -> bool {
    text.is_some_and(|text| words.iter().any(|word| text.eq_ignore_ascii_case(word)))
}

fn scope(node: Option<&Node<'_>>) -> Scope {
    let Some(node) = node else { return Scope::default() };
    let list = |key| within(node, key).map(audience).unwrap_or_default();
    Scope { agents: list("agents"), tenants: list("tenants"), environments: list("environments") }
}

fn requirements(node: Option<&Node<'_>>) -> Requirements {
    let Some(node) = node else { return Requirements::default() };
    let needed = within(node, "requires");
    let list = |key| needed.and_then(|node| within(node, key)).map(items).unwrap_or_default();
    Requirements {
        systems: within(node, "os").map(items).unwrap_or_default(),
        programs: list("bins"),
        any_program: list("anyBins"),
        variables: list("env"),
        config: list("config"),
        is_waived: within(node, "always").is_some_and(|node| is(node, &TRUE)),
    }
}

/// The tools that are named; none where the field cannot be read.
pub(super) fn tool_names(tools: AllowedTools) -> Vec<Box<str>> {
    match tools {
        AllowedTools::Absent | AllowedTools::Empty => Vec::new(),
        AllowedTools::Rules(rules) => {
            let mut names: Vec<_> =
                rules.iter().take(MOST_ITEMS).map(|rule| cut(&rule.tool)).collect();
            names.dedup();
            names
        }
    }
}

/// The texts of a list, or one text alone. What cannot be read fits nothing.
fn audience(node: &Node<'_>) -> Vec<Box<str>> {
    let is_readable = match &node.value {
        NodeValue::List(items) => items.iter().all(|item| text(item).is_some()),
        value => matches!(value, NodeValue::Text { .. }),
    };
    let nothing = (!is_readable).then(Box::default);
    items(node).into_iter().chain(nothing).collect()
}

/// The texts of a list, or one text alone.
fn items(node: &Node<'_>) -> Vec<Box<str>> {
    match &node.value {
        NodeValue::List(items) => items.iter().filter_map(text).take(MOST_ITEMS).map(cut).collect(),
        _ => text(node).filter(|text| !text.is_empty()).map(cut).into_iter().collect(),
    }
}

/// The texts of a list, or those of one text with blanks or commas between them, but not within
/// braces: `src/**/*.{ts,tsx}` is one.
fn listing(node: &Node<'_>) -> Vec<Box<str>> {
    let Some(text) = text(node) else { return items(node) };
    let mut depth = 0_usize;
    let parts = text.split(|character: char| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (character == ',' || character.is_whitespace())
    });
    parts.filter(|part| !part.is_empty()).take(MOST_ITEMS).map(cut).collect()
}

fn cut(text: &str) -> Box<str> {
    text[..text.floor_char_boundary(MOST_BYTES)].into()
}

fn text<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.value {
        NodeValue::Text { text, .. } => Some(text.trim()),
        _ => None,
    }
}

fn within<'n, 't>(node: &'n Node<'t>, key: &str) -> Option<&'n Node<'t>> {
    match &node.value {
        NodeValue::Map(pairs) => get(pairs, key),
        _ => None,
    }
}

fn get<'n, 't>(pairs: &'n [Pair<'t>], key: &str) -> Option<&'n Node<'t>> {
    pairs.iter().find(|pair| pair.key == key).map(|pair| &pair.value)
}
