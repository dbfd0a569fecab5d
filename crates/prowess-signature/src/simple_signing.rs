//! Signatures of cosign in the format "simple signing", as the tag `.sig` of a registry has them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use sigstore_verify::crypto::sha256;
use sigstore_verify::types::{Bundle, DerCertificate};

use crate::error::SignatureError;

/// The media type of a layer whose content is signed.
const MEDIA_TYPE: &str = "application/vnd.dev.cosign.simplesigning.v1+json";

/// The type of a bundle that has the promise of a log instead of the proof of an entry.
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle+json;version=0.1";

/// The type of the documents that cosign signs.
const COSIGN: &str = "cosign container image signature";

/// The signed document, and its signature.
pub(crate) struct SimpleSigning {
    payload: Vec<u8>,
    annotations: Annotations,
}

/// A layer with its content, by the OCI image specification.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Layer {
    media_type: String,
    data: String,
    #[serde(default)]
    annotations: Annotations,
}

/// The annotations with the signature. cosign leaves out the ones that it does not have, or leaves
/// them empty.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Annotations {
    #[serde(rename = "dev.cosignproject.cosign/signature")]
    signature: String,
    #[serde(rename = "dev.sigstore.cosign/certificate")]
    certificate: String,
    #[serde(rename = "dev.sigstore.cosign/chain")]
    chain: String,
    #[serde(rename = "dev.sigstore.cosign/bundle")]
    logged: String,
}

/// The entry of a transparency log with the signature of the log.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Logged {
    signed_entry_timestamp: String,
    payload: LogEntry,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogEntry {
    body: String,
    integrated_time: i64,
    log_index: u64,
    #[serde(rename = "logID")]
    log_id: String,
}

/// A document that was signed.
#[derive(Deserialize)]
struct Payload {
    critical: Critical,
}

#[derive(Deserialize)]
struct Critical {
    image: Image,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Image {
    #[serde(rename = "docker-manifest-digest")]
    manifest: String,
}

impl SimpleSigning {
    /// Reads the layer of a signature. `None` if the text is something else.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let layer: Layer = serde_json::from_str(text).ok()?;
        let payload = STANDARD.decode(layer.data).ok()?;
        (layer.media_type == MEDIA_TYPE).then_some(Self { payload, annotations: layer.annotations })
    }

    /// Returns what was signed.
    pub(crate) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Returns a bundle with the same proofs.
    ///
    /// # Errors
    ///
    /// The signature has no certificate, which is [`SignatureError::OtherKind`], or no entry of a
    /// transparency log.
    pub(crate) fn bundle(&self) -> Result<Bundle, SignatureError> {
        if self.annotations.certificate.is_empty() {
            // It was made with a key, and keys of cosign cannot be named.
            return Err(SignatureError::OtherKind(self.critical()?.kind));
        }
        if self.annotations.logged.is_empty() {
            return Err(invalid("it has no entry of a transparency log"));
        }
        let bundle = json!({
            "mediaType": BUNDLE,
            "verificationMaterial": {
                "x509CertificateChain": { "certificates": self.certificates()? },
                "tlogEntries": [self.log_entry()?],
            },
            "messageSignature": { "signature": self.annotations.signature },
        });
        Bundle::from_json(&bundle.to_string()).map_err(|error| invalid(&error.to_string()))
    }

    /// Checks that a verified signature is one of this manifest.
    pub(crate) fn check_manifest(&self, manifest: &[u8]) -> Result<(), SignatureError> {
        let Critical { image, kind } = self.critical()?;
        if kind != COSIGN {
            return Err(invalid("what it signs is of another type"));
        }
        let found = format!("sha256:{}", sha256(manifest).to_hex());
        if image.manifest == found { Ok(()) } else { Err(invalid("it signs another manifest")) }
    }

    fn critical(&self) -> Result<Critical, SignatureError> {
        let payload: Payload = serde_json::from_slice(&self.payload)
            .map_err(|_| invalid("what it signs cannot be read"))?;
        Ok(payload.critical)
    }

    /// Returns the certificate of the signer and those that it leads to.
    fn certificates(&self) -> Result<Vec<Value>, SignatureError> {
        let Annotations { certificate, chain, .. } = &self.annotations;
        let texts = std::iter::once(certificate.as_str()).chain(pem_blocks(chain));
        let certificate = |text: &str| {
            let der =
                DerCertificate::from_pem(text).map_err(|error| invalid(&error.to_string()))?;
            Ok(json!({ "rawBytes": STANDARD.encode(der.as_bytes()) }))
        };
        texts.map(certificate).collect()
    }

    fn log_entry(&self) -> Result<Value, SignatureError> {
        let unreadable = || invalid("its entry of a transparency log cannot be read");
        let logged: Logged =
            serde_json::from_str(&self.annotations.logged).map_err(|_| unreadable())?;
        let entry = logged.payload;
        let body = STANDARD.decode(&entry.body).map_err(|_| unreadable())?;
        let body: Value = serde_json::from_slice(&body).map_err(|_| unreadable())?;
        let log = bytes_of_hex(&entry.log_id).ok_or_else(unreadable)?;
        Ok(json!({
            "logIndex": entry.log_index.to_string(),
            "logId": { "keyId": STANDARD.encode(log) },
            "kindVersion": { "kind": body["kind"], "version": body["apiVersion"] },
            "integratedTime": entry.integrated_time.to_string(),
            "inclusionPromise": { "signedEntryTimestamp": logged.signed_entry_timestamp },
            "canonicalizedBody": entry.body,
        }))
    }
}

/// Returns the certificates of a chain.
fn pem_blocks(chain: &str) -> impl Iterator<Item = &str> {
    const END: &str = "-----END CERTIFICATE-----";
    chain.split_inclusive(END).filter(|block| block.contains(END))
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<_> = text.chars().map(|digit| digit.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks(2).map(|pair| match *pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    });
    pairs.collect()
}

fn invalid(reason: &str) -> SignatureError {
    SignatureError::Bundle(reason.to_owned())
}
