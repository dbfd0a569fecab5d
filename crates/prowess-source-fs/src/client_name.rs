//! The name of a client.

use serde::{Deserialize, Serialize};

use crate::ClientNameError;

/// The name of a client, as in its directory: ASCII letters, digits, `-`, `_` and, except at the
/// start, `.`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClientName(Box<str>);

impl ClientName {
    /// Creates a client's name.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is empty, starts with a dot, or contains anything but ASCII
    /// letters, digits, `-`, `_` and `.`.
    pub fn new(name: &str) -> Result<Self, ClientNameError> {
        if !name.is_empty()
            && !name.starts_with('.')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        {
            Ok(Self(name.into()))
        } else {
            Err(ClientNameError(name.into()))
        }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `prowess`.
impl Default for ClientName {
    fn default() -> Self {
        Self("prowess".into())
    }
}

impl TryFrom<String> for ClientName {
    type Error = ClientNameError;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(&name)
    }
}

impl From<ClientName> for String {
    fn from(name: ClientName) -> Self {
        name.0.into()
    }
}
