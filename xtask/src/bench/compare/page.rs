//! The page of a comparison, and the charts that are drawn from the tables of pages.

use std::fmt::Write as _;

use super::{Peer, ROUNDS, SKILLS, Sample, median};
use crate::bench::page::PATH as BENCHMARKS;

pub(crate) const PAGE: &str = "benches/COMPARE.md";
pub(super) const INSTALLS: &str = "benches/INSTALL.md";

/// The pages with the tables of the charts.
pub(super) const DRAWN: [&str; 3] = [PAGE, INSTALLS, BENCHMARKS];

pub(super) fn page(peers: &[Peer], samples: &[Vec<Sample>], date: &str) -> String {
    let mut page = format!(include_str!("discovery.md"), date, SKILLS, ROUNDS);
    for (Peer { name, from, version, .. }, own) in peers.iter().zip(samples) {
        let ratio = |base: &[Sample]| median(own.iter().zip(base).map(|(own, it)| own[1] / it[1]));
        let [skills, time, whole, peak] =
            [0, 1, 2, 3].map(|at| median(own.iter().map(|sample| sample[at])));
        let [of_floor, of_ours] = [times(ratio(&samples[0])), times(ratio(&samples[1]))];
        let _ = writeln!(
            page,
            "| `{name}` | {from} | {version} | {skills} | {time:.2} | {of_floor} | {of_ours} | {whole:.2} | {peak:.1} |"
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

/// A chart of bars below a title and a remark.
struct Panel {
    title: String,
    remark: &'static str,
    bars: Vec<Bar>,
}

struct Bar {
    name: String,
    /// The text in brackets behind the name.
    from: String,
    value: f64,
}

/// Sizes in pixels.
const HEAD: usize = 64;
const ROW: usize = 30;
const BAR: usize = 18;
const LEFT: usize = 250;
const LONGEST: f64 = 400.0;

/// Colours for a light and a dark page.
const STYLE: &str = include_str!("style.svg");

/// Draws the charts from the pages of measurements: the path of each, and its content, which is
/// nothing if a page has no table for it.
pub(crate) fn charts<'p>(
    page: impl Fn(&str) -> Option<&'p str>,
) -> [(&'static str, Option<String>); 2] {
    let discovery = page(PAGE).and_then(discovery);
    let installs = page(INSTALLS).and_then(installs);
    [
        ("benches/chart.svg", discovery.map(|it| drawn(&[Some(it), installs]))),
        ("benches/growth.svg", page(BENCHMARKS).and_then(growth).map(|it| drawn(&[Some(it)]))),
    ]
}

/// Returns the cells of the rows of tables.
fn rows(page: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    rows.map(|row| row.split('|').map(str::trim).collect())
}

/// Shows the packages, without the bare system calls.
fn discovery(page: &str) -> Option<Panel> {
    let mut found = None;
    let mut bar = |cells: Vec<&str>| {
        let name = cells[0].strip_prefix('`')?.strip_suffix('`')?;
        let value = cells.get(4)?.parse().ok()?;
        found = cells.get(3).map(|count| (*count).to_owned());
        let from = if name == "prowess" { "" } else { cells[1] };
        (name != "floor").then(|| Bar { name: name.to_owned(), from: from.to_owned(), value })
    };
    let mut bars: Vec<_> = rows(page).filter_map(&mut bar).collect();
    bars.sort_by(|one, other| one.value.total_cmp(&other.value));
    let title = format!("Finding {} skills: CPU time in milliseconds", found?);
    Some(Panel { title, remark: "warm caches, less is better; they do not do the same work", bars })
}

/// Shows the two programs that install.
fn installs(page: &str) -> Option<Panel> {
    let bar = |cells: Vec<&str>| {
        let (name, from) = cells[0].split_once(", ")?;
        let name = name.trim_matches('`').to_owned();
        let is_meant = name.ends_with(" add");
        is_meant.then_some(Bar { name, from: from.to_owned(), value: cells.get(1)?.parse().ok()? })
    };
    let mut bars: Vec<_> = rows(page).filter_map(bar).collect();
    bars.sort_by(|one, other| one.value.total_cmp(&other.value));
    let title = page.lines().next()?.strip_prefix("# ")?;
    let title = format!("{title}: CPU time in milliseconds");
    let remark = "`prowess add` also downloads, verifies and syncs to the disk";
    (!bars.is_empty()).then_some(Panel { title, remark, bars })
}

/// Shows what commands take for each skill, by the number of skills, beside the bare system calls.
fn growth(page: &str) -> Option<Panel> {
    const SHOWN: [&str; 4] = ["list", "list, with the record cache", "search", "prompt"];
    let (_, commands) = page.split_once("\n## Commands\n")?;
    let mut bars = Vec::new();
    for cells in rows(commands).filter(|cells| SHOWN.contains(&cells[0])) {
        let [name, count, time, floor, ..] = cells[..] else { continue };
        let Ok(skills) = count.parse::<f64>() else { continue };
        let mut add = |name: &str, time| {
            let value = microseconds(time)? / skills;
            bars.push(Bar { name: name.to_owned(), from: count.to_owned(), value });
            Some(())
        };
        if name == SHOWN[0] {
            add("floor", floor);
        }
        let name = name.replace("the record ", "");
        add(&format!("prowess {name}"), time);
    }
    let title = "Whole commands: CPU time in microseconds for each skill".to_owned();
    let remark = "warm files, by the number of skills; the floor is the bare system calls";
    (!bars.is_empty()).then_some(Panel { title, remark, bars })
}

/// Reads a time as the benchmarks print it.
fn microseconds(time: &str) -> Option<f64> {
    let units = [("µs", 1.0), ("ms", 1e3), ("s", 1e6)];
    let (number, unit) =
        units.iter().find_map(|(end, unit)| Some((time.strip_suffix(end)?, unit)))?;
    Some(number.parse::<f64>().ok()? * unit)
}

fn drawn(panels: &[Option<Panel>]) -> String {
    let panels = || panels.iter().flatten();
    let height: usize = panels().map(|panel| HEAD + ROW * panel.bars.len()).sum();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {height}\" width=\"760\" height=\"{height}\">\n{STYLE}"
    );
    let mut top = 0;
    for Panel { title, remark, bars } in panels() {
        let [title_at, remark_at] = [top + 22, top + 42];
        let _ = write!(
            svg,
            "<text class=\"title\" x=\"10\" y=\"{title_at}\">{title}</text>\n\
             <text class=\"less\" x=\"10\" y=\"{remark_at}\">{remark}</text>\n"
        );
        let longest = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        top += HEAD;
        for Bar { name, from, value } in bars {
            let class = if name.starts_with("prowess") { " class=\"ours\"" } else { "" };
            let from = match from.as_str() {
                "" => String::new(),
                from => format!("<tspan class=\"less\"> ({from})</tspan>"),
            };
            let (middle, end, width) = (top + BAR / 2 + 5, LEFT - 10, value / longest * LONGEST);
            let _ = write!(
                svg,
                "<text x=\"{end}\" y=\"{middle}\" text-anchor=\"end\">{name}{from}</text>\n\
                 <rect{class} x=\"{LEFT}\" y=\"{top}\" width=\"{width:.1}\" height=\"{BAR}\"/>\n\
                 <text x=\"{:.1}\" y=\"{middle}\">{value:.1}</text>\n",
                (LEFT + 8) as f64 + width
            );
            top += ROW;
        }
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_is_of_its_own_round() {
        // A busy moment doubles everything of the second round and changes no ratio.
        let of = |cost| [1.0, 2.0, 1.0].map(|busy| [1_000.0, cost * busy, 9.0, 2.0]).to_vec();
        let page = page(&super::super::peers(), &[0.1, 0.15, 3.0].map(of), "2026-01-02");
        let line =
            "| `brainwires-skills` | crate | 0.11.0 | 1000 | 3.00 | 30 | 20 | 9.00 | 2.0 |\n";
        assert!(page.contains(line) && page.contains("on 2026-01-02"), "{page}");
    }

    #[test]
    fn bars_are_sorted_and_as_long_as_the_values() {
        let row = |name: &str, time: &str| format!("| `{name}` | crate | 1.0 | 7 | {time} | 1 |\n");
        let rows = [row("slow", "40.00"), row("floor", "1.00"), row("prowess", "4.00")].concat();
        let compared = format!("| | from |\n|---|---|\n{rows}");
        let installs = "# Installing 9 skills\n\n| | CPU time, ms |\n|---|--:|\n\
                        | `skills add`, locally | 80.0 |\n| `prowess list`, x | 1.0 |\n";
        let measured = "| list | 5 | 1.0ms | 1.0ms |\n\n## Commands\n\n\
                        | list | 1000 | 12.0ms | 6000.0µs | 2.00 |\n| doctor | 1000 | 1.2s | 6.0ms |\n";
        let page = |path: &str| match path {
            PAGE => Some(&*compared),
            INSTALLS => Some(installs),
            _ => Some(measured),
        };
        let [(_, chart), (_, growth)] = charts(page);
        let svg = chart.expect("there are rows");
        let of = |part: &str| svg.find(part).unwrap_or_else(|| panic!("{part} is in {svg}"));
        assert!(of(">prowess<") < of(">slow<"), "the fastest comes first");
        assert!(of("width=\"40.0\"") < of("width=\"400.0\""), "a bar is as long as its time");
        assert!(!svg.contains("floor"), "the system calls are a limit and no competitor");
        assert!(of("Finding 7 skills") < of("Installing 9 skills"), "and what was measured");
        let svg = growth.expect("there are rows");
        let of = |part: &str| svg.find(part).unwrap_or_else(|| panic!("{part} is in {svg}"));
        assert!(of(">6.0<") < of(">12.0<"), "each skill costs so much beside the floor");
        assert_eq!(charts(|_| Some("# Page\n")).map(|(_, drawn)| drawn), [None, None]);
    }
}
