//! The texts of the page that nothing computes.

/// The page as it is.
const PAGE: &str = include_str!("../../../../prowess-cli/DIAGNOSTICS.md");

/// The titles of the parts of the page, in their order.
const TITLES: [&str; 8] = [
    "Diagnostics of a catalog",
    "Codes of tool results",
    "Codes of plugins",
    "Codes of installs",
    "Codes of servers and catalogs as sources",
    "Codes of the command line",
    "Codes of the sandbox",
    "Findings about manifests of agents",
];

/// Returns a part of the page with the empty line in front of it.
pub(super) fn section(title: &str) -> &'static str {
    let start = |title: &str| {
        let found = PAGE.find(&format!("\n# {title}\n"));
        found.unwrap_or_else(|| panic!("DIAGNOSTICS.md has a part `{title}`"))
    };
    let position = TITLES.iter().position(|known| *known == title).expect("it is in the list");
    let end = TITLES.get(position + 1).map_or(PAGE.len(), |next| start(next));
    &PAGE[start(title)..end]
}

/// Returns the start of a part, up to the first row of its table.
pub(super) fn head(title: &str) -> &'static str {
    let part = section(title);
    let ruler = part.find("\n|---").expect("the part has a table");
    let end = part[ruler + 1..].find('\n').expect("the table has rows");
    &part[..ruler + end + 2]
}

/// Returns the rows of a part as codes and the cells behind them.
pub(super) fn rows(title: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = section(title)[head(title).len()..].lines();
    lines.take_while(|line| line.starts_with('|')).map(|line| {
        let (code, cells) =
            line.trim_start_matches(['|', ' ', '[']).split_once(" | ").expect("cells");
        (code.split('`').nth(1).expect("a code"), cells.trim_end_matches([' ', '|']))
    })
}

/// Returns the last cells of the row of a code.
pub(super) fn end_of_row(title: &str, code: &str, cells: usize) -> &'static str {
    let row = rows(title).find(|(known, _)| *known == code);
    let (_, row) = row.unwrap_or_else(|| panic!("write a row for `{code}` into DIAGNOSTICS.md"));
    let start = row.rmatch_indices(" | ").nth(cells - 1).expect("the row has these cells").0;
    &row[start + 3..]
}

/// Returns the rows behind that of one code and in front of that of another.
#[cfg_attr(feature = "virtual-shell", expect(dead_code, reason = "all codes are at hand"))]
pub(super) fn rows_between(
    title: &str,
    after: &str,
    before: &str,
) -> Vec<(&'static str, &'static str)> {
    let rows = rows(title).skip_while(|(code, _)| *code != after).skip(1);
    rows.take_while(|(code, _)| *code != before).collect()
}

/// Returns what the example under a heading shows, and the message below it; empty if there is none.
pub(super) fn example(heading: &str) -> (&'static str, &'static str) {
    let start = PAGE.find(&format!("\n## {heading}\n"));
    let start = start.unwrap_or_else(|| panic!("write a part `{heading}` into DIAGNOSTICS.md"));
    let part = &PAGE[start + 4..];
    let part = &part[..part.find("\n## ").unwrap_or(part.len())];
    let mut blocks = part.split("````text\n").skip(1);
    let mut next = || blocks.next().and_then(|rest| rest.split("\n````").next()).unwrap_or("");
    (next(), next())
}
