//! Where the rules of `allowed-tools` stand in a file.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::diagnostic::position;
use crate::fields::Known;
use crate::findings::Findings;
use crate::input::{self, Opened};
use crate::yaml::{Node, NodeValue};
use crate::{AllowedTools, Profile, Rules, ToolRule, tree};

/// The position of one rule of `allowed-tools` in its `SKILL.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RulePosition {
    /// Line in the file, counted from 1.
    pub line: u32,
    /// Column in that line, counted in characters from 1.
    pub column: u32,
}

/// Returns the position of each rule of `allowed-tools`, in the order of
/// [`AllowedTools::rules`], for a text, a list and the alias `allowed_tools`.
///
/// It parses the frontmatter again, so that reading and scanning skills need not remember any
/// position: call it when a decision is explained. The result is empty if the file cannot be read.
///
/// ```
/// use prowess_format::{RulePosition, rule_positions};
///
/// let file = b"---\nname: pdf\ndescription: Fills forms.\n\
///     allowed-tools: Bash(git:*) Read\n---\n";
/// let position = |column| RulePosition { line: 4, column };
/// assert_eq!(rule_positions(file), [position(16), position(28)]);
/// ```
pub fn rule_positions(file: &[u8]) -> Vec<RulePosition> {
    let positions = spans(file).unwrap_or_default().into_iter().map(|it| position(file, it));
    positions.map(|(line, column)| RulePosition { line, column }).collect()
}

fn spans(file: &[u8]) -> Option<Vec<usize>> {
    let rules = Rules::of(Profile::Lenient);
    let mut findings = Findings::new(file, &rules);
    let Opened::At(fences) = input::open(file, true, &mut findings) else {
        return None;
    };
    let text = input::text(file, 0..file.len(), file.len(), &mut findings)?;
    let pairs = tree::read(text, &fences.yaml, &mut findings)?;
    let of = |known| pairs.iter().find(|pair| Known::of(&pair.key) == Some(known));
    let pair = of(Known::AllowedTools).or_else(|| of(Known::AllowedToolsAlias))?;
    match &pair.value.value {
        NodeValue::Text { text: rules, .. } => {
            let rules = AllowedTools::parse(rules).ok()?;
            Some(starts(text, &pair.value.span, rules.rules()))
        }
        NodeValue::List(items) => {
            let starts: Option<Vec<_>> = items.iter().map(|item| item_starts(text, item)).collect();
            Some(starts?.concat())
        }
        NodeValue::Map(_) => None,
    }
}

fn item_starts(text: &str, item: &Node<'_>) -> Option<Vec<usize>> {
    let NodeValue::Text { text: rules, .. } = &item.value else {
        return None;
    };
    let rules = AllowedTools::parse_all(&[rules]).ok()?;
    Some(starts(text, &item.span, rules.rules()))
}

/// Returns the offset of each rule in the value that they were read from. A rule that is written
/// with escapes is where the one before it ends.
fn starts(text: &str, value: &Range<usize>, rules: &[ToolRule]) -> Vec<usize> {
    let mut end = value.start;
    let mut starts = Vec::with_capacity(rules.len());
    for rule in rules {
        let tool = find(text, end..value.end, &rule.tool).unwrap_or(end..end);
        starts.push(tool.start);
        end = tool.end;
        if let Some(pattern) = &rule.pattern {
            end = find(text, end..value.end, pattern).map_or(end, |found| found.end);
        }
    }
    starts
}

fn find(text: &str, within: Range<usize>, part: &str) -> Option<Range<usize>> {
    let start = within.start + text.get(within)?.find(part)?;
    Some(start..start + part.len())
}
