//! From the text between the fences to the pairs of its mapping, by the full parser.

use std::ops::Range;

use crate::codes;
use crate::findings::Findings;
use crate::for_message;
use crate::repair;
use crate::yaml::{self, Node, NodeValue, Pair, YamlError};

/// The pairs of the frontmatter's mapping; nothing where a finding forbids its use.
pub(crate) fn read<'t>(
    text: &'t str,
    yaml: &Range<usize>,
    findings: &mut Findings<'_>,
) -> Option<Vec<Pair<'t>>> {
    let root = match yaml::parse(&text[yaml.clone()], yaml.start) {
        Ok(root) => root,
        Err(error) => Some(fix(text, yaml, error, findings)?),
    };
    match root.map(|root| (root.value, root.span)) {
        None => Some(Vec::new()),
        Some((NodeValue::Map(pairs), _)) => Some(pairs),
        Some((NodeValue::Text { text, .. }, _)) if text.is_empty() => Some(Vec::new()),
        Some((_, span)) => {
            findings.report(codes::FRONTMATTER_NOT_MAPPING, span, || {
                ("the frontmatter is not a mapping", "write one `key: value` line for each field")
            });
            None
        }
    }
}

/// A tree in spite of values that should have been quoted, else a report of the error.
fn fix(
    text: &str,
    yaml: &Range<usize>,
    error: YamlError,
    findings: &mut Findings<'_>,
) -> Option<Node<'static>> {
    // `{{ x }}` is a mapping as a key to YAML, and a template to its author.
    let is_fixable = error.code == codes::YAML_INVALID || error.code == codes::YAML_COMPLEX_KEY;
    let repaired = is_fixable.then(|| repair::parse(&text[yaml.clone()], yaml.start)).flatten();
    let Some(repaired) = repaired else {
        findings.report(error.code, error.span, || (error.message, error.help.to_owned()));
        return None;
    };
    for repair in repaired.repairs {
        let message = repair::message(&repair.code);
        findings.report(repair.code, repair.culprit, || {
            (message.to_owned(), format!("quote the value: `{}`", for_message(&repair.line)))
        });
    }
    Some(repaired.tree)
}
