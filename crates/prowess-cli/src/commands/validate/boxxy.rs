//! The roles that boxxy derives from the names of skills. No other client knows them.

use std::fmt;

use prowess::Digest;

/// The task of a skill in a set of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Trit 0.
    Coordinator,
    /// Trit 1.
    Generator,
    /// Trit 2.
    Verifier,
}

impl Role {
    /// Every role, at the index of its trit.
    pub(super) const ALL: [Self; 3] = [Self::Coordinator, Self::Generator, Self::Verifier];

    /// Returns the role of a skill: the first eight bytes of the SHA-256 of its name, as a
    /// little-endian number, modulo 3.
    pub(super) fn of(name: &str) -> Self {
        let digest = Digest::of(name.as_bytes()).to_string();
        let hexadecimal = digest.trim_start_matches("sha256:").get(..16).unwrap_or_default();
        let number = u64::from_str_radix(hexadecimal, 16).unwrap_or_default().swap_bytes();
        match number % 3 {
            0 => Self::Coordinator,
            1 => Self::Generator,
            _ => Self::Verifier,
        }
    }

    /// 0, 1 or 2.
    pub(super) fn trit(self) -> u8 {
        self as u8
    }

    /// The colour of the role, in HTML notation.
    pub(super) fn colour(self) -> &'static str {
        ["#F59E0B", "#A855F7", "#2E5FA3"][self as usize]
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(["Coordinator", "Generator", "Verifier"][*self as usize])
    }
}

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
    fn roles_come_from_names() {
        let cases = [
            ("pdf", 0),
            ("pdf-processing", 2),
            ("data-analysis", 2),
            ("code-review", 0),
            ("xlsx", 0),
            ("skill-creator", 0),
            ("hello", 1),
            ("skill", 2),
            ("git-workflow", 0),
            ("python-dev", 0),
            ("extension-development", 0),
            ("task-decomposition", 0),
            ("kubernetes-deploy", 2),
            ("test-skill", 1),
            ("glucose-monitor", 2),
            ("a", 1),
            ("b", 1),
            ("c", 2),
        ];
        for (name, trit) in cases {
            assert_eq!(Role::of(name).trit(), trit, "`{name}`");
        }
        assert_eq!(Role::ALL.map(Role::colour), ["#F59E0B", "#A855F7", "#2E5FA3"]);
    }

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
