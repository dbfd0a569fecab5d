//! The error of building a toolbox.

/// The maximum length of a tool's name that every vendor accepts, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 64;

/// The error of building a toolbox.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools would have one name for a model.
    #[error("the tools `{first}` and `{second}` would both be `{spelled}` for a model; rename one")]
    Collision {
        /// The canonical name of the first tool.
        first: String,
        /// The canonical name of the second.
        second: String,
        /// The common name.
        spelled: String,
    },
    /// The name is not valid for models.
    #[error(
        "a tool cannot be named `{0}`; use 1 to {MAX_NAME_BYTES} of ASCII letters, digits, `_`, `-` and `.`"
    )]
    IllegalName(String),
    /// The schema of the tool's arguments is not a JSON Schema.
    #[error("the JSON Schema of the tool `{tool}` is not one: {reason}")]
    BadSchema {
        /// The tool's canonical name.
        tool: String,
        /// The fault of the schema.
        reason: String,
    },
    /// The tool panicked while it returned its definition.
    #[error("a tool panicked when it was asked for its definition; leave its provider out")]
    Panicked,
}
