//! Compares values with their declarations.

use std::borrow::Cow;
use std::ops::Range;

use crate::findings::Findings;
use crate::for_message;
use crate::spelling::nearest_of;
use crate::yaml::{Node, NodeValue, Pair};
use crate::{Code, Extensions, FieldKind, Mapping, Value, check::plain_kind, codes};

use super::{Declared, entry};

/// One way in which a value does not fit.
struct Problem {
    code: Code,
    span: Range<usize>,
    message: String,
    help: String,
}

/// Checks every declared field of a frontmatter, at the top level and below `metadata`.
pub(crate) fn check(pairs: &[Pair<'_>], extensions: &Extensions, findings: &mut Findings<'_>) {
    if extensions.is_empty() {
        return;
    }
    for pair in pairs {
        check_field(&pair.key, pair, pairs, extensions, findings);
    }
    if let Some(NodeValue::Map(metadata)) = entry(pairs, "metadata").map(|node| &node.value) {
        for pair in metadata {
            let path = format!("metadata.{}", pair.key);
            check_field(&path, pair, pairs, extensions, findings);
        }
    }
}

/// Returns whether a field is declared, and reports it under profiles that accept fields of the
/// standard only.
pub(crate) fn check_key(
    key: &str,
    span: &Range<usize>,
    extensions: &Extensions,
    findings: &mut Findings<'_>,
) -> bool {
    if extensions.of_field(key).next().is_none() {
        return false;
    }
    findings.report(codes::EXTENSION_FIELD, span.clone(), || {
        let names: Vec<_> = extensions.of_field(key).map(|known| known.name.as_ref()).collect();
        let clients = if names.contains(&CLAUDE_CODE) { &[CLAUDE_CODE][..] } else { &names };
        let profile = if names.contains(&CLAUDE_CODE) { CLAUDE_CODE } else { "extended" };
        (
            format!("`{key}` is a field of {} and not of the specification", listed(clients)),
            format!(
                "keep it if the skill is for such a client, which reads it nowhere else, and check \
                 by the profile `{profile}`; without it, every client accepts the skill"
            ),
        )
    });
    true
}

/// The client that most authors write for, and the profile of that name.
const CLAUDE_CODE: &str = "claude-code";

/// Lists clients by names that people know: some extensions are known by what their hosts do.
fn listed(names: &[&str]) -> String {
    let shown = |name: &&str| match *name {
        "omniforge" => "the preset `enterprise-layers`".to_owned(),
        "yodoca" => "the preset `directory-ids`".to_owned(),
        "flexigpt" => "the preset `few-active`".to_owned(),
        name => format!("`{name}`"),
    };
    names.iter().map(shown).collect::<Vec<_>>().join(", ")
}

pub(super) fn fits(kind: &FieldKind, value: &Value) -> bool {
    problems(kind, &node(value), "").is_empty()
}

fn check_field(
    path: &str,
    pair: &Pair<'_>,
    pairs: &[Pair<'_>],
    extensions: &Extensions,
    findings: &mut Findings<'_>,
) {
    let declared: Vec<Declared<'_>> = extensions.declarations(path).collect();
    let kinds = declared.iter().map(|declared| &declared.field.kind);
    for problem in nearest(kinds, &pair.value, path) {
        findings.report(problem.code, problem.span, || (problem.message, problem.help));
    }
    // A field without effect in one extension may have one in another.
    let is_idle = declared.iter().all(|declared| is_idle(declared, pairs));
    if let Some(first) = declared.first().filter(|_| is_idle) {
        report_idle(first, pair, findings);
    }
}

fn is_idle(declared: &Declared<'_>, pairs: &[Pair<'_>]) -> bool {
    declared.field.only_with.as_ref().is_some_and(|(other, value)| {
        let found = entry(pairs, other).map(|node| &node.value);
        !matches!(found, Some(NodeValue::Text { text, .. }) if text == value)
    })
}

fn report_idle(declared: &Declared<'_>, pair: &Pair<'_>, findings: &mut Findings<'_>) {
    let Some((other, value)) = &declared.field.only_with else {
        return;
    };
    findings.report(codes::EXTENSION_FIELD_IDLE, pair.key_span.clone(), || {
        (
            format!("`{}` has no effect without `{other}: {value}`", declared.field.path),
            format!("add a line `{other}: {value}`, or remove the field"),
        )
    });
}

/// The problems under the kind that the value comes nearest to.
fn nearest<'k>(
    kinds: impl Iterator<Item = &'k FieldKind>,
    node: &Node<'_>,
    path: &str,
) -> Vec<Problem> {
    let candidates = kinds.map(|kind| problems(kind, node, path));
    candidates.min_by_key(|problems| (wrong_types(problems), problems.len())).unwrap_or_default()
}

