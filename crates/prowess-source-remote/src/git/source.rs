//! Sources that are repositories of git, as users write them.

use prowess_core::RemoteError;

use crate::git::page;
use crate::git::reference::is_commit;
use crate::local_source::LocalSource;
use crate::repository::{GitSource, check_directory, unsupported};

impl GitSource {
    /// Returns whether a source is a repository of git. It may still be written wrongly.
    pub(crate) fn is_meant_by(source: &str) -> bool {
        if let Some(local) = LocalSource::read(source) {
            return local.is_repository;
        }
        let is_url = source.starts_with("https://") || source.starts_with("http://");
        source.starts_with("git+")
            || source.starts_with("ssh://")
            || source.starts_with("github:")
            || (is_url && (page::is_page(source) || has_git_path(source)))
            || is_scp(source)
            || page::is_shorthand(source)
    }

    /// Reads a source. A name such as `owner/repo` is a repository of the site `github`.
    ///
    /// # Errors
    ///
    /// It is not a repository, contains a password, or has a form that git would take for
    /// something else than a URL.
    pub(crate) fn parse(source: &str, github: &str) -> Result<Self, RemoteError> {
        if let Some(local) = LocalSource::read(source).filter(|local| local.is_repository) {
            return Self::at_path(local);
        }
        // A directory may have a blank in its name.
        let name = source.strip_prefix("github:").unwrap_or(source);
        if page::is_shorthand(name) && !name.contains(char::is_control) {
            return page::shorthand(name, github);
        }
        let (repository, _) = split_directory(source);
        if source.contains(char::is_control) || repository.contains(char::is_whitespace) {
            return Err(unsupported("the source contains blanks"));
        }
        if !source.starts_with("git+") && page::is_page(source) {
            return page::page(source);
        }
        let written = source.strip_prefix("git+").unwrap_or(source);
        let (url, directory) = split_directory(written);
        check_url(url)?;
        check_directory(directory)?;
        if !page::is_page(url) && !page::is_directory(url) {
            return Ok(Self { url: url.to_owned(), directory: directory.to_owned(), page: vec![] });
        }
        // Such sites redirect to the repository, and redirects are not followed.
        let page = page::page(url)?;
        if !directory.is_empty() && !page.page.is_empty() {
            return Err(unsupported("the page names a directory already"));
        }
        Ok(Self { directory: directory.to_owned(), ..page })
    }

    /// Returns the repository at a path.
    fn at_path(local: LocalSource<'_>) -> Result<Self, RemoteError> {
        let LocalSource { path, directory, .. } = local;
        if !path.starts_with('/') || path.contains(|c: char| c.is_control()) {
            return Err(unsupported("the path of the repository is not absolute"));
        }
        check_directory(directory)?;
        let url = format!("file://{path}");
        Ok(Self { url, directory: directory.to_owned(), page: Vec::new() })
    }

    /// Returns the location of a commit, which [`Self::parse_location`] reads.
    pub(crate) fn location(&self, commit: &str) -> String {
        let plus = if is_scp(&self.url) { "" } else { "git+" };
        let separator = if self.directory.is_empty() { "" } else { "//" };
        format!("{plus}{}{separator}{}#{commit}", self.url, self.directory)
    }

    /// Reads a location.
    ///
    /// # Errors
    ///
    /// It was not written by [`Self::location`].
    pub(crate) fn parse_location(location: &str) -> Result<(Self, &str), RemoteError> {
        let split = location.rsplit_once('#').filter(|(_, commit)| is_commit(commit));
        let (source, commit) = split.ok_or_else(|| unsupported("the location has no commit"))?;
        Ok((Self::parse(source, "")?, commit))
    }
}

/// Returns whether a part of a URL's path ends with `.git`.
pub(crate) fn has_git_path(url: &str) -> bool {
    let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    path.is_some_and(|(_, path)| path.split('/').any(|part| part.ends_with(".git")))
}

/// Returns whether a source is written as `user@host:path`.
fn is_scp(source: &str) -> bool {
    let Some((place, path)) = source.split_once(':') else { return false };
    place.contains('@') && !place.contains('/') && !path.starts_with("//")
}

