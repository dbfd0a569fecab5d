//! `prowess audit stats`: sums over a log.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use prowess_audit::Statistics;
use prowess_text::counted;

use super::failure;
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output};
use crate::terminal::{columns_behind, one_line, padded, width};

/// The maximum width of a name, and of a bar.
const NAME: usize = 32;
const BAR: usize = 20;

/// One row: a name, its numbers as text, and what its bar shows.
struct Row {
    name: String,
    numbers: String,
    count: u64,
}

pub(super) fn run(path: &Path, output: &Output) -> Result<ExitCode, Failure> {
    print(&Statistics::read(path).map_err(|error| failure(path, &error))?, output)
}

/// Prints sums, with bars on a terminal.
pub(super) fn print(statistics: &Statistics, output: &Output) -> Result<ExitCode, Failure> {
    let has_bars = output.is_for_a_terminal();
    output.result(statistics, |statistics| text(statistics, has_bars))?;
    Ok(ExitCode::SUCCESS)
}

fn text(statistics: &Statistics, has_bars: bool) -> String {
    let Statistics { entries, sessions, violations, tools, skills } = statistics;
    let mut text = format!(
        "{}, {}, {} denied by the gate\n",
        counted(*entries, "entry"),
        counted(*sessions, "session"),
        counted(*violations, "call"),
    );
    let tools = tools.iter().map(|(name, tool)| Row {
        name: one_line(name, NAME).into_owned(),
        numbers: format!(
            "{:>6} {:>6} {:>7} {:>9} ms",
            tool.done, tool.failed, tool.refused, tool.total_ms
        ),
        count: tool.done + tool.failed + tool.refused,
    });
    let columns = "  done failed refused        time";
    text.push_str(&table("tools", columns, &tools.collect::<Vec<_>>(), has_bars));
    let skills = skills.iter().map(|(name, skill)| {
        let open = match skill.unfinished {
            0 => String::new(),
            number => number.to_string(),
        };
        let (loads, calls, seconds) = (skill.activations, skill.calls, skill.seconds.max(0.0));
        Row {
            name: one_line(name, NAME).into_owned(),
            numbers: format!("{loads:>6} {calls:>6} {open:>7} {seconds:>10.1} s"),
            count: skill.calls,
        }
    });
    let columns = " loads  calls    open        time";
    text.push_str(&table("skills", columns, &skills.collect::<Vec<_>>(), has_bars));
    text
}

/// Returns a table whose bars are relative to its largest row, where there is room for them.
fn table(title: &str, columns: &str, rows: &[Row], has_bars: bool) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let names = rows.iter().map(|row| width(&row.name)).max().unwrap_or(0).max(title.len());
    let most = rows.iter().map(|row| row.count).max().unwrap_or(0).max(1);
    let room = columns_behind(names + columns.len() + 6).min(BAR);
    // A narrower terminal reports a minimum instead.
    let is_wide = columns_behind(0) >= names + columns.len() + 6 + BAR;
    let mut text =
        format!("{HEADING}{}{HEADING:#}  {DIM}{columns}{DIM:#}\n", padded(title, names + 2));
    for Row { name, numbers, count } in rows {
        let bar = usize::try_from(count.saturating_mul(room as u64).div_ceil(most));
        let bar = "▇".repeat(bar.unwrap_or_default().min(room));
        let bar = if has_bars && is_wide { format!("  {bar}") } else { String::new() };
        let _ = writeln!(text, "  {}  {numbers}{bar}", padded(name, names));
    }
    text
}
