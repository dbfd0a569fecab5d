//! A package while it is checked, and afterwards.

use std::ops::Range;

use prowess_core::{Diagnostic, PackagePath, Resource, Severity, SkillSource};
use prowess_format::Document;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use crate::codes;
use crate::report::PackageReport;

/// The path of a package and of its instructions, from the scan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Named {
    pub(crate) package: String,
    pub(crate) file: String,
}

/// A package after its check.
pub(crate) struct CheckedPackage {
    pub(crate) report: PackageReport,
    /// The texts that are compared across the tree, with their locations.
    pub(crate) shown: Option<Shown>,
}

/// The texts of a package that a catalog shows. Each location is a finding without a message.
pub(crate) struct Shown {
    pub(crate) name: String,
    pub(crate) name_place: Diagnostic,
    pub(crate) description: String,
    pub(crate) description_place: Diagnostic,
}

impl Shown {
    pub(crate) fn of(text: &[u8], document: &Document<'_>) -> Self {
        let place = |key| {
            let empty = Diagnostic::new(codes::NAME_CONFUSABLE, Severity::Hint, "", "");
            at_field(empty, text, document, key)
        };
        Self {
            name: document.frontmatter.name.clone(),
            name_place: place("name"),
            description: document.frontmatter.description.clone(),
            description_place: place("description"),
        }
    }

    pub(crate) fn places(&mut self) -> [&mut Diagnostic; 2] {
        [&mut self.name_place, &mut self.description_place]
    }
}

/// A package during its check.
pub(crate) struct Package<'a> {
    pub(crate) source: &'a dyn SkillSource,
    pub(crate) path: &'a PackagePath,
    pub(crate) file: &'a str,
    /// The whole file.
    pub(crate) text: &'a [u8],
    pub(crate) document: &'a Document<'a>,
    /// The body as Markdown, each event with its bytes in the body.
    pub(crate) events: &'a [(Event<'a>, Range<usize>)],
    /// Whether the description says when to use the skill.
    pub(crate) says_when: bool,
    /// The files beside the instructions.
    pub(crate) files: &'a [Resource],
}

impl Package<'_> {
    /// Returns the offset of the body in the file.
    pub(crate) fn body_start(&self) -> usize {
        self.text.len() - self.document.body.len()
    }
}

/// Parses a body as Markdown, once for all checks, and returns what they look at: headings, code,
/// links, and texts with a path, as most have none.
pub(crate) fn events(body: &str) -> Vec<(Event<'_>, Range<usize>)> {
    let parser = Parser::new_ext(body, Options::ENABLE_TABLES);
    let is_checked = |event: &Event<'_>| match event {
        Event::Text(text) | Event::Code(text) => text.contains('/'),
        Event::Start(tag) => !matches!(tag, Tag::Paragraph | Tag::Item | Tag::TableCell),
        Event::End(tag) => matches!(tag, TagEnd::CodeBlock | TagEnd::Link | TagEnd::Image),
        _ => false,
    };
    let events = TextMergeWithOffset::new(parser.into_offset_iter());
    events.filter(|(event, _)| is_checked(event)).collect()
}

/// Returns the finding with the span of the value of a field.
pub(crate) fn at_field(
    found: Diagnostic,
    text: &[u8],
    document: &Document<'_>,
    key: &str,
) -> Diagnostic {
    match document.frontmatter.fields.get(key) {
        Some(field) => found.at(text, field.value_span.clone()),
        None => found,
    }
}

/// The package's directory as an absolute path or URL.
pub(crate) fn place(root: &str, package: &str) -> String {
    let root = root.trim_end_matches('/');
    if package.is_empty() { root.to_owned() } else { format!("{root}/{package}") }
}
