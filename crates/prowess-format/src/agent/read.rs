//! From the text of a manifest to its fields.

use std::ops::Range;

use super::{AgentManifest, IntegrationMode, ParsedManifest, codes};
use crate::document::mapping;
use crate::findings::Findings;
use crate::yaml::{self, Node, NodeValue, Pair};
use crate::{
    Code, Diagnostic, MAX_FRONTMATTER_BYTES, Profile, Rules, Severity, for_message, input,
};

/// Parses the manifest of an agent. Any bytes give a manifest, diagnostics, or both.
pub fn parse(text: &[u8]) -> ParsedManifest {
    let mut diagnostics = Vec::new();
    let manifest = pairs(text, &mut diagnostics).and_then(|pairs| {
        let mut reader = Reader { text, diagnostics: &mut diagnostics };
        let manifest = reader.manifest(&pairs)?;
        Some(AgentManifest { fields: mapping(pairs), ..manifest })
    });
    let has_error = diagnostics.iter().any(Diagnostic::is_error);
    diagnostics.sort_by_key(|found| found.span.as_ref().map_or(0, |span| span.start));
    ParsedManifest { manifest: manifest.filter(|_| !has_error), diagnostics }
}

/// Returns the fields of the top level, or reports why there are none.
pub(crate) fn pairs<'t>(
    bytes: &'t [u8],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Pair<'t>>> {
    let report = |code: Code, span: Range<usize>, message: &str, help: &str| {
        Diagnostic::new(code, Severity::Error, message, help).at(bytes, span)
    };
    if bytes.len() > MAX_FRONTMATTER_BYTES {
        let message = format!("the manifest is larger than {MAX_FRONTMATTER_BYTES} bytes");
        let help = "move instructions to a skill";
        diagnostics.push(report(crate::codes::FILE_TOO_LARGE, 0..0, &message, help));
        return None;
    }
    let rules = Rules::of(Profile::Lenient);
    let mut findings = Findings::new(bytes, &rules);
    let text = input::text(bytes, 0..bytes.len(), bytes.len(), &mut findings);
    diagnostics.extend(findings.finish());
    let text = text?;
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    match yaml::parse(&text[start..], start) {
        Ok(Some(Node { value: NodeValue::Map(pairs), .. })) => return Some(pairs),
        Ok(_) => diagnostics.push(report(
            codes::AGENT_FIELD_MISSING,
            0..0,
            "the manifest is not a mapping",
            "write one `key: value` line for each field, at least `id` and `agent`",
        )),
        Err(error) => {
            let message = error.message_in(bytes);
            diagnostics.push(report(error.code, error.span, &message, error.help));
        }
    }
    None
}

