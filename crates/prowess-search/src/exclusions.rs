//! Sentences of a description that say what a skill is not for.

/// How such a sentence begins.
const BEGINNINGS: [&str; 8] = [
    "do not activate", "do not trigger", "do not use", "don't trigger", "don't use", "not for",
    "not to be used", "not when",
];

/// What stands before the name of the skill that does the work instead.
const REFERRALS: [&str; 2] = [", see ", ", use "];

/// Returns the parts of a description, except those whose words would find the wrong skill, such as
/// `Not for invoices.` and `For invoices, see billing.`
pub(crate) fn without_exclusions(description: &str) -> impl Iterator<Item = &str> {
    let mut rest = description;
    let parts = std::iter::from_fn(move || {
        let part = &rest[..end_of_part(rest)?];
        rest = &rest[part.len()..];
        Some(part)
    });
    parts.filter(|part| !is_exclusion(part))
}

/// Returns the end of the first sentence of a text, or of what is in front of a dash; `None` for an
/// empty text. By bytes, several at once, because every description of a catalog is split.
fn end_of_part(text: &str) -> Option<usize> {
    const DASH: &[u8] = " — ".as_bytes();
    const MARKS: [u8; 5] = *b".!?;\n";
    const LANES: usize = 16;
    let bytes = text.as_bytes();
    let is_dash = |at: usize| bytes[at] == b' ' && bytes[..=at].ends_with(DASH);
    // A dash has bytes that no ASCII text has. Without branches, lanes are compared at once.
    let may_end = |any: bool, byte: &u8| {
        MARKS.iter().fold(any | !byte.is_ascii(), |any, mark| any | (byte == mark))
    };
    let lanes = bytes.chunks_exact(LANES);
    let skipped = LANES * lanes.take_while(|lanes| !lanes.iter().fold(false, may_end)).count();
    let end = (skipped..bytes.len()).find(|&at| MARKS.contains(&bytes[at]) || is_dash(at));
    let end = end.map(|at| at + 1);
    end.or_else(|| (!bytes.is_empty()).then_some(bytes.len()))
}

fn is_exclusion(part: &str) -> bool {
    let part = part.trim_start_matches(|c: char| !c.is_alphanumeric());
    BEGINNINGS.iter().any(|beginning| begins(part, beginning))
        || begins(part, "for ") && REFERRALS.iter().any(|referral| part.contains(referral))
}

/// Returns whether a text begins with ASCII letters of either case.
fn begins(text: &str, beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(description: &str, left: &str) {
        assert_eq!(without_exclusions(description).collect::<String>(), left);
    }

    #[test]
    fn exclusions_are_left_out() {
        check("Fills forms. Not for invoices. Fast.", "Fills forms. Fast.");
        check("Fills forms; do NOT use for invoices", "Fills forms;");
        check("Use for forms — not for invoices", "Use for forms — ");
        check("Fills forms.\n\"Don't trigger on invoices!", "Fills forms.\n");
    }

    #[test]
    fn referrals_are_left_out() {
        check("Fills forms. For invoices, see billing.", "Fills forms.");
        check("For invoices, use billing instead. Fills forms.", " Fills forms.");
    }

    #[test]
    fn other_sentences_stay() {
        for description in
            ["For forms and invoices.", "Notes for forms.", "Für Formulare, 表单。", ""]
        {
            check(description, description);
        }
    }
}
