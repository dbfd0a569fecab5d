//! Registries of the OCI distribution specification.

use std::collections::BTreeMap;
use std::sync::Mutex;

use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, Digest, Remote, RemoteArtifact, RemoteError,
    RemoteErrorKind, RemoteRequest,
};
use ureq::http::Method;

use crate::client::{Answer, Call, Client, check, check_status};
use crate::http_options::HttpOptions;
use crate::oci_challenge::Challenge;
use crate::oci_manifest::{ACCEPTED, CONFIG, Descriptor, MANIFEST, Manifest, invalid, published};
use crate::oci_reference::{OciReference, Part};
use crate::url::Url;

/// The maximum size of a manifest, in bytes: that of the specification.
const MAX_MANIFEST_BYTES: usize = 4 * 1024 * 1024;

/// The maximum size of the answer to an upload, in bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// The maximum number of artifacts that refer to another one: each is a request.
pub(crate) const MAX_REFERRERS: usize = 50;

/// Installs from registries, and publishes to them.
///
/// An artifact is written as `oci://host/name:tag` or `oci://host/name@sha256:digest`, with
/// `oci+http://` for a named host without TLS. It is a manifest with one layer that is an archive
/// or a `SKILL.md`, whatever its media type; the digest of the manifest is its revision. Its
/// signatures are the bundles of sigstore that refer to the manifest, and those of cosign under the
/// tag `sha256-….sig`.
#[derive(Debug)]
pub struct OciRemote {
    client: Client,
    /// The tokens of this remote, by registry and scope.
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

/// What may be done with a repository.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Pull,
    Push,
}

impl Access {
    fn scope(self, name: &str) -> String {
        let actions = if self == Self::Pull { "pull" } else { "pull,push" };
        format!("repository:{name}:{actions}")
    }
}

/// An artifact that refers to another one, such as its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Referrer {
    /// The type of the artifact, as its publisher has written it.
    pub artifact_type: String,
    /// The artifact, which [`Remote::fetch`] of the same remote returns.
    pub artifact: RemoteArtifact,
}

/// The texts of a published package.
#[derive(Clone, Copy, Debug, Default)]
pub struct Annotations<'a> {
    /// The name of the skill.
    pub title: &'a str,
    /// The description of the skill.
    pub description: &'a str,
}

impl OciRemote {
    /// Creates a remote with these options.
    pub fn new(options: HttpOptions) -> Self {
        Self { client: Client::new(options), tokens: Mutex::default() }
    }

    /// Publishes an archive under the tag of a target, and returns the digest of its manifest.
    ///
    /// # Errors
    ///
    /// The target is not written as an artifact, or the registry cannot be reached or refuses.
    pub fn publish(
        &self,
        target: &str,
        archive: &[u8],
        annotations: Annotations<'_>,
        cancel: &Cancel,
    ) -> Result<Digest, RemoteError> {
        let place = OciReference::parse(target, None)?;
        if place.version.parse::<Digest>().is_ok() {
            return Err(crate::repository::unsupported("a package is published under a tag"));
        }
        let manifest = published(archive, annotations.title, annotations.description);
        self.upload(&place, archive, cancel)?;
        self.upload(&place, CONFIG, cancel)?;
        let bytes = serde_json::to_vec(&manifest).map_err(|error| invalid(&error.to_string()))?;
        let url = self.url(&place, &format!("manifests/{}", place.version))?;
        let headers = [("content-type", MANIFEST.to_owned())];
        let call = Call { method: &Method::PUT, url: &url, headers: &headers, body: Some(&bytes) };
        let answer = self.send(&place, Access::Push, &call, MAX_ANSWER_BYTES, cancel)?;
        expect(&answer, 201, &url)?;
        Ok(Digest::of(&bytes))
    }

    /// Reports the artifacts that refer to an artifact, such as signatures: by the interface of the
    /// registry, or by the tag that clients use where there is none.
    ///
    /// # Errors
    ///
    /// The registry cannot be reached, or its answer cannot be read. To have none is no error.
    pub fn referrers(
        &self,
        artifact: &RemoteArtifact,
        cancel: &Cancel,
    ) -> Result<Vec<Referrer>, RemoteError> {
        let (place, _) = OciReference::parse_location(&artifact.location)?;
        self.referring(&place, &|_| true, cancel)
    }

    /// Reports the artifact of a version.
    fn resolve_place(
        &self,
        place: &OciReference,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        let (mut digest, mut manifest) = match place.version.parse::<Digest>() {
            Ok(digest) => self.pinned(place, &digest, cancel)?,
            Err(_) => self.manifest(place, &format!("manifests/{}", place.version), cancel)?,
        };
        if !manifest.manifests.is_empty() {
            let [only] = manifest.manifests.as_slice() else {
                return Err(invalid("the artifact has several manifests; name one by its digest"));
            };
            let only = only.digest()?;
            (digest, manifest) = self.pinned(place, &only, cancel)?;
        }
        let (layer, kind) = manifest.content()?;
        // Signers sign the manifest, which states the digest of the layer.
        let signature = ArtifactSignature {
            bundle: Some(place.location(&digest, Part::Bundles)),
            subject: Some(place.location(&digest, Part::Manifest)),
            ..ArtifactSignature::default()
        };
        let artifact = artifact_of(place, &digest, layer, kind)?;
        Ok(vec![RemoteArtifact { signature: Some(signature), ..artifact }])
    }

