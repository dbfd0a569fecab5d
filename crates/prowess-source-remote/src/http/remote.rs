//! Sites, and single artifacts behind a URL.

use prowess_core::{
    ArtifactSignature, Cancel, Digest, FetchedParts, ReceivePart, Remote, RemoteArtifact,
    RemoteError, RemoteErrorKind, RemoteRequest,
};

use crate::artifact::{MAX_BYTES, kind_of};
use crate::cancel::check;
use crate::http::client::{Call, Client};
use crate::http::site;
use crate::http::site_files;
use crate::http_options::HttpOptions;
use crate::signature_files::{BUNDLE_END, KEY_FILE, SIGNATURE_END};
use crate::url::Url;

/// Installs from sites with an index of skills, and from artifacts behind a URL.
///
/// A URL whose path ends as an archive or with `.md` is one artifact, one that ends with `.json` is
/// an index, and any other is a site: with an index of artifacts by version 0.2 of the discovery
/// draft, or with an index of files by version 0.1.
#[derive(Debug)]
pub struct HttpRemote {
    client: Client,
}

impl HttpRemote {
    /// Creates a remote with these options.
    pub fn new(options: HttpOptions) -> Self {
        Self { client: Client::new(options) }
    }
}

impl Remote for HttpRemote {
    fn name(&self) -> &str {
        "https"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        check(cancel)?;
        if request.reference.is_some() {
            let message = "a site has one version of each skill, so it has no references";
            return Err(RemoteError::new(RemoteErrorKind::Unsupported, message));
        }
        let url = Url::of_source(&request.source, &self.client.options)?;
        let Some(kind) = kind_of(url.path()) else {
            return site::resolve(&self.client, &url, cancel);
        };
        // The digest is the version, and only the bytes have it.
        let bytes = self.client.get(&url, MAX_BYTES, cancel)?;
        let digest = Some(Digest::of(&bytes));
        let signature = Some(ArtifactSignature {
            location: Some(format!("{}{SIGNATURE_END}", url.without_query())),
            key: Some(url.join(KEY_FILE, &self.client.options)?.as_str().to_owned()),
            bundle: Some(format!("{}{BUNDLE_END}", url.without_query())),
            subject: None,
        });
        let artifact = RemoteArtifact::new(url.as_str(), kind);
        Ok(vec![RemoteArtifact { digest, signature, ..artifact }])
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        if site_files::is_location(&artifact.location) {
            return site_files::fetch(&self.client, &artifact.location, limit, cancel);
        }
        let url = Url::new(&artifact.location, &self.client.options)?;
        self.client.get(&url, limit, cancel)
    }

    fn fetch_parts(
        &self,
        artifact: &RemoteArtifact,
        known: Option<&str>,
        limit: usize,
        receive: ReceivePart<'_>,
        cancel: &Cancel,
    ) -> Result<FetchedParts, RemoteError> {
        if site_files::is_location(&artifact.location) {
            let _ = receive(&self.fetch(artifact, limit, cancel)?);
            return Ok(FetchedParts::Changed { version: None });
        }
        let url = Url::new(&artifact.location, &self.client.options)?;
        self.client.get_parts(&Call::get(&url, &[]), known, limit, receive, cancel)
    }
}
