//! Suggestions for misspelt names.

use prowess_text::quoted;

/// The minimum similarity for a suggestion, from 0 for names with nothing in common to 100.
pub(crate) const LEAST_SIMILARITY: u8 = 60;

/// The maximum length of a compared name: a comparison costs the product of both lengths, which an
/// attacker could choose.
const MAX_NAME_CHARS: usize = 128;

/// The minimum length of a part of a name that is suggested for.
const LEAST_PART: usize = 3;

/// Returns the candidate that is most similar to `name`, the first of equals, if one is similar
/// enough. `least` is the minimum similarity in hundredths.
pub fn closest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
    least: u8,
) -> Option<&'c str> {
    let is_long = |name: &str| name.chars().nth(MAX_NAME_CHARS).is_some();
    if is_long(name) {
        return None;
    }
    let name = name.to_lowercase();
    let mut bar = f64::from(least) / 100.0;
    let mut best = None;
    for candidate in candidates.into_iter().filter(|candidate| !is_long(candidate)) {
        let score = similarity(&name, &candidate.to_lowercase(), bar);
        if score > bar || (score >= bar && best.is_none()) {
            (bar, best) = (score, Some(candidate));
        }
    }
    best
}

/// Returns the suggestion as the second half of a sentence.
pub(crate) fn hint(meant: &str) -> String {
    format!("; did you mean {}?", quoted(meant))
}

/// Returns how similar two names are, from 0 to 1, or less if that is below `bar`.
fn similarity(name: &str, candidate: &str, bar: f64) -> f64 {
    let edits = match share_of_common_letters(name, candidate) {
        share if share < bar => 0.0,
        _ => strsim::normalized_damerau_levenshtein(name, candidate),
    };
    if is_part(name, candidate) || is_part(candidate, name) {
        // A part of a name usually means that name, but a name with one wrong letter is nearer.
        return edits.max(f64::from(LEAST_SIMILARITY) / 100.0);
    }
    edits
}

/// Returns the share of the letters of the longer name that are in both, which edits cannot exceed,
/// without an account of their order: most names differ so much that nothing else has to be known.
fn share_of_common_letters(name: &str, candidate: &str) -> f64 {
    let mut letters = [0_u16; 64];
    let mut lengths = [0_u16; 2];
    let slot = |letter: char| letter as usize % 64;
    for letter in name.chars() {
        letters[slot(letter)] += 1;
        lengths[0] += 1;
    }
    let mut common = 0_u16;
    for letter in candidate.chars() {
        let left = &mut letters[slot(letter)];
        common += u16::from(*left > 0);
        *left = left.saturating_sub(1);
        lengths[1] += 1;
    }
    f64::from(common) / f64::from(lengths[0].max(lengths[1]).max(1))
}

/// Returns whether `part` is one or more whole words of `name`, as `pdf` is of `pdf-processing`.
fn is_part(part: &str, name: &str) -> bool {
    const SEPARATORS: [char; 5] = ['-', '_', '.', '/', ':'];
    part.len() >= LEAST_PART
        && name.match_indices(part).any(|(start, found): (usize, &str)| {
            let before = &name[..start];
            let after = &name[start + found.len()..];
            (before.is_empty() || before.ends_with(SEPARATORS))
                && (after.is_empty() || after.starts_with(SEPARATORS))
        })
}

#[cfg(test)]
mod tests {
    use super::{LEAST_SIMILARITY, closest};

    fn check(name: &str, candidates: &[&str], expected: Option<&str>) {
        let found = closest(name, candidates.iter().copied(), LEAST_SIMILARITY);
        assert_eq!(found, expected, "what `{name}` is taken for");
    }

    #[test]
    fn a_slip_is_understood_and_a_stranger_is_not() {
        let skills = ["debug-agent", "test-runner", "pdf-processing"];
        check("debag-agent", &skills, Some("debug-agent"));
        check("debug-agen", &skills, Some("debug-agent"));
        check("DEBUG-AGENT", &skills, Some("debug-agent"));
        check("test-runer", &skills, Some("test-runner"));
        check("pdf", &skills, Some("pdf-processing"));
        check("completely-different", &skills, None);
        check("pd", &skills, None);
        check("", &skills, None);
        check("debug-agent", &[], None);
    }

    #[test]
    fn the_nearest_is_meant_and_the_first_of_equals() {
        check("reed", &["reads", "read", "red"], Some("read"));
        check("pdf", &["pdf-forms", "pdf-merge"], Some("pdf-forms"));
        check("pdf", &["pdf-forms", "pdg"], Some("pdg"));
        check("pdf", &["pdfs-of-forms", "all-pdfs"], None);
    }

    #[test]
    fn the_host_says_how_far_a_name_may_be() {
        for (least, expected) in [(90, None), (60, None), (30, Some("debug-agent")), (101, None)] {
            assert_eq!(closest("dbg-agnt-x", ["debug-agent"], least), expected, "{least}");
        }
        assert_eq!(closest("debug-agent", ["debug-agent"], 100), Some("debug-agent"));
    }

    #[test]
    fn a_huge_name_costs_nothing() {
        let huge = "pdf-processing".repeat(100_000);
        check(&huge, &["pdf-processing"], None);
        check("pdf", &[&huge, &format!("pdf-{huge}")], None);
    }
}
