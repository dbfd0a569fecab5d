//! Repositories of git.

use std::net::IpAddr;
use std::path::PathBuf;

use prowess_core::{
    ArtifactKind, Cancel, Remote, RemoteArtifact, RemoteError, RemoteErrorKind, RemotePackage,
    RemoteRequest, WantedPackage,
};
use prowess_text::quoted;

use crate::address;
use crate::cancel::check;
use crate::git::options::GitOptions;
use crate::git::packages::{NO_FILES, NOTHING_ELSE, Partial};
use crate::git::program::{GitCall, MAX_LIST};
use crate::git::reference::{self as reference, Meant, is_commit};
use crate::http_options::HttpOptions;
use crate::local_remote::outside;
use crate::repository::{GitSource, unsupported};
use crate::url::Url;

/// The maximum number of parts of a page's path, each of which may end a reference.
const MAX_PAGE: usize = 16;

/// The number of digits of a commit that a message has.
const SHOWN: usize = 12;

/// Installs from repositories, with the git program.
///
/// A repository is written as a URL (`https://example.com/skills.git`, or any URL after `git+`),
/// as `git@example.com:skills.git`, as `owner/repo` for GitHub, or as the page of a directory on
/// GitHub or GitLab. A directory may follow after `//`, or after `owner/repo/`. Its references are
/// branches, tags and commits; without one, the default branch is meant.
///
/// No text of a repository is run: no hooks, no filters, no submodules. The user's configuration is
/// read, so that credential helpers work.
#[derive(Debug)]
pub struct GitRemote {
    options: GitOptions,
    http: HttpOptions,
    /// The folder beside which nothing of this machine may be read.
    within: Option<PathBuf>,
}

impl GitRemote {
    /// Creates a remote with these options, whose hosts and credentials are those of requests.
    pub fn new(options: GitOptions, http: HttpOptions) -> Self {
        Self { options, http, within: None }
    }

    /// Returns the remote without repositories of this machine, which may lead out of the folder.
    pub(crate) fn within(self, folder: PathBuf) -> Self {
        Self { within: Some(folder), ..self }
    }

    /// Checks that repositories of this machine may be read. Git follows links, files with the
    /// paths of other directories and its configuration, so that none is sure to stay in a folder.
    fn check_path(&self, source: &GitSource) -> Result<(), RemoteError> {
        let path = source.url.trim_start_matches("file://");
        let reason = || format!("git may follow `{path}` to a place");
        self.within.as_deref().map_or(Ok(()), |folder| Err(outside(&reason(), folder)))
    }

    fn call<'c>(
        &'c self,
        source: &GitSource,
        cancel: &'c Cancel,
    ) -> Result<GitCall<'c>, RemoteError> {
        check(cancel)?;
        let mut configuration = Vec::new();
        match source.scheme() {
            "file" => self.check_path(source)?,
            "ssh" => self.check_ssh_host(source)?,
            _ => configuration = self.http_configuration(source)?,
        }
        let mut call = GitCall::new(&self.options, source.scheme(), configuration, cancel)?;
        if let Some(roots) = &self.http.roots {
            call.trust(roots)?;
        }
        Ok(call)
    }

    /// Returns the configuration of requests: git connects to exactly the addresses that were
    /// checked, and has the user's credentials.
    fn http_configuration(&self, source: &GitSource) -> Result<Vec<(String, String)>, RemoteError> {
        let url = Url::new(&source.url, &self.http)?;
        let host = url.host();
        let addresses = address::checked(host, url.port(), &self.http)?;
        let mut configuration = Vec::new();
        if host.trim_matches(['[', ']']).parse::<IpAddr>().is_err() {
            let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
            let value = format!("{host}:{}:{}", url.port(), addresses.join(","));
            configuration.push(("http.curloptResolve".to_owned(), value));
        }
        let credentials = self.http.credentials.as_ref().and_then(|it| it(&url.origin()));
        if let Some(value) = credentials {
            let header = format!("Authorization: {value}");
            configuration.push(("http.extraHeader".to_owned(), header));
        }
        Ok(configuration)
    }

    fn check_ssh_host(&self, source: &GitSource) -> Result<(), RemoteError> {
        let place = source.url.strip_prefix("ssh://").unwrap_or(&source.url);
        let place = place.split('/').next().unwrap_or_default();
        let place = place.rsplit_once('@').map_or(place, |(_, host)| host);
        let (host, port) = place.split_once(':').unwrap_or((place, ""));
        address::checked(host, port.parse().unwrap_or(22), &self.http).map(drop)
    }

    /// Returns the commit and the source with the directory that are meant.
    fn find(
        &self,
        source: GitSource,
        name: Option<&str>,
        cancel: &Cancel,
    ) -> Result<(Meant, GitSource), RemoteError> {
        if name.is_some() && !source.page.is_empty() {
            return Err(unsupported("the page names a reference already"));
        }
        let names = names(&source, name);
        if let Some(commit) = names.first().filter(|name| is_commit(name)) {
            return Ok((Meant::commit(commit), source.without_reference()));
        }
        names.iter().try_for_each(|name| reference::check_name(name))?;
        let full: Vec<_> = names.iter().flat_map(|name| reference::full_names(name)).collect();
        let mut arguments = vec!["ls-remote", "--quiet", "--", &source.url];
        arguments.extend(full.iter().map(String::as_str));
        let output = self.call(&source, cancel)?.run(&arguments, MAX_LIST)?;
        let found = reference::read(&output)?;
        if !source.page.is_empty() {
            let meant = reference::commit_of_page(&found, &source.page)?;
            let (meant, directory) = meant.ok_or_else(|| missing(&names))?;
            return Ok((meant, GitSource { directory, page: Vec::new(), ..source }));
        }
        let meant = reference::commit(&found, &names[0])?.ok_or_else(|| missing(&names))?;
        Ok((meant, source))
    }

    /// Returns a source with the directory that its page means.
    fn find_directory(&self, source: GitSource, cancel: &Cancel) -> Result<GitSource, RemoteError> {
        if source.page.is_empty() {
            return Ok(source);
        }
        match self.find(source.clone(), None, cancel) {
            // The branch was deleted. Most names of branches have no slash.
            Err(error) if error.kind == RemoteErrorKind::NotFound => Ok(source.without_reference()),
            found => found.map(|(_, source)| source),
        }
    }
}

