//! The comments of a frontmatter, which are lost when it is written again.

use std::ops::Range;

use crate::for_message;
use crate::yaml::{Node, NodeValue, Pair};
use crate::{Diagnostic, Severity, codes};

/// Lists the comments of a file's frontmatter, each of which [`skill_md`](super::skill_md) and
/// [`rewrite`](super::rewrite) drop.
///
/// A warning for each, in the order of the file, with its line and column. None where the
/// frontmatter cannot be read, since then nothing is rewritten either.
pub fn comments(text: &str) -> Vec<Diagnostic> {
    let Ok((fences, pairs)) = super::read(text) else {
        return Vec::new();
    };
    let mut texts = Vec::new();
    collect(text, &pairs, &mut texts);
    find(text, fences.yaml, &texts).into_iter().map(|span| lost(text, span)).collect()
}

fn lost(text: &str, span: Range<usize>) -> Diagnostic {
    let comment = for_message(text[span.clone()].trim_end());
    Diagnostic::new(
        codes::COMMENT_LOST,
        Severity::Warning,
        format!("the comment `{comment}` is lost when the frontmatter is rewritten"),
        "move it to the body, or change the file by hand",
    )
    .at(text.as_bytes(), span)
}

/// Collects where texts stand, in the order of the file: a `#` there is no comment.
fn collect(text: &str, pairs: &[Pair<'_>], texts: &mut Vec<Range<usize>>) {
    for pair in pairs {
        texts.push(pair.key_span.clone());
        collect_value(text, &pair.value, texts);
    }
}

fn collect_value(text: &str, node: &Node<'_>, texts: &mut Vec<Range<usize>>) {
    match &node.value {
        NodeValue::Text { .. } => texts.push(span_of_text(text, node)),
        NodeValue::List(items) => {
            items.iter().for_each(|item| collect_value(text, item, texts));
        }
        NodeValue::Map(pairs) => collect(text, pairs, texts),
    }
}

/// Where the text itself stands: a comment behind the mark of a block, or behind the block, is none
/// of it.
fn span_of_text(text: &str, node: &Node<'_>) -> Range<usize> {
    let span = node.span.clone();
    let block = &text[span.clone()];
    if !block.starts_with(['|', '>']) {
        return span;
    }
    let header = block.find('\n').map_or(block.len(), |end| end + 1);
    span.start + header..span.start + header + lines_length(&block[header..])
}

/// The length of the lines that stand as deep as the first one, and of the blank ones among them.
fn lines_length(lines: &str) -> usize {
    let is_blank = |line: &&str| line.trim().is_empty();
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let mut first = lines.lines().filter(|line| !is_blank(line));
    let inner = first.next().map_or(0, depth);
    lines
        .split_inclusive('\n')
        .take_while(|line| is_blank(line) || depth(line) >= inner)
        .map(str::len)
        .sum()
}

/// Each `#` outside of texts, at the start of a line or behind a blank, up to the line's end.
fn find(text: &str, yaml: Range<usize>, texts: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = yaml.start;
    for span in texts.iter().chain([&(yaml.end..yaml.end)]) {
        while at < span.start {
            let Some(offset) = text[at..span.start].find('#') else { break };
            let start = at + offset;
            let is_comment =
                text[..start].ends_with([' ', '\t', '\n', '\r']) || start == yaml.start;
            at = start + 1;
            if is_comment {
                let end = text[start..yaml.end].find('\n').map_or(yaml.end, |end| start + end);
                found.push(start..end);
                at = end;
            }
        }
        at = at.max(span.end);
    }
    found
}
