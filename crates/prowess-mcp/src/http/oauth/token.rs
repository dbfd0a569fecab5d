//! The check of one token (RFC 7515, RFC 7519, RFC 9068), by the rules of RFC 8725.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use prowess::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::signature::PublicKey;

/// The number of seconds by which the clocks of two machines may differ.
const LEEWAY_SECONDS: f64 = 30.0;

/// The values that a token has to contain.
pub(super) struct Expected {
    pub(super) issuer: String,
    pub(super) audience: String,
    pub(super) scopes: Vec<String>,
}

/// Why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// No known key could have signed it.
    UnknownKey,
    /// Its form, its signature or a claim is wrong.
    Invalid,
    /// It lacks a scope.
    Scope,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    /// Extensions that a reader has to understand. There are none here.
    crit: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Texts,
    exp: f64,
    nbf: Option<f64>,
    scope: Option<Texts>,
    /// The name of `scope` at some servers.
    scp: Option<Texts>,
    /// A key that the sender has to have, which is not checked here.
    cnf: Option<IgnoredAny>,
}

/// One text or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    fn contain(&self, wanted: &str) -> bool {
        match self {
            Self::One(text) => text == wanted,
            Self::Many(texts) => texts.iter().any(|text| text == wanted),
        }
    }

    fn contain_word(&self, wanted: &str) -> bool {
        let has = |text: &String| text.split(' ').any(|word| word == wanted);
        match self {
            Self::One(text) => has(text),
            Self::Many(texts) => texts.iter().any(has),
        }
    }
}

/// Checks a token, and returns the name of its user.
pub(super) fn check(
    token: &str,
    keys: &[PublicKey],
    expected: &Expected,
    now: Timestamp,
) -> Result<Arc<str>, Fault> {
    let (signed, signature) = token.rsplit_once('.').ok_or(Fault::Invalid)?;
    let (header, claims) = signed.split_once('.').ok_or(Fault::Invalid)?;
    let header: Header = json(header)?;
    if header.crit.is_some() || !is_access_token(header.typ.as_deref()) {
        return Err(Fault::Invalid);
    }
    let signature = bytes(signature)?;
    let mut candidates = keys
        .iter()
        .filter(|key| header.kid.is_none() || key.id.is_none() || key.id == header.kid)
        .filter(|key| key.is_for(&header.alg))
        .peekable();
    if candidates.peek().is_none() {
        return Err(Fault::UnknownKey);
    }
    if !candidates.any(|key| key.has_signed(&header.alg, signed.as_bytes(), &signature)) {
        return Err(Fault::Invalid);
    }
    check_claims(json(claims)?, expected, now)
}

fn check_claims(claims: Claims, expected: &Expected, now: Timestamp) -> Result<Arc<str>, Fault> {
    let now = now.0 as f64 / 1000.0;
    let is_valid = claims.iss == expected.issuer
        && claims.aud.contain(&expected.audience)
        && claims.exp + LEEWAY_SECONDS > now
        && claims.nbf.is_none_or(|from| from - LEEWAY_SECONDS <= now)
        && claims.cnf.is_none()
        && !claims.sub.is_empty();
    if !is_valid {
        return Err(Fault::Invalid);
    }
    let scopes = [claims.scope, claims.scp];
    let has = |wanted: &String| scopes.iter().flatten().any(|scopes| scopes.contain_word(wanted));
    if !expected.scopes.iter().all(has) {
        return Err(Fault::Scope);
    }
    Ok(claims.sub.into())
}

/// Returns whether a type is that of access tokens, or the one of tokens without a type of their
/// own. Tokens for other purposes have another.
fn is_access_token(kind: Option<&str>) -> bool {
    let Some(kind) = kind else { return true };
    let kind = kind.to_ascii_lowercase();
    matches!(kind.strip_prefix("application/").unwrap_or(&kind), "at+jwt" | "jwt")
}

fn json<T: serde::de::DeserializeOwned>(part: &str) -> Result<T, Fault> {
    serde_json::from_slice(&bytes(part)?).map_err(|_| Fault::Invalid)
}

fn bytes(part: &str) -> Result<Vec<u8>, Fault> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| Fault::Invalid)
}