    /// Reports the artifacts that refer to a version, if their descriptors are wanted.
    pub(crate) fn referring(
        &self,
        place: &OciReference,
        is_wanted: &dyn Fn(&Descriptor) -> bool,
        cancel: &Cancel,
    ) -> Result<Vec<Referrer>, RemoteError> {
        let subject = place.version.clone();
        let tag = subject.replace(':', "-");
        let mut found = None;
        for path in [format!("referrers/{subject}"), format!("manifests/{tag}")] {
            match self.manifest(place, &path, cancel) {
                Err(error) if error.kind == RemoteErrorKind::NotFound => {}
                Err(error) => return Err(error),
                Ok((_, index)) => {
                    found = Some(index);
                    break;
                }
            }
        }
        let mut manifests = found.map(|index| index.manifests).unwrap_or_default();
        manifests.retain(is_wanted);
        if manifests.len() > MAX_REFERRERS {
            let message = format!("more than {MAX_REFERRERS} artifacts refer to `{subject}`");
            return Err(RemoteError::new(RemoteErrorKind::TooLarge, message));
        }
        let mut referrers = Vec::new();
        for descriptor in manifests {
            let digest = descriptor.digest()?;
            let (_, manifest) = self.pinned(place, &digest, cancel)?;
            let config = manifest.config.as_ref().map(|config| config.media_type.clone());
            let artifact_type = descriptor.artifact_type.or(manifest.artifact_type.clone());
            for layer in &manifest.layers {
                let artifact = artifact_of(place, &digest, layer, ArtifactKind::Archive)?;
                let artifact_type = artifact_type.clone().or(config.clone()).unwrap_or_default();
                referrers.push(Referrer { artifact_type, artifact });
            }
        }
        Ok(referrers)
    }

    /// Uploads a blob, unless the registry has it.
    fn upload(
        &self,
        place: &OciReference,
        bytes: &[u8],
        cancel: &Cancel,
    ) -> Result<(), RemoteError> {
        let digest = Digest::of(bytes);
        let url = self.url(place, &format!("blobs/{digest}"))?;
        let call = Call { method: &Method::HEAD, url: &url, headers: &[], body: None };
        if self.send(place, Access::Push, &call, MAX_ANSWER_BYTES, cancel)?.status == 200 {
            return Ok(());
        }
        let url = self.url(place, "blobs/uploads/")?;
        let call = Call { method: &Method::POST, url: &url, headers: &[], body: Some(&[]) };
        let started = self.send(place, Access::Push, &call, MAX_ANSWER_BYTES, cancel)?;
        expect(&started, 202, &url)?;
        let location = started.header("location");
        let location =
            location.ok_or_else(|| invalid("the registry names no place to upload to"))?;
        let target = url.join(location, &self.client.options)?;
        if target.origin() != url.origin() {
            return Err(invalid("the registry leads an upload to another server"));
        }
        let separator = if target.as_str().contains('?') { '&' } else { '?' };
        let target = format!("{}{separator}digest={digest}", target.as_str());
        let target = Url::new(&target, &self.client.options)?;
        let headers = [("content-type", "application/octet-stream".to_owned())];
        let call =
            Call { method: &Method::PUT, url: &target, headers: &headers, body: Some(bytes) };
        expect(&self.send(place, Access::Push, &call, MAX_ANSWER_BYTES, cancel)?, 201, &target)
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

    fn manifest_bytes(
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
    fn pinned(
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
    fn send(
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

    fn tokens(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Secret>> {
        self.tokens.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn url(&self, place: &OciReference, path: &str) -> Result<Url, RemoteError> {
        place.url(path, &self.client.options)
    }
}

pub(crate) fn artifact_of(
    place: &OciReference,
    manifest: &Digest,
    layer: &Descriptor,
    kind: ArtifactKind,
) -> Result<RemoteArtifact, RemoteError> {
    let digest = layer.digest()?;
    Ok(RemoteArtifact {
        location: place.location(manifest, Part::Blob(digest)),
        name: None,
        kind,
        revision: Some(manifest.to_string()),
        digest: Some(digest),
        signature: None,
    })
}

fn other_manifest() -> RemoteError {
    invalid("the registry answers with another manifest than was asked for")
}

/// Checks a status that is not 200.
fn expect(answer: &Answer, status: u16, url: &Url) -> Result<(), RemoteError> {
    if answer.status == status {
        return Ok(());
    }
    check_status(answer.status, url)?;
    Err(invalid("the registry answers in another way than the specification says"))
}

impl Remote for OciRemote {
    fn name(&self) -> &str {
        "oci"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        check(cancel)?;
        let place = OciReference::parse(&request.source, request.reference.as_deref())?;
        self.resolve_place(&place, cancel)
    }

    fn resolve_revision(
        &self,
        request: &RemoteRequest,
        revision: &str,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        check(cancel)?;
        let place = OciReference::parse(&request.source, request.reference.as_deref())?;
        self.resolve_place(&place.at(revision)?, cancel)
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        check(cancel)?;
        let (place, part) = OciReference::parse_location(&artifact.location)?;
        match part {
            Part::Blob(blob) => {
                let url = self.url(&place, &format!("blobs/{blob}"))?;
                self.send(&place, Access::Pull, &Call::get(&url, &[]), limit, cancel)?.content(&url)
            }
            Part::Bundles => self.signatures(&place, limit, cancel),
            Part::Manifest => {
                let path = format!("manifests/{}", place.version);
                let bytes = self.manifest_bytes(&place, &path, limit, cancel)?;
                let is_pinned = Digest::of(&bytes).to_string() == place.version;
                if is_pinned { Ok(bytes) } else { Err(other_manifest()) }
            }
        }
    }
}