/// Reads fields and reports what is wrong with them.
struct Reader<'r> {
    text: &'r [u8],
    diagnostics: &'r mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn manifest(&mut self, pairs: &[Pair<'_>]) -> Option<AgentManifest> {
        let id = self.text_of(pairs, "id").filter(|id| !id.is_empty());
        if id.is_none() {
            self.missing("id", "name the agent: `id: builder`");
        }
        let agent = self.map_of(pairs, "agent");
        if agent.is_none() {
            self.missing("agent", "add a mapping `agent`, such as with `uses_skills: [ID]`");
        }
        let (id, agent) = id.zip(agent)?;
        let limits = self.map_of(agent, "limits").unwrap_or_default();
        Some(AgentManifest {
            id,
            name: self.text_of(pairs, "name"),
            integration_mode: self.mode(agent),
            model: self.text_of(agent, "model"),
            instructions: self.verbatim(agent, "instructions"),
            uses_tools: self.list_of(agent, "uses_tools"),
            uses_skills: self.list_of(agent, "uses_skills"),
            max_turns: self.positive(limits, "max_turns"),
            depends_on: self.list_of(pairs, "depends_on"),
            fields: Default::default(),
        })
    }

    fn text_of(&mut self, pairs: &[Pair<'_>], key: &str) -> Option<String> {
        Some(self.verbatim(pairs, key)?.trim().to_owned())
    }

    fn verbatim(&mut self, pairs: &[Pair<'_>], key: &str) -> Option<String> {
        let node = find(pairs, key)?;
        if let NodeValue::Text { text, .. } = &node.value {
            return Some(text.clone().into_owned());
        }
        self.invalid(node, key, "is not a text", "write a text");
        None
    }

    fn map_of<'p, 't>(&mut self, pairs: &'p [Pair<'t>], key: &str) -> Option<&'p [Pair<'t>]> {
        let node = find(pairs, key)?;
        if let NodeValue::Map(pairs) = &node.value {
            return Some(pairs);
        }
        self.invalid(node, key, "is not a mapping", "write its fields below it, indented");
        None
    }

    /// Reads a list of texts, each once. An empty value is an empty list.
    fn list_of(&mut self, pairs: &[Pair<'_>], key: &str) -> Vec<String> {
        let Some(node) = find(pairs, key) else { return Vec::new() };
        let items = match &node.value {
            NodeValue::List(items) => items.as_slice(),
            NodeValue::Text { text, .. } if text.is_empty() => &[],
            _ => {
                self.invalid(node, key, "is not a list", "write `[first, second]`");
                &[]
            }
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match &item.value {
                NodeValue::Text { text, .. } if text.trim().is_empty() => {
                    self.invalid(item, key, "has an empty item", "name it, or remove the item");
                }
                NodeValue::Text { text, .. } if texts.iter().any(|known| known == text.trim()) => {
                    let message = format!("`{key}` has `{}` twice", for_message(text.trim()));
                    self.report(
                        codes::AGENT_ITEM_REPEATED,
                        Severity::Warning,
                        item.span.clone(),
                        &message,
                        "remove one of them",
                    );
                }
                NodeValue::Text { text, .. } => texts.push(text.trim().to_owned()),
                _ => self.invalid(item, key, "has an item that is not a text", "write a name"),
            }
        }
        texts
    }

    fn positive(&mut self, pairs: &[Pair<'_>], key: &str) -> Option<u32> {
        let node = find(pairs, key)?;
        let number = match &node.value {
            NodeValue::Text { text, .. } => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| *number > 0);
        if number.is_none() {
            self.invalid(node, key, "is not a positive whole number", "write one, such as `20`");
        }
        number
    }

    fn mode(&mut self, agent: &[Pair<'_>]) -> Option<IntegrationMode> {
        const KEY: &str = "integration_mode";
        let text = self.text_of(agent, KEY)?;
        let known = IntegrationMode::ALL.into_iter().find(|(word, _)| *word == text);
        if let (None, Some(node)) = (known, find(agent, KEY)) {
            self.invalid(node, KEY, "is unknown", "write `tool` or `handoff`");
        }
        known.map(|(_, mode)| mode)
    }

    fn missing(&mut self, key: &str, help: &str) {
        // A field of another type has its own finding.
        if self.diagnostics.iter().any(|found| found.code == codes::AGENT_FIELD_INVALID) {
            return;
        }
        let message = format!("the manifest has no `{key}`");
        self.report(codes::AGENT_FIELD_MISSING, Severity::Error, 0..0, &message, help);
    }

    fn invalid(&mut self, node: &Node<'_>, key: &str, fault: &str, help: &str) {
        let message = format!("`{key}` {fault}");
        let span = node.span.clone();
        self.report(codes::AGENT_FIELD_INVALID, Severity::Error, span, &message, help);
    }

    fn report(
        &mut self,
        code: Code,
        severity: Severity,
        span: Range<usize>,
        message: &str,
        help: &str,
    ) {
        let found = Diagnostic::new(code, severity, message, help);
        self.diagnostics.push(found.at(self.text, span));
    }
}

fn find<'p, 't>(pairs: &'p [Pair<'t>], key: &str) -> Option<&'p Node<'t>> {
    pairs.iter().find(|pair| pair.key == key).map(|pair| &pair.value)
}
