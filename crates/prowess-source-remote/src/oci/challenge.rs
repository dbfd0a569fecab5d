//! The challenges of registries, and the tokens that answer them.

use std::collections::BTreeMap;

use prowess_core::{Cancel, RemoteError, RemoteErrorKind};
use serde::Deserialize;

use crate::http::client::{Call, Client};
use crate::oci::manifest::invalid;
use crate::url::Url;

/// The maximum size of the answer with a token, in bytes.
const MAX_TOKEN_BYTES: usize = 256 * 1024;

/// A challenge of the kind `Bearer`: where a token is, and what it has to permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    realm: String,
    service: Option<String>,
}

#[derive(Deserialize)]
struct Token {
    #[serde(alias = "access_token")]
    token: String,
}

impl Challenge {
    /// Reads the header `WWW-Authenticate`; `None` if it is of another kind.
    pub(crate) fn read(header: &str) -> Option<Self> {
        let (kind, rest) = header.split_once(' ')?;
        let mut parameters =
            if kind.eq_ignore_ascii_case("bearer") { parameters(rest) } else { None }?;
        let realm = parameters.remove("realm")?;
        Some(Self { realm, service: parameters.remove("service") })
    }

    /// Requests a token for a scope such as `repository:pdf:pull`.
    ///
    /// The user's credentials for the server of the token are sent to it, and never those for
    /// the registry: a registry must not lead them to another server.
    pub(crate) fn token(
        &self,
        client: &Client,
        registry: &Url,
        scope: &str,
        cancel: &Cancel,
    ) -> Result<String, RemoteError> {
        let realm = registry.join(&self.realm, &client.options)?;
        let separator = if realm.as_str().contains('?') { '&' } else { '?' };
        let service = self.service.as_ref().map(|it| format!("service={}&", encoded(it)));
        let service = service.unwrap_or_default();
        let url = format!("{}{separator}{service}scope={}", realm.as_str(), encoded(scope));
        let url = Url::new(&url, &client.options)?;
        let answer = client.send(&Call::get(&url, &[]), MAX_TOKEN_BYTES, cancel)?;
        let content = answer.content(&url)?;
        let token: Token = serde_json::from_slice(&content)
            .map_err(|_| invalid("the registry answers with no token"))?;
        let is_header = token.token.bytes().all(|byte| matches!(byte, 0x21..=0x7e));
        if is_header && !token.token.is_empty() {
            Ok(format!("Bearer {}", token.token))
        } else {
            let message = "the token of the registry cannot be sent";
            Err(RemoteError::new(RemoteErrorKind::Invalid, message))
        }
    }
}

/// Reads `key="value",key="value"`.
fn parameters(mut text: &str) -> Option<BTreeMap<String, String>> {
    let mut parameters = BTreeMap::new();
    loop {
        let (key, rest) = text.trim_start_matches([',', ' ']).split_once('=')?;
        let (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => rest.split_once(',').unwrap_or((rest, "")),
        };
        parameters.insert(key.trim().to_ascii_lowercase(), value.to_owned());
        if rest.trim_matches([',', ' ']).is_empty() {
            return Some(parameters);
        }
        text = rest;
    }
}

/// Encodes a value of a query.
fn encoded(value: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' | b'/' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    value.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::{Challenge, encoded};

    #[test]
    fn challenges_are_read() {
        let challenge = |realm: &str, service: Option<&str>| {
            let (realm, service) = (realm.to_owned(), service.map(str::to_owned));
            Some(Challenge { realm, service })
        };
        let realm = "https://example.com/token";
        for (header, expected) in [
            (
                r#"Bearer realm="https://example.com/token",service="a b",scope="repository:a,b:pull""#,
                challenge(realm, Some("a b")),
            ),
            (r#"bearer service=a, realm="https://example.com/token""#, challenge(realm, Some("a"))),
            (r#"Bearer realm="https://example.com/token""#, challenge(realm, None)),
            (r#"Basic realm="https://example.com/token""#, None),
            (r#"Bearer service="a""#, None),
            (r#"Bearer realm="https://example.com/token"#, None),
            ("Bearer", None),
            ("", None),
        ] {
            assert_eq!(Challenge::read(header), expected, "{header}");
        }
        assert_eq!(encoded("a b&c=d\u{fc}"), "a%20b%26c%3Dd%C3%BC");
    }
}
