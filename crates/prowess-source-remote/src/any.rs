//! The remote of each source, by how the source is written.

use prowess_core::{Cancel, Remote, RemoteArtifact, RemoteError, RemoteRequest};

use crate::git_options::GitOptions;
use crate::git_remote::GitRemote;
use crate::http_options::HttpOptions;
use crate::http_remote::HttpRemote;
use crate::local_remote::LocalRemote;
use crate::oci_reference::OciReference;
use crate::oci_remote::OciRemote;
use crate::repository::{GitSource, unsupported};
#[cfg(feature = "s3")]
use crate::{s3_options::S3Options, s3_remote::S3Remote};

/// Every remote of this crate: repositories by [`GitRemote`], registries by [`OciRemote`], buckets,
/// other URLs by [`HttpRemote`], and paths that start with `/`, `./` or `../` by [`LocalRemote`].
///
/// `owner/repo` and pages of GitHub and GitLab are repositories, which are fetched by git. Archives
/// that such sites make of a version (`…/archive/v1.tar.gz`), files of releases and raw files are
/// other URLs.
#[derive(Debug)]
pub struct AnyRemote {
    options: HttpOptions,
    http: HttpRemote,
    oci: OciRemote,
    git: Option<GitRemote>,
    #[cfg(feature = "s3")]
    s3: Option<S3Remote>,
}

impl AnyRemote {
    /// Creates a remote with these options. It does not start programs.
    pub fn new(options: HttpOptions) -> Self {
        let http = HttpRemote::new(options.clone());
        let oci = OciRemote::new(options.clone());
        Self {
            options,
            http,
            oci,
            git: None,
            #[cfg(feature = "s3")]
            s3: None,
        }
    }

    /// Returns the remote with repositories of git.
    #[must_use]
    pub fn with_git(self, options: GitOptions) -> Self {
        let git = GitRemote::new(options, self.options.clone());
        Self { git: Some(git), ..self }
    }

    /// Returns the remote with buckets.
    #[cfg(feature = "s3")]
    #[must_use]
    pub fn with_s3(self, options: S3Options) -> Self {
        let s3 = S3Remote::new(options, self.options.clone());
        Self { s3: Some(s3), ..self }
    }

    fn remote(&self, source: &str) -> Result<&dyn Remote, RemoteError> {
        #[cfg(feature = "s3")]
        if let Some(s3) = self.s3.as_ref().filter(|_| S3Remote::is_meant_by(source)) {
            return Ok(s3);
        }
        if OciReference::is_meant_by(source) {
            Ok(&self.oci)
        } else if GitSource::is_meant_by(source) {
            let git = self.git.as_ref().map(|git| git as &dyn Remote);
            git.ok_or_else(|| unsupported("repositories of git are not enabled"))
        } else if source.starts_with("https://") || source.starts_with("http://") {
            Ok(&self.http)
        } else if is_path(source) {
            Ok(&LocalRemote)
        } else {
            // The text may contain a password, so it is not repeated.
            let message = "the source is neither a URL of `https`, a repository such as \
                           `owner/repo` nor a path such as `./skills`";
            Err(unsupported(message))
        }
    }
}

/// Returns whether a source is a path by the way it starts.
pub(crate) fn is_path(source: &str) -> bool {
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

    fn resolve_revision(
        &self,
        request: &RemoteRequest,
        revision: &str,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        self.remote(&request.source)?.resolve_revision(request, revision, cancel)
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

#[cfg(test)]
mod tests {
    use super::AnyRemote;
    use crate::git_options::GitOptions;
    use crate::http_options::HttpOptions;

    #[test]
    fn archive_of_a_site_is_fetched_as_a_file() {
        let any = AnyRemote::new(HttpOptions::default()).with_git(GitOptions::default());
        let remote = |source: &str| any.remote(source).expect(source).name().to_owned();
        let repository = "https://github.com/owner/repo";
        for git in ["owner/repo", "owner/repo/archive/v1.tar.gz", repository] {
            assert_eq!(remote(git), "git", "{git}");
        }
        assert_eq!(remote(&format!("{repository}/archive/refs/tags/v1.tar.gz")), "https");
    }
}
