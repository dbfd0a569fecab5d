//! The page of a comparison, and the chart that is drawn from its table.

use std::fmt::Write as _;

use super::{Peer, ROUNDS, SKILLS, Sample, median};

pub(crate) const PAGE: &str = "benches/COMPARE.md";
pub(crate) const CHART: &str = "benches/chart.svg";

pub(super) fn page(peers: &[Peer], samples: &[Vec<Sample>], date: &str) -> String {
    let mut page = format!(
        "# Finding skills, beside others\n\n\
         Written by `cargo xtask compare` on {date}; not edited by hand.\n\n\
         Each finds the {SKILLS} skills of a generated directory, warm, in a process of its own that measures its \
         CPU time around\nthe work alone: what an interpreter takes to start and to import is not in it. They take \
         turns, {ROUNDS} rounds, and a number is a\nmedian; a ratio is taken inside its round, since an absolute \
         time depends on the machine.\n\n\
         | | from | version | skills found | CPU time, ms | of the floor | of prowess | peak memory, MiB |\n\
         |---|---|---|--:|--:|--:|--:|--:|\n"
    );
    for (Peer { name, from, version, .. }, own) in peers.iter().zip(samples) {
        let ratio = |base: &[Sample]| median(own.iter().zip(base).map(|(own, it)| own[1] / it[1]));
        let [skills, time, peak] = [0, 1, 2].map(|at| median(own.iter().map(|sample| sample[at])));
        let [of_floor, of_ours] = [times(ratio(&samples[0])), times(ratio(&samples[1]))];
        let _ = writeln!(
            page,
            "| `{name}` | {from} | {version} | {skills} | {time:.2} | {of_floor} | {of_ours} | {peak:.1} |"
        );
    }
    page.push_str("\nThey do not do the same work:\n\n");
    for Peer { name, does, .. } in peers {
        let _ = writeln!(page, "- `{name}`: {does}.");
    }
    page
}

/// A ratio with as many digits as it deserves.
fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") }
}

/// The columns of the table that the chart shows.
const NAME: usize = 0;
const FROM: usize = 1;
const FOUND: usize = 3;
const TIME: usize = 4;

/// Sizes in pixels.
const TOP: usize = 64;
const ROW: usize = 30;
const BAR: usize = 18;
const LEFT: usize = 250;
const LONGEST: f64 = 400.0;

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

/// Draws the chart, without the row of the bare system calls, or returns nothing if the page has no
/// table.
pub(crate) fn chart(page: &str) -> Option<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows: Vec<Vec<_>> = rows.map(|row| row.split('|').map(str::trim).collect()).collect();
    let found = rows.first()?.get(FOUND)?;
    let bars = rows.iter().filter_map(|cells| {
        let name = cells.get(NAME)?.trim_matches('`');
        Some((name, *cells.get(FROM)?, cells.get(TIME)?.parse::<f64>().ok()?))
    });
    let mut bars: Vec<_> = bars.filter(|(name, ..)| *name != "floor").collect();
    bars.sort_by(|one, other| one.2.total_cmp(&other.2));
    let (.., longest) = bars.last()?;
    let height = TOP + ROW * bars.len();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {height}\" width=\"760\" height=\"{height}\">\n\
         {STYLE}<text class=\"title\" x=\"10\" y=\"22\">Finding {found} skills: CPU time in milliseconds</text>\n\
         <text class=\"less\" x=\"10\" y=\"42\">warm caches, less is better; they do not do the same work</text>\n"
    );
    for (number, (name, from, time)) in bars.iter().enumerate() {
        let (class, from) = match *name {
            "prowess" => (" class=\"ours\"", String::new()),
            _ => ("", format!("<tspan class=\"less\"> ({from})</tspan>")),
        };
        let (top, width) = (TOP + ROW * number, time / longest * LONGEST);
        let (middle, end) = (top + BAR / 2 + 5, LEFT - 10);
        let _ = write!(
            svg,
            "<text x=\"{end}\" y=\"{middle}\" text-anchor=\"end\">{name}{from}</text>\n\
             <rect{class} x=\"{LEFT}\" y=\"{top}\" width=\"{width:.1}\" height=\"{BAR}\"/>\n\
             <text x=\"{:.1}\" y=\"{middle}\">{time:.1}</text>\n",
            (LEFT + 8) as f64 + width
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_is_of_its_own_round() {
        // A busy moment doubles everything of the second round and changes no ratio.
        let of = |cost| [1.0, 2.0, 1.0].map(|busy| [1_000.0, cost * busy, 2.0]).to_vec();
        let page = page(&super::super::peers(), &[0.1, 0.15, 3.0].map(of), "2026-01-02");
        let line = "| `brainwires-skills` | crate | 0.11.0 | 1000 | 3.00 | 30 | 20 | 2.0 |\n";
        assert!(page.contains(line) && page.contains("on 2026-01-02"), "{page}");
    }

    #[test]
    fn bars_are_sorted_and_as_long_as_the_times() {
        let row = |name: &str, time: &str| format!("| `{name}` | crate | 1.0 | 7 | {time} | 1 |\n");
        let rows = [row("slow", "40.00"), row("floor", "1.00"), row("prowess", "4.00")].concat();
        let svg = chart(&format!("| | from |\n|---|---|\n{rows}")).expect("there are rows");
        let of = |part: &str| svg.find(part).unwrap_or_else(|| panic!("{part} is in {svg}"));
        assert!(of(">prowess<") < of(">slow<"), "the fastest comes first");
        assert!(of("width=\"40.0\"") < of("width=\"400.0\""), "a bar is as long as its time");
        assert!(!svg.contains("floor"), "the system calls are a limit and no competitor");
        assert!(svg.contains("Finding 7 skills"), "the chart says what was measured");
        assert_eq!(chart("# Finding skills\n"), None);
    }
}
