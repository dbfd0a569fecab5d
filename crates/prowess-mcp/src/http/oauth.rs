//! Access with tokens that an authorization server issues: the resource server of OAuth 2.1.

mod keys;
mod server_url;
mod signature;
mod token;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use prowess::Clock;
use serde_json::{Value, json};

use crate::ServeError;

use keys::Keys;
use server_url::ServerUrl;
use token::{Expected, Fault};

/// Returns the document at a URL, of limited size. It is called on a thread that may block. The
/// error is a sentence, which clients do not see.
pub type FetchDocument = Arc<dyn Fn(&str) -> Result<Vec<u8>, String> + Send + Sync>;

/// The authorization server whose tokens are accepted, and what they have to contain.
///
/// Tokens are those of RFC 9068: signed JSON Web Tokens, which are checked with the keys that the
/// authorization server publishes. The keys are fetched when they are first needed, again after ten
/// minutes, and again for a key that is unknown, at most every ten seconds. While they cannot be
/// fetched, known keys count for an hour.
#[derive(Clone)]
pub struct OAuthOptions {
    /// The issuer of tokens, such as `https://auth.example`: the claim `iss`, and where the
    /// metadata of the server is. Only a loopback address may have the scheme `http`.
    pub issuer: String,
    /// The URL of this server as its clients know it, such as `https://skills.example/mcp`: the
    /// claim `aud` of its tokens. By default `/mcp` at the server's address, which must then be a
    /// loopback address. Its host is accepted as the header `Host`, and its origin as `Origin`.
    pub resource: Option<String>,
    /// The scopes that every token needs. By default none.
    pub scopes: Vec<String>,
    /// How documents of the authorization server are fetched.
    pub fetch: FetchDocument,
}

impl OAuthOptions {
    /// Returns the options for tokens of this issuer.
    pub fn new(issuer: impl Into<String>, fetch: FetchDocument) -> Self {
        Self { issuer: issuer.into(), resource: None, scopes: Vec::new(), fetch }
    }

    /// Fetches the keys once, to report what prevents it before a client finds out.
    ///
    /// # Errors
    ///
    /// The authorization server cannot be reached, or its documents are not those of the issuer.
    pub fn probe(&self) -> Result<(), ServeError> {
        let issuer = ServerUrl::parse(&self.issuer).map_err(ServeError::OAuth)?;
        drop(keys::fetch(&issuer, &self.fetch).map_err(ServeError::OAuth)?);
        Ok(())
    }

    /// Returns an error if the options cannot be used at this address.
    pub(super) fn check(&self, address: SocketAddr) -> Result<(), ServeError> {
        ServerUrl::parse(&self.issuer).map_err(ServeError::OAuth)?;
        match &self.resource {
            Some(resource) => drop(ServerUrl::parse(resource).map_err(ServeError::OAuth)?),
            None if address.ip().is_loopback() => {}
            None => {
                let message = "name the URL by which clients reach the server, as the resource";
                return Err(ServeError::OAuth(message.to_owned()));
            }
        }
        match self.scopes.iter().find(|scope| !is_scope(scope)) {
            Some(scope) => Err(ServeError::OAuth(format!("`{scope}` is not a scope"))),
            None => Ok(()),
        }
    }
}

/// Shows what is public.
impl fmt::Debug for OAuthOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OAuthOptions")
            .field("issuer", &self.issuer)
            .field("resource", &self.resource)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// A scope as RFC 6749 defines it.
fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, 0x21 | 0x23..=0x5B | 0x5D..=0x7E))
}

/// The path of the metadata of a resource without a path.
const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// Why a request has no access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denied {
    /// The token is not valid here.
    InvalidToken,
    /// The token lacks a scope.
    InsufficientScope,
    /// The keys of the authorization server are unknown.
    Unavailable,
}

/// A resource that accepts tokens.
pub(super) struct ProtectedResource {
    keys: Arc<Keys>,
    clock: Arc<dyn Clock>,
    expected: Expected,
    resource: ServerUrl,
}

impl ProtectedResource {
    /// Creates the resource of a server with this URL, unless the options name another.
    pub(super) fn new(
        options: OAuthOptions,
        own_url: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ServeError> {
        let resource = options.resource.as_deref().unwrap_or(own_url);
        let resource = ServerUrl::parse(resource).map_err(ServeError::OAuth)?;
        let issuer = ServerUrl::parse(&options.issuer).map_err(ServeError::OAuth)?;
        let expected = Expected {
            issuer: options.issuer,
            audience: resource.as_str().to_owned(),
            scopes: options.scopes,
        };
        let keys = Arc::new(Keys::new(issuer, options.fetch, Arc::clone(&clock)));
        Ok(Self { keys, clock, expected, resource })
    }

    /// Returns the host of the resource, with its port if it has one, and its origin.
    pub(super) fn names(&self) -> (&str, String) {
        (self.resource.authority(), self.resource.origin())
    }

    /// Checks a token, and returns the name of its user.
    pub(super) async fn user(&self, token: &str) -> Result<Arc<str>, Denied> {
        let keys = self.keys.current().await.ok_or(Denied::Unavailable)?;
        let now = self.clock.now();
        let checked = match token::check(token, &keys, &self.expected, now) {
            Err(Fault::UnknownKey) => {
                let keys = self.keys.newer().await.ok_or(Denied::Unavailable)?;
                token::check(token, &keys, &self.expected, now)
            }
            checked => checked,
        };
        checked.map_err(|fault| match fault {
            Fault::Scope => Denied::InsufficientScope,
            Fault::UnknownKey | Fault::Invalid => Denied::InvalidToken,
        })
    }

    pub(super) fn is_metadata(&self, path: &str) -> bool {
        let rest = path.strip_prefix(METADATA_PATH);
        rest.is_some_and(|rest| rest.is_empty() || rest == self.resource.path())
    }

    /// Returns the metadata of RFC 9728.
    pub(super) fn metadata(&self) -> Value {
        let mut metadata = json!({
            "resource": self.resource.as_str(),
            "authorization_servers": [self.expected.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "prowess",
        });
        if !self.expected.scopes.is_empty() {
            metadata["scopes_supported"] = json!(self.expected.scopes);
        }
        metadata
    }

    /// Returns the header `WWW-Authenticate` of an answer without access, which says where the
    /// metadata is. `None` stands for a request without a token.
    pub(super) fn challenge(&self, denied: Option<Denied>) -> String {
        let origin = self.resource.origin();
        let path = self.resource.path();
        let mut challenge = String::from("Bearer ");
        match denied {
            Some(Denied::InvalidToken) => challenge.push_str("error=\"invalid_token\", "),
            Some(Denied::InsufficientScope) => challenge.push_str("error=\"insufficient_scope\", "),
            Some(Denied::Unavailable) | None => {}
        }
        if !self.expected.scopes.is_empty() {
            challenge.push_str(&format!("scope=\"{}\", ", self.expected.scopes.join(" ")));
        }
        challenge.push_str(&format!("resource_metadata=\"{origin}{METADATA_PATH}{path}\""));
        challenge
    }
}
