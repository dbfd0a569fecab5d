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
    /// The schema of the tool's arguments cannot be used.
    #[error("the schema of the tool `{tool}` {reason}")]
    BadSchema {
        /// The tool's canonical name.
        tool: String,
        /// The reason.
        reason: SchemaError,
    },
    /// The tool panicked while it returned its definition.
    #[error("a tool panicked when it was asked for its definition; leave its provider out")]
    Panicked,
}

/// The reason why a schema cannot be used, as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It is not a JSON Schema, or refers to one elsewhere: nothing is fetched.
    #[error("is not a JSON Schema: {0}")]
    Invalid(String),
    /// It has a part that is not common, such as a keyword, which is named.
    #[error("needs the feature `json-schema`, which this build lacks, for {0}")]
    MissingFeature(String),
}
