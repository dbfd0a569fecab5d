//! Registries of the OCI distribution specification.

use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, Digest, Remote, RemoteArtifact, RemoteError,
    RemoteRequest,
};

use crate::cancel::check;
use crate::http::client::Call;
use crate::http_options::HttpOptions;
use crate::oci::manifest::{Descriptor, invalid};
use crate::oci::reference::{OciReference, Part};
use crate::oci::registries::{Access, OciRegistries, other_manifest};

/// Installs from registries, and publishes to them.
///
/// An artifact is written as `oci://host/name:tag` or `oci://host/name@sha256:digest`, with
/// `oci+http://` for a named host without TLS. It is a manifest with one layer that is an archive
/// or a `SKILL.md`, whatever its media type; the digest of the manifest is its revision. Its
/// signatures are the bundles of sigstore that refer to the manifest, and those of cosign under the
/// tag `sha256-….sig`.
#[derive(Debug)]
pub struct OciRemote {
    pub(crate) registries: OciRegistries,
}

impl OciRemote {
    /// Creates a remote with these options.
    pub fn new(options: HttpOptions) -> Self {
        Self { registries: OciRegistries::new(options) }
    }

    /// Reports the artifact of a version.
    fn resolve_place(
        &self,
        place: &OciReference,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        let (mut digest, mut manifest) = match place.version.parse::<Digest>() {
            Ok(digest) => self.registries.pinned(place, &digest, cancel)?,
            Err(_) => {
                self.registries.manifest(place, &format!("manifests/{}", place.version), cancel)?
            }
        };
        if !manifest.manifests.is_empty() {
            let [only] = manifest.manifests.as_slice() else {
                return Err(invalid("the artifact has several manifests; name one by its digest"));
            };
            let only = only.digest()?;
            (digest, manifest) = self.registries.pinned(place, &only, cancel)?;
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
}

pub(crate) fn artifact_of(
    place: &OciReference,
    manifest: &Digest,
    layer: &Descriptor,
    kind: ArtifactKind,
) -> Result<RemoteArtifact, RemoteError> {
    let digest = layer.digest()?;
    Ok(RemoteArtifact {
        revision: Some(manifest.to_string()),
        digest: Some(digest),
        ..RemoteArtifact::new(place.location(manifest, Part::Blob(digest)), kind)
    })
}

/// Returns whether a tag is meant to move: a word such as `latest`, or a short version such as `1`,
/// `v1.2` and `1.2-alpine`. A date, a number of a build and a commit are not.
fn may_move(tag: &str) -> bool {
    let (version, variant) = tag.split_once('-').unwrap_or((tag, ""));
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let parts = version.strip_prefix('v').unwrap_or(version).split('.');
    let is_number =
        |it: &str| (1..=3).contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = parts.clone().count() <= 2 && parts.clone().all(is_number);
    !has_digit(tag) || (is_short && !has_digit(variant))
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
        match &request.revision {
            Some(revision) => self.resolve_place(&place.at(revision)?, cancel),
            None => self.resolve_place(&place, cancel),
        }
    }

    fn step_back(
        &self,
        request: &RemoteRequest,
        from: &str,
        to: &str,
        _cancel: &Cancel,
    ) -> Result<Option<String>, RemoteError> {
        let tag = OciReference::parse(&request.source, request.reference.as_deref())?.version;
        let moved = || format!("the tag {} was moved", prowess_text::quoted(&tag));
        Ok((from != to && !may_move(&tag)).then(moved))
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
                let url = self.registries.url(&place, &format!("blobs/{blob}"))?;
                self.registries
                    .send(&place, Access::Pull, &Call::get(&url, &[]), limit, cancel)?
                    .content(&url)
            }
            Part::Bundles => self.signatures(&place, limit, cancel),
            Part::Manifest => {
                let path = format!("manifests/{}", place.version);
                let bytes = self.registries.manifest_bytes(&place, &path, limit, cancel)?;
                let is_pinned = Digest::of(&bytes).to_string() == place.version;
                if is_pinned { Ok(bytes) } else { Err(other_manifest()) }
            }
        }
    }
}
