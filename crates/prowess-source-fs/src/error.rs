//! The errors of names in a policy.

use std::fmt;

/// The error of a text that is not the name of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientNameError(pub(crate) Box<str>);

impl fmt::Display for ClientNameError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.0;
        write!(
            formatter,
            "{name:?} is not the name of a client; write letters, digits, `-` and `_`, such as `claude`"
        )
    }
}

impl std::error::Error for ClientNameError {}

/// The error of a text that is neither the name of a client nor a directory of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FurtherPlaceError(pub(crate) Box<str>);

impl fmt::Display for FurtherPlaceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = &self.0;
        write!(
            formatter,
            "{written:?} is neither the name of a client, such as `acme`, nor a directory inside \
             the project, such as `./skills` or `plugins/*/skills`"
        )
    }
}

impl std::error::Error for FurtherPlaceError {}
