//! Sets of skills by the roles that boxxy derives from their names.

use prowess::prompt::Role;

/// The number of skills of a set in each role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RoleCounts([usize; 3]);

impl RoleCounts {
    /// Counts the roles of these names.
    pub(super) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut counts = [0; 3];
        for name in names {
            counts[Role::of(name) as usize] += 1;
        }
        Self(counts)
    }

    /// Returns the role of which one more skill makes the trits of the set add up to a multiple of
    /// 3; `None` if they already do.
    pub(super) fn missing(&self) -> Option<Role> {
        let [_, generators, verifiers] = self.0;
        let sum = (generators + 2 * verifiers) % 3;
        (sum > 0).then(|| Role::ALL[3 - sum])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_of_27_sets_of_three_are_balanced() {
        let one_of_each = ["pdf", "hello", "skill"];
        let mut balanced = 0;
        for first in one_of_each {
            for second in one_of_each {
                for third in one_of_each {
                    balanced +=
                        usize::from(RoleCounts::of([first, second, third]).missing().is_none());
                }
            }
        }
        assert_eq!(balanced, 9);
    }

    #[test]
    fn an_unbalanced_set_misses_one_role() {
        for (names, counts, missing) in [
            (&[][..], [0, 0, 0], None),
            (&["pdf"], [1, 0, 0], None),
            (&["pdf", "hello", "skill"], [1, 1, 1], None),
            (&["hello"], [0, 1, 0], Some(Role::Verifier)),
            (&["pdf", "skill"], [1, 0, 1], Some(Role::Generator)),
            (&["a", "b", "hello", "c", "skill"], [0, 3, 2], Some(Role::Verifier)),
        ] {
            let found = RoleCounts::of(names.iter().copied());
            assert_eq!(found, RoleCounts(counts), "{names:?}");
            assert_eq!(found.missing(), missing, "{names:?}");
        }
    }
}