/// Returns the names of the references that may be meant.
fn names(source: &GitSource, name: Option<&str>) -> Vec<String> {
    match name {
        Some(name) => vec![name.to_owned()],
        None if source.page.is_empty() => vec!["HEAD".to_owned()],
        None => {
            let lengths = 1..=source.page.len().min(MAX_PAGE);
            lengths.map(|length| source.page[..length].join("/")).collect()
        }
    }
}

fn artifact(source: &GitSource, commit: &str) -> RemoteArtifact {
    let location = source.location(commit);
    let revision = Some(commit.to_owned());
    RemoteArtifact { revision, ..RemoteArtifact::new(location, ArtifactKind::Archive) }
}

fn missing(names: &[String]) -> RemoteError {
    let message = match names {
        [name] if name == "HEAD" => "the repository has no default branch".to_owned(),
        [name, ..] => {
            format!("the repository has no branch, tag or full commit {}", quoted(name))
        }
        [] => "the repository has no references".to_owned(),
    };
    RemoteError::new(RemoteErrorKind::NotFound, message)
}

impl Remote for GitRemote {
    fn name(&self) -> &str {
        "git"
    }

    fn resolve(
        &self,
        request: &RemoteRequest,
        cancel: &Cancel,
    ) -> Result<Vec<RemoteArtifact>, RemoteError> {
        check(cancel)?;
        let source = GitSource::parse(&request.source, &self.options.github)?;
        if let Some(revision) = &request.revision {
            if !is_commit(revision) {
                return Err(unsupported("the revision of a repository has to be a full commit"));
            }
            return Ok(vec![artifact(&self.find_directory(source, cancel)?, revision)]);
        }
        let (meant, source) = self.find(source, request.reference.as_deref(), cancel)?;
        Ok(vec![RemoteArtifact { is_tag: meant.is_tag, ..artifact(&source, &meant.commit) }])
    }

    fn step_back(
        &self,
        request: &RemoteRequest,
        from: &str,
        to: &str,
        cancel: &Cancel,
    ) -> Result<Option<String>, RemoteError> {
        if from == to || !is_commit(from) || !is_commit(to) {
            return Ok(None);
        }
        let source = GitSource::parse(&request.source, &self.options.github)?;
        let call = self.call(&source, cancel)?;
        let follows = Partial::follows(&call, &source, from, to)?;
        let [from, to] = [from, to].map(|commit| &commit[..SHOWN]);
        let reason = || format!("the commit {to} does not follow the installed {from}");
        Ok((!follows).then(reason))
    }

    fn fetch(
        &self,
        artifact: &RemoteArtifact,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, RemoteError> {
        check(cancel)?;
        let (source, commit) = GitSource::parse_location(&artifact.location)?;
        let call = self.call(&source, cancel)?;
        Partial::open(&call, &source, commit, None, false)?.whole(&source, limit)
    }

    fn fetch_packages(
        &self,
        artifact: &RemoteArtifact,
        wanted: WantedPackage<'_>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Option<Vec<RemotePackage>>, RemoteError> {
        check(cancel)?;
        let (source, commit) = GitSource::parse_location(&artifact.location)?;
        let names = &artifact.first;
        let is_all = names.is_empty() && source.directory.is_empty();
        let filters = [Some(NOTHING_ELSE), Some(NO_FILES), None, Some(NO_FILES)];
        let mut fetched = Ok(Vec::new());
        for (at, filter) in filters.iter().enumerate().skip(usize::from(is_all)) {
            let is_each = at == filters.len() - 1;
            let call = self.call(&source, cancel)?;
            let mut partial = match Partial::open(&call, &source, commit, *filter, is_each) {
                // A host that does not answer is asked once.
                Err(error)
                    if !is_each && filter.is_none_or(|_| error.message.contains("filter")) =>
                {
                    fetched = Err(error);
                    continue;
                }
                // The reason of the first failure says more.
                Err(error) => return Err(fetched.err().unwrap_or(error)),
                Ok(partial) => partial,
            };
            fetched = partial.packages(&source, names, wanted, limit);
            // The server or an old program may be unable to leave something out, or an object is
            // lost.
            if !partial.has_failed() {
                break;
            }
        }
        fetched.map(Some)
    }
}
