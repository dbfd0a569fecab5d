//! `--roles`: the roles that the preset `spec-law` derives from the names of skills.

use std::fmt::Write as _;

use anstyle::{RgbColor, Style};
use prowess::lint::PackageReport;
use prowess::prompt::Role;
use serde::Serialize;

use crate::output::{DIM, HEADING};
use crate::terminal::plain;

/// The maximum number of characters of names for a role.
const MOST: usize = 64;

/// The skills with their roles.
#[derive(Serialize)]
pub(super) struct Roles {
    /// The role that would balance the set; `None` if it is balanced.
    missing: Option<String>,
    skills: Vec<Skill>,
}

#[derive(Serialize)]
struct Skill {
    name: String,
    role: String,
    trit: u8,
    colour: &'static str,
}

impl Roles {
    pub(super) fn of(packages: &[PackageReport]) -> Self {
        let names = || packages.iter().filter_map(|package| package.name.as_deref());
        let missing = RoleCounts::of(names()).missing().map(|role| role.to_string());
        Self {
            missing,
            skills: names()
                .map(|name| {
                    let role = Role::of(name);
                    let trit = role.trit();
                    let colour = role.colour();
                    Skill { name: name.to_owned(), role: role.to_string(), trit, colour }
                })
                .collect(),
        }
    }

    /// Appends one line for each role in its colour, and the missing role.
    pub(super) fn write(&self, text: &mut String) {
        let _ = writeln!(text, "\n{HEADING}roles{HEADING:#}");
        for role in Role::ALL {
            let skills = self.skills.iter().filter(|skill| skill.trit == role.trit());
            let names: Vec<_> = skills.map(|skill| plain(&skill.name)).collect();
            let style = style(role);
            let count = names.len();
            let names = beginning(&names.join(", "));
            let line = format!("{style}{role:<11}{style:#} {count:>5}  {DIM}{names}{DIM:#}");
            let _ = writeln!(text, "  {line}");
        }
        let _ = match &self.missing {
            None => writeln!(text, "  balanced"),
            Some(role) => writeln!(text, "  not balanced: one more {role} is missing"),
        };
    }
}

/// Returns the colour of a role.
fn style(role: Role) -> Style {
    let digits = role.colour().trim_start_matches('#');
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).unwrap_or_default().to_be_bytes();
    Style::new().fg_color(Some(RgbColor(red, green, blue).into())).bold()
}

/// Returns the first characters of a text, with an ellipsis if it was cut.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The number of skills of a set in each role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RoleCounts([usize; 3]);

impl RoleCounts {
    /// Counts the roles of these names.
    fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut counts = [0; 3];
        for name in names {
            counts[Role::of(name) as usize] += 1;
        }
        Self(counts)
    }

    /// Returns the role of which one more skill makes the trits of the set add up to a multiple of
    /// 3; `None` if they already do.
    fn missing(&self) -> Option<Role> {
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
