//! Sites, and single artifacts behind a URL.

use prowess_core::{
    ArtifactKind, ArtifactSignature, Cancel, Digest, Remote, RemoteArtifact, RemoteError,
    RemoteErrorKind, RemoteRequest,
};

use crate::client::{Client, check};
use crate::http_options::HttpOptions;
use crate::signature_files::{KEY_FILE, SIGNATURE_END};
use crate::site;
use crate::url::Url;

/// The maximum size of an artifact that is resolved, in bytes: that of an archive that is read.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The ends of the names of archives.
pub(crate) const ARCHIVES: [&str; 5] = [".tar.gz", ".tgz", ".tar", ".zip", ".skill"];

/// Installs from sites with an index of skills, and from artifacts behind a URL.
///
/// A URL whose path ends as an archive or with `.md` is one artifact, one that ends with `.json` is
/// an index, and any other is a site.
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
        let url = Url::new(&request.source, &self.client.options)?;
        let Some(kind) = kind_of(url.path()) else {
            return site::resolve(&self.client, &url, cancel);
        };
        // The digest is the version, and only the bytes have it.
        let bytes = self.client.get(&url, MAX_BYTES, cancel)?;
        let digest = Some(Digest::of(&bytes));
        let signature = Some(ArtifactSignature {
            location: format!("{}{SIGNATURE_END}", url.without_query()),
            key: url.join(KEY_FILE, &self.client.options)?.as_str().to_owned(),
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
        let url = Url::new(&artifact.location, &self.client.options)?;
        self.client.get(&url, limit, cancel)
    }
}

/// Returns the kind of an artifact by the end of its path; `None` if it is another page.
pub(crate) fn kind_of(path: &str) -> Option<ArtifactKind> {
    let path = path.to_ascii_lowercase();
    if ARCHIVES.iter().any(|end| path.ends_with(end)) {
        Some(ArtifactKind::Archive)
    } else {
        path.ends_with(".md").then_some(ArtifactKind::SkillMd)
    }
}
