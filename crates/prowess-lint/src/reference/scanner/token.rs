//! The tokens of YAML.

use super::Mark;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    StreamStart,
    StreamEnd,
    Directive,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowMappingStart,
    FlowSequenceEnd,
    FlowMappingEnd,
    Key,
    Value,
    BlockEntry,
    FlowEntry,
    Alias,
    Anchor,
    Tag,
    Scalar,
    Comment,
}

/// A token with its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
    /// A scalar's text, an alias's name, or `YAML` and the major version of a directive.
    pub(crate) text: String,
    /// Whether a scalar is plain.
    pub(crate) is_plain: bool,
}

impl Token {
    pub(super) fn new(kind: Kind, start: Mark, end: Mark) -> Self {
        Self { kind, start, end, text: String::new(), is_plain: false }
    }

    pub(super) fn is_comment(&self) -> bool {
        self.kind == Kind::Comment
    }

    /// The tool's name for the token in messages.
    pub(crate) fn id(&self) -> &'static str {
        match self.kind {
            Kind::StreamStart => "<stream start>",
            Kind::StreamEnd => "<stream end>",
            Kind::Directive => "<directive>",
            Kind::DocumentStart => "<document start>",
            Kind::DocumentEnd => "<document end>",
            Kind::BlockSequenceStart => "<block sequence start>",
            Kind::BlockMappingStart => "<block mapping start>",
            Kind::BlockEnd => "<block end>",
            Kind::FlowSequenceStart => "[",
            Kind::FlowMappingStart => "{",
            Kind::FlowSequenceEnd => "]",
            Kind::FlowMappingEnd => "}",
            Kind::Key => "?",
            Kind::Value => ":",
            Kind::BlockEntry => "-",
            Kind::FlowEntry => ",",
            Kind::Alias => "<alias>",
            Kind::Anchor => "<anchor>",
            Kind::Tag => "<tag>",
            Kind::Scalar => "<scalar>",
            Kind::Comment => "<comment>",
        }
    }
}
