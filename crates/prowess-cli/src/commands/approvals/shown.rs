//! An approval as a person sees it.

use std::fmt::Write as _;

use prowess::state::rfc3339;
use prowess::{
    ApprovalEntry, ApprovalId, ApprovalScope, ApprovalState, ArgumentPattern, Digest, Timestamp,
};
use prowess_text::head_and_tail;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::output::{DIM, ID};
use crate::terminal::{columns_behind, local_time, one_line, plain, wrapped};

/// The maximum width of a word about a call.
const WIDTH: usize = 160;

/// The most characters of one part of a call. Of a longer part, the head and the tail are shown,
/// and no question is asked about it at once.
const MOST_SHOWN: usize = 1_000;

/// The most parts of a call that have lines of their own.
const MOST_PARTS: usize = 32;

/// The number of characters of a digest that are shown: `sha256:` and 12 digits.
const SHORT_DIGEST: usize = 19;

/// One entry, with its times as text.
#[derive(Serialize)]
pub(crate) struct Shown {
    /// The number that stands for it in commands, if a person was shown one.
    pub(super) number: Option<u64>,
    pub(super) id: ApprovalId,
    state: &'static str,
    tool: String,
    arguments: String,
    preview: String,
    skill: Option<String>,
    package: Option<Digest>,
    tenant: Option<String>,
    /// The session as the audit log names it.
    session: String,
    scope: Option<ApprovalScope>,
    asked: String,
    expires: Option<String>,
    by: Option<String>,
}

/// Returns the state of an entry as one word.
pub(super) fn state(entry: &ApprovalEntry, now: Timestamp) -> &'static str {
    let is_open = matches!(entry.state, ApprovalState::Pending | ApprovalState::Granted { .. });
    if is_open && entry.is_expired(now) { "expired" } else { entry.state.word() }
}

impl Shown {
    pub(super) fn new(entry: ApprovalEntry, number: Option<u64>, now: Timestamp) -> Self {
        let state = state(&entry, now);
        let scope = match entry.state {
            ApprovalState::Granted { scope, .. } => Some(scope),
            ApprovalState::Spent { .. } => Some(ApprovalScope::Once),
            _ => None,
        };
        Self {
            number,
            id: entry.id,
            state,
            tool: entry.request.tool,
            arguments: words(&entry.request.arguments),
            preview: entry.preview,
            skill: entry.request.skill,
            package: entry.request.package,
            tenant: entry.request.tenant,
            session: entry.session.log_name().into_owned(),
            scope,
            asked: rfc3339(entry.asked),
            expires: entry.expires.map(rfc3339),
            by: entry.state.by().map(str::to_owned),
        }
    }

    /// Returns whether [`Self::text`] shows all of the call.
    pub(super) fn is_whole(&self) -> bool {
        let is_cut =
            |part: &String| head_and_tail(part, MOST_SHOWN) != head_and_tail(part, usize::MAX);
        !is_cut(&self.call()) && !parts(&self.preview).iter().any(is_cut)
    }

    /// Returns the entry as lines: the call, and what the approval is bound to. The lines are
    /// wrapped: what a person allows is not cut.
    pub(super) fn text(&self) -> String {
        let number = self.number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let margin = number.len() + 2;
        let columns = columns_behind(margin);
        let call = format!("{}  {}", self.state, shown(&self.call()));
        let call = wrapped(&call, columns, margin);
        let mut text = format!("{ID}{number}{ID:#}  {call}\n");
        for part in parts(&self.preview) {
            // Further lines are not where a part begins: words of a model could look like one.
            let part = wrapped(&shown(&part), columns.saturating_sub(2), margin + 2);
            let _ = writeln!(text, "{:margin$}{part}", "");
        }
        if !self.is_whole() {
            let id = self.number.map_or_else(|| self.id.to_string(), |number| number.to_string());
            let _ = writeln!(text, "{:margin$}all of it: prowess approvals show {id}", "");
        }
        let details = wrapped(&self.details(columns.min(WIDTH)), columns, margin);
        let _ = writeln!(text, "{:margin$}{DIM}{details}{DIM:#}", "");
        text
    }

    /// Returns the entry as lines, with all of its arguments.
    pub(super) fn whole(&self) -> String {
        let json: Option<Value> = serde_json::from_str(&self.preview).ok();
        let pretty = json.and_then(|json| serde_json::to_string_pretty(&json).ok());
        let mut text = self.text();
        for line in pretty.as_deref().unwrap_or(&self.preview).lines() {
            let words = line.trim_start_matches(' ');
            text.extend([
                &line[..line.len() - words.len()],
                &head_and_tail(words, usize::MAX),
                "\n",
            ]);
        }
        text
    }

    fn call(&self) -> String {
        format!("{}: {}", self.tool, self.arguments)
    }

    fn details(&self, columns: usize) -> String {
        let scope = self.scope.map(|scope| match scope {
            ApprovalScope::Once => "one call",
            ApprovalScope::Session => "this session",
            ApprovalScope::Always => "every session",
        });
        let digest = self.package.map(|digest| digest.to_string());
        let package = digest.as_ref().and_then(|digest| digest.get(..SHORT_DIGEST));
        let expires = self.expires.as_deref().map(local_time);
        let parts = [
            ("id", Some(self.id.as_str())),
            ("skill", self.skill.as_deref()),
            ("package", package),
            ("tenant", self.tenant.as_deref()),
            ("session", Some(self.session.as_str())),
            ("for", scope),
            ("by", self.by.as_deref()),
            ("expires", expires.as_deref()),
        ];
        let parts = parts.iter().filter_map(|(word, part)| {
            part.map(|part| format!("{word} {}", one_line(part, columns.saturating_sub(9))))
        });
        plain(&parts.collect::<Vec<_>>().join(", ")).into_owned()
    }
}

/// Returns the arguments that are covered, in words.
fn words(arguments: &ArgumentPattern) -> String {
    match arguments {
        ArgumentPattern::Any => "any arguments".to_owned(),
        ArgumentPattern::Exact(_) => "these arguments only".to_owned(),
        ArgumentPattern::CommandPrefix(words) => {
            format!("commands that begin with `{}`", words.join(" "))
        }
        _ => "arguments that this version cannot show".to_owned(),
    }
}

/// Returns a part of a call, of which a terminal shows each character.
fn shown(part: &str) -> String {
    plain(&head_and_tail(part, MOST_SHOWN)).into_owned()
}

/// Returns the parts of a call that a person decides on: the members of its arguments, such as
/// rights, which long ones next to them do not hide.
fn parts(preview: &str) -> Vec<String> {
    let mut all = Vec::new();
    match serde_json::from_str(preview) {
        Ok(Value::Object(object)) if !object.is_empty() => add_members(&mut all, "", &object),
        _ => {}
    }
    if !(1..=MOST_PARTS).contains(&all.len()) {
        all = vec![preview.to_owned()];
    }
    all.retain(|part| !part.is_empty());
    all
}

fn add_members(all: &mut Vec<String>, above: &str, object: &Map<String, Value>) {
    for (key, value) in object {
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
        let key = if key.chars().all(is_plain) { key.clone() } else { json!(key).to_string() };
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                add_members(all, &format!("{above}{key}."), inner);
            }
            _ => all.push(format!("{above}{key}: {value}")),
        }
    }
}
