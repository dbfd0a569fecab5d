//! Sources as users write them on a command line.

use prowess_core::RemoteRequest;

use crate::git::page::is_shorthand;
use crate::local_source::{LocalSource, has_repository};
use crate::repository::GitSource;
use crate::spelling::meant;

/// A source as a user has written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenSource {
    /// A path of this machine, which may be relative to the working directory: [`LocalSource`]
    /// reads it. Only a repository has a reference.
    Local(RemoteRequest),
    /// `owner/repo` with its parts. A path may be written the same way.
    Short(RemoteRequest),
    /// A URL or another source that is not on this machine.
    Remote(RemoteRequest),
}

impl WrittenSource {
    /// Reads a source. A reference may follow a repository after `@` or, as other tools write it,
    /// after `#`.
    pub fn read(written: &str) -> Self {
        let written = &*meant(written);
        let (name, reference) = split_reference(written);
        let request = |source: &str, reference: Option<String>| RemoteRequest {
            reference,
            ..RemoteRequest::latest(source)
        };
        if LocalSource::read(name).is_some() {
            Self::Local(request(name, reference))
        } else if is_shorthand(name) {
            Self::Short(request(name, reference))
        } else if name.contains("://") || GitSource::is_meant_by(name) || name.contains('@') {
            Self::Remote(request(name, reference))
        } else {
            let path = format!("./{written}");
            let (name, reference) = split_reference(&path);
            Self::Local(request(name, reference))
        }
    }
}

/// Splits `REPOSITORY@REF` and `REPOSITORY#REF`.
fn split_reference(written: &str) -> (&str, Option<String>) {
    let start = path_start(written);
    let (before, path) = written.split_at(start);
    // A name of a repository may have an `@`, but none follows the one of the reference.
    let at = match path.find(".git@").or_else(|| path.find(".git#")) {
        Some(at) => Some(at + ".git".len()),
        None => path.rfind('#').or_else(|| path.find('@')),
    };
    match at.map(|at| (&written[..start + at], &path[at + 1..])) {
        // A `#` ends the path of a URL.
        Some((name, reference))
            if !reference.is_empty()
                && (has_references(name)
                    || (name.starts_with("file://")
                        && path.contains(&format!("#{reference}")))) =>
        {
            (name, Some(reference.to_owned()))
        }
        _ => (&written[..before.len() + path.len()], None),
    }
}

/// Returns where the path of a source starts: behind the user and the host.
fn path_start(written: &str) -> usize {
    if let Some(at) = written.find("://") {
        let rest = &written[at + 3..];
        return at + 3 + rest.find('/').unwrap_or(rest.len());
    }
    // `user@host:path`
    match (written.find('@'), written.find(':')) {
        (Some(user), Some(host)) if user < host && !written[..host].contains('/') => host,
        _ => 0,
    }
}

/// Returns whether a source is a repository as a whole, so that a reference may follow it. A page
/// names its reference itself.
fn has_references(name: &str) -> bool {
    if let Some(local) = LocalSource::read(name) {
        return local.is_repository;
    }
    let is_short = is_shorthand(name.strip_prefix("github:").unwrap_or(name));
    is_short
        || (GitSource::is_meant_by(name) && !name.contains("/tree/"))
        || (!name.contains("://") && has_repository(name))
}

#[cfg(test)]
mod tests {
    use prowess_core::RemoteRequest;
    use prowess_testkit::rows;

    use super::WrittenSource;

    #[test]
    fn sources_are_told_apart() {
        type Kind = fn(RemoteRequest) -> WrittenSource;
        let kinds: [(&str, Kind); 3] = [
            ("local", WrittenSource::Local),
            ("short", WrittenSource::Short),
            ("remote", WrittenSource::Remote),
        ];
        let table = include_str!("../tests/data/sources.txt");
        for (title, kind) in kinds {
            for [written, source, reference] in rows(table, &format!("written as {title}")) {
                let reference = Some(reference).filter(|it| !it.is_empty());
                let expected = RemoteRequest { reference, ..RemoteRequest::latest(source) };
                assert_eq!(WrittenSource::read(&written), kind(expected));
            }
        }
    }
}
