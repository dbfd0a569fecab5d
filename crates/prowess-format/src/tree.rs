//! From the text between the fences to the pairs of its mapping, by the full parser.

use std::ops::Range;

use crate::findings::Findings;
use crate::for_message;
use crate::repair;
use crate::yaml::{self, Node, NodeValue, Pair, YamlError};
use crate::{Diagnostic, Severity, codes};

const RARE_BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

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
        Some((NodeValue::Map(mut pairs), _)) => {
            // Some readers take a rare line break off the end of a key, as PyYAML does elsewhere.
            for pair in pairs.iter_mut().filter(|pair| pair.key.ends_with(RARE_BREAKS)) {
                let code = codes::LINE_BREAK_RARE;
                findings.report(code.clone(), pair.key_span.clone(), || {
                    (repair::message(&code).to_owned(), repair::help(&code, ""))
                });
                pair.key = pair.key.trim_end_matches(RARE_BREAKS).to_owned().into();
            }
            Some(pairs)
        }
        Some((NodeValue::Text { text, .. }, _)) if text.is_empty() => Some(Vec::new()),
        Some((_, span)) => {
            findings.report(codes::FRONTMATTER_NOT_MAPPING, span, || {
                ("the frontmatter is not a mapping", "write one `key: value` line for each field")
            });
            None
        }
    }
}

/// Returns the finding about the first key that a mapping of a YAML text has twice, with the places
/// of both; `None` if there is none, or something else is wrong before it.
pub fn duplicate_key(yaml: &str) -> Option<Diagnostic> {
    let error = yaml::parse(yaml, 0).err().filter(|it| it.code == codes::YAML_DUPLICATE_KEY)?;
    let message = error.message_in(yaml.as_bytes());
    let found = Diagnostic::new(error.code, Severity::Error, message, error.help);
    Some(found.at(yaml.as_bytes(), error.span))
}

/// A tree in spite of values that should have been quoted, else a report of the error.
fn fix(
    text: &str,
    yaml: &Range<usize>,
    error: YamlError,
    findings: &mut Findings<'_>,
) -> Option<Node<'static>> {
    // Where every repair is an error, the error of YAML itself says more.
    let parse = if findings.rules().mends_fields() { repair::parse } else { repair::parse_quoted };
    let repaired = parse(&text[yaml.clone()], yaml.start, &error);
    let Some(repaired) = repaired else {
        let message = error.message_in(text.as_bytes());
        findings.report(error.code, error.span, || (message, error.help.to_owned()));
        return None;
    };
    for repair in repaired.repairs {
        let message = repair::message(&repair.code);
        findings.report(repair.code.clone(), repair.culprit, || {
            (message.to_owned(), repair::help(&repair.code, &for_message(&repair.line)))
        });
    }
    Some(repaired.tree)
}

/// The maximum depth of `[` and `{` in files that are read by `serde_yaml`, whose time grows with
/// its square.
pub const MAX_FLOW_DEPTH: usize = 64;

/// Returns whether `[` and `{` are nested deeper than [`MAX_FLOW_DEPTH`]. Those in quotes are
/// counted, too.
pub fn is_nested_too_deep(yaml: &str) -> bool {
    let mut depth = 0_usize;
    yaml.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_FLOW_DEPTH
    })
}
