//! Sources that are artifacts of an OCI registry, as users write them.

use std::fmt;
use std::str::FromStr;

use prowess_core::{Digest, RemoteError};

use crate::http_options::HttpOptions;
use crate::repository::unsupported;
use crate::schemes::{OCI, OCI_PLAIN};
use crate::url::Url;

/// The tag of a source without one.
const LATEST: &str = "latest";

/// The part of a version that a location names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The manifest itself.
    Manifest,
    /// The signatures of the manifest.
    Bundles,
    /// A blob.
    Blob(Digest),
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest => formatter.write_str("manifest"),
            Self::Bundles => formatter.write_str("bundles"),
            Self::Blob(digest) => digest.fmt(formatter),
        }
    }
}

impl FromStr for Part {
    type Err = RemoteError;

    fn from_str(text: &str) -> Result<Self, RemoteError> {
        match text {
            "manifest" => Ok(Self::Manifest),
            "bundles" => Ok(Self::Bundles),
            blob => blob.parse().map(Self::Blob).map_err(|_| without_digest()),
        }
    }
}

fn without_digest() -> RemoteError {
    unsupported("the location has no digest")
}

/// A repository of a registry, and one version in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OciReference {
    /// `https://host` or `http://host`.
    pub(crate) registry: String,
    /// The path of the repository.
    pub(crate) name: String,
    /// The tag, or the digest of the manifest.
    pub(crate) version: String,
}

impl OciReference {
    /// Reads `oci://host/name`, `oci://host/name:tag` or `oci://host/name@sha256:digest`.
    ///
    /// # Errors
    ///
    /// A part is missing, or is not written by the rules of the distribution specification.
    pub(crate) fn parse(source: &str, reference: Option<&str>) -> Result<Self, RemoteError> {
        let invalid = || unsupported("the source is not written as `oci://host/name:tag`");
        let (scheme, rest) = match source.strip_prefix(OCI_PLAIN) {
            Some(rest) => ("http", rest),
            None => ("https", source.strip_prefix(OCI).ok_or_else(invalid)?),
        };
        let (host, path) = rest.split_once('/').ok_or_else(invalid)?;
        if host.contains('@') {
            return Err(unsupported("the source contains credentials; keep them in `.netrc`"));
        }
        let (path, digest) = match path.split_once('@') {
            Some((path, digest)) => (path, Some(digest)),
            None => (path, None),
        };
        let (name, tag) = match path.rsplit_once(':') {
            Some((name, tag)) => (name, Some(tag)),
            None => (path, None),
        };
        if reference.is_some() && (tag.is_some() || digest.is_some()) {
            return Err(unsupported("the source names a version already"));
        }
        let version = digest.or(tag).or(reference).unwrap_or(LATEST);
        let is_version = version.parse::<Digest>().is_ok() || is_tag(version);
        if host.is_empty() || !is_name(name) || !is_version {
            return Err(invalid());
        }
        let registry = format!("{scheme}://{host}");
        Ok(Self { registry, name: name.to_owned(), version: version.to_owned() })
    }

    /// Returns the version with this digest in the same repository.
    pub(crate) fn at(self, revision: &str) -> Result<Self, RemoteError> {
        let digest = revision.parse::<Digest>().map_err(|_| {
            unsupported("the revision of a registry has to be the digest of a manifest")
        })?;
        Ok(Self { version: digest.to_string(), ..self })
    }

    /// Returns the location of a part of a version, which [`Self::parse_location`] reads.
    pub(crate) fn location(&self, manifest: &Digest, part: Part) -> String {
        let scheme = if self.registry.starts_with("https:") { OCI } else { OCI_PLAIN };
        let host = self.registry.split_once("://").map_or("", |(_, host)| host);
        format!("{scheme}{host}/{}@{manifest}#{part}", self.name)
    }

    /// Reads a location.
    ///
    /// # Errors
    ///
    /// It was not written by [`Self::location`].
    pub(crate) fn parse_location(location: &str) -> Result<(Self, Part), RemoteError> {
        let (source, part) = location.split_once('#').ok_or_else(without_digest)?;
        Ok((Self::parse(source, None)?, part.parse()?))
    }

    /// Returns the URL of a part of the repository.
    pub(crate) fn url(&self, path: &str, options: &HttpOptions) -> Result<Url, RemoteError> {
        Url::new(&format!("{}/v2/{}/{path}", self.registry, self.name), options)
    }
}

fn is_name(name: &str) -> bool {
    name.len() <= 255 && name.split('/').all(is_name_part)
}

fn is_name_part(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && part.chars().all(|c| is_word(c) && !c.is_ascii_uppercase())
}

fn is_tag(tag: &str) -> bool {
    tag.len() <= 128 && !tag.starts_with(['.', '-']) && !tag.is_empty() && tag.chars().all(is_word)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use prowess_testkit::rows;

    use prowess_core::Digest;

    use super::{OciReference, Part};

    #[test]
    fn sources_are_read() {
        let digest = Digest::of(b"manifest");
        let pinned = format!("oci://example.com/a/b:1@{digest}");
        for (source, reference, registry, name, version) in [
            ("oci://example.com/a", None, "https://example.com", "a", "latest"),
            ("oci://example.com/a/b:v1.0", None, "https://example.com", "a/b", "v1.0"),
            ("oci://example.com/a", Some("v2"), "https://example.com", "a", "v2"),
            ("oci+http://localhost:5000/a:1", None, "http://localhost:5000", "a", "1"),
            (&pinned, None, "https://example.com", "a/b", &digest.to_string()),
        ] {
            let read = OciReference::parse(source, reference).expect(source);
            assert_eq!((&*read.registry, &*read.name, &*read.version), (registry, name, version));
            for part in [Part::Blob(digest), Part::Manifest, Part::Bundles] {
                let location = read.location(&digest, part);
                let expected = OciReference { version: digest.to_string(), ..read.clone() };
                assert_eq!(OciReference::parse_location(&location), Ok((expected, part)));
            }
        }
        for [source] in rows(include_str!("../../tests/data/tables.txt"), "sources_are_read") {
            let source = &*source;
            let error = OciReference::parse(source, None).expect_err(source);
            assert!(!error.message.contains("s3cr3t"), "{error}");
        }
        assert!(OciReference::parse("oci://example.com/a:1", Some("2")).is_err());
    }
}
