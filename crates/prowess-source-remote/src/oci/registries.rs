//! Requests to registries, with their tokens.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prowess_core::{Cancel, Digest, RemoteError};

use crate::http::client::{Answer, Call, Client, check_status};
use crate::http_options::HttpOptions;
use crate::oci::challenge::Challenge;
use crate::oci::manifest::{ACCEPTED, Manifest, invalid};
use crate::oci::reference::OciReference;
use crate::url::Url;

/// The maximum size of a manifest, in bytes: that of the specification.
const MAX_MANIFEST_BYTES: usize = 4 * 1024 * 1024;

/// The registries that a remote makes requests to.
#[derive(Debug)]
pub(crate) struct OciRegistries {
    client: Client,
    /// The tokens, by registry and scope.
    tokens: Mutex<BTreeMap<String, Secret>>,
}

/// A value that is not shown.
#[derive(Clone)]
struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("…")
    }
}

/// The access to a repository.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Pull,
    Push,
}

impl Access {
    fn scope(self, name: &str) -> String {
        let actions = if self == Self::Pull { "pull" } else { "pull,push" };
        format!("repository:{name}:{actions}")
    }
}

impl OciRegistries {
    pub(crate) fn new(options: HttpOptions) -> Self {
        Self { client: Client::new(options), tokens: Mutex::default() }
    }

    pub(crate) fn options(&self) -> &HttpOptions {
        &self.client.options
    }

    /// Returns the manifest at a path, with the digest of its bytes.
    pub(crate) fn manifest(
        &self,
        place: &OciReference,
        path: &str,
        cancel: &Cancel,
    ) -> Result<(Digest, Manifest), RemoteError> {
        let bytes = self.manifest_bytes(place, path, MAX_MANIFEST_BYTES, cancel)?;
        Ok((Digest::of(&bytes), Manifest::read(&bytes)?))
    }

    pub(crate) fn manifest_bytes(
        &self,
        place: &OciReference,
        path: &str,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        let url = self.url(place, path)?;
        let headers = [("accept", ACCEPTED.to_owned())];
        self.send(place, Access::Pull, &Call::get(&url, &headers), limit, cancel)?.content(&url)
    }

    /// Returns the manifest of a digest.
    pub(crate) fn pinned(
        &self,
        place: &OciReference,
        digest: &Digest,
        cancel: &Cancel,
    ) -> Result<(Digest, Manifest), RemoteError> {
        let (found, manifest) = self.manifest(place, &format!("manifests/{digest}"), cancel)?;
        if found != *digest {
            return Err(other_manifest());
        }
        Ok((found, manifest))
    }

    /// Makes a request, and answers a challenge for a token once.
    pub(crate) fn send(
        &self,
        place: &OciReference,
        access: Access,
        call: &Call<'_>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Answer, RemoteError> {
        let scope = access.scope(&place.name);
        let key = format!("{} {scope}", place.registry);
        let known = self.tokens().get(&key).cloned();
        let answer = self.send_with(call, known.as_ref(), limit, cancel)?;
        let challenge = answer.header("www-authenticate").and_then(Challenge::read);
        let Some(challenge) = challenge.filter(|_| answer.status == 401) else {
            return Ok(answer);
        };
        let token = Secret(challenge.token(&self.client, call.url, &scope, cancel)?);
        self.tokens().insert(key, token.clone());
        self.send_with(call, Some(&token), limit, cancel)
    }

    fn send_with(
        &self,
        call: &Call<'_>,
        token: Option<&Secret>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Answer, RemoteError> {
        let mut headers = call.headers.to_vec();
        headers.extend(token.map(|Secret(token)| ("authorization", token.clone())));
        self.client.send(&Call { headers: &headers, ..*call }, limit, cancel)
    }

    fn tokens(&self) -> MutexGuard<'_, BTreeMap<String, Secret>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn url(&self, place: &OciReference, path: &str) -> Result<Url, RemoteError> {
        place.url(path, &self.client.options)
    }
}

/// Checks a status that is not 200.
pub(crate) fn expect(answer: &Answer, status: u16, url: &Url) -> Result<(), RemoteError> {
    if answer.status == status {
        return Ok(());
    }
    check_status(answer.status, url)?;
    Err(invalid("the registry answers in another way than the specification says"))
}

pub(crate) fn other_manifest() -> RemoteError {
    invalid("the registry answers with another manifest than was asked for")
}
