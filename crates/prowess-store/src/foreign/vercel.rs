//! The lock files of Vercel's `skills`.

use std::collections::BTreeMap;

use prowess_text::quoted;
use serde::Deserialize;

use super::repository::{has_host, repository_at, with_scheme};
use super::{
    ForeignSigner, ForeignSkill, ForeignSkills, Others, check_count, check_file, check_others,
    check_version, invalid,
};
use crate::error::LockError;

#[derive(Deserialize)]
struct Vercel {
    version: i64,
    skills: BTreeMap<String, serde_json::Value>,
    #[serde(flatten)]
    others: Others,
}

/// The keys of a line that say nothing about where a skill is from. A folder's hash says which
/// files were there, and the newest ones are followed.
const HARMLESS: &str = "skillFolderHash installedAt updatedAt pluginName";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VercelSkill {
    source: String,
    source_type: String,
    source_url: Option<String>,
    #[serde(alias = "hostname")]
    host: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    skill_path: Option<String>,
    computed_hash: Option<String>,
    #[serde(alias = "signer", alias = "signature")]
    provenance: Option<serde_json::Value>,
    #[serde(flatten)]
    others: Others,
}

pub(super) fn read(text: &str, version: i64) -> Result<ForeignSkills, LockError> {
    let lines = check_keys(text)?;
    let file: Vercel = serde_json::from_str(text).map_err(|error| invalid(&error))?;
    check_version(file.version, version)?;
    check_file(&file.others, "dismissed lastSelectedAgents")?;
    check_count(file.skills.len())?;
    let mut read = ForeignSkills::default();
    for (name, entry) in file.skills {
        let skill = serde_json::from_value(entry).map_err(|error| error.to_string());
        let line = lines.get(&name).copied().unwrap_or(1);
        read.add(&name, line, skill.and_then(|skill| vercel_skill(&name, skill)));
    }
    Ok(read)
}

/// Refuses an object of a JSON text with two equal keys, of which its reader keeps the last one.
/// Returns the lines of the keys of `skills`.
fn check_keys(json: &str) -> Result<BTreeMap<String, usize>, LockError> {
    let mut objects: Vec<BTreeMap<String, usize>> = Vec::new();
    let (mut skills, mut is_skills) = (BTreeMap::new(), false);
    let (mut rest, mut line) = (json, 1);
    while let Some(at) = rest.find(['"', '{', '}', '\n']) {
        let (found, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = after;
        match found {
            b'{' => objects.push(BTreeMap::new()),
            b'}' => {
                let ended = objects.pop().unwrap_or_default();
                if objects.len() == 1 && is_skills {
                    skills = ended;
                }
            }
            b'\n' => line += 1,
            _ => {
                let mut is_escaped = false;
                let is_end = |letter: char| {
                    let is_end = letter == '"' && !is_escaped;
                    is_escaped = letter == '\\' && !is_escaped;
                    is_end
                };
                let end = after.find(is_end).unwrap_or(after.len());
                rest = after.get(end + 1..).unwrap_or_default();
                let depth = objects.len();
                let keys = objects.last_mut().filter(|_| rest.trim_start().starts_with(':'));
                let Some(keys) = keys else { continue };
                let key = serde_json::from_str(&format!("\"{}\"", &after[..end]));
                let Ok(key): Result<String, _> = key else { continue };
                if depth == 1 {
                    is_skills = key == "skills";
                }
                let shown = quoted(&key);
                if let Some(first) = keys.insert(key, line) {
                    let message = format!(
                        "duplicate key {shown} at line {line}, which is at line {first} too"
                    );
                    return Err(LockError::Invalid(message));
                }
            }
        }
    }
    Ok(skills)
}

fn vercel_skill(name: &str, skill: VercelSkill) -> Result<ForeignSkill, String> {
    check_others(&skill.others, HARMLESS)?;
    let source = vercel_source(&skill)?;
    let digest = |hash: String| {
        let digest = format!("sha256:{hash}").parse();
        digest.map_err(|_| format!("{} is not a SHA-256", quoted(&hash)))
    };
    Ok(ForeignSkill {
        name: Some(name.to_owned()),
        source,
        reference: skill.reference.filter(|it| !it.is_empty()),
        folder_hash: skill.computed_hash.map(digest).transpose()?,
        signer: skill.provenance.as_ref().map(ForeignSigner::read),
    })
}

/// Returns the source of a skill, with its host and its directory. Nothing is guessed: who owns a
/// name on another host would choose the skill.
fn vercel_source(skill: &VercelSkill) -> Result<String, String> {
    let VercelSkill { source, source_url, host, .. } = skill;
    let url = source_url.as_deref().filter(|url| !url.is_empty()).unwrap_or(source);
    let directory = skill.skill_path.as_deref().unwrap_or_default();
    let directory = directory.strip_suffix("SKILL.md").unwrap_or(directory).trim_matches('/');
    let below = |separator: &str, repository: &str| match directory {
        "" => repository.to_owned(),
        _ => format!("{}{separator}{directory}", repository.trim_end_matches('/')),
    };
    let lost = |written: &str| {
        let written = quoted(written);
        format!("it has the source {written} and not its host; add the URL as `sourceUrl`")
    };
    let with_host = || match host.as_deref().filter(|host| !host.is_empty()) {
        Some(host) => repository_at(host, url).map(Some),
        None if has_host(url) => Ok(Some(with_scheme(url))),
        None if url != source && url.trim_end_matches(".git") != source => Err(lost(url)),
        None => Ok(None),
    };
    match skill.source_type.to_ascii_lowercase().as_str() {
        kind @ ("github" | "git" | "gitlab") => match (with_host()?, kind) {
            (Some(repository), _) => Ok(below("//", &repository)),
            (None, "github") if !source.starts_with('/') => Ok(below("/", source)),
            // GitLab is at many hosts.
            _ => Err(lost(source)),
        },
        "local" if url != source || host.as_deref().is_some_and(|host| !host.is_empty()) => {
            Err(format!("it is a local one, and at {}", quoted(host.as_deref().unwrap_or(url))))
        }
        "local" if source.starts_with(['/', '.']) || source.contains("://") => {
            Ok(below("/", source))
        }
        // Without a dot in front, it would be the name of a repository.
        "local" => Ok(below("/", &format!("./{source}"))),
        "well-known" => {
            with_host()?;
            // A site names its skills, and not where they are: the path says no more than the name.
            Ok(if url.contains("://") { url.to_owned() } else { format!("https://{url}") })
        }
        other => Err(format!("its source is of the kind {}", quoted(other))),
    }
}
