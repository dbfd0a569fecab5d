//! Names of repositories on sites such as GitHub, and pages of such sites.

use fluent_uri::Uri;
use prowess_core::RemoteError;

use crate::artifact::kind_of;
use crate::repository::{GitSource, check_directory, unsupported};

/// The sites whose pages belong to repositories.
pub(crate) const SITES: [&str; 4] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

/// The parts of paths that only pages of GitLab, Gitea and Azure DevOps have, on any host.
const PAGES: [&str; 5] = ["/-/tree/", "/src/branch/", "/src/tag/", "/src/commit/", "/_git/"];

/// The pages of such sites below which there are files: archives of a version, files of a release,
/// and single files.
const DOWNLOADS: [&str; 3] = ["archive", "releases", "raw"];

/// Returns whether a source is written as `owner/repo` or `owner/repo/directory`.
pub(crate) fn is_shorthand(source: &str) -> bool {
    let is_name = |part: Option<&str>| {
        part.is_some_and(|part| {
            part.starts_with(|c: char| c.is_ascii_alphanumeric())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        })
    };
    let mut parts = source.split('/');
    let owner = parts.next().filter(|owner| !owner.contains('.'));
    is_name(owner) && is_name(parts.next())
}

/// Reads `owner/repo` or `owner/repo/directory`.
pub(crate) fn shorthand(source: &str, site: &str) -> Result<GitSource, RemoteError> {
    let mut parts = source.splitn(3, '/');
    let owner = parts.next().unwrap_or_default();
    let name = parts.next().unwrap_or_default();
    let directory = parts.next().unwrap_or_default();
    check_directory(directory)?;
    let name = name.strip_suffix(".git").unwrap_or(name);
    let url = format!("{site}/{owner}/{name}.git");
    Ok(GitSource { url, directory: directory.to_owned(), page: Vec::new() })
}

/// Returns whether a URL is a page of a site of repositories, and not a repository.
pub(crate) fn is_page(source: &str) -> bool {
    let Some((host, path)) = host_and_path(source) else { return false };
    let is_repository = path.split('/').any(|part| part.ends_with(".git"));
    let is_site = SITES.contains(&host) || PAGES.iter().any(|page| path.contains(page));
    is_site && !is_repository && !is_download(path)
}

/// Returns whether a URL is the page of a directory, as GitHub and Gitea have them on any host.
pub(crate) fn is_directory(source: &str) -> bool {
    let mut parts = host_and_path(source).map_or("", |(_, path)| path).split('/').skip(2);
    matches!(parts.next(), Some("tree" | "blob")) && parts.next().is_some()
}

/// Returns whether a path of a site is an archive or a `SKILL.md` to download, such as
/// `owner/repo/archive/v1.tar.gz`. It is fetched as a file is from any other place.
pub(crate) fn is_download(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let page = match path.split_once("/-/") {
        Some((_, page)) => page,
        None => path.splitn(3, '/').nth(2).unwrap_or_default(),
    };
    let is_below = page.split_once('/').is_some_and(|(first, _)| DOWNLOADS.contains(&first));
    is_below && kind_of(path).is_some()
}

/// Reads the page of a repository, of a directory or of a `SKILL.md`.
pub(crate) fn page(source: &str) -> Result<GitSource, RemoteError> {
    let invalid = || {
        unsupported(
            "this is not the page of a repository or of a directory in it; write \
             `OWNER/REPO/DIRECTORY` or `URL.git//DIRECTORY`",
        )
    };
    let whole = source.split('#').next().unwrap_or_default();
    let source = whole.split('?').next().unwrap_or_default();
    let (host, path) = host_and_path(source).ok_or_else(invalid)?;
    let parts = decoded(source).ok_or_else(invalid)?;
    if let Some(at) = parts.iter().position(|part| part == "_git") {
        return azure(whole).filter(|_| parts.len() == at + 2).ok_or_else(invalid);
    }
    // GitLab has groups in groups, and `-` in front of its own pages.
    let (length, page) = match parts.iter().position(|part| part == "-") {
        Some(at) => (at, &parts[at + 1..]),
        None if host == "gitlab.com" && parts.len() > 1 => (parts.len(), &parts[parts.len()..]),
        None if path.contains('/') => (2, parts.get(2..).ok_or_else(invalid)?),
        None => return Err(invalid()),
    };
    let page = match page {
        [] => Vec::new(),
        [kind, rest @ ..] if kind == "tree" && !rest.is_empty() => rest.to_vec(),
        [kind, rest @ .., last] if kind == "blob" && last.ends_with(".md") => rest.to_vec(),
        [kind, rest @ ..] if kind == "src" && !rest.is_empty() => {
            // Gitea says which kind of reference follows.
            let of = usize::from(host != "bitbucket.org");
            let is_file = rest.last().is_some_and(|last| last.ends_with(".md"));
            rest.get(of..rest.len() - usize::from(is_file)).ok_or_else(invalid)?.to_vec()
        }
        _ => return Err(invalid()),
    };
    check_directory(&page.join("/"))?;
    let start = source.len() - path.len();
    let end = path.split('/').take(length).map(|part| part.len() + 1).sum::<usize>() - 1;
    let url = format!("{}.git", &source[..start + end]);
    Ok(GitSource { url, directory: String::new(), page })
}

/// Reads the page of a repository of Azure DevOps, which has the directory and the reference in its
/// query: `?path=/a&version=GBmain`.
fn azure(source: &str) -> Option<GitSource> {
    let uri = Uri::parse(source).ok()?;
    let value = |name: &str| {
        let mut pairs = uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(key, _)| key.as_str() == name)?;
        Some(value.decode().to_string().ok()?.into_owned())
    };
    let directory = value("path").unwrap_or_default();
    let directory = directory.trim_matches('/').trim_end_matches("SKILL.md").trim_end_matches('/');
    check_directory(directory).ok()?;
    let url = source.split('?').next()?.trim_end_matches('/').to_owned();
    let version = value("version");
    let Some(name) = version.as_deref().and_then(|it| it.get(2..)) else {
        return Some(GitSource { url, directory: directory.to_owned(), page: Vec::new() });
    };
    let page = name.split('/').chain(directory.split('/').filter(|part| !part.is_empty()));
    Some(GitSource { url, directory: String::new(), page: page.map(str::to_owned).collect() })
}

/// Returns the host, and the path without its first slash and without a last one.
fn host_and_path(source: &str) -> Option<(&str, &str)> {
    let (_, rest) = source.split_once("://")?;
    rest.split_once('/')
}

/// Returns the decoded parts of a path.
fn decoded(source: &str) -> Option<Vec<String>> {
    let uri = Uri::parse(source).ok()?;
    let parts = uri.path().segments_if_absolute()?;
    let decoded = parts.map(|part| Some(part.decode().to_string().ok()?.into_owned()));
    let mut parts: Vec<String> = decoded.collect::<Option<_>>()?;
    if parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    Some(parts)
}