fn wrong_types(problems: &[Problem]) -> usize {
    problems.iter().filter(|problem| problem.code == codes::EXTENSION_FIELD_TYPE).count()
}

fn problems(kind: &FieldKind, node: &Node<'_>, path: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !is_absent(node) {
        collect(kind, node, path, &mut problems);
    }
    problems
}

fn is_absent(node: &Node<'_>) -> bool {
    matches!(&node.value, NodeValue::Text { text, is_plain: true } if text.is_empty())
}

fn collect(kind: &FieldKind, node: &Node<'_>, path: &str, problems: &mut Vec<Problem>) {
    match (kind, &node.value) {
        (FieldKind::Any, _) => {}
        (FieldKind::Either(kinds), _) => problems.extend(nearest(kinds.iter(), node, path)),
        (FieldKind::List(item) | FieldKind::Listing(item), NodeValue::List(items)) => {
            collect_items(item, items, path, problems);
        }
        (FieldKind::Unique(key, item), NodeValue::List(items)) => {
            collect_items(item, items, path, problems);
            collect_twins(key, items, path, problems);
        }
        (FieldKind::Record(fields) | FieldKind::OpenRecord(fields), NodeValue::Map(pairs)) => {
            let is_open = matches!(kind, FieldKind::OpenRecord(_));
            for pair in pairs {
                let field = fields.iter().find(|(key, _)| *key == pair.key);
                let path = format!("{path}.{}", pair.key);
                match field {
                    Some((_, kind)) => problems.extend(self::problems(kind, &pair.value, &path)),
                    None if is_open => {}
                    None => problems.push(unknown_entry(fields, pair, &path)),
                }
            }
        }
        (_, NodeValue::Text { text, is_plain }) => {
            if let Some((code, message)) = text_problem(kind, text, *is_plain) {
                problems.push(problem(code, node, path, &message, kind));
            }
        }
        _ => problems.push(wrong_type(kind, node, path)),
    }
}

