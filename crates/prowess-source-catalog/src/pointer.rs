//! The pointer: the only file of a published catalog that changes.

use prowess_core::{Digest, Timestamp};
use prowess_signature::{PublicKey, Signature};
use serde::{Deserialize, Serialize};

use crate::{CatalogFile, CatalogFileError};

/// The name of the pointer's file.
pub(crate) const POINTER: &str = "catalog.json";

/// The maximum size of a pointer in bytes.
pub(crate) const MOST_BYTES: usize = 4 * 1024;

/// How far the clock of a publisher may be ahead of a host's, in seconds. A number beyond it would
/// refuse every later catalog.
const MOST_AHEAD: u64 = 24 * 60 * 60;

/// Names the newest catalog file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pointer {
    /// The version of this format: 1.
    pub format: u32,
    /// The name of the catalog.
    pub name: String,
    /// The digest that names the catalog file.
    pub digest: Digest,
    /// The number of the catalog, which grows with each change: the seconds of the publisher's
    /// clock, or one more than before.
    pub generation: u64,
    /// The length of the catalog file in bytes.
    pub bytes: u64,
    /// The minisign signature of the other fields, if the publisher has a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl Pointer {
    /// Reads a pointer.
    ///
    /// # Errors
    ///
    /// The text is no pointer, or has another format.
    pub fn parse(text: &[u8]) -> Result<Self, CatalogFileError> {
        let invalid = |error| CatalogFileError::Pointer(format!("cannot be read: {error}"));
        let format = |value: &serde_json::Value| u32::try_from(value.get("format")?.as_u64()?).ok();
        let value: serde_json::Value = serde_json::from_slice(text).map_err(invalid)?;
        match format(&value) {
            Some(1) | None => serde_json::from_value(value).map_err(invalid),
            Some(other) => Err(CatalogFileError::Format(other)),
        }
    }

    /// Returns the text of the file.
    pub fn to_text(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("a pointer has texts and numbers");
        text + "\n"
    }

    /// Returns the bytes that are signed.
    pub(crate) fn signed(&self) -> Vec<u8> {
        let unsigned = Self { signature: None, ..self.clone() };
        unsigned.to_text().into_bytes()
    }

    /// Returns the name of the catalog file.
    pub(crate) fn file(&self) -> String {
        format!("catalog-{}.prowess", digits(&self.digest))
    }

    /// Returns whether this is the catalog file that the pointer names.
    pub(crate) fn names(&self, file: &CatalogFile) -> bool {
        (file.digest(), file.bytes()) == (self.digest, self.bytes)
    }

    /// Checks that the number is not beyond the time of this machine.
    pub(crate) fn check_time(&self, now: Timestamp) -> Result<(), CatalogFileError> {
        if self.generation <= seconds(now) + MOST_AHEAD {
            return Ok(());
        }
        Err(CatalogFileError::Pointer(format!(
            "has the generation {}, which is more than a day ahead of the time of this machine",
            self.generation
        )))
    }

    /// Checks that one of these keys has signed the pointer. Without keys, every pointer is good.
    pub(crate) fn check_signature(&self, keys: &[PublicKey]) -> Result<(), CatalogFileError> {
        if keys.is_empty() {
            return Ok(());
        }
        let refused = |reason| Err(CatalogFileError::Unsigned(reason));
        let Some(signature) = &self.signature else { return refused("is not signed") };
        let Ok(signature) = Signature::parse(signature) else {
            return refused("has a signature that cannot be read");
        };
        if keys.iter().any(|key| key.has_signed(&self.signed(), &signature)) {
            return Ok(());
        }
        refused("is not signed by a key that is trusted")
    }
}

pub(crate) fn seconds(time: Timestamp) -> u64 {
    time.0 / 1000
}

/// Returns the hexadecimal digits of a digest.
pub(crate) fn digits(digest: &Digest) -> String {
    digest.to_string().split_off("sha256:".len())
}

/// Returns the path of a file of a package, by its digest.
pub(crate) fn file_path(digest: &Digest) -> String {
    let digits = digits(digest);
    format!("files/{}/{}", &digits[..2], &digits[2..])
}
