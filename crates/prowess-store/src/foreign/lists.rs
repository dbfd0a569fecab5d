//! Lock files that are lists in YAML: those of ToolHive and APM.

use std::collections::BTreeMap;

use prowess_format::{MAX_FLOW_DEPTH, duplicate_key, is_nested_too_deep};
use prowess_text::quoted;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::repository::{has_host, repository_at, with_scheme};
use super::{
    ForeignSigner, ForeignSkill, ForeignSkills, Others, check_count, check_file, check_others,
    check_version, fixed, invalid,
};
use crate::error::LockError;

#[derive(Deserialize)]
struct ToolHive {
    version: i64,
    #[serde(default)]
    skills: Vec<serde_yaml::Value>,
    #[serde(flatten)]
    others: Others,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolHiveSkill {
    name: String,
    source: String,
    resolved_reference: Option<String>,
    digest: String,
    #[serde(alias = "signer", alias = "signature")]
    provenance: Option<serde_json::Value>,
    #[serde(flatten)]
    others: Others,
}

pub(super) fn read_toolhive(text: &str) -> Result<ForeignSkills, LockError> {
    let file: ToolHive = yaml(text)?;
    check_version(file.version, 1)?;
    check_file(&file.others, "")?;
    let skill = |skill: ToolHiveSkill| {
        check_others(&skill.others, "version contentDigest requiredBy explicit unsigned tags")?;
        let written = skill.resolved_reference.unwrap_or(skill.source);
        Ok(vec![ForeignSkill {
            name: Some(skill.name),
            source: toolhive_source(&written)?,
            reference: Some(fixed(skill.digest)?),
            folder_hash: None,
            signer: skill.provenance.as_ref().map(ForeignSigner::read),
        }])
    };
    read_entries(text, "skills", file.skills, skill)
}

/// Reads the entries of a list, each with the line that it begins at.
fn read_entries<T: DeserializeOwned>(
    text: &str,
    key: &str,
    entries: Vec<serde_yaml::Value>,
    read: impl Fn(T) -> Result<Vec<ForeignSkill>, String>,
) -> Result<ForeignSkills, LockError> {
    check_count(entries.len())?;
    let lines = (1..).zip(text.lines());
    let lines = lines.skip_while(|(_, line)| line.split(':').next() != Some(key)).skip(1);
    let mut starts = lines.filter(|(_, line)| line.trim_start().starts_with('-')).peekable();
    let margin = |line: &str| line.len() - line.trim_start().len();
    let first = starts.peek().map_or(0, |(_, line)| margin(line));
    let mut starts = starts.filter(|(_, line)| margin(line) == first).map(|(number, _)| number);
    let mut entries: Vec<_> = entries
        .into_iter()
        .map(|entry| {
            let name = ["name", "repo_url"].iter().find_map(|key| entry.get(*key)?.as_str());
            let name = name.unwrap_or_default().to_owned();
            let skill = serde_yaml::from_value(entry).map_err(|error| error.to_string());
            (name, starts.next().unwrap_or(1), skill.and_then(&read))
        })
        .collect();
    // Nothing says which of two versions of one skill is meant.
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..entries.len() {
        let Ok([skill, ..]) = entries[at].2.as_deref() else { continue };
        let name = skill.name.as_ref().filter(|_| key == "skills");
        let key = name.unwrap_or(&skill.source).clone();
        let other = *known.entry(key).or_insert(at);
        if other != at && entries[other].2 != entries[at].2 {
            for (one, other) in [(at, entries[other].1), (other, entries[at].1)] {
                entries[one].2 = Err(format!("line {other} has another version of it"));
            }
        }
    }
    let mut all = ForeignSkills::default();
    for (name, line, skills) in entries {
        match skills {
            Ok(skills) => skills.into_iter().for_each(|skill| all.add(&name, line, Ok(skill))),
            Err(reason) => all.add(&name, line, Err(reason)),
        }
    }
    Ok(all)
}

/// Returns the source of `git://HOST/PATH@REF#DIRECTORY`, or of an image such as `HOST/NAME:TAG`.
fn toolhive_source(written: &str) -> Result<String, String> {
    let lost = || format!("it has the source {} and not its host", quoted(written));
    if let Some(git) = written.strip_prefix("git://") {
        let (repository, directory) = git.split_once('#').unwrap_or((git, ""));
        let (host, path) = repository.split_once('/').ok_or_else(lost)?;
        let path = path.split('@').next().unwrap_or_default();
        let separator = if directory.is_empty() { "" } else { "//" };
        return Ok(format!("git+https://{host}/{path}{separator}{directory}"));
    }
    let image = written.strip_prefix("oci://").unwrap_or(written);
    let host = image.split_once('/').map(|(host, _)| host);
    if image.contains("://") || !host.is_some_and(|it| it.contains(['.', ':']) || it == "localhost")
    {
        return Err(lost());
    }
    let image = image.split('@').next().unwrap_or_default();
    // A colon before the last slash is that of a port.
    let name_at = image.rfind('/').map_or(0, |at| at + 1);
    let end = image[name_at..].find(':').map_or(image.len(), |at| name_at + at);
    Ok(format!("oci://{}", &image[..end]))
}

#[derive(Deserialize)]
struct Apm {
    lockfile_version: String,
    #[serde(default)]
    dependencies: Vec<serde_yaml::Value>,
    #[serde(flatten)]
    others: Others,
}

/// The keys of a file and of a line that say nothing about where a skill is from.
const HARMLESS: [&str; 2] = [
    "generated_at apm_version mcp_servers mcp_configs local_deployed_files \
     local_deployed_file_hashes",
    "is_virtual depth resolved_by package_type deployed_files deployed_file_hashes is_dev \
     discovered_via marketplace_plugin_name is_insecure allow_insecure",
];

#[derive(Deserialize)]
struct ApmDependency {
    repo_url: String,
    host: Option<String>,
    resolved_commit: Option<String>,
    resolved_ref: Option<String>,
    virtual_path: Option<String>,
    /// The only skills that are meant, if there are some.
    skill_subset: Option<Vec<String>>,
    /// Those that were installed, as older files have them.
    deployed_skills: Option<Vec<String>>,
    #[serde(alias = "signer", alias = "signature")]
    provenance: Option<serde_json::Value>,
    #[serde(flatten)]
    others: Others,
}

pub(super) fn read_apm(text: &str) -> Result<ForeignSkills, LockError> {
    let file: Apm = yaml(text)?;
    let version = file.lockfile_version.parse().map_err(|error| invalid(&error))?;
    if version != 1 && version != 2 {
        return Err(LockError::UnknownVersion(version));
    }
    check_file(&file.others, HARMLESS[0])?;
    let skill = |mut it: ApmDependency| {
        // A commit says more than a version and a digest.
        if it.resolved_commit.is_some() {
            it.others.retain(|key, _| key != "version" && key != "content_hash");
        }
        check_others(&it.others, HARMLESS[1])?;
        let written = it.repo_url.trim_end_matches('/');
        let repository = match it.host.as_deref().filter(|host| !host.is_empty()) {
            Some(host) => repository_at(host, written)?,
            None if has_host(written) => with_scheme(written),
            None if written.split('/').count() == 2 => format!("git+https://github.com/{written}"),
            None => return Err(format!("it has the source {} and not its host", quoted(written))),
        };
        let directory = it.virtual_path.map(|path| format!("//{path}")).unwrap_or_default();
        let mut named = [it.skill_subset, it.deployed_skills].into_iter().flatten();
        let names = named.find(|names| !names.is_empty()).unwrap_or_default();
        let all = ForeignSkill {
            name: None,
            source: format!("{repository}{directory}"),
            reference: it.resolved_commit.map(fixed).transpose()?.or(it.resolved_ref),
            folder_hash: None,
            signer: it.provenance.as_ref().map(ForeignSigner::read),
        };
        let named = |name| ForeignSkill { name: Some(name), ..all.clone() };
        let skills: Vec<_> = names.into_iter().map(named).collect();
        Ok(if skills.is_empty() { vec![all] } else { skills })
    };
    read_entries(text, "dependencies", file.dependencies, skill)
}

fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, LockError> {
    if is_nested_too_deep(text) {
        let message = format!("`[` and `{{` are nested deeper than {MAX_FLOW_DEPTH}");
        return Err(LockError::Invalid(message));
    }
    // The reader of values knows neither line of a key that is there again.
    match duplicate_key(text) {
        Some(found) => {
            let line = found.line.unwrap_or_default();
            Err(LockError::Invalid(format!("line {line}: {}", found.message)))
        }
        None => serde_yaml::from_str(text).map_err(|error| invalid(&error)),
    }
}
