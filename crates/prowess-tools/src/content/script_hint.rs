//! The next step for a model after a script that did not do its work.

use prowess_core::{ScriptLimit, ScriptOutcome};

/// Returns whether the cancellation of the call ended the script, and neither the script itself nor
/// a limit. A runner may report the signal that it ended the script with.
pub(crate) fn was_cancelled(outcome: &ScriptOutcome, is_call_cancelled: bool) -> bool {
    let has_ended = outcome.exit_code.is_some() || outcome.timed_out || outcome.limit.is_some();
    is_call_cancelled && !has_ended
}

/// Returns the next step after a script that failed, or whose output is incomplete.
pub(crate) fn hint(outcome: &ScriptOutcome, was_cancelled: bool) -> Option<&'static str> {
    if was_cancelled {
        return Some(
            "the script was ended because the call was cancelled, so its work may be incomplete; \
             run it again only if that is still wanted",
        );
    }
    let has_failed = outcome.exit_code != Some(0);
    if let Some(hint) = outcome.limit.filter(|_| has_failed).and_then(hint_for) {
        return Some(hint);
    }
    if outcome.timed_out {
        return hint_for(ScriptLimit::Time);
    }
    if has_failed && !outcome.network.refused.is_empty() {
        return Some(
            "the script failed, and `network.refused` has hosts that it may not reach; go on \
             without the script, or ask the user to grant them",
        );
    }
    if outcome.exit_code.is_none() && outcome.signal.is_some() {
        return Some(
            "a signal ended the script, so its work may be incomplete; follow the skill's \
             instructions without the script, or tell the user",
        );
    }
    if has_failed {
        return Some(
            "the script failed; read `stderr` and correct the arguments, or follow the skill's \
             instructions without the script",
        );
    }
    outcome.truncated.then_some(
        "the script succeeded, but the middle of its output was left out; if you need that, run \
         the script so that it prints less",
    )
}

fn hint_for(limit: ScriptLimit) -> Option<&'static str> {
    Some(match limit {
        ScriptLimit::Time => "the time limit ended the script; give it less work, or tell the user",
        ScriptLimit::ProcessorTime => {
            "the script has used up its processor time; give it less work, or tell the user"
        }
        ScriptLimit::Memory => {
            "the script has used up its memory; give it less work, or tell the user"
        }
        ScriptLimit::FileSize => {
            "the script wrote a file that is too large; give it less work, or tell the user"
        }
        ScriptLimit::Files => {
            "the script wrote too many or too large files in its own directory; give it less \
             work, or tell the user"
        }
        _ => return None,
    })
}
