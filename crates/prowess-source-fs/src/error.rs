//! The error of a client's name.

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
