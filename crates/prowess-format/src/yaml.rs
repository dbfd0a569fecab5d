//! The only user of the YAML library: turns the text between the fences into a tree with spans.
//!
//! Scalars stay what the author typed (the failsafe schema), so `1.10`, `no` and `null` are texts.
//! Dangerous and ambiguous features of YAML are refused: anchors, aliases, tags, merge keys,
//! duplicate keys, a second document. The parser reads events and keeps no stack of its own, and
//! the tree is no deeper than [`MAX_DEPTH`], so neither can overflow.

mod builder;
mod error;

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{Options, Parser, StrInput, options};

use crate::work;

use builder::Builder;

pub(crate) use error::YamlError;

/// The maximum depth of nested collections.
pub(crate) const MAX_DEPTH: usize = 16;

/// The maximum number of keys and values.
pub(crate) const MAX_NODES: usize = 10_000;

/// A value with its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct Node<'t> {
    pub(crate) value: NodeValue<'t>,
    pub(crate) span: Range<usize>,
}

/// The kinds of values.
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

/// A key that is there again in its mapping.
#[derive(Debug)]
pub(crate) struct Repeated {
    pub(crate) key: String,
    pub(crate) span: Range<usize>,
    pub(crate) is_top_level: bool,
    /// Whether each of its values is written alike.
    pub(crate) is_alike: bool,
}

/// Reads `text`, which begins at byte `base` of its file. `None` is a text without a value.
pub(crate) fn parse(text: &str, base: usize) -> Result<Option<Node<'_>>, YamlError> {
    Ok(build(text, Builder::new(text, base))?.root)
}

/// A tree that has the last value of each key.
pub(crate) struct LastRead<'t> {
    /// `None` is a text without a value.
    pub(crate) root: Option<Node<'t>>,
    /// The keys whose earlier values are not in it.
    pub(crate) repeated: Vec<Repeated>,
    /// The places of the earlier values with their keys.
    pub(crate) earlier: Vec<Range<usize>>,
}

/// Reads `text`, and keeps the last value of a key that is there again.
pub(crate) fn parse_last(text: &str) -> Result<LastRead<'_>, YamlError> {
    build(text, Builder::new(text, 0).keeping_last())
}

fn build<'t>(text: &'t str, mut builder: Builder<'t>) -> Result<LastRead<'t>, YamlError> {
    for event in Parser::with_options(input(text), limits()) {
        work::count(1);
        let (event, span) = event.map_err(|error| builder.scan_error(&error))?;
        builder.take(event, span)?;
    }
    Ok(builder.finish())
}

#[cfg(not(test))]
fn input(text: &str) -> StrInput<'_> {
    StrInput::new(text)
}

#[cfg(test)]
fn input(text: &str) -> work::Counted<'_> {
    work::Counted(StrInput::new(text))
}

/// The library's own bounds, one past ours, so that ours speak first where they can.
fn limits() -> Options {
    options! {
        disallow_directives: true,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    }
}

/// A block without the blanks and the line ends behind its last line: where it ends for a reader.
pub(crate) fn trimmed_end(block: &str) -> &str {
    block.trim_end_matches([' ', '\t', '\r', '\n'])
}
