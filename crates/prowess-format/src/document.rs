//! A whole `SKILL.md`: its frontmatter, its body and what was found wrong with it.

use std::borrow::Cow;

use crate::fence::Fences;
use crate::fields::{Fields, Known};
use crate::findings::Findings;
use crate::input::{self, Opened};
use crate::yaml::{Node, NodeValue, Pair};
use crate::{
    AllowedTools, Diagnostic, Directory, Field, Mapping, Profile, Rules, Value, check, conditions,
    extensions, paragraph, tree, version,
};

/// The result of parsing: a document if the file can be used, and every finding.
#[derive(Clone, Debug)]
pub struct Parsed<'t> {
    /// The document; `None` if a finding has severity `error`.
    pub document: Option<Document<'t>>,
    /// Findings in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// A `SKILL.md` that can be used.
#[derive(Clone, Debug)]
pub struct Document<'t> {
    /// The fields between the fences.
    pub frontmatter: Frontmatter,
    /// Everything after the line of the closing fence, byte for byte.
    pub body: &'t str,
    /// The line of the file on which the body begins, counted from 1.
    pub body_line: u32,
}

impl Document<'_> {
    /// Returns the text of the body's first heading of level 1, `# Title`: a name for people, as
    /// the name of the skill is for models. A `#` in a fenced code block is not a heading.
    pub fn title(&self) -> Option<&str> {
        let mut fence = None;
        for line in self.body.lines() {
            let text = line.trim_start_matches(' ');
            match (fence, ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark))) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                (None, None) => {
                    let heading = text.strip_prefix("# ").filter(|_| line.len() - text.len() < 4);
                    let title = heading.map(|text| text.trim_matches([' ', '\t', '#']));
                    if let Some(title) = title.filter(|title| !title.is_empty()) {
                        return Some(title);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// The fields of the specification, and every field as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontmatter {
    /// The skill's declared name, NFKC-normalised.
    pub name: String,
    /// The description of what the skill does and when to use it, trimmed.
    pub description: String,
    /// `license`, verbatim.
    pub license: Option<String>,
    /// `compatibility`, verbatim.
    pub compatibility: Option<String>,
    /// `metadata` as it was written; empty if the file has none.
    pub metadata: Mapping,
    /// `allowed-tools`, where absent and empty differ.
    pub allowed_tools: AllowedTools,
    /// Every field in the order of the file, the known ones and the unknown ones.
    pub fields: Mapping,
}

impl Frontmatter {
    /// Returns `metadata.version` if it is a text of at most 64 bytes, trimmed, as in
    /// [`crate::Summary`].
    pub fn version(&self) -> Option<Cow<'_, str>> {
        let text = self.metadata.get("version")?.value.as_text()?;
        version::version(Cow::Borrowed(text))
    }

    /// Returns whether a model may choose the skill by itself: no switch, in whatever spelling,
    /// hides it, as [`Conditions::not_by_model`](crate::Conditions::not_by_model) says.
    pub fn is_chosen_by_model(&self) -> bool {
        conditions::is_chosen_by_model(&self.fields)
    }
}

/// Parses a whole file.
///
/// Any bytes give a document, diagnostics, or both; nothing panics, and the bounds of the crate
/// ([`crate::MAX_FILE_BYTES`], [`crate::MAX_FRONTMATTER_BYTES`]) are checked before any work. The
/// name is not compared with a directory: see [`check_directory`](crate::check_directory).
pub fn parse(text: &[u8], profile: Profile) -> Parsed<'_> {
    parse_with(text, &Rules::of(profile))
}

/// Returns whether a `SKILL.md` is that of a skill, to which belongs what is below its directory:
/// another one, such as an index, hides no skill.
pub fn is_skill(text: &[u8]) -> bool {
    parse(text, Profile::Lenient).document.is_some()
}

