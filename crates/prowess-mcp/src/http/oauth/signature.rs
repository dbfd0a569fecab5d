//! Public keys, and the signatures that they check.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;

/// The maximum number of keys of an authorization server that are used.
const MOST_KEYS: usize = 64;

/// A public key of an authorization server.
pub(super) struct PublicKey {
    /// The name by which tokens refer to it.
    pub(super) id: Option<String>,
    /// The only algorithm that it is for.
    algorithm: Option<String>,
    material: Material,
}

enum Material {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// A key as a document describes it (RFC 7517). Members that are not needed are ignored.
#[derive(Deserialize)]
struct Described {
    kty: String,
    kid: Option<String>,
    r#use: Option<String>,
    alg: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Deserialize)]
struct DescribedKeys {
    keys: Vec<serde_json::Value>,
}

/// Returns the keys of a document that check signatures. Other keys are ignored, as RFC 7517 asks.
pub(super) fn keys(document: &[u8]) -> Result<Vec<PublicKey>, serde_json::Error> {
    let described: DescribedKeys = serde_json::from_slice(document)?;
    let keys = described.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok());
    Ok(keys.filter_map(PublicKey::of).take(MOST_KEYS).collect())
}

impl PublicKey {
    fn of(described: Described) -> Option<Self> {
        let is_for_signatures = described.r#use.as_deref().is_none_or(|it| it == "sig")
            && described.key_ops.as_ref().is_none_or(|it| it.iter().any(|it| it == "verify"));
        if !is_for_signatures {
            return None;
        }
        let material = Material::of(&described)?;
        Some(Self { id: described.kid, algorithm: described.alg, material })
    }

    /// Returns whether the key may check signatures of this algorithm.
    pub(super) fn is_for(&self, algorithm: &str) -> bool {
        self.algorithm.as_deref().is_none_or(|only| only == algorithm)
            && match self.material {
                Material::Rsa { .. } => rsa(algorithm).is_some(),
                Material::P256(_) => algorithm == "ES256",
                Material::P384(_) => algorithm == "ES384",
                Material::Ed25519(_) => matches!(algorithm, "EdDSA" | "Ed25519"),
            }
    }

    /// Returns whether the signature is one of this key over the text.
    pub(super) fn has_signed(&self, algorithm: &str, text: &[u8], signature: &[u8]) -> bool {
        let is_right = |parameters: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(parameters, key).verify(text, signature).is_ok()
        };
        match &self.material {
            Material::Rsa { modulus, exponent } => rsa(algorithm).is_some_and(|parameters| {
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(parameters, text, signature).is_ok()
            }),
            Material::P256(point) => is_right(&ECDSA_P256_SHA256_FIXED, point),
            Material::P384(point) => is_right(&ECDSA_P384_SHA384_FIXED, point),
            Material::Ed25519(key) => is_right(&ED25519, key),
        }
    }
}

impl Material {
    fn of(described: &Described) -> Option<Self> {
        let bytes = |text: &Option<String>| URL_SAFE_NO_PAD.decode(text.as_ref()?).ok();
        let point = || Some([vec![4], bytes(&described.x)?, bytes(&described.y)?].concat());
        match (described.kty.as_str(), described.crv.as_deref()) {
            ("RSA", _) => {
                let modulus = trimmed(bytes(&described.n)?);
                Some(Self::Rsa { modulus, exponent: trimmed(bytes(&described.e)?) })
            }
            ("EC", Some("P-256")) => point().map(Self::P256),
            ("EC", Some("P-384")) => point().map(Self::P384),
            ("OKP", Some("Ed25519")) => bytes(&described.x).map(Self::Ed25519),
            _ => None,
        }
    }
}

/// Removes leading zeros, which some servers write and the check refuses.
fn trimmed(mut number: Vec<u8>) -> Vec<u8> {
    let zeros = number.iter().take_while(|&&byte| byte == 0).count();
    number.drain(..zeros);
    number
}

/// Returns the parameters of an algorithm of RSA with keys of at least 2,048 bits.
fn rsa(algorithm: &str) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        "RS256" => &RSA_PKCS1_2048_8192_SHA256,
        "RS384" => &RSA_PKCS1_2048_8192_SHA384,
        "RS512" => &RSA_PKCS1_2048_8192_SHA512,
        "PS256" => &RSA_PSS_2048_8192_SHA256,
        "PS384" => &RSA_PSS_2048_8192_SHA384,
        "PS512" => &RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}
