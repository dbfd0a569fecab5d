//! The session of the browser that opened the printed URL first.

use std::fmt::Write as _;
use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use hyper::HeaderMap;
use hyper::header::COOKIE;
use prowess_core::Digest;

/// The number of random bytes of a token.
const TOKEN_BYTES: usize = 32;

/// The token of the printed URL, and the session that it has become.
pub(crate) struct Door {
    /// `None` once it was used.
    entrance: Mutex<Option<Digest>>,
    session: OnceLock<Session>,
    cookie: String,
    /// The directory of all pages. Browsers send a cookie to each port of its host, but to this
    /// path alone, which no other server knows.
    directory: String,
}

struct Session {
    key: Digest,
    form: String,
}

impl Door {
    /// Returns a door, and the path that opens it once. Cookies do not depend on the port, so their
    /// name does.
    pub(crate) fn new(port: u16) -> io::Result<(Self, String)> {
        let (token, mut directory) = (token()?, token()?);
        directory.truncate(TOKEN_BYTES);
        directory.insert(0, '/');
        let entrance = Mutex::new(Some(Digest::of(token.as_bytes())));
        let cookie = format!("prowess-{port}");
        let path = format!("{directory}/enter?token={token}");
        Ok((Self { entrance, session: OnceLock::new(), cookie, directory }, path))
    }

    /// Returns a path below the directory of all pages.
    pub(crate) fn inside<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&*self.directory).filter(|path| path.starts_with('/'))
    }

    /// Opens a session for the token of the printed URL, and returns its cookie; `None` if it is
    /// another token, or was used. Digests are compared, so the time reveals nothing.
    pub(crate) fn enter(&self, sent: &str) -> Option<String> {
        let mut entrance = self.entrance.lock().unwrap_or_else(PoisonError::into_inner);
        if *entrance != Some(Digest::of(sent.as_bytes())) {
            return None;
        }
        let (key, form) = (token().ok()?, token().ok()?);
        *entrance = None;
        let Self { cookie, directory, .. } = self;
        let cookie = format!("{cookie}={key}; HttpOnly; SameSite=Strict; Path={directory}/");
        self.session.set(Session { key: Digest::of(key.as_bytes()), form }).ok()?;
        Some(cookie)
    }

    /// Returns the token of the forms of a request's session; `None` without a session.
    pub(crate) fn form_token(&self, headers: &HeaderMap) -> Option<&str> {
        let session = self.session.get()?;
        let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = values.flat_map(|value| value.split(';'));
        let is_known = pairs.any(|pair| {
            let key = pair.trim().strip_prefix(&*self.cookie).and_then(|it| it.strip_prefix('='));
            key.is_some_and(|key| Digest::of(key.as_bytes()) == session.key)
        });
        is_known.then_some(&*session.form)
    }
}

/// Returns a new secret.
fn token() -> io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
