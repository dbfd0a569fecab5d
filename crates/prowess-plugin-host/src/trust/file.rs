//! The file of the trust store.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Key, Pin, RevokedName, TrustStore};
use crate::{TrustError, private_file};

/// The version of the file format.
const FORM: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    form: u32,
    pins: Vec<Pin>,
    keys: Vec<Key>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    revoked_names: Vec<RevokedName>,
}

impl From<Written> for TrustStore {
    fn from(written: Written) -> Self {
        let Written { pins, keys, revoked_names, .. } = written;
        Self { pins, keys, revoked_names }
    }
}

impl TrustStore {
    /// Reads the store. A file that does not exist gives an empty store.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is damaged, or other users may write to it.
    pub fn read(path: &Path) -> Result<Self, TrustError> {
        let cause = |cause| TrustError::File { path: path.to_owned(), cause };
        let Some(text) = private_file::read(path).map_err(cause)? else {
            return Ok(Self::default());
        };
        let damaged = |cause| TrustError::Damaged { path: path.to_owned(), cause };
        let written: Written =
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        match written.form {
            FORM => Ok(written.into()),
            other => {
                Err(damaged(format!("it has format {other}, but this program supports {FORM}")))
            }
        }
    }

    /// Reads, changes and writes the store under a lock. If `change` returns an error, or the file
    /// is damaged, it is not written.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written, or the error of `change`.
    pub fn update<T, E: From<TrustError>>(
        path: &Path,
        change: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let cause = |cause| TrustError::File { path: path.to_owned(), cause };
        let lock = private_file::lock(path).map_err(cause)?;
        let mut store = Self::read(path)?;
        let result = change(&mut store)?;
        let TrustStore { pins, keys, revoked_names } = store;
        let written = Written { form: FORM, pins, keys, revoked_names };
        let text = serde_json::to_string_pretty(&written).map_err(|error| TrustError::Damaged {
            path: path.to_owned(),
            cause: error.to_string(),
        })?;
        private_file::write(path, &(text + "\n")).map_err(cause)?;
        drop(lock);
        Ok(result)
    }
}
