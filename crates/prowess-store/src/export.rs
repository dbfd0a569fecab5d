//! Writes `skills-lock.json`.

use std::collections::BTreeMap;

use prowess_core::Digest;
use serde::Serialize;

use crate::error::StoreError;
use crate::folder_hash::folder_hash;
use crate::lock::Lock;
use crate::store::Store;
use crate::tree::stored_contents;

/// The file as it is written.
#[derive(Serialize)]
struct Written<'l> {
    version: u32,
    skills: BTreeMap<&'l str, Skill<'l>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Skill<'l> {
    source: &'l str,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<&'l str>,
    source_type: &'static str,
    computed_hash: String,
}

/// Returns the text of a `skills-lock.json` with the skills of a lock, whose packages are in this
/// store.
///
/// # Errors
///
/// A package is not in the store, or cannot be read.
pub fn to_skills_lock(lock: &Lock, store: &Store) -> Result<String, StoreError> {
    let mut skills = BTreeMap::new();
    for (id, skill) in &lock.skills {
        let written = Skill {
            source: &skill.source,
            reference: skill.reference.as_deref(),
            source_type: source_type(&skill.source),
            computed_hash: hash_of(store, &skill.tree)?,
        };
        skills.insert(id.as_str(), written);
    }
    let text = serde_json::to_string_pretty(&Written { version: 1, skills });
    Ok(text.map_err(|error| StoreError::Unusable(error.to_string()))? + "\n")
}

fn hash_of(store: &Store, tree: &Digest) -> Result<String, StoreError> {
    let files = stored_contents(&store.open(tree)?)?;
    let files: Vec<_> = files.iter().map(|(path, content)| (&**path, &**content)).collect();
    let digest = folder_hash(&files).to_string();
    Ok(digest.trim_start_matches("sha256:").to_owned())
}

fn source_type(source: &str) -> &'static str {
    if source.starts_with(['/', '.']) {
        "local"
    } else if source.starts_with("git+") || source.ends_with(".git") {
        "git"
    } else if source.contains("://") {
        "well-known"
    } else {
        "github"
    }
}
