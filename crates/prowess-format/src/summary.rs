//! The hot path of discovery: what a catalog keeps of a skill, from the first bytes of its file.

use std::borrow::Cow;

use crate::fence::Fences;
use crate::fields::{Fields, Known, Shape};
use crate::findings::Findings;
use crate::input::{self, Opened};
use crate::yaml::Pair;
use crate::{
    Diagnostic, Extensions, Profile, Rules, SummaryConditions, check, conditions, extensions, fast,
    name, quick, tree,
};

/// The longest `metadata.version` that is kept.
const MOST_VERSION_BYTES: usize = 64;

/// The first bytes of a file, and whether they are all of it.
#[derive(Clone, Copy, Debug)]
pub struct Head<'t> {
    /// The bytes from the file's start.
    pub bytes: &'t [u8],
    /// Whether the file ends where `bytes` end.
    pub is_whole_file: bool,
}

/// What a catalog keeps of one skill. Borrows from the head wherever the text needs no unescaping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary<'t> {
    /// The declared name, NFKC-normalised.
    pub name: Cow<'t, str>,
    /// The description, trimmed.
    pub description: Cow<'t, str>,
    /// `tags`, or `metadata.tags`, as texts; empty where there are none.
    pub tags: Vec<Cow<'t, str>>,
    /// `priority` where it is a whole number, else 0. One beyond the type's bounds is at its bound.
    pub priority: i16,
    /// `metadata.version` where it is a text of at most 64 bytes, trimmed.
    pub version: Option<Cow<'t, str>>,
    /// To whom and when the skill is to be offered, where the frontmatter says so.
    pub conditions: SummaryConditions<'t>,
}

/// What the head told.
#[derive(Clone, Debug)]
pub enum Summarized<'t> {
    /// The frontmatter does not end within the head, and may still end within the bounds: read at
    /// least this many bytes from the file's start and ask again.
    NeedsBytes(usize),
    /// The whole frontmatter was read: a summary unless a finding is an `error`, and every finding
    /// that the frontmatter alone can give.
    Done(Option<Summary<'t>>, Vec<Diagnostic>),
}

/// Reads what a catalog keeps from the first bytes of a file.
///
/// Gives the name, description and verdict that [`crate::parse`] gives for the whole file, without
/// looking at the body. `directory` is the name of the package's directory, where there is one to
/// compare the declared name with.
pub fn summarize<'t>(head: Head<'t>, directory: Option<&str>, profile: Profile) -> Summarized<'t> {
    summarize_with(head, directory, &Rules::of(profile))
}

/// Reads what a catalog keeps by rules of the caller's choice; see [`summarize`].
///
/// A file without a field of the rules' extensions costs what it costs without them.
pub fn summarize_with<'t>(
    head: Head<'t>,
    directory: Option<&str>,
    rules: &Rules,
) -> Summarized<'t> {
    if let Some(summary) = quick::read(head.bytes, directory, rules) {
        return Summarized::Done(Some(summary), Vec::new());
    }
    let mut findings = Findings::new(head.bytes, rules);
    let fences = match input::open(head.bytes, head.is_whole_file, &mut findings) {
        Opened::At(fences) => fences,
        Opened::NeedsBytes(bytes) => return Summarized::NeedsBytes(bytes),
        Opened::Refused => return Summarized::Done(None, findings.finish()),
    };
    let summary = read(head.bytes, &fences, directory, &mut findings);
    Summarized::Done(summary.filter(|_| !findings.has_error()), findings.finish())
}

fn read<'t>(
    bytes: &'t [u8],
    fences: &Fences,
    directory: Option<&str>,
    findings: &mut Findings<'_>,
) -> Option<Summary<'t>> {
    let text = input::text(bytes, 0..fences.yaml.end, findings)?;
    let extensions = &findings.rules().extensions;
    let needs_values = |fields: &Fields<'_>| {
        has_extension(text, fields, extensions) || conditions::may_have(text, fields)
    };
    let mut fields = Fields::default();
    let is_simple = fast::scan(text, &fences.yaml, &mut fields).is_some();
    if is_simple && !needs_values(&fields) {
        fields.flow_as_text(text, findings);
        check::frontmatter(&fields, fences.opening(), directory, findings);
        return summary(&mut fields, &[]);
    }
    let pairs = tree::read(text, &fences.yaml, findings)?;
    let mut fields = Fields::of(&pairs);
    fields.flow_as_text(text, findings);
    check::frontmatter(&fields, fences.opening(), directory, findings);
    extensions::check(&pairs, extensions, findings);
    summary(&mut fields, &pairs)
}

/// Whether there may be a field whose value an extension checks: only the full parser keeps it.
fn has_extension(text: &str, fields: &Fields<'_>, extensions: &Extensions) -> bool {
    let is_declared = |key: &str| extensions.of_field(key).next().is_some();
    !extensions.is_empty()
        && (fields.foreign.iter().any(|foreign| is_declared(&foreign.key))
            || fields.get(Known::Metadata).is_some_and(|entry| {
                extensions.may_be_in_metadata(&text[entry.value_span.clone()])
            }))
}

fn summary<'t>(fields: &mut Fields<'t>, pairs: &[Pair<'_>]) -> Option<Summary<'t>> {
    let conditions = conditions::read(pairs, fields);
    let tags = tags(fields);
    let priority = priority(fields);
    let version = fields.version();
    Some(Summary {
        name: normalized_cow(fields.take_text(Known::Name)?),
        description: trimmed(fields.take_text(Known::Description)?),
        tags,
        priority,
        version,
        conditions,
    })
}

fn normalized_cow(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.is_ascii() { name } else { Cow::Owned(name::normalized(&name).into_owned()) }
}

/// Trims without a copy where the text is borrowed.
fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// `tags` of the top level, else those of `metadata`.
fn tags<'t>(fields: &Fields<'t>) -> Vec<Cow<'t, str>> {
    let of_metadata = || match &fields.get(Known::Metadata)?.shape {
        Shape::Map { tags, .. } => tags.as_deref(),
        _ => None,
    };
    let top = fields.get(Known::Tags).map(|entry| &entry.shape);
    match top.or_else(of_metadata) {
        Some(Shape::List(items)) => items.iter().flatten().cloned().filter_map(tag).collect(),
        Some(Shape::Text { text, .. }) => split_tags(text),
        _ => Vec::new(),
    }
}

/// A text of tags with commas between them, as the values of `metadata` must be written.
fn split_tags<'t>(text: &Cow<'t, str>) -> Vec<Cow<'t, str>> {
    match text {
        Cow::Borrowed(text) => text.split(',').map(Cow::Borrowed).filter_map(tag).collect(),
        Cow::Owned(text) => {
            text.split(',').map(|part| Cow::Owned(part.to_owned())).filter_map(tag).collect()
        }
    }
}

/// A version as it is kept: a longer one tells nobody what to ask for.
pub(crate) fn version(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    Some(trimmed(text)).filter(|version| (1..=MOST_VERSION_BYTES).contains(&version.len()))
}

fn tag(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    Some(trimmed(text)).filter(|tag| !tag.is_empty())
}

fn priority(fields: &Fields<'_>) -> i16 {
    fields.text(Known::Priority).and_then(|text| text.parse::<i64>().ok()).map_or(0, |priority| {
        i16::try_from(priority.clamp(i16::MIN.into(), i16::MAX.into())).unwrap_or_default()
    })
}