fn collect_items(kind: &FieldKind, items: &[Node<'_>], path: &str, problems: &mut Vec<Problem>) {
    for (number, item) in items.iter().enumerate() {
        collect(kind, item, &format!("{path}[{number}]"), problems);
    }
}

/// Items with a value that an earlier one has.
fn collect_twins(key: &str, items: &[Node<'_>], path: &str, problems: &mut Vec<Problem>) {
    let mut seen = std::collections::HashSet::new();
    for (number, item) in items.iter().enumerate() {
        let NodeValue::Map(pairs) = &item.value else { continue };
        let Some(node) = entry(pairs, key) else { continue };
        let NodeValue::Text { text, .. } = &node.value else { continue };
        if !seen.insert(text.as_ref()) {
            problems.push(Problem {
                code: codes::EXTENSION_DUPLICATE,
                span: node.span.clone(),
                message: format!(
                    "`{path}[{number}].{key}` is a duplicate: `{}`",
                    for_message(text)
                ),
                help: "keep one of the two".to_owned(),
            });
        }
    }
}

fn text_problem(kind: &FieldKind, text: &str, is_plain: bool) -> Option<(Code, String)> {
    let invalid = |is_valid: bool, what: &str| {
        (!is_valid).then(|| (codes::EXTENSION_VALUE_INVALID, what.to_owned()))
    };
    let other = is_plain.then(|| plain_kind(text)).flatten();
    match kind {
        FieldKind::Text | FieldKind::Filled if other.is_some() => {
            Some((codes::EXTENSION_FIELD_TYPE, format!("is {}", other.unwrap_or_default())))
        }
        FieldKind::Text | FieldKind::Any => None,
        FieldKind::Filled | FieldKind::Listing(_) => invalid(!text.trim().is_empty(), "is blank"),
        FieldKind::Identifier => {
            invalid(is_identifier(text), &format!("is `{}`", for_message(text)))
        }
        FieldKind::Bool => {
            let is_bool = matches!(text, "true" | "false");
            (!is_bool).then(|| (codes::EXTENSION_FIELD_TYPE, "is a text".to_owned()))
        }
        FieldKind::Integer(range) => match text.parse() {
            Ok(number) if range.contains(&number) => None,
            Ok(_) => invalid(false, "is out of range"),
            Err(_) => Some((codes::EXTENSION_FIELD_TYPE, "is a text".to_owned())),
        },
        FieldKind::Word(words) => (!words.iter().any(|word| word == text))
            .then(|| (codes::EXTENSION_VALUE_UNKNOWN, format!("is `{}`", for_message(text)))),
        FieldKind::PackagePath => (!stays_in_package(text))
            .then(|| (codes::EXTENSION_PATH, format!("is `{}`", for_message(text)))),
        FieldKind::List(_)
        | FieldKind::Unique(..)
        | FieldKind::Record(_)
        | FieldKind::OpenRecord(_)
        | FieldKind::Either(_) => Some((codes::EXTENSION_FIELD_TYPE, "is a text".to_owned())),
    }
}

fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Checks the text alone: code that opens the path checks links.
fn stays_in_package(path: &str) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    !path.contains(['\\', ':', '\0'])
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn wrong_type(kind: &FieldKind, node: &Node<'_>, path: &str) -> Problem {
    let found = match node.value {
        NodeValue::Text { .. } => "is a text",
        NodeValue::List(_) => "is a list",
        NodeValue::Map(_) => "is a mapping",
    };
    problem(codes::EXTENSION_FIELD_TYPE, node, path, found, kind)
}

fn problem(code: Code, node: &Node<'_>, path: &str, found: &str, kind: &FieldKind) -> Problem {
    let is_number = code == codes::EXTENSION_FIELD_TYPE && found.ends_with("a number");
    let help =
        if is_number { "quote the value".to_owned() } else { format!("write {}", kind.describe()) };
    let message = format!("`{}` {found}, not {}", for_message(path), kind.describe());
    Problem { code, span: node.span.clone(), message, help }
}

fn unknown_entry(fields: &[(String, FieldKind)], pair: &Pair<'_>, path: &str) -> Problem {
    let known: Vec<_> = fields.iter().map(|(key, _)| key.as_str()).collect();
    let help = match nearest_of(&pair.key, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the entries are `{}`", known.join("`, `")),
    };
    Problem {
        code: codes::EXTENSION_VALUE_UNKNOWN,
        span: pair.key_span.clone(),
        message: format!("unknown entry `{}`", for_message(path)),
        help,
    }
}

/// A value as a tree without places. A text counts as quoted: that it was kept says it is one.
fn node(value: &Value) -> Node<'_> {
    let value = match value {
        Value::Text(text) => {
            NodeValue::Text { text: Cow::Borrowed(text), is_plain: text.is_empty() }
        }
        Value::List(items) => NodeValue::List(items.iter().map(node).collect()),
        Value::Map(Mapping(fields)) => NodeValue::Map(
            fields
                .iter()
                .map(|field| Pair {
                    key: Cow::Borrowed(&field.key),
                    key_span: field.key_span.clone(),
                    value: node(&field.value),
                })
                .collect(),
        ),
    };
    Node { value, span: 0..0 }
}
