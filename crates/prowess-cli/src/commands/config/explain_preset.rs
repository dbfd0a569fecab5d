//! `prowess config explain-preset`: a preset beside the document that it reproduces.

use std::array::from_fn;
use std::fmt::Write as _;

use anstyle::Style;
use prowess::{Policies, PresetDifference};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::{HEADING, Output};
use crate::policies::invalid;
use crate::terminal::{cell_lines, columns_behind, padded};

/// The heads of the table, and how many of 32 parts of the width each column has.
const COLUMNS: [(&str, usize); 4] =
    [("the document says", 9), ("prowess does", 9), ("why", 9), ("key", 5)];

/// The output of `config explain-preset --format json`.
#[derive(Serialize)]
struct Explained<'n> {
    preset: &'n str,
    differences: Vec<PresetDifference>,
}

pub(super) fn run(name: &str, output: &Output) -> Result<(), Failure> {
    let mut differences = Policies::differences(name).map_err(|error| invalid(&error))?;
    for PresetDifference { key, .. } in &mut differences {
        *key = Some(key.as_deref().map_or("none", str::trim).to_owned());
    }
    output.result(&Explained { preset: name, differences }, text)
}

fn text(Explained { preset, differences }: &Explained<'_>) -> String {
    if differences.is_empty() {
        return format!(
            "{preset}: it reproduces no runtime, so that no document is compared with it\n"
        );
    }
    let mut text = String::new();
    write_row(&mut text, HEADING, COLUMNS.map(|(head, _)| head));
    for PresetDifference { document, prowess, why, key, .. } in differences {
        text.push('\n');
        let key = key.as_deref().unwrap_or_default();
        write_row(&mut text, Style::new(), [document, prowess, why, key]);
    }
    text
}

/// Writes the lines of a row, each with its part of each cell.
fn write_row(text: &mut String, style: Style, cells: [&str; 4]) {
    // Three gaps of two columns; what is no terminal has the width of a usual one.
    let room = columns_behind(0).clamp(60, 100) - 6;
    let widths = COLUMNS.map(|(_, parts)| room * parts / 32);
    let cells: [_; 4] = from_fn(|at| cell_lines(cells[at], widths[at]));
    for at in 0..cells.iter().map(Vec::len).max().unwrap_or_default() {
        let parts = cells.iter().zip(widths);
        let parts = parts.map(|(lines, width)| padded(lines.get(at).map_or("", |it| it), width));
        let line = parts.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{style}{}{style:#}", line.trim_end());
    }
}
