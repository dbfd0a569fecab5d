//! Manifests of OCI registries.

use std::collections::BTreeMap;

use prowess_core::{ArtifactKind, Digest, RemoteError, RemoteErrorKind};
use serde::{Deserialize, Serialize};

/// The media type of a manifest.
pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The media types that a registry may answer with.
pub(crate) const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, \
     application/vnd.oci.image.index.v1+json, \
     application/vnd.docker.distribution.manifest.v2+json, \
     application/vnd.docker.distribution.manifest.list.v2+json";

/// The type of the artifacts that are published, and the types of their parts. Other publishers use
/// other types, so a reader goes by the shape.
pub(crate) const SKILL: &str = "application/vnd.agent.skill.v1+json";
pub(crate) const CONTENT: &str = "application/vnd.agent.skill.content.v1.tar+gzip";

/// The annotation with the name of a file or of an artifact.
const TITLE: &str = "org.opencontainers.image.title";

/// Names the content of a blob or of another manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    pub(crate) media_type: String,
    pub(crate) digest: String,
    pub(crate) size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_type: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: BTreeMap<String, String>,
    /// The content in base64, if it is embedded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<String>,
}

/// A manifest or an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) schema_version: u32,
    #[serde(default)]
    pub(crate) media_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) config: Option<Descriptor>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) layers: Vec<Descriptor>,
    /// The manifests of an index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) manifests: Vec<Descriptor>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: BTreeMap<String, String>,
}

impl Manifest {
    /// Reads a manifest or an index.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, RemoteError> {
        let read: Self = serde_json::from_slice(bytes)
            .map_err(|error| invalid(&format!("the manifest cannot be read: {error}")))?;
        let is_known = read.schema_version == 2;
        if is_known { Ok(read) } else { Err(invalid("the manifest is of another version")) }
    }

    /// Returns the only layer that may be a package, by its shape and not by its type: each
    /// publisher has another one.
    pub(crate) fn content(&self) -> Result<(&Descriptor, ArtifactKind), RemoteError> {
        let candidates = self.layers.iter().filter(|layer| layer.kind().is_some());
        let candidates: Vec<_> = match self.layers.as_slice() {
            [only] => vec![only],
            _ => candidates.collect(),
        };
        match candidates.as_slice() {
            [only] => Ok((only, only.kind().unwrap_or(ArtifactKind::Archive))),
            [] => Err(invalid("the artifact has no layer with a package")),
            _ => Err(invalid("the artifact has several layers that may be the package")),
        }
    }
}

impl Descriptor {
    /// Creates a descriptor of these bytes.
    pub(crate) fn of(media_type: &str, bytes: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            digest: Digest::of(bytes).to_string(),
            size: bytes.len() as u64,
            artifact_type: None,
            annotations: BTreeMap::new(),
            data: None,
        }
    }

    /// Returns the digest.
    pub(crate) fn digest(&self) -> Result<Digest, RemoteError> {
        let digest = self.digest.parse::<Digest>().ok();
        // The specification knows lower case only, and a digest is also a name.
        let digest = digest.filter(|digest| digest.to_string() == self.digest);
        digest.ok_or_else(|| invalid("the manifest has a digest that is not of SHA-256"))
    }

    /// Returns the kind of a layer by its type and its title; `None` for others, such as proofs.
    fn kind(&self) -> Option<ArtifactKind> {
        let title = self.annotations.get(TITLE).map_or("", String::as_str);
        let media_type = self.media_type.as_str();
        if ["tar", "gzip", "zip"].iter().any(|part| media_type.contains(part)) {
            Some(ArtifactKind::Archive)
        } else if media_type.contains("markdown") || title.ends_with("SKILL.md") {
            Some(ArtifactKind::SkillMd)
        } else {
            None
        }
    }
}

/// Returns the manifest of a published package with its bytes.
pub(crate) fn published(content: &[u8], title: &str, description: &str) -> Manifest {
    let annotation = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let layer = Descriptor {
        annotations: BTreeMap::from([annotation(TITLE, &format!("{title}.tar.gz"))]),
        ..Descriptor::of(CONTENT, content)
    };
    Manifest {
        schema_version: 2,
        media_type: MANIFEST.to_owned(),
        artifact_type: Some(SKILL.to_owned()),
        config: Some(Descriptor::of(SKILL, CONFIG)),
        layers: vec![layer],
        manifests: Vec::new(),
        annotations: BTreeMap::from([
            annotation(TITLE, title),
            annotation("org.opencontainers.image.description", description),
        ]),
    }
}

/// The configuration of a published package, which has none.
pub(crate) const CONFIG: &[u8] = b"{}";

pub(crate) fn invalid(message: &str) -> RemoteError {
    RemoteError::new(RemoteErrorKind::Invalid, message)
}

#[cfg(test)]
mod tests {
    use prowess_testkit::rows;

    use prowess_core::ArtifactKind;

    use super::Manifest;

    fn content(layers: &[(&str, &str)]) -> Option<(usize, ArtifactKind)> {
        let layer = |(at, (kind, title)): (usize, &(&str, &str))| {
            format!(
                r#"{{"mediaType": "{kind}", "digest": "sha256:{at}", "size": {at},
                "annotations": {{"org.opencontainers.image.title": "{title}"}}}}"#
            )
        };
        let layers: Vec<_> = layers.iter().enumerate().map(layer).collect();
        let text = format!(r#"{{"schemaVersion": 2, "layers": [{}]}}"#, layers.join(","));
        let manifest = Manifest::read(text.as_bytes()).expect(&text);
        let (layer, kind) = manifest.content().ok()?;
        Some((usize::try_from(layer.size).expect("it is small"), kind))
    }

    #[test]
    fn package_is_found_by_its_shape() {
        let archive = |at| Some((at, ArtifactKind::Archive));
        for [known] in
            rows(include_str!("../../tests/data/tables.txt"), "package_is_found_by_its_shape")
        {
            let known = &*known;
            assert_eq!(content(&[(known, "")]), archive(0), "{known}");
        }
        let tar = "application/vnd.oci.image.layer.v1.tar+gzip";
        let proof = "application/vnd.in-toto+json";
        assert_eq!(content(&[(proof, ""), (tar, "")]), archive(1));
        assert_eq!(content(&[(tar, ""), (tar, "")]), None, "two packages");
        assert_eq!(content(&[(proof, ""), (proof, "")]), None);
        assert_eq!(content(&[]), None);
        let skill_md = Some((0, ArtifactKind::SkillMd));
        assert_eq!(content(&[("text/markdown", "")]), skill_md);
        assert_eq!(content(&[("text/plain", "pdf/SKILL.md")]), skill_md);
    }

    #[test]
    fn digest_has_one_spelling() {
        let digest = |hex: &str| {
            let text = format!(
                r#"{{"schemaVersion": 2, "layers": [{{"mediaType": "application/zip",
                "digest": "sha256:{hex}", "size": 1}}]}}"#
            );
            let manifest = Manifest::read(text.as_bytes()).expect(&text);
            manifest.layers[0].digest().is_ok()
        };
        assert!(digest(&"a".repeat(64)));
        assert!(!digest(&"A".repeat(64)), "another case is another name");
        assert!(!digest(&"a".repeat(63)));
    }

    #[test]
    fn other_documents_are_refused() {
        for text in
            ["", "[]", "{}", r#"{"schemaVersion": 1}"#, r#"{"schemaVersion": 2, "layers": {}}"#]
        {
            assert!(Manifest::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
