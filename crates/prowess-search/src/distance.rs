//! How many letters of two words differ, if they are few.

/// The longest words that are compared without allocating.
const MOST_BYTES: usize = 62;

/// A number of differences that no caller asks for.
const MANY: u8 = 100;

/// Returns the number of letters that differ: replaced, left out, added, or exchanged with the next
/// one. Returns `None` if there are more than `reach`.
///
/// A word that no skill has is compared with every word that some skill has, so most pairs have to
/// be given up after a few letters.
pub(crate) fn distance(one: &str, other: &str, reach: usize) -> Option<usize> {
    let is_short = |text: &str| text.is_ascii() && text.len() <= MOST_BYTES;
    if is_short(one) && is_short(other) && reach <= usize::from(MANY / 2) {
        return of_bytes(one.as_bytes(), other.as_bytes(), reach);
    }
    Some(strsim::osa_distance(one, other)).filter(|&distance| distance <= reach)
}

/// Fills the rows of the usual table only near its diagonal, and ends when no cell can lead back to
/// few differences.
fn of_bytes(one: &[u8], other: &[u8], reach: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > reach {
        return None;
    }
    let most = u8::try_from(reach).unwrap_or(MANY);
    let mut rows = [[MANY; MOST_BYTES + 2]; 3];
    for (at, cell) in (0..=most).zip(&mut rows[1]) {
        *cell = at;
    }
    let mut last_least = 0;
    for line in 1..=one.len() {
        let [before, last, row] = &mut rows;
        let (start, end) = (line.saturating_sub(reach).max(1), (line + reach).min(other.len()));
        let is_edge = start == 1;
        row[start - 1] = if is_edge { u8::try_from(line).unwrap_or(MANY) } else { MANY };
        let mut least = row[start - 1];
        for at in start..=end {
            let is_other = u8::from(one[line - 1] != other[at - 1]);
            let mut cell = (last[at - 1] + is_other).min(last[at] + 1).min(row[at - 1] + 1);
            if line > 1
                && at > 1
                && one[line - 1] == other[at - 2]
                && one[line - 2] == other[at - 1]
            {
                cell = cell.min(before[at - 2] + 1);
            }
            row[at] = cell.min(MANY);
            least = least.min(cell);
        }
        row[end + 1] = MANY;
        // An exchange of two letters leads from the row before.
        if least > most && last_least >= most {
            return None;
        }
        last_least = least;
        rows.rotate_left(1);
    }
    Some(usize::from(rows[1][other.len()])).filter(|&distance| distance <= reach)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::distance;

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 2_000, failure_persistence: None, ..Default::default()
        })]

        #[test]
        fn distance_is_the_one_of_strsim(one in "[abc]{0,9}", other in "[abc]{0,9}", reach in 0..4_usize) {
            let expected = Some(strsim::osa_distance(&one, &other)).filter(|it| *it <= reach);
            prop_assert_eq!(distance(&one, &other, reach), expected, "{} {}", one, other);
        }
    }

    #[test]
    fn long_and_other_letters_are_compared() {
        let long = "x".repeat(70);
        for (one, other, expected) in [
            ("café", "cafe", Some(1)),
            (&*long, &long[..69], Some(1)),
            ("", "abc", None),
            ("a", "a", Some(0)),
        ] {
            assert_eq!(distance(one, other, 2), expected, "{one} {other}");
        }
    }
}
