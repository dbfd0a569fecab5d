//! Words of sentences in a list of tools.

/// A word that is a part of a sentence and no name of a tool or program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prose {
    /// The words that follow are not granted: `Read, not Bash`.
    Negation,
    /// A part of what stands before it is granted: `Bash only for git`.
    Limit,
    /// A value of YAML, some of which are programs, too.
    Value,
    /// Any other word, such as `all`.
    Other,
}

impl Prose {
    /// Returns the kind of a word in any case; `None` if it may be a name.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let mut lower = [0; 10];
        let lower = lower.get_mut(..word.len())?;
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        match &*lower {
            b"but" | b"except" | b"excluding" | b"minus" | b"never" | b"no" | b"not"
            | b"unless" | b"without" => Some(Self::Negation),
            b"for" | b"if" | b"in" | b"limited" | b"on" | b"only" | b"to" | b"using" | b"when"
            | b"with" => Some(Self::Limit),
            b"false" | b"null" | b"true" | b"yes" => Some(Self::Value),
            b"all" | b"and" | b"any" | b"each" | b"every" | b"everything" | b"n/a" | b"none"
            | b"or" | b"the" | b"tool" | b"tools" | b"via" => Some(Self::Other),
            _ => None,
        }
    }
}
