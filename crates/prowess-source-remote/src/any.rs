//! The remote of each source, by how the source is written.

use prowess_core::{
    Cancel, FetchedParts, ReceivePart, Remote, RemoteArtifact, RemoteError, RemotePackage,
    RemoteRequest, WantedPackage,
};

use crate::artifact::kind_of;
use crate::git::options::GitOptions;
use crate::git::remote::GitRemote;
use crate::http_options::HttpOptions;
use crate::local_remote::LocalRemote;
#[cfg(feature = "s3")]
use crate::local_remote::outside;
use crate::local_source::{LocalSource, is_path};
use crate::repository::{GitSource, unsupported};
use crate::schemes::{OCI, OCI_PLAIN, S3};

/// Every remote of this crate: repositories by [`GitRemote`], paths that start with `/`, `./` or
/// `../` by [`LocalRemote`], and, by features, registries, buckets and other URLs.
///
/// `owner/repo` and pages of GitHub and GitLab are repositories, which are fetched by git. Archives
/// that such sites make of a version (`…/archive/v1.tar.gz`), files of releases and raw files are
/// other URLs.
#[derive(Debug)]
pub struct AnyRemote {
    options: HttpOptions,
    local: LocalRemote,
    #[cfg(feature = "http")]
    http: crate::HttpRemote,
    #[cfg(feature = "http")]
    oci: crate::OciRemote,
    git: Option<GitRemote>,
    #[cfg(feature = "s3")]
    s3: Option<crate::S3Remote>,
}

impl AnyRemote {
    /// Creates a remote with these options. It does not start programs.
    pub fn new(options: HttpOptions) -> Self {
        Self {
            #[cfg(feature = "http")]
            http: crate::HttpRemote::new(options.clone()),
            #[cfg(feature = "http")]
            oci: crate::OciRemote::new(options.clone()),
            git: None,
            #[cfg(feature = "s3")]
            s3: None,
            local: LocalRemote::default(),
            options,
        }
    }

    /// Returns the remote with repositories of git.
    #[must_use]
    pub fn with_git(self, options: GitOptions) -> Self {
        let git = GitRemote::new(options, self.options.clone());
        Self { git: Some(git), ..self }
    }

    /// Returns the remote with sources of this machine from inside a folder alone, for the lock of
    /// a project that the user does not trust: no repository of this machine, and no bucket.
    #[must_use]
    pub fn within(self, folder: impl Into<std::path::PathBuf>) -> Self {
        let folder = folder.into();
        let git = self.git.map(|git| git.within(folder.clone()));
        Self { git, local: LocalRemote::within(folder), ..self }
    }

    /// Returns the remote for the lock of a repository: what is withheld from other people is left
    /// out of folders of this machine, because what is placed there is committed.
    #[must_use]
    pub fn for_repository(self) -> Self {
        Self { local: LocalRemote { is_for_others: true, ..self.local }, ..self }
    }

    /// Returns the remote with buckets.
    #[cfg(feature = "s3")]
    #[must_use]
    pub fn with_s3(self, options: crate::S3Options) -> Self {
        let s3 = crate::S3Remote::new(options, self.options.clone());
        Self { s3: Some(s3), ..self }
    }

    /// Returns the feature of this crate that a source needs, whether or not this build has it.
    pub fn needed_feature(source: &str) -> Option<&'static str> {
        SourceKind::of(source)?.feature()
    }

    /// Returns the URL of a site in the spelling in which it is a repository of git, if it may be
    /// the page of one: it has an owner and a name, and is no archive.
    pub fn as_repository(source: &str) -> Option<String> {
        let path = source.strip_prefix("https://")?.split_once('/')?.1.trim_end_matches('/');
        let is_page = path.contains('/') && !path.contains(['?', '#']) && kind_of(path).is_none();
        let is_site = SourceKind::of(source) == Some(SourceKind::Url);
        (is_site && is_page && !path.contains(".well-known")).then(|| format!("git+{source}"))
    }

    fn remote(&self, source: &str) -> Result<&dyn Remote, RemoteError> {
        let kind = SourceKind::of(source).ok_or_else(|| {
            // The text may contain a password, so it is not repeated.
            unsupported(
                "the source is neither a URL of `https`, a repository such as `owner/repo` nor a \
                 path such as `./skills` or `/srv/skills.git`",
            )
        })?;
        match kind {
            SourceKind::Repository => {
                let git = self.git.as_ref().map(|git| git as &dyn Remote);
                git.ok_or_else(|| unsupported("repositories of git are not enabled"))
            }
            SourceKind::Path => Ok(&self.local),
            #[cfg(feature = "s3")]
            SourceKind::Bucket => {
                // The endpoint may be in a private network, and the keys are the user's.
                if let Some(folder) = self.local.folder() {
                    return Err(outside("the store of the bucket is", folder));
                }
                let s3 = self.s3.as_ref().map(|s3| s3 as &dyn Remote);
                s3.ok_or_else(|| unsupported("buckets are not enabled"))
            }
            #[cfg(feature = "http")]
            SourceKind::Registry => Ok(&self.oci),
            #[cfg(feature = "http")]
            SourceKind::Url => Ok(&self.http),
            #[cfg(not(all(feature = "http", feature = "s3")))]
            _ => {
                let feature = kind.feature().unwrap_or_default();
                Err(unsupported(&format!(
                    "the source needs the feature `{feature}`, which this build lacks"
                )))
            }
        }
    }
}

