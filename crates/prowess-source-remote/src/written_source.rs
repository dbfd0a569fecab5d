//! Sources as users write them on a command line.

use prowess_core::RemoteRequest;

use crate::any::is_path;
use crate::git::page::is_shorthand;
use crate::repository::GitSource;

/// A source as a user has written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenSource {
    /// A path of this machine, which may be relative to the working directory.
    Path(String),
    /// `owner/repo` with its parts. A path may be written the same way.
    Short(RemoteRequest),
    /// A URL or another source that is not on this machine.
    Remote(RemoteRequest),
}

impl WrittenSource {
    /// Reads a source. A reference may follow `owner/repo` after `@`.
    pub fn read(written: &str) -> Self {
        if is_path(written) {
            return Self::Path(written.to_owned());
        }
        let (name, reference) = match written.split_once('@') {
            Some((name, reference)) if is_short(name) => (name, Some(reference.to_owned())),
            _ => (written, None),
        };
        let request = RemoteRequest { source: name.to_owned(), reference };
        if is_shorthand(name) {
            Self::Short(request)
        } else if name.contains("://") || GitSource::is_meant_by(name) || name.contains('@') {
            Self::Remote(request)
        } else {
            Self::Path(written.to_owned())
        }
    }
}

fn is_short(name: &str) -> bool {
    is_shorthand(name.strip_prefix("github:").unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use prowess_core::RemoteRequest;

    use super::WrittenSource;

    #[test]
    fn sources_are_told_apart() {
        let request = |source: &str, reference: Option<&str>| RemoteRequest {
            source: source.to_owned(),
            reference: reference.map(str::to_owned),
        };
        for path in ["skills", "./a/b", "../a", "/a/b@c", ".", "a.zip", "~/a"] {
            assert_eq!(WrittenSource::read(path), WrittenSource::Path(path.to_owned()));
        }
        for (written, source, reference) in [
            ("owner/repo", "owner/repo", None),
            ("owner/repo/a/b", "owner/repo/a/b", None),
            ("owner/repo/a@v1.0", "owner/repo/a", Some("v1.0")),
            ("owner/repo@feature/a", "owner/repo", Some("feature/a")),
        ] {
            let expected = WrittenSource::Short(request(source, reference));
            assert_eq!(WrittenSource::read(written), expected);
        }
        for (written, source, reference) in [
            ("github:owner/repo@v1", "github:owner/repo", Some("v1")),
            ("https://example.com", "https://example.com", None),
            ("https://a@example.com", "https://a@example.com", None),
            ("git@example.com:a/b", "git@example.com:a/b", None),
        ] {
            let expected = WrittenSource::Remote(request(source, reference));
            assert_eq!(WrittenSource::read(written), expected);
        }
    }
}
