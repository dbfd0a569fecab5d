//! Builds the tree from the library's events, and refuses what frontmatter must not hold.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Marker, ScalarStyle, ScanError, Span};

use crate::codes;
use crate::for_message;
use crate::work;

use super::error::{
    YamlError, alias_error, control_error, error, help_for, indicator_error, too_deep,
};
use super::{LastRead, MAX_DEPTH, MAX_NODES, Node, NodeValue, Pair, Repeated, trimmed_end};

/// A collection whose end has not come yet.
enum Open<'t> {
    List(usize, Vec<Node<'t>>),
    Map(usize, OpenMap<'t>),
}

#[derive(Default)]
struct OpenMap<'t> {
    pairs: Vec<Pair<'t>>,
    keys: HashSet<Cow<'t, str>>,
    has_repeated: bool,
    /// A key whose value has not come yet.
    key: Option<(Cow<'t, str>, Range<usize>)>,
}

/// The tree so far.
pub(super) struct Builder<'t> {
    text: &'t str,
    base: usize,
    nodes: usize,
    has_document: bool,
    open: Vec<Open<'t>>,
    root: Option<Node<'t>>,
    /// The keys that are there again, where they are no error.
    repeated: Option<Vec<Repeated>>,
    /// The places of the pairs that are left out.
    earlier: Vec<Range<usize>>,
}

impl<'t> Builder<'t> {
    /// A tree of a text that begins at byte `base` of its file.
    pub(super) fn new(text: &'t str, base: usize) -> Self {
        Self {
            text,
            base,
            nodes: 0,
            has_document: false,
            open: Vec::new(),
            root: None,
            repeated: None,
            earlier: Vec::new(),
        }
    }

    /// Keeps the last value of a key that is there again.
    pub(super) fn keeping_last(self) -> Self {
        Self { repeated: Some(Vec::new()), ..self }
    }

