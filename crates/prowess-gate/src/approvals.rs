//! The approvals that cover a call.

use std::fmt::Write as _;

use prowess_core::{Approval, ApprovalRequest, ApprovalScope, ArgumentPattern, Digest};
use serde_json::Value;

use crate::call::Call;

/// Returns the request that a person has to approve for a call: of this skill, with exactly these
/// arguments.
pub(crate) fn request(call: &Call<'_>) -> ApprovalRequest {
    let input = call.input;
    let skill = input.bound_skill();
    ApprovalRequest {
        tool: input.tool.name.to_owned(),
        arguments: ArgumentPattern::Exact(arguments_digest(input.arguments)),
        skill: skill.map(|skill| skill.id.to_owned()),
        package: skill.and_then(|skill| skill.package),
        tenant: input.tenant.map(str::to_owned),
    }
}

/// Returns the first approval that covers the call. One for a single use comes last, so that it is
/// not spent where another does. None covers a call that needs a consent if the package has no
/// digest: it would cover every later content, too.
pub(crate) fn covering<'a>(call: &Call<'a>) -> Option<&'a Approval> {
    if call.input.consent.as_ref().is_some_and(|consent| consent.skill.package.is_none()) {
        return None;
    }
    let covering = || call.input.approvals.iter().filter(|approval| covers(approval, call));
    let mut lasting = covering().filter(|approval| approval.scope != ApprovalScope::Once);
    lasting.next().or_else(|| covering().next())
}

fn covers(approval: &Approval, call: &Call<'_>) -> bool {
    let input = call.input;
    let bound = &approval.request;
    let skill = input.bound_skill();
    let is_in_scope =
        approval.scope == ApprovalScope::Always || approval.session.as_ref() == Some(input.session);
    bound.tool == input.tool.name
        && bound.tenant.as_deref() == input.tenant
        && bound.skill.as_deref() == skill.map(|skill| skill.id)
        && bound.package == skill.and_then(|skill| skill.package)
        && approval.expires.is_none_or(|expires| input.now < expires)
        && is_in_scope
        && covers_arguments(&bound.arguments, call)
}

fn covers_arguments(pattern: &ArgumentPattern, call: &Call<'_>) -> bool {
    match pattern {
        ArgumentPattern::Any => true,
        ArgumentPattern::Exact(digest) => *digest == arguments_digest(call.input.arguments),
        ArgumentPattern::CommandPrefix(prefix) => {
            let commands = call.commands().unwrap_or_default();
            !prefix.is_empty()
                && !commands.is_empty()
                && commands.iter().all(|command| command.words.starts_with(prefix))
        }
        _ => false,
    }
}

/// Returns the digest that [`ArgumentPattern::Exact`] compares: of the arguments as JSON with
/// sorted keys and without white space.
pub fn arguments_digest(arguments: &Value) -> Digest {
    let mut text = String::new();
    push_canonical(&mut text, arguments);
    Digest::of(text.as_bytes())
}

fn push_canonical(text: &mut String, value: &Value) {
    match value {
        Value::Object(fields) => {
            let mut keys: Vec<_> = fields.keys().collect();
            keys.sort_unstable();
            push_list(text, ['{', '}'], keys, |text, key| {
                _ = write!(text, "{}:", Value::from(key.as_str()));
                push_canonical(text, &fields[key]);
            });
        }
        Value::Array(items) => push_list(text, ['[', ']'], items, push_canonical),
        _ => _ = write!(text, "{value}"),
    }
}

fn push_list<T>(
    text: &mut String,
    [open, close]: [char; 2],
    items: impl IntoIterator<Item = T>,
    push: impl Fn(&mut String, T),
) {
    text.push(open);
    for (number, item) in items.into_iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        push(text, item);
    }
    text.push(close);
}
