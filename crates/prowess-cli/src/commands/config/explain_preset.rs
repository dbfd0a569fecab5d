//! `prowess config explain-preset`: a preset beside the document that it reproduces.

use std::fmt::Write as _;

use prowess::{Policies, PresetDifference};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::policies::invalid;
use crate::terminal::{columns_behind, wrapped};

/// The width of the names in front of the texts.
const NAME: usize = 9;

/// The output of `config explain-preset --format json`.
#[derive(Serialize)]
struct Explained<'n> {
    preset: &'n str,
    differences: Vec<PresetDifference>,
}

pub(super) fn run(name: &str, output: &Output) -> Result<(), Failure> {
    let differences = Policies::differences(name).map_err(|error| invalid(&error))?;
    output.result(&Explained { preset: name, differences }, text)
}

fn text(explained: &Explained<'_>) -> String {
    let Explained { preset, differences } = explained;
    if differences.is_empty() {
        return format!("{preset}: no difference is known\n");
    }
    let mut text = String::new();
    for (at, difference) in differences.iter().enumerate() {
        let PresetDifference { document, prowess, why, key, .. } = difference;
        let key = key.as_deref().map(str::trim);
        let rows = [
            ("document", Some(&**document)),
            ("prowess", Some(prowess)),
            ("why", Some(why)),
            ("key", key),
        ];
        text.push_str(if at > 0 { "\n" } else { "" });
        for (name, value) in rows {
            let (style, value) = match value {
                Some(value) => (HEADING, value),
                None => (DIM, "none"),
            };
            let lines = wrapped(value, columns_behind(NAME + 1), 0);
            for (line_at, line) in lines.split('\n').enumerate() {
                let name = if line_at == 0 { name } else { "" };
                let _ = writeln!(text, "{style}{name:NAME$}{style:#} {line}");
            }
        }
    }
    text
}
