//! The one place that knows the YAML library: text between fences to a tree with places.
//!
//! Scalars stay what the author typed (the failsafe schema), so `1.10`, `no` and `null` are texts.
//! What makes YAML dangerous or ambiguous is refused: anchors, aliases, tags, merge keys, a key that
//! stands twice, a second document. The parser reads events and keeps no stack of its own, and the
//! tree is no deeper than [`MAX_DEPTH`], so neither can overflow.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde_saphyr::granit_parser::{
    ErrorKind, Event, Marker, Options, Parser, ScalarStyle, ScanError, Span, options,
};

use crate::shown::shown;
use crate::{Code, codes};

/// How deep collections may lie in each other.
pub(crate) const MAX_DEPTH: usize = 16;

/// How many keys and values there may be.
pub(crate) const MAX_NODES: usize = 10_000;

/// A value with its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct Node<'t> {
    pub(crate) value: NodeValue<'t>,
    pub(crate) span: Range<usize>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum NodeValue<'t> {
    Text { text: Cow<'t, str>, is_plain: bool },
    List(Vec<Node<'t>>),
    Map(Vec<Pair<'t>>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Pair<'t> {
    pub(crate) key: Cow<'t, str>,
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Node<'t>,
}

/// Why there is no tree.
#[derive(Debug)]
pub(crate) struct YamlError {
    pub(crate) code: Code,
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: &'static str,
}

/// Reads `text`, which begins at byte `base` of its file. `None` is a text without a value.
pub(crate) fn parse(text: &str, base: usize) -> Result<Option<Node<'_>>, YamlError> {
    let mut builder =
        Builder { text, base, nodes: 0, has_document: false, open: Vec::new(), root: None };
    for event in Parser::new_from_str_with_options(text, limits()) {
        let (event, span) = event.map_err(|error| builder.scan_error(&error))?;
        builder.refuse_properties(&event, span)?;
        let span = builder.range(span);
        builder.take(event, span)?;
    }
    Ok(builder.root)
}

/// The library's own bounds, one past ours, so that ours speak first where they can.
fn limits() -> Options {
    options! {
        disallow_directives: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    }
}

/// A collection whose end has not come yet.
enum Open<'t> {
    List(usize, Vec<Node<'t>>),
    Map(usize, OpenMap<'t>),
}

#[derive(Default)]
struct OpenMap<'t> {
    pairs: Vec<Pair<'t>>,
    keys: HashSet<Cow<'t, str>>,
    /// A key whose value has not come yet.
    key: Option<(Cow<'t, str>, Range<usize>)>,
}

struct Builder<'t> {
    text: &'t str,
    base: usize,
    nodes: usize,
    has_document: bool,
    open: Vec<Open<'t>>,
    root: Option<Node<'t>>,
}

impl<'t> Builder<'t> {
    fn take(&mut self, event: Event<'t>, span: Range<usize>) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(is_explicit, _) => self.document(is_explicit, span),
            Event::Scalar(text, style, ..) => self.scalar(text, style, span),
            Event::SequenceStart(..) => self.open(Open::List(span.start, Vec::new()), span),
            Event::MappingStart(..) => self.open(Open::Map(span.start, OpenMap::default()), span),
            Event::SequenceEnd | Event::MappingEnd => self.close(span.end),
            _ => Ok(()),
        }
    }

    fn refuse_properties(&self, event: &Event<'_>, span: Span) -> Result<(), YamlError> {
        if event.is_alias() {
            return Err(alias_error(self.range(span)));
        }
        if event.anchor_id().is_some() {
            return Err(error(
                codes::YAML_ANCHOR,
                self.anchor_before(self.offset(&span.start)),
                "an anchor (`&`) is not allowed in frontmatter",
                "quote the value if it begins with `&`, else write the value out where it is used",
            ));
        }
        if event.tag().is_some() {
            let tag = span.tag_span().unwrap_or(span);
            return Err(error(
                codes::YAML_TAG,
                self.range(tag),
                "a tag (`!`) is not allowed in frontmatter",
                "quote the value if it begins with `!`, else leave the tag out",
            ));
        }
        Ok(())
    }

    /// The library places an anchored value, not its anchor: the anchor stands shortly before it.
    fn anchor_before(&self, value: usize) -> Range<usize> {
        let before = &self.text[..value - self.base];
        let anchor = before.rfind('&').map_or(value, |at| self.base + at);
        anchor..value
    }

    fn document(&mut self, is_explicit: bool, span: Range<usize>) -> Result<(), YamlError> {
        if is_explicit || self.has_document {
            return Err(error(
                codes::YAML_MULTIPLE_DOCUMENTS,
                span,
                "the frontmatter holds more than one YAML document",
                "keep all fields between the first `---` line and the next one",
            ));
        }
        self.has_document = true;
        Ok(())
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        span: Range<usize>,
    ) -> Result<(), YamlError> {
        self.count(&span)?;
        let is_plain = style == ScalarStyle::Plain;
        // The library writes `~` for a value that is not there.
        let is_absent = is_plain && span.is_empty();
        let text = if is_absent { Cow::Borrowed("") } else { text };
        if self.wants_key() {
            return self.key(text, is_plain, span);
        }
        let span = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => self.moved_to_indicator(span),
            _ if is_absent => self.after_colon(span),
            _ => span,
        };
        self.place(Node { value: NodeValue::Text { text, is_plain }, span });
        Ok(())
    }

    /// An absent value stands right after its colon, wherever the library puts it.
    fn after_colon(&self, span: Range<usize>) -> Range<usize> {
        let Some(Open::Map(_, OpenMap { key: Some((_, key)), .. })) = self.open.last() else {
            return span;
        };
        let rest = &self.text[key.end - self.base..];
        let colon = rest.find(':').map_or(0, |at| at + 1);
        key.end + colon..key.end + colon
    }

    /// The library places a block at its first content; we place it at its `|` or `>`.
    fn moved_to_indicator(&self, span: Range<usize>) -> Range<usize> {
        let before = &self.text[..span.start - self.base];
        let indicator = before.rfind(['|', '>']).map(|at| self.base + at);
        indicator.unwrap_or(span.start)..span.end
    }

    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open::Map(_, map)) if map.key.is_none())
    }

    fn key(
        &mut self,
        text: Cow<'t, str>,
        is_plain: bool,
        span: Range<usize>,
    ) -> Result<(), YamlError> {
        if is_plain && text == "<<" {
            return Err(error(
                codes::YAML_MERGE_KEY,
                span,
                "a merge key (`<<`) is not allowed in frontmatter",
                "write the fields out",
            ));
        }
        let Some(Open::Map(_, map)) = self.open.last_mut() else {
            return Ok(());
        };
        if !map.keys.insert(text.clone()) {
            return Err(error(
                codes::YAML_DUPLICATE_KEY,
                span,
                format!("the key `{}` stands twice", shown(&text)),
                "keep one of the two",
            ));
        }
        map.key = Some((text, span));
        Ok(())
    }

    fn open(&mut self, collection: Open<'t>, span: Range<usize>) -> Result<(), YamlError> {
        self.count(&span)?;
        if self.wants_key() {
            return Err(error(
                codes::YAML_COMPLEX_KEY,
                span,
                "a list or a mapping is not allowed as a key",
                "use a text as the key; quote it if it begins with `[` or `{`",
            ));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(too_deep(span));
        }
        self.open.push(collection);
        Ok(())
    }

    fn close(&mut self, end: usize) -> Result<(), YamlError> {
        let (start, value) = match self.open.pop() {
            Some(Open::List(start, items)) => (start, NodeValue::List(items)),
            Some(Open::Map(start, map)) => (start, NodeValue::Map(map.pairs)),
            None => return Ok(()),
        };
        let span = start..end.max(start);
        self.place(Node { value, span });
        Ok(())
    }

    fn place(&mut self, node: Node<'t>) {
        match self.open.last_mut() {
            Some(Open::List(_, items)) => items.push(node),
            Some(Open::Map(_, map)) => {
                if let Some((key, key_span)) = map.key.take() {
                    map.pairs.push(Pair { key, key_span, value: node });
                }
            }
            None => self.root = Some(node),
        }
    }

    fn count(&mut self, span: &Range<usize>) -> Result<(), YamlError> {
        self.nodes += 1;
        if self.nodes <= MAX_NODES {
            return Ok(());
        }
        Err(error(
            codes::YAML_TOO_MANY_NODES,
            span.clone(),
            format!("the frontmatter holds more than {MAX_NODES} keys and values"),
            "move the data to a file of the package and name it in the body",
        ))
    }

    fn range(&self, span: Span) -> Range<usize> {
        let start = self.offset(&span.start);
        let end = self.offset(&span.end).max(start);
        start..end
    }

    /// The byte of the file, moved down to the start of a character.
    fn offset(&self, marker: &Marker) -> usize {
        let offset = marker.byte_offset().unwrap_or(0);
        self.base + self.text.floor_char_boundary(offset.min(self.text.len()))
    }

    fn scan_error(&self, scan: &ScanError) -> YamlError {
        let start = self.offset(scan.marker());
        let length = self.text[start - self.base..].chars().next().map_or(0, char::len_utf8);
        let span = start..start + length;
        match scan.kind() {
            ErrorKind::UnknownAnchor => alias_error(span),
            ErrorKind::RecursionLimitExceeded => too_deep(span),
            kind => error(
                codes::YAML_INVALID,
                span,
                format!("the frontmatter is not valid YAML: {}", scan.info()),
                help_for(kind),
            ),
        }
    }
}

/// What to do about a broken rule of the grammar: nearly always, to quote.
fn help_for(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar => "indent with spaces",
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            "close the quotes"
        }
        ErrorKind::UnclosedFlowCollection { .. } => {
            "close the bracket, or quote the value if the bracket is part of its text"
        }
        ErrorKind::InvalidIndentation | ErrorKind::ExpectedBlockMappingKey => {
            "write one `key: value` on a line, with the same indentation for each key of a mapping"
        }
        _ => "quote the value, or write it as a block with `|` and indented lines",
    }
}

fn alias_error(span: Range<usize>) -> YamlError {
    error(
        codes::YAML_ALIAS,
        span,
        "an alias (`*`) is not allowed in frontmatter",
        "quote the value if it begins with `*`, else write the value out",
    )
}

fn too_deep(span: Range<usize>) -> YamlError {
    error(
        codes::YAML_TOO_DEEP,
        span,
        format!("collections lie more than {MAX_DEPTH} levels deep in each other"),
        "flatten the data, or move it to a file of the package",
    )
}

fn error(
    code: Code,
    span: Range<usize>,
    message: impl Into<String>,
    help: &'static str,
) -> YamlError {
    YamlError { code, span, message: message.into(), help }
}
