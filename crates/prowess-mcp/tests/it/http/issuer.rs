//! An authorization server in memory, and the tokens that it and others sign.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use prowess_mcp::{HttpOptions, OAuthOptions};
use prowess_testkit::ManualClock;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
};
use serde_json::{Value, json};

use super::Server;

pub(super) const ISSUER: &str = "https://auth.example/tenant";
pub(super) const RESOURCE: &str = "https://skills.example/mcp";

/// The time that the clock of the tests shows at the start, in seconds.
pub(super) const NOW: u64 = 1_767_225_600;

/// A key that signs tokens.
pub(super) struct Key {
    pub(super) id: &'static str,
    pair: Pair,
}

enum Pair {
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Key {
    pub(super) fn p256(id: &'static str) -> Arc<Self> {
        let random = SystemRandom::new();
        let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap();
        Arc::new(Self { id, pair: Pair::P256(pair) })
    }

    pub(super) fn ed25519(id: &'static str) -> Arc<Self> {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
        Arc::new(Self { id, pair: Pair::Ed25519(pair) })
    }

    pub(super) fn algorithm(&self) -> &'static str {
        match self.pair {
            Pair::P256(_) => "ES256",
            Pair::Ed25519(_) => "EdDSA",
        }
    }

    pub(super) fn public(&self) -> Value {
        match &self.pair {
            Pair::P256(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (encoded(&point[1..33]), encoded(&point[33..]));
                json!({ "kty": "EC", "crv": "P-256", "kid": self.id, "x": x, "y": y })
            }
            Pair::Ed25519(pair) => {
                let x = encoded(pair.public_key().as_ref());
                json!({ "kty": "OKP", "crv": "Ed25519", "kid": self.id, "use": "sig", "x": x })
            }
        }
    }

    fn sign(&self, text: &[u8]) -> Vec<u8> {
        match &self.pair {
            Pair::P256(pair) => pair.sign(&SystemRandom::new(), text).unwrap().as_ref().to_vec(),
            Pair::Ed25519(pair) => pair.sign(text).as_ref().to_vec(),
        }
    }

    /// Returns a token with this header and these claims, which are signed whatever they are.
    pub(super) fn token_of(&self, header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", encoded(header.as_bytes()), encoded(claims.as_bytes()));
        format!("{signed}.{}", encoded(&self.sign(signed.as_bytes())))
    }

    pub(super) fn header(&self) -> Value {
        json!({ "alg": self.algorithm(), "kid": self.id, "typ": "at+jwt" })
    }

    /// Returns a token that is valid but for these claims.
    pub(super) fn token(&self, changes: &Value) -> String {
        let mut claims = claims();
        for (name, value) in changes.as_object().cloned().unwrap_or_default() {
            claims[&name] = value;
        }
        self.token_of(&self.header().to_string(), &claims.to_string())
    }
}

pub(super) fn claims() -> Value {
    json!({
        "iss": ISSUER,
        "sub": "ada",
        "aud": [RESOURCE, "https://other.example"],
        "exp": NOW + 4 * 3600,
        "nbf": NOW - 10,
        "scope": "openid skills:use",
    })
}

pub(super) fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The documents of an authorization server, and the requests for them.
#[derive(Default)]
pub(super) struct Issuer {
    pub(super) keys: Mutex<Vec<Arc<Key>>>,
    pub(super) fetched: Mutex<Vec<String>>,
    pub(super) is_down: Mutex<bool>,
    pub(super) clock: Arc<ManualClock>,
}

impl Issuer {
    pub(super) fn with(keys: &[Arc<Key>]) -> Arc<Self> {
        Arc::new(Self { keys: Mutex::new(keys.to_vec()), ..Self::default() })
    }

    pub(super) fn serve(self: &Arc<Self>) -> Server {
        Server::embedded(self.options())
    }

    pub(super) fn options(self: &Arc<Self>) -> HttpOptions {
        let issuer = Arc::clone(self);
        let fetch = Arc::new(move |url: &str| issuer.document(url));
        let mut oauth = OAuthOptions::new(ISSUER, fetch);
        oauth.resource = Some(RESOURCE.to_owned());
        oauth.scopes = vec!["skills:use".to_owned()];
        HttpOptions {
            oauth: Some(oauth),
            clock: Arc::<ManualClock>::clone(&self.clock),
            ..HttpOptions::default()
        }
    }

    fn document(&self, url: &str) -> Result<Vec<u8>, String> {
        self.fetched.lock().unwrap().push(url.to_owned());
        if *self.is_down.lock().unwrap() {
            return Err("connection refused".to_owned());
        }
        let keys = "https://keys.example/jwks";
        let document = match url {
            "https://auth.example/.well-known/oauth-authorization-server/tenant" => {
                json!({ "issuer": ISSUER, "jwks_uri": keys })
            }
            url if url == keys => {
                let known = self.keys.lock().unwrap().iter().map(|key| key.public()).collect();
                let mut known: Vec<_> = known;
                // Keys that are of no use here do not disturb.
                known.push(json!({ "kty": "oct", "k": "c2VjcmV0" }));
                known.push(json!({ "kty": 7 }));
                json!({ "keys": known })
            }
            _ => return Err("not found".to_owned()),
        };
        Ok(document.to_string().into_bytes())
    }

    pub(super) fn fetches(&self) -> usize {
        let fetched = self.fetched.lock().unwrap();
        fetched.iter().filter(|url| url.ends_with("/jwks")).count()
    }
}
