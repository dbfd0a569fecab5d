//! The meaning of the end of a hook.

use prowess_core::ScriptOutcome;
use prowess_text::clipped;
use serde_json::Value;

/// The length of a reason in a message.
pub(super) const MAX_REASON_CHARS: usize = 400;
/// The exit code by which a hook refuses.
const REFUSED: i32 = 2;

/// The answer of a hook to an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing, which is no permission either.
    Pass,
    /// It refuses, or wants the model to go on, for this reason.
    Block(String),
    /// It did not end by itself, for this reason.
    Failed(String),
}

/// Returns the verdict of a hook, by its exit code and the JSON object that it may print.
pub(super) fn verdict(outcome: &ScriptOutcome) -> Verdict {
    match outcome.exit_code {
        None => Verdict::Failed(ended(outcome)),
        Some(REFUSED) => Verdict::Block(reason(&outcome.stderr)),
        Some(0) => printed(&outcome.stdout),
        // By the definition of these hooks, any other code is an error that stops nothing.
        Some(_) => Verdict::Pass,
    }
}

/// Reads the decision in a JSON object. Any other output is for people.
fn printed(stdout: &str) -> Verdict {
    let Ok(Value::Object(answer)) = serde_json::from_str::<Value>(stdout.trim()) else {
        return Verdict::Pass;
    };
    let text = |value: Option<&Value>| reason(value.and_then(Value::as_str).unwrap_or_default());
    if answer.get("continue") == Some(&Value::Bool(false)) {
        return Verdict::Block(text(answer.get("stopReason")));
    }
    if matches!(answer.get("decision").and_then(Value::as_str), Some("block" | "deny")) {
        return Verdict::Block(text(answer.get("reason")));
    }
    let specific = answer.get("hookSpecificOutput");
    let of_specific = |key: &str| specific.and_then(|specific| specific.get(key));
    // A question for a person is a refusal: only the gate asks people.
    match of_specific("permissionDecision").and_then(Value::as_str) {
        Some("deny" | "ask") => Verdict::Block(text(of_specific("permissionDecisionReason"))),
        _ => Verdict::Pass,
    }
}

fn reason(text: &str) -> String {
    match text.trim() {
        "" => "it gives no reason".to_owned(),
        text => clipped(text, MAX_REASON_CHARS),
    }
}

/// Returns how a script ended that did not succeed.
pub(super) fn ended(outcome: &ScriptOutcome) -> String {
    let ended = match outcome.exit_code {
        _ if outcome.timed_out => "its time was over".to_owned(),
        Some(code) => format!("it ended with exit code {code}"),
        None => match outcome.signal {
            Some(number) => format!("signal {number} ended it"),
            None => "a signal ended it".to_owned(),
        },
    };
    match outcome.stderr.trim() {
        "" => ended,
        error => format!("{ended}: {}", clipped(error, MAX_REASON_CHARS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(exit_code: Option<i32>, stdout: &str, expected: &Verdict) {
        let outcome = ScriptOutcome {
            exit_code,
            stdout: stdout.to_owned(),
            stderr: "no".to_owned(),
            ..ScriptOutcome::default()
        };
        assert_eq!(verdict(&outcome), *expected, "{exit_code:?} {stdout}");
    }

    #[test]
    fn exit_codes_and_objects_decide() {
        let block = |reason: &str| Verdict::Block(reason.to_owned());
        check(Some(0), "", &Verdict::Pass);
        check(Some(0), "all is well", &Verdict::Pass);
        check(Some(1), r#"{"decision": "block"}"#, &Verdict::Pass);
        check(Some(2), "", &block("no"));
        check(None, "", &Verdict::Failed("a signal ended it: no".to_owned()));
        check(Some(0), r#"{"decision": "block", "reason": "why"}"#, &block("why"));
        check(Some(0), r#"{"continue": false, "stopReason": "why"}"#, &block("why"));
        let specific = |decision: &str| {
            format!(
                r#"{{"hookSpecificOutput": {{"permissionDecision": "{decision}", "permissionDecisionReason": "why"}}}}"#
            )
        };
        check(Some(0), &specific("deny"), &block("why"));
        check(Some(0), &specific("ask"), &block("why"));
        check(Some(0), &specific("allow"), &Verdict::Pass);
        check(Some(0), r#"{"decision": "block"}"#, &block("it gives no reason"));
        check(Some(0), r#"["decision"]"#, &Verdict::Pass);
    }
}