/// Splits `URL//DIRECTORY`.
fn split_directory(written: &str) -> (&str, &str) {
    let start = written.find("://").map_or(0, |at| at + 3);
    if let Some(at) = written[start..].find("//") {
        return (&written[..start + at], &written[start + at + 2..]);
    }
    // Nothing but a directory of the repository follows its end.
    match written[start..].find(".git/").filter(|_| !written.ends_with(".git/")) {
        Some(at) => (&written[..start + at + 4], &written[start + at + 5..]),
        None => (written, ""),
    }
}

fn check_url(url: &str) -> Result<(), RemoteError> {
    let (user, host, path) = match url.split_once("://") {
        None => {
            let (place, path) = url.split_once(':').unwrap_or_default();
            let parts = place.split_once('@').map(|(user, host)| (user, host, path));
            parts.ok_or_else(|| unsupported("this is not a repository"))?
        }
        Some((scheme @ ("https" | "http" | "ssh"), rest)) => {
            let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
            let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
            if !user.is_empty() && (scheme != "ssh" || user.contains(':')) {
                let message = "the URL contains credentials; keep them in `.netrc` or in a \
                               credential helper of git instead";
                return Err(unsupported(message));
            }
            (user, host, path)
        }
        Some(_) => {
            let message = "a repository may be reached by `https`, `ssh` or a path only";
            return Err(unsupported(message));
        }
    };
    let is_word = |text: &str, others: &str| {
        !text.starts_with('-') && text.chars().all(|c| c.is_alphanumeric() || others.contains(c))
    };
    if host.is_empty() || !is_word(host, ".-_:[]") || !is_word(user, ".-_") {
        return Err(unsupported("the repository has no valid host or user"));
    }
    if path.is_empty() || path.starts_with('-') || path.contains(['?', '#']) {
        return Err(unsupported("the repository has no valid path"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use prowess_testkit::rows;

    use crate::repository::GitSource;

    const SOURCES: &str = include_str!("../../tests/data/sources.txt");
    const COMMIT: &str = "0123456789012345678901234567890123456789";

    #[test]
    fn repositories_are_read() {
        for [source, url, directory, page] in rows(SOURCES, "repositories") {
            assert!(GitSource::is_meant_by(&source), "{source}");
            let read = GitSource::parse(&source, "https://github.com").expect(&source);
            let page = page.split(", ").filter(|it| !it.is_empty()).map(str::to_owned).collect();
            assert_eq!(read, GitSource { url, directory, page });
            let resolved = GitSource { page: Vec::new(), ..read };
            let location = resolved.location(COMMIT);
            assert!(GitSource::is_meant_by(&location), "it is of the same kind: {location}");
            assert_eq!(GitSource::parse_location(&location), Ok((resolved, COMMIT)));
        }
    }

    #[test]
    fn other_sources_are_not_repositories() {
        for [source] in rows(SOURCES, "no repositories") {
            assert!(!GitSource::is_meant_by(&source), "{source}");
        }
        for [source] in rows(SOURCES, "no downloads") {
            assert!(GitSource::is_meant_by(&source), "{source}");
        }
    }

    #[test]
    fn options_and_passwords_are_refused() {
        let sources = "git+--upload-pack=touch git+ext::sh%20-c%20touch git+ext://sh \
            git+git://example.com/a git+https://user:s3cr3t@example.com/a.git \
            git+https://s3cr3t@example.com/a.git git+ssh://git:s3cr3t@example.com/a.git \
            ssh://-oProxyCommand=touch/a.git ssh://-o@example.com/a.git \
            -oProxyCommand=touch@host:a git@-oProxyCommand=touch:a git@example.com:-a \
            git+https://example.com/a.git//../b git+https://example.com/a.git///b \
            git+https://example.com/a.git?b git+https:///a.git git+https://example.com \
            git+file://host/a.git owner/repo/../.. owner/repo/./a https://github.com/owner \
            https://github.com/owner/repo/issues/1 \
            https://github.com/owner/repo/tree/main/%2e%2e/a";
        for source in sources.split(' ').chain(["git+ext::sh -c touch"]) {
            let error = GitSource::parse(source, "https://github.com").expect_err(source);
            assert!(!error.message.contains("s3cr3t"), "{error}");
        }
    }
}
