//! The credentials of requests.

use std::net::IpAddr;
use std::sync::Arc;

use hyper::header::AUTHORIZATION;
use hyper::{HeaderMap, StatusCode};

use super::check::{Checks, Refused, only};
use super::oauth::{Denied, ProtectedResource};
use super::options::{HttpOptions, HttpToken};
use crate::ServeError;
use crate::conversations::USER;

/// The sender of a request, as far as the server knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    /// Anyone at this address.
    Address(IpAddr),
    /// The user of a token of an authorization server.
    User(Arc<str>),
}

impl Caller {
    /// Returns a name that no other caller has.
    pub(super) fn name(&self) -> Arc<str> {
        match self {
            Self::Address(address) => format!("address {address}").into(),
            Self::User(user) => format!("{USER}{user}").into(),
        }
    }
}

/// Checks the credentials of callers.
pub(super) struct Access {
    token: Option<HttpToken>,
    resource: Option<ProtectedResource>,
}

/// A refusal, and the value of the header `WWW-Authenticate` that names the next step.
pub(super) struct Rejected {
    pub(super) refused: Refused,
    pub(super) challenge: Option<String>,
}

impl Access {
    /// Returns the access to a server with this URL.
    pub(super) fn new(options: &HttpOptions, own_url: &str) -> Result<Self, ServeError> {
        let resource = options
            .oauth
            .clone()
            .map(|oauth| ProtectedResource::new(oauth, own_url, Arc::clone(&options.clock)));
        Ok(Self { token: options.token.clone(), resource: resource.transpose()? })
    }

    /// Lets clients reach the server by the URL of its resource.
    pub(super) fn accept_names(&self, checks: Checks) -> Checks {
        if let Some(resource) = &self.resource {
            let (host, origin) = resource.names();
            return checks.accepting(host, &origin);
        }
        checks
    }

    /// Returns the document at a path that leads clients to the authorization server.
    pub(super) fn metadata(&self, path: &str) -> Option<serde_json::Value> {
        let resource = self.resource.as_ref().filter(|it| it.is_metadata(path))?;
        Some(resource.metadata())
    }

    /// Returns the caller of a request. Either kind of token is enough.
    pub(super) async fn check(
        &self,
        address: IpAddr,
        headers: &HeaderMap,
    ) -> Result<Caller, Rejected> {
        if self.token.is_none() && self.resource.is_none() {
            return Ok(Caller::Address(address));
        }
        let sent = only(headers, &AUTHORIZATION).and_then(|value| {
            let (scheme, sent) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(sent.trim())
        });
        if let (Some(token), Some(sent)) = (&self.token, sent)
            && token.is(sent.as_bytes())
        {
            return Ok(Caller::Address(address));
        }
        self.check_user(sent).await
    }

    async fn check_user(&self, sent: Option<&str>) -> Result<Caller, Rejected> {
        let Some(resource) = &self.resource else { return Err(WRONG_TOKEN.into()) };
        let denied = match sent {
            None => None,
            Some(token) => match resource.user(token).await {
                Ok(user) => return Ok(Caller::User(user)),
                Err(denied) => Some(denied),
            },
        };
        let refused = match denied {
            Some(Denied::Unavailable) => NO_KEYS,
            Some(Denied::InsufficientScope) => NO_SCOPE,
            Some(Denied::InvalidToken) | None => NO_ACCESS,
        };
        let challenge = (refused != NO_KEYS).then(|| resource.challenge(denied));
        Err(Rejected { refused, challenge })
    }
}

const WRONG_TOKEN: Refused = Refused {
    status: StatusCode::UNAUTHORIZED,
    reason: "token",
    message: "send the server's token as `Authorization: Bearer TOKEN`",
};
const NO_ACCESS: Refused = Refused {
    status: StatusCode::UNAUTHORIZED,
    reason: "token",
    message: "send a token of the authorization server that the header WWW-Authenticate leads to",
};
const NO_SCOPE: Refused = Refused {
    status: StatusCode::FORBIDDEN,
    reason: "scope",
    message: "the token lacks a scope that the header WWW-Authenticate names",
};
const NO_KEYS: Refused = Refused {
    status: StatusCode::SERVICE_UNAVAILABLE,
    reason: "keys",
    message: "tokens cannot be checked: the authorization server does not answer",
};

impl From<Refused> for Rejected {
    /// A refusal that leads to no authorization server.
    fn from(refused: Refused) -> Self {
        let is_token = refused.status == StatusCode::UNAUTHORIZED;
        Self { refused, challenge: is_token.then(|| "Bearer".to_owned()) }
    }
}