    /// The finished tree.
    pub(super) fn finish(self) -> LastRead<'t> {
        let repeated = self.repeated.unwrap_or_default();
        LastRead { root: self.root, repeated, earlier: self.earlier }
    }

    pub(super) fn take(&mut self, event: Event<'t>, span: Span) -> Result<(), YamlError> {
        self.refuse_properties(&event, span)?;
        let span = self.range(span);
        match event {
            Event::DocumentStart(is_explicit, _) => self.document(is_explicit, span),
            Event::Scalar(text, style, ..) => self.scalar(text, style, span),
            Event::SequenceStart(..) => self.open(Open::List(span.start, Vec::new()), span),
            Event::MappingStart(..) => self.open(Open::Map(span.start, OpenMap::default()), span),
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
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
                "quote the value if it starts with `&`, else write the value out where it is used",
            ));
        }
        if event.tag().is_some() {
            let tag = span.tag_span().unwrap_or(span);
            return Err(error(
                codes::YAML_TAG,
                self.range(tag),
                "a tag (`!`) is not allowed in frontmatter",
                "quote the value if it starts with `!`, else leave the tag out",
            ));
        }
        Ok(())
    }

    /// The library places an anchored value, not its anchor: the anchor stands shortly before it.
    fn anchor_before(&self, value: usize) -> Range<usize> {
        let before = &self.text[..value - self.base];
        let anchor = before.rfind('&').map_or(value, |at| self.base + at);
        work::count(value - anchor);
        anchor..value
    }

    fn document(&mut self, is_explicit: bool, span: Range<usize>) -> Result<(), YamlError> {
        if is_explicit || self.has_document {
            return Err(error(
                codes::YAML_MULTIPLE_DOCUMENTS,
                span,
                "the frontmatter has more than one YAML document",
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
        let Some(key) = self.key_end() else { return span };
        let rest = &self.text[key - self.base..];
        let colon = rest.find(':').map_or(0, |at| at + 1);
        work::count(colon);
        key + colon..key + colon
    }

    /// Returns the end of the key whose value comes next.
    fn key_end(&self) -> Option<usize> {
        match self.open.last() {
            Some(Open::Map(_, OpenMap { key: Some((_, key)), .. })) => Some(key.end),
            _ => None,
        }
    }

    /// The library places a block from its first content to the next token; we place it from its
    /// `|` or `>` to the end of its last line that is not blank.
    fn moved_to_indicator(&self, span: Range<usize>) -> Range<usize> {
        let after = self.key_end().unwrap_or(self.base).min(span.start);
        let before = &self.text[after - self.base..span.start - self.base];
        let start = before.rfind(['|', '>']).map_or(span.start, |at| after + at);
        work::count(span.end - start);
        start..start + trimmed_end(&self.text[start - self.base..span.end - self.base]).len()
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
        let is_top_level = self.open.len() == 1;
        let Some(Open::Map(_, map)) = self.open.last_mut() else {
            return Ok(());
        };
        let is_new = map.keys.insert(text.clone());
        if let (false, Some(repeated)) = (is_new, &mut self.repeated) {
            map.has_repeated = true;
            let (key, span) = (text.to_string(), span.clone());
            repeated.push(Repeated { key, span, is_top_level, is_alike: false });
        } else if !is_new {
            let message = format!("duplicate key `{}`", for_message(&text));
            let found = error(codes::YAML_DUPLICATE_KEY, span, message, "keep one of the two");
            let first = map.pairs.iter().find(|pair| pair.key == text);
            return Err(YamlError { first: first.map(|pair| pair.key_span.clone()), ..found });
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
                "use a text as the key; quote it if it starts with `[` or `{`",
            ));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(too_deep(span));
        }
        self.open.push(collection);
        Ok(())
    }

    /// Ends a collection: one in brackets where its bracket does, another with its last entry. For
    /// that the parser names the next thing after it, past comments and whatever else is not the
    /// collection's.
    fn close(&mut self, bracket: Range<usize>) -> Result<(), YamlError> {
        let (start, value, last) = match self.open.pop() {
            Some(Open::List(start, items)) => {
                let last = items.last().map(|item| item.span.end);
                (start, NodeValue::List(items), last)
            }
            Some(Open::Map(start, mut map)) => {
                if map.has_repeated {
                    let top_level = self.repeated.iter_mut().flatten().filter(|it| it.is_top_level);
                    top_level.for_each(|it| it.is_alike = is_alike(self.text, &it.key, &map.pairs));
                    let earlier = keep_last(&mut map.pairs);
                    self.earlier.extend(earlier);
                }
                let last = map.pairs.last().map(|pair| pair.value.span.end);
                (start, NodeValue::Map(map.pairs), last)
            }
            None => return Ok(()),
        };
        let end = if bracket.is_empty() { last.unwrap_or(start) } else { bracket.end };
        self.place(Node { value, span: start..end.max(start) });
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
            format!("the frontmatter has more than {MAX_NODES} keys and values"),
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

    /// Returns an error about the character that the library means if it stops at this byte: one
    /// that YAML refuses anywhere, which it reports at the start of its value, or one that YAML
    /// refuses at the start of a value.
    fn character_error(&self, start: usize) -> Option<YamlError> {
        let rest = &self.text[start - self.base..];
        let line = rest.lines().next().unwrap_or_default();
        work::count(line.len());
        if let Some(at) = line.find(is_refused) {
            let character = line[at..].chars().next()?;
            let span = start + at..start + at + character.len_utf8();
            return Some(control_error(span, character));
        }
        let before = self.text[..start - self.base].trim_end_matches(' ');
        let first = line.chars().next().filter(|first| matches!(first, ',' | '@' | '`' | '%'))?;
        let is_value = before.ends_with(':') && start - self.base > before.len();
        is_value.then(|| indicator_error(start..start + first.len_utf8(), first))
    }

    pub(super) fn scan_error(&self, scan: &ScanError) -> YamlError {
        let start = self.offset(scan.marker());
        if let Some(error) = self.character_error(start) {
            return error;
        }
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

/// Returns whether each of these pairs with a key has the same value in a text.
fn is_alike(text: &str, key: &str, pairs: &[Pair<'_>]) -> bool {
    let values = pairs.iter().filter(|pair| pair.key == key);
    let mut written = values.map(|pair| text.get(pair.value.span.clone()));
    let first = written.next();
    written.all(|value| Some(value) == first)
}

/// Leaves one pair of each key, the last with a value, and returns the places of the others.
fn keep_last(pairs: &mut Vec<Pair<'_>>) -> Vec<Range<usize>> {
    let mut last = HashMap::new();
    for (at, pair) in pairs.iter().enumerate() {
        // An empty value takes nothing from the one before.
        if !pair.value.span.is_empty() || !last.contains_key(&*pair.key) {
            last.insert(pair.key.to_string(), at);
        }
    }
    let mut at = 0..;
    let is_earlier = |pair: &mut Pair<'_>| at.next() != last.get(&*pair.key).copied();
    let earlier = pairs.extract_if(.., is_earlier);
    earlier.map(|pair| pair.key_span.start..pair.value.span.end).collect()
}

/// Returns whether YAML refuses a character anywhere: a control character other than a tab, a line
/// end or U+0085.
fn is_refused(character: char) -> bool {
    let is_break = matches!(character, '\t' | '\r' | '\u{85}');
    (character.is_control() && !is_break) || matches!(character, '\u{fffe}' | '\u{ffff}')
}
