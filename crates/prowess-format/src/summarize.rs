//! The hot path of discovery: reading a summary from the first bytes of a file.

use std::borrow::Cow;

use crate::fence::Fences;
use crate::fields::{Fields, Known, Shape};
use crate::findings::Findings;
use crate::input::{self, Opened};
use crate::summary::{Head, Summarized, Summary};
use crate::version::trimmed;
use crate::yaml::Pair;
use crate::{
    Directory, Extensions, Profile, Rules, check, conditions, extensions, fast, name, paragraph,
    quick, tree,
};

/// Reads a summary from the first bytes of a file.
///
/// Returns the name, the description and the findings that [`crate::parse`] returns for the whole
/// file, without reading the body. `directory` is the name of the package's directory, where there
/// is one to compare the declared name with.
pub fn summarize<'t>(head: Head<'t>, directory: Option<&str>, profile: Profile) -> Summarized<'t> {
    summarize_with(head, directory.map(Directory::from), &Rules::of(profile))
}

/// Reads a summary by rules of the caller; see [`summarize`].
///
/// A file without a field of the rules' extensions costs what it costs without them.
pub fn summarize_with<'t>(
    head: Head<'t>,
    directory: Option<Directory<'_>>,
    rules: &Rules,
) -> Summarized<'t> {
    let compared = directory.filter(|directory| directory.is_compared);
    let compared = compared.map(|directory| directory.name);
    if let Some(summary) = quick::read(head.bytes, compared, rules) {
        return Summarized::Done(Some(summary), Vec::new());
    }
    let mut findings = Findings::new(head.bytes, rules);
    let fences = match input::open(head.bytes, head.is_whole_file, &mut findings) {
        Opened::At(fences) => fences,
        Opened::NeedsBytes(bytes) => return Summarized::NeedsBytes(bytes),
        Opened::Refused => return Summarized::Done(None, findings.finish()),
    };
    let summary = match read(head, &fences, directory, &mut findings) {
        Ok(summary) => summary,
        Err(bytes) => return Summarized::NeedsBytes(bytes),
    };
    let summary = summary.filter(|_| !findings.has_error());
    let again = summary.is_none().then(|| {
        input::read_in_text(head.bytes, rules, |fences, findings| {
            read(head, fences, directory, findings).ok()?
        })
    });
    match again.flatten() {
        Some((summary, diagnostics)) => Summarized::Done(Some(summary), diagnostics),
        None => Summarized::Done(summary, findings.finish()),
    }
}

/// Returns a summary, `None` if a finding forbids one, or the number of bytes that are needed.
fn read<'t>(
    head: Head<'t>,
    fences: &Fences,
    directory: Option<Directory<'_>>,
    findings: &mut Findings<'_>,
) -> Result<Option<Summary<'t>>, usize> {
    let part = 0..fences.yaml.end;
    let Some(text) = input::text(head.bytes, part, fences.body_start, findings) else {
        return Ok(None);
    };
    let extensions = &findings.rules().extensions;
    let mut fields = Fields::default();
    let is_simple = fast::scan(text, &fences.yaml, &mut fields).is_some()
        && !has_extension(text, &fields, extensions)
        && !conditions::may_have(text, &fields)
        && fields.text(Known::Description).is_some();
    let pairs = match is_simple {
        true => Vec::new(),
        false => match tree::read(text, &fences.yaml, findings) {
            Some(pairs) => pairs,
            None => return Ok(None),
        },
    };
    if !is_simple {
        fields = Fields::of(&pairs, findings.rules().mends_fields());
    }
    fields.flow_as_text(text, findings);
    let length = if head.is_whole_file { usize::MAX } else { head.bytes.len() };
    if let Some(bytes) = paragraph::needed(&fields, fences.body_start, length, findings) {
        return Err(bytes);
    }
    paragraph::stand_in(&mut fields, head.bytes, fences.body_start, findings);
    check::frontmatter(&fields, fences.opening, directory, findings);
    if !is_simple {
        extensions::check(&pairs, extensions, findings);
        conditions::report(&pairs, findings);
    }
    Ok(summary(&mut fields, &pairs, directory, findings.rules()))
}

/// Whether there may be a field whose value an extension checks: only the full parser keeps it.
fn has_extension(text: &str, fields: &Fields<'_>, extensions: &Extensions) -> bool {
    !extensions.is_empty()
        && (fields.foreign.iter().any(|field| extensions.of_field(&field.key).next().is_some())
            || fields.get(Known::Metadata).is_some_and(|entry| {
                extensions.may_be_in_metadata(&text[entry.value_span.clone()])
            }))
}

fn summary<'t>(
    fields: &mut Fields<'t>,
    pairs: &[Pair<'_>],
    directory: Option<Directory<'_>>,
    rules: &Rules,
) -> Option<Summary<'t>> {
    let name = name(fields, directory, rules)?;
    let conditions = conditions::read(pairs, fields);
    let tags = tags(fields);
    let priority = priority(fields);
    let version = fields.version();
    Some(Summary {
        name,
        description: trimmed(fields.take_text(Known::Description)?),
        tags,
        priority,
        version,
        conditions,
    })
}

/// Returns the declared name without a copy, or the name of the directory that stands in for it.
fn name<'t>(
    fields: &mut Fields<'t>,
    directory: Option<Directory<'_>>,
    rules: &Rules,
) -> Option<Cow<'t, str>> {
    match check::stand_in(fields, directory, rules) {
        Some(directory) => Some(Cow::Owned(name::normalized(directory).into_owned())),
        None => fields.take_text(Known::Name).map(|name| declared(name, rules)),
    }
}

/// Returns the declared name; nothing is copied where it stands in the file as it is.
fn declared<'t>(name: Cow<'t, str>, rules: &Rules) -> Cow<'t, str> {
    match name {
        Cow::Borrowed(name) => rules.declared(name),
        Cow::Owned(name) => Cow::Owned(rules.declared(&name).into_owned()),
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

fn tag(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    Some(trimmed(text)).filter(|tag| !tag.is_empty())
}

fn priority(fields: &Fields<'_>) -> i16 {
    fields.text(Known::Priority).and_then(|text| text.parse::<i64>().ok()).map_or(0, |priority| {
        i16::try_from(priority.clamp(i16::MIN.into(), i16::MAX.into())).unwrap_or_default()
    })
}