/// Reads a whole file by rules of the caller's choice; see [`parse`].
pub fn parse_with<'t>(text: &'t [u8], rules: &Rules) -> Parsed<'t> {
    parse_in(text, None, rules)
}

/// Reads a whole file of the package in a directory; see [`parse`].
///
/// The name of the directory stands in for a missing `name` under [`Profile::Lenient`].
pub fn parse_in<'t>(text: &'t [u8], directory: Option<Directory<'_>>, rules: &Rules) -> Parsed<'t> {
    let mut findings = Findings::new(text, rules);
    let document = match input::open(text, true, &mut findings) {
        Opened::At(fences) => read(text, &fences, directory, &mut findings),
        _ => None,
    };
    let document = document.filter(|_| !findings.has_error());
    let again = document.is_none().then(|| {
        input::read_in_text(text, rules, |fences, findings| read(text, fences, directory, findings))
    });
    match again.flatten() {
        Some((document, diagnostics)) => Parsed { document: Some(document), diagnostics },
        None => Parsed { document, diagnostics: findings.finish() },
    }
}

fn read<'t>(
    bytes: &'t [u8],
    fences: &Fences,
    directory: Option<Directory<'_>>,
    findings: &mut Findings<'_>,
) -> Option<Document<'t>> {
    let text = input::text(bytes, 0..bytes.len(), fences.body_start, findings)?;
    let mut pairs = tree::read(text, &fences.yaml, findings)?;
    let mut fields = Fields::of(&pairs, findings.rules().mends_fields());
    fields.flow_as_text(text, findings);
    paragraph::stand_in(&mut fields, bytes, fences.body_start, findings);
    let opening = fences.opening;
    check::frontmatter(&fields, opening, directory, findings);
    fields.fix(&mut pairs);
    extensions::check(&pairs, &findings.rules().extensions, findings);
    conditions::report(&pairs, findings);
    let body = &text[fences.body_start..];
    check::body(body, fences.body_start, findings);
    let name = check::name_of(&fields, directory, findings.rules())?;
    let name = findings.rules().declared(name).into_owned();
    Some(Document {
        frontmatter: frontmatter(name, &fields, pairs)?,
        body,
        body_line: line_of(bytes, fences.body_start),
    })
}

fn frontmatter(name: String, fields: &Fields<'_>, pairs: Vec<Pair<'_>>) -> Option<Frontmatter> {
    let text = |known| fields.text(known).map(str::to_owned);
    let allowed_tools = check::allowed_tools(fields);
    let description = fields.text(Known::Description)?.trim().to_owned();
    let all = mapping(pairs);
    let metadata = all.get("metadata").and_then(|field| field.value.as_map());
    Some(Frontmatter {
        name,
        description,
        license: text(Known::License),
        compatibility: text(Known::Compatibility),
        metadata: metadata.cloned().unwrap_or_default(),
        allowed_tools,
        fields: all,
    })
}

pub(crate) fn mapping(pairs: Vec<Pair<'_>>) -> Mapping {
    Mapping(pairs.into_iter().map(field).collect())
}

fn field(pair: Pair<'_>) -> Field {
    Field {
        key: pair.key.into_owned(),
        key_span: pair.key_span,
        value_span: pair.value.span.clone(),
        value: value(pair.value),
    }
}

fn value(node: Node<'_>) -> Value {
    match node.value {
        NodeValue::Text { text, .. } => Value::Text(text.into_owned()),
        NodeValue::List(items) => Value::List(items.into_iter().map(value).collect()),
        NodeValue::Map(pairs) => Value::Map(mapping(pairs)),
    }
}

/// Returns the number of the line that starts at `start`, counted from 1.
fn line_of(bytes: &[u8], start: usize) -> u32 {
    let before = &bytes[..start];
    let is_new_line = before.is_empty() || before.ends_with(b"\n");
    let lines = memchr::memchr_iter(b'\n', before).count() + 1 + usize::from(!is_new_line);
    u32::try_from(lines).unwrap_or(u32::MAX)
}
