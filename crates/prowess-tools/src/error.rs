//! The error of building a toolbox.

/// The longest name of a tool that every vendor takes, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 64;

/// Why a toolbox cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools would have one name for a model.
    #[error("the tools `{first}` and `{second}` would both be `{spelled}` for a model; rename one")]
    Collision {
        /// The first tool's name in the core's spelling.
        first: String,
        /// The second's.
        second: String,
        /// What both would be called.
        spelled: String,
    },
    /// The name is not one that a model can be given.
    #[error(
        "a tool cannot be named `{0}`; use 1 to {MAX_NAME_BYTES} of ASCII letters, digits, `_`, `-` and `.`"
    )]
    IllegalName(String),
    /// The arguments that the tool accepts are not described by a JSON Schema.
    #[error("the JSON Schema of the tool `{tool}` is not one: {reason}")]
    BadSchema {
        /// The tool's name in the core's spelling.
        tool: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The tool panicked when it was asked what it is.
    #[error("a tool panicked when it was asked for its definition; leave its provider out")]
    Panicked,
}
