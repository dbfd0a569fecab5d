//! `--roles`: the roles that boxxy derives from the names of skills.

use std::fmt::Write as _;

use anstyle::{RgbColor, Style};
use prowess::lint::PackageReport;
use prowess::prompt::Role;
use serde::Serialize;

use super::boxxy::RoleCounts;
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
