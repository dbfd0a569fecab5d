//! Publishing to registries.

use prowess_core::{Cancel, Digest, RemoteError};
use ureq::http::Method;

use crate::http::client::Call;
use crate::oci::manifest::{CONFIG, MANIFEST, invalid, published};
use crate::oci::reference::OciReference;
use crate::oci::registries::{Access, expect};
use crate::oci::remote::OciRemote;
use crate::repository::unsupported;
use crate::url::Url;

/// The maximum size of the answer to an upload, in bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// The texts of a published package.
#[derive(Clone, Copy, Debug, Default)]
pub struct Annotations<'a> {
    /// The name of the skill.
    pub title: &'a str,
    /// The description of the skill.
    pub description: &'a str,
}

impl OciRemote {
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
            return Err(unsupported("a package is published under a tag"));
        }
        let manifest = published(archive, annotations.title, annotations.description);
        self.upload(&place, archive, cancel)?;
        self.upload(&place, CONFIG, cancel)?;
        let bytes = serde_json::to_vec(&manifest).map_err(|error| invalid(&error.to_string()))?;
        let url = self.registries.url(&place, &format!("manifests/{}", place.version))?;
        let headers = [("content-type", MANIFEST.to_owned())];
        let call = Call { method: &Method::PUT, url: &url, headers: &headers, body: Some(&bytes) };
        let answer = self.registries.send(&place, Access::Push, &call, MAX_ANSWER_BYTES, cancel)?;
        expect(&answer, 201, &url)?;
        Ok(Digest::of(&bytes))
    }

    /// Uploads a blob, unless the registry has it.
    fn upload(
        &self,
        place: &OciReference,
        bytes: &[u8],
        cancel: &Cancel,
    ) -> Result<(), RemoteError> {
        let digest = Digest::of(bytes);
        let url = self.registries.url(place, &format!("blobs/{digest}"))?;
        let call = Call { method: &Method::HEAD, url: &url, headers: &[], body: None };
        if self.registries.send(place, Access::Push, &call, MAX_ANSWER_BYTES, cancel)?.status == 200
        {
            return Ok(());
        }
        let url = self.registries.url(place, "blobs/uploads/")?;
        let call = Call { method: &Method::POST, url: &url, headers: &[], body: Some(&[]) };
        let started = self.registries.send(place, Access::Push, &call, MAX_ANSWER_BYTES, cancel)?;
        expect(&started, 202, &url)?;
        let location = started.header("location");
        let location =
            location.ok_or_else(|| invalid("the registry names no place to upload to"))?;
        let target = url.join(location, self.registries.options())?;
        if target.origin() != url.origin() {
            return Err(invalid("the registry leads an upload to another server"));
        }
        let separator = if target.as_str().contains('?') { '&' } else { '?' };
        let target = format!("{}{separator}digest={digest}", target.as_str());
        let target = Url::new(&target, self.registries.options())?;
        let headers = [("content-type", "application/octet-stream".to_owned())];
        let call =
            Call { method: &Method::PUT, url: &target, headers: &headers, body: Some(bytes) };
        expect(
            &self.registries.send(place, Access::Push, &call, MAX_ANSWER_BYTES, cancel)?,
            201,
            &target,
        )
    }
}