/// The kinds of sources, by how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceKind {
    Bucket,
    Registry,
    Repository,
    Url,
    Path,
}

impl SourceKind {
    fn of(source: &str) -> Option<Self> {
        let starts_with = |starts: &[&str]| starts.iter().any(|start| source.starts_with(start));
        if starts_with(&[S3]) {
            Some(Self::Bucket)
        } else if starts_with(&[OCI, OCI_PLAIN]) {
            Some(Self::Registry)
        } else if GitSource::is_meant_by(source) {
            Some(Self::Repository)
        } else if starts_with(&["https://", "http://"]) {
            Some(Self::Url)
        } else {
            (is_path(source) || LocalSource::read(source).is_some()).then_some(Self::Path)
        }
    }

    fn feature(self) -> Option<&'static str> {
        match self {
            Self::Bucket => Some("s3"),
            Self::Registry | Self::Url => Some("http"),
            Self::Repository | Self::Path => None,
        }
    }
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

    fn step_back(
        &self,
        request: &RemoteRequest,
        from: &str,
        to: &str,
        cancel: &Cancel,
    ) -> Result<Option<String>, RemoteError> {
        self.remote(&request.source)?.step_back(request, from, to, cancel)
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        self.remote(&artifact.location)?.fetch(artifact, limit, cancel)
    }

    fn fetch_parts(
        &self,
        artifact: &RemoteArtifact,
        known: Option<&str>,
        limit: usize,
        receive: ReceivePart<'_>,
        cancel: &Cancel,
    ) -> Result<FetchedParts, RemoteError> {
        self.remote(&artifact.location)?.fetch_parts(artifact, known, limit, receive, cancel)
    }

    fn fetch_packages(
        &self,
        artifact: &RemoteArtifact,
        wanted: WantedPackage<'_>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Option<Vec<RemotePackage>>, RemoteError> {
        self.remote(&artifact.location)?.fetch_packages(artifact, wanted, limit, cancel)
    }
}

#[cfg(test)]
mod tests {
    use prowess_core::{Cancel, Remote as _, RemoteErrorKind, RemoteRequest};

    use super::AnyRemote;
    use crate::git::options::GitOptions;
    use crate::http_options::HttpOptions;
    use crate::local_remote::NOT_TRUSTED;

    #[test]
    fn archive_of_a_site_is_fetched_as_a_file() {
        let any = AnyRemote::new(HttpOptions::default()).with_git(GitOptions::default());
        let remote = |source: &str| any.remote(source).expect(source).name().to_owned();
        let repository = "https://github.com/owner/repo";
        for git in ["owner/repo", "owner/repo/archive/v1.tar.gz", repository] {
            assert_eq!(remote(git), "git", "{git}");
        }
        #[cfg(feature = "http")]
        assert_eq!(remote(&format!("{repository}/archive/refs/tags/v1.tar.gz")), "https");
    }

    #[test]
    fn untrusted_lock_has_no_bucket_and_no_repository_here() {
        let any = AnyRemote::new(HttpOptions::default()).with_git(GitOptions::default());
        let any = any.within("/clone");
        let sources = ["git+/clone/b", "git+file:///clone/b", "/clone/b.git", "/clone/.git/b.git"];
        let buckets = cfg!(feature = "s3").then_some("s3://bucket/x");
        for source in sources.into_iter().chain(buckets) {
            let request = RemoteRequest::latest(source);
            let error = any.resolve(&request, &Cancel::default()).expect_err(source);
            assert_eq!(error.kind, RemoteErrorKind::Denied, "{source}: {error}");
            assert!(error.message.ends_with(NOT_TRUSTED), "{source}: {error}");
        }
    }

    #[test]
    fn source_names_the_feature_that_it_needs() {
        let needed = AnyRemote::needed_feature;
        for source in ["https://example.com", "https://example.com/a.zip", "oci://host/name:1"] {
            assert_eq!(needed(source), Some("http"), "{source}");
        }
        assert_eq!(needed("s3://bucket/skills"), Some("s3"));
        for source in ["owner/repo", "https://example.com/a.git", "./skills", "no source"] {
            assert_eq!(needed(source), None, "{source}");
        }
    }

    #[test]
    fn page_of_any_host_may_be_a_repository() {
        for source in ["https://git.example/a/b", "https://git.example/team/x/skills/"] {
            let repository = AnyRemote::as_repository(source).expect(source);
            assert_eq!(repository, format!("git+{source}"));
            assert_eq!(AnyRemote::needed_feature(&repository), None, "{source}");
        }
        let others = "https://example.com https://example.com/skills https://example.com/a/b.zip \
            https://example.com/a/SKILL.md https://example.com/.well-known/agent-skills/ \
            https://github.com/a/b oci://example.com/a/b:1 a/b";
        for source in others.split(' ').filter(|source| !source.is_empty()) {
            assert_eq!(AnyRemote::as_repository(source), None, "{source}");
        }
    }
}
