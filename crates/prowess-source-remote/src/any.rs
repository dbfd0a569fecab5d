//! The remote of each source, by how the source is written.

use prowess_core::{Cancel, Remote, RemoteArtifact, RemoteError, RemoteErrorKind, RemoteRequest};

use crate::http_options::HttpOptions;
use crate::http_remote::HttpRemote;
use crate::local_remote::LocalRemote;

/// Every remote of this crate: URLs by [`HttpRemote`], and paths that start with `/`, `./` or `../`
/// by [`LocalRemote`].
#[derive(Debug)]
pub struct AnyRemote {
    http: HttpRemote,
}

impl AnyRemote {
    /// Creates a remote with these options.
    pub fn new(options: HttpOptions) -> Self {
        Self { http: HttpRemote::new(options) }
    }

    fn remote(&self, source: &str) -> Result<&dyn Remote, RemoteError> {
        if source.starts_with("https://") || source.starts_with("http://") {
            Ok(&self.http)
        } else if is_path(source) {
            Ok(&LocalRemote)
        } else {
            // The text may contain a password, so it is not repeated.
            let message = "the source is neither a URL of `https` nor a path such as `./skills`";
            Err(RemoteError::new(RemoteErrorKind::Unsupported, message))
        }
    }
}

fn is_path(source: &str) -> bool {
    matches!(source, "." | "..") || ["/", "./", "../"].iter().any(|start| source.starts_with(start))
}

impl Remote for AnyRemote {
    fn name(&self) -> &str {
        "any"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        self.remote(&request.source)?.resolve(request, cancel)
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        self.remote(&artifact.location)?.fetch(artifact, limit, cancel)
    }
}
