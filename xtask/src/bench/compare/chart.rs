//! The chart of a comparison, drawn from the table of its page.

use std::fmt::Write as _;

/// The page with the table, and the chart.
pub(crate) const PAGE: &str = "benches/COMPARE.md";
pub(crate) const CHART: &str = "benches/chart.svg";

/// The columns of the table that the chart shows.
const NAME: usize = 0;
const FROM: usize = 1;
const SKILLS: usize = 3;
const TIME: usize = 4;

/// Sizes in pixels.
const TOP: usize = 64;
const ROW: usize = 30;
const BAR: usize = 18;
const LEFT: usize = 250;
const LONGEST: f64 = 400.0;

/// The row of the bare system calls, which is a limit and not a competitor.
const FLOOR: &str = "floor";

/// The row that is drawn in another colour.
const OURS: &str = "prowess";

/// Colours for a light and a dark page.
const STYLE: &str = "\
<style>
  text { font: 14px sans-serif; fill: #24292f }
  .title { font-weight: bold }
  .less { fill: #6e7781 }
  rect { fill: #afb8c1 }
  .ours { fill: #2da44e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .less { fill: #8b949e }
    rect { fill: #57606a }
  }
</style>
";

struct Bar<'p> {
    name: &'p str,
    from: &'p str,
    time: f64,
}

/// Draws the chart, or returns nothing if the page has no table.
pub(crate) fn chart(page: &str) -> Option<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: Vec<Vec<_>> = rows.map(|row| row.split('|').map(str::trim).collect()).collect();
    let skills = rows.first()?.get(SKILLS)?;
    let bars = rows.iter().filter_map(|cells| {
        let name = cells.get(NAME)?.trim_matches('`');
        Some(Bar { name, from: cells.get(FROM)?, time: cells.get(TIME)?.parse().ok()? })
    });
    let mut bars: Vec<_> = bars.filter(|bar| bar.name != FLOOR).collect();
    bars.sort_by(|one, other| one.time.total_cmp(&other.time));
    let longest = bars.last()?.time;
    let height = TOP + ROW * bars.len();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {height}\" width=\"760\" height=\"{height}\">\n\
         {STYLE}<text class=\"title\" x=\"10\" y=\"22\">Finding {skills} skills: CPU time in milliseconds</text>\n\
         <text class=\"less\" x=\"10\" y=\"42\">warm caches, less is better; they do not do the same work</text>\n"
    );
    for (number, bar) in bars.iter().enumerate() {
        push(&mut svg, bar, TOP + ROW * number, bar.time / longest * LONGEST);
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

fn push(svg: &mut String, bar: &Bar<'_>, top: usize, width: f64) {
    let Bar { name, from, time } = bar;
    let class = if *name == OURS { " class=\"ours\"" } else { "" };
    let middle = top + BAR / 2 + 5;
    let from = match *name {
        OURS => String::new(),
        _ => format!("<tspan class=\"less\"> ({from})</tspan>"),
    };
    let (end, value) = (LEFT - 10, LEFT + 8);
    let _ = write!(
        svg,
        "<text x=\"{end}\" y=\"{middle}\" text-anchor=\"end\">{name}{from}</text>\n\
         <rect{class} x=\"{LEFT}\" y=\"{top}\" width=\"{width:.1}\" height=\"{BAR}\"/>\n\
         <text x=\"{:.1}\" y=\"{middle}\">{time:.1}</text>\n",
        value as f64 + width
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_sorted_and_as_long_as_the_times() {
        let row = |name: &str, time: &str| format!("| `{name}` | crate | 1.0 | 7 | {time} | 1 |\n");
        let rows = [row("slow", "40.00"), row("floor", "1.00"), row("prowess", "4.00")].concat();
        let svg = chart(&format!("| | from |\n|---|---|\n{rows}")).expect("there are rows");
        let of = |part: &str| svg.find(part).unwrap_or_else(|| panic!("{part} is in {svg}"));
        assert!(of(">prowess<") < of(">slow<"), "the fastest comes first");
        assert!(of("width=\"40.0\"") < of("width=\"400.0\""), "a bar is as long as its time");
        assert!(!svg.contains("floor"), "nobody competes with the system calls");
        assert!(svg.contains("Finding 7 skills"), "the chart says what was measured");
    }

    #[test]
    fn page_without_a_table_has_no_chart() {
        assert_eq!(chart("# Finding skills\n"), None);
    }
}
