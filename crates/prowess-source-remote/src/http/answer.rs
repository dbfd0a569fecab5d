//! The answer of a program.

use ureq::http::HeaderMap;

/// An answer, whatever its status, as far as it was received.
#[derive(Clone, Debug)]
pub struct HttpAnswer {
    /// The status, such as 200.
    pub status: u16,
    pub(crate) headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpAnswer {
    /// Returns a header that is text, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}
