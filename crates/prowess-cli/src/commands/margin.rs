//! The margin of a prompt on a terminal: which part each line belongs to, and its tokens.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use prowess::prompt::{Part, Segment};
use prowess::{EstimatedTokens, TokenCounter};

use crate::output::DIM;
use crate::terminal::{columns_behind, one_line, plain_lines, wrapped};

/// The widths of the columns.
const BLOCK: usize = 14;
const SKILL: usize = 24;
const TOKENS: usize = 7;

/// The width of the margin: three columns, two spaces, and a rule between spaces.
const MARGIN: usize = BLOCK + SKILL + TOKENS + 5;

/// Returns the lines of a prompt behind a margin with block, skill and tokens, which are at the
/// first line of each piece. A line that is wider than the terminal goes on behind the margin.
pub(crate) fn with_margin(segments: &[Segment<'_>]) -> String {
    let mut text = String::new();
    for segment in segments {
        let style = style(segment.part);
        let block = block(segment.part);
        let block = one_line(&block, BLOCK);
        let skill = one_line(segment.skill.unwrap_or_default(), SKILL);
        let tokens = EstimatedTokens.count(segment.text);
        let mut margin = format!("{block:BLOCK$} {skill:SKILL$} {tokens:>TOKENS$}");
        let whole = plain_lines(segment.text);
        let lines = whole.lines().map(|line| wrapped(line, columns_behind(MARGIN), 0));
        for line in lines.collect::<Vec<_>>().iter().flat_map(|line| line.split('\n')) {
            let _ = writeln!(text, "{style}{margin}{style:#} {DIM}│{DIM:#} {line}");
            margin = " ".repeat(BLOCK + SKILL + TOKENS + 2);
        }
    }
    text
}

fn block(part: &Part) -> String {
    match part {
        Part::Rule => "rule".to_owned(),
        Part::Block { block } => block.as_str().to_owned(),
        Part::Catalog => "catalog".to_owned(),
        Part::ActiveFrame | Part::ActiveSkill { .. } => "instructions".to_owned(),
        Part::CatalogNotice => "notice".to_owned(),
        Part::Changed => "changed".to_owned(),
    }
}

fn style(part: &Part) -> Style {
    let color = match part {
        Part::Rule | Part::Block { .. } => AnsiColor::Yellow,
        Part::Catalog => AnsiColor::Cyan,
        Part::ActiveFrame | Part::ActiveSkill { .. } => AnsiColor::Green,
        Part::CatalogNotice | Part::Changed => AnsiColor::Magenta,
    };
    color.on_default()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use prowess::prompt::Block;

    use super::*;

    #[test]
    fn first_line_of_a_piece_has_its_margin() {
        let id = "pdf\u{1b}".to_owned();
        let text = with_margin(&[
            Segment { part: &Part::Rule, skill: None, text: "One rule.\n\n" },
            Segment {
                part: &Part::Block { block: Block::ToolCallingExamples },
                skill: None,
                text: "A block.\n",
            },
            Segment {
                part: &Part::Catalog,
                skill: Some("a-skill-with-a-name-that-is-too-long"),
                text: "<skill>\n</skill>\n",
            },
            Segment { part: &Part::ActiveSkill { id: id.clone() }, skill: Some(&id), text: "Body" },
        ]);
        let stripped = anstream::adapter::strip_str(&text).to_string();
        let lines: Vec<_> = stripped.lines().map(str::trim_end).collect();
        expect![[r#"
            rule                                          3 │ One rule.
                                                            │
            tool_calling_…                                3 │ A block.
            catalog        a-skill-with-a-name-tha…       5 │ <skill>
                                                            │ </skill>
            instructions   pdf\u{1b}                      1 │ Body"#]]
        .assert_eq(&lines.join("\n"));
        assert!(text.contains("\u{1b}[36mcatalog"), "each part has its color: {text:?}");
    }
}
