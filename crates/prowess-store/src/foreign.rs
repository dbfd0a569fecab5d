//! Lock files of other tools.

use std::collections::BTreeMap;

use prowess_core::Digest;
use prowess_text::quoted;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::candidate::LeftOut;
use crate::error::{LockError, StoreError};
use crate::signer::SIGSTORE;

/// The maximum size of such a file, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A skill in the lock file of another tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignSkill {
    /// The name; `None` for every skill of the source.
    pub name: Option<String>,
    /// The source, as [`Remote`](prowess_core::Remote)s read it. A path may be relative to the
    /// directory of the file.
    pub source: String,
    /// The commit or digest that is locked, or else the branch or tag that is followed.
    pub reference: Option<String>,
    /// The locked digest of the files, as [`folder_hash`](crate::folder_hash) computes it.
    pub folder_hash: Option<Digest>,
    /// The locked signer: a skill of another one, or of none, is not installed.
    pub signer: Option<ForeignSigner>,
}

/// What the lock file of another tool names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignSkills {
    /// The skills.
    pub skills: Vec<ForeignSkill>,
    /// The lines that cannot be read, each with its number.
    pub left_out: Vec<LeftOut>,
}

impl ForeignSkills {
    fn add(&mut self, name: &str, line: usize, read: Result<ForeignSkill, String>) {
        match read {
            Ok(skill) => self.skills.push(skill),
            Err(reason) => {
                let reason = format!("line {line}: {}", reason.trim().replace('\n', "; "));
                let error = StoreError::from(LockError::Invalid(reason)).into();
                self.left_out.push(LeftOut { name: name.to_owned(), error });
            }
        }
    }
}

/// The signer in the lock file of another tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignSigner {
    /// The signer as JSON.
    pub written: String,
    /// The issuer and the start of the identity, if the file names a certificate of sigstore.
    pub identity: Option<[String; 2]>,
}

impl ForeignSigner {
    /// Reads what a line says about its signer. What is not understood has no identity, so that no
    /// artifact has that signer.
    fn read(written: &serde_json::Value) -> Self {
        const KNOWN: [&str; 4] = ["signerIdentity", "certIssuer", "repositoryUri", "sigstoreUrl"];
        let text = |key: &str| written[key].as_str();
        let is_known = |fields: &serde_json::Map<_, _>| {
            fields.keys().all(|key: &String| KNOWN.contains(&key.as_str()))
        };
        let identity = written.as_object().filter(|fields| is_known(fields)).and_then(|_| {
            let (issuer, identity) = (text("certIssuer")?, text("signerIdentity")?);
            let repository = text("repositoryUri").filter(|_| identity.starts_with('/'));
            Some([issuer.to_owned(), format!("{}{identity}", repository.unwrap_or_default())])
        });
        Self { written: written.to_string(), identity }
    }

    /// Returns whether this is the signer with a name as in a lock. A workflow may have run at any
    /// reference, which follows it after `@`.
    pub(crate) fn is(&self, name: &str) -> bool {
        let Some([issuer, identity]) = &self.identity else { return false };
        let rest = name.strip_prefix(&format!("{SIGSTORE}{issuer} {identity}"));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
    }
}

/// The lock files of other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignLock {
    /// `skills-lock.json`, which Vercel's `skills` keeps in a project.
    SkillsLock,
    /// `.skill-lock.json`, which Vercel's `skills` keeps for a user.
    SkillLock,
    /// `toolhive.lock.yaml`.
    ToolHive,
    /// `apm.lock.yaml`.
    Apm,
}

impl ForeignLock {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::SkillsLock, Self::SkillLock, Self::ToolHive, Self::Apm];

    /// Returns the name of the file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::SkillsLock => "skills-lock.json",
            Self::SkillLock => ".skill-lock.json",
            Self::ToolHive => "toolhive.lock.yaml",
            Self::Apm => "apm.lock.yaml",
        }
    }

    /// Returns the format of a file with this name.
    pub fn of(file_name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.file_name() == file_name)
    }

    /// Reads the text of a file. A line that cannot be read, or that has lost its host, costs no
    /// other one.
    ///
    /// # Errors
    ///
    /// The text is not such a file, or has conflict markers or another version.
    pub fn read(self, text: &str) -> Result<ForeignSkills, LockError> {
        if text.len() > MAX_BYTES {
            return Err(LockError::Invalid(format!("it has more than {MAX_BYTES} bytes")));
        }
        if text.lines().any(crate::lock::is_marker) {
            return Err(LockError::Conflicted);
        }
        match self {
            Self::SkillsLock => read_vercel(text, 1),
            Self::SkillLock => read_vercel(text, 3),
            Self::ToolHive => read_toolhive(text),
            Self::Apm => read_apm(text),
        }
    }
}

#[derive(Deserialize)]
struct Vercel {
    version: i64,
    skills: BTreeMap<String, serde_json::Value>,
}

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
}

fn read_vercel(text: &str, version: i64) -> Result<ForeignSkills, LockError> {
    let file: Vercel = serde_json::from_str(text).map_err(|error| invalid(&error))?;
    check_version(file.version, version)?;
    let mut read = ForeignSkills::default();
    for (name, entry) in file.skills {
        let skill = serde_json::from_value(entry).map_err(|error| error.to_string());
        let line = line_of_key(text, &serde_json::Value::from(&*name).to_string());
        read.add(&name, line, skill.and_then(|skill| vercel_skill(&name, skill)));
    }
    Ok(read)
}

/// Returns the line of a key in front of an object, or else of any key of this name.
fn line_of_key(text: &str, key: &str) -> usize {
    let keys = || text.match_indices(key).map(|(at, _)| at);
    let value = |at: &usize| text[at + key.len()..].trim_start().strip_prefix(':');
    let is_object = |at: &usize| value(at).is_some_and(|rest| rest.trim_start().starts_with('{'));
    let found = keys().find(is_object).or_else(|| keys().find(|at| value(at).is_some()));
    1 + text[..found.unwrap_or_default()].matches('\n').count()
}

fn vercel_skill(name: &str, skill: VercelSkill) -> Result<ForeignSkill, String> {
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
        _ => format!("{repository}{separator}{directory}"),
    };
    let with_host = || match host.as_deref().filter(|host| !host.is_empty()) {
        Some(host) => repository_at(host, url).map(Some),
        None if has_host(url) => Ok(Some(with_scheme(url))),
        None => Ok(has_host(source).then(|| with_scheme(source))),
    };
    match skill.source_type.to_ascii_lowercase().as_str() {
        kind @ ("github" | "git" | "gitlab") => match (with_host()?, kind) {
            (Some(repository), _) => Ok(below("//", &repository)),
            (None, "github") => Ok(below("/", source)),
            (None, "gitlab") => Ok(below("//", &format!("git+https://gitlab.com/{source}.git"))),
            _ => Err(format!(
                "it has the source {} and not its host; add the URL as `sourceUrl`",
                quoted(source)
            )),
        },
        "local" if source.starts_with(['/', '.']) || source.contains("://") => Ok(source.clone()),
        // Without a dot in front, it would be the name of a repository.
        "local" => Ok(format!("./{source}")),
        "well-known" if url.contains("://") => Ok(url.to_owned()),
        "well-known" => Ok(format!("https://{url}")),
        other => Err(format!("its source is of the kind {}", quoted(other))),
    }
}

/// Returns whether a repository is written with its host: no owner has a dot or a colon.
fn has_host(written: &str) -> bool {
    let first = written.split('/').next().unwrap_or_default();
    written.contains("://") || first.contains(['.', ':', '@'])
}

/// Returns a repository with a host as a source.
fn with_scheme(written: &str) -> String {
    let is_port = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    match written.split_once(':') {
        Some((scheme, _)) if written.contains("://") => {
            let plus = if scheme.to_ascii_lowercase().starts_with("http") { "git+" } else { "" };
            format!("{plus}{written}")
        }
        Some((place, _)) if place.contains('@') => written.to_owned(),
        Some((_, path)) if !is_port(path) => format!("git@{written}"),
        _ => format!("git+https://{written}"),
    }
}

/// Returns a repository at a host that is named apart, which its own one has to be.
fn repository_at(host: &str, written: &str) -> Result<String, String> {
    let host = host.trim_start_matches("https://").trim_end_matches('/');
    if !has_host(written) {
        return Ok(format!("git+https://{host}/{}", written.trim_start_matches('/')));
    }
    let source = with_scheme(written);
    let place = source.split_once("://").map_or(&*source, |(_, place)| place);
    let place = place.split_once('@').map_or(place, |(_, place)| place);
    let rest = place.strip_prefix(host).filter(|rest| rest.starts_with(['/', ':']));
    let contradiction = || format!("it names the host {} and {}", quoted(host), quoted(written));
    rest.map(|_| source.clone()).ok_or_else(contradiction)
}

#[derive(Deserialize)]
struct ToolHive {
    version: i64,
    #[serde(default)]
    skills: Vec<serde_yaml::Value>,
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
}

fn read_toolhive(text: &str) -> Result<ForeignSkills, LockError> {
    let file: ToolHive = yaml(text)?;
    check_version(file.version, 1)?;
    let skill = |skill: ToolHiveSkill| {
        let written = skill.resolved_reference.unwrap_or(skill.source);
        Ok(ForeignSkill {
            name: Some(skill.name),
            source: toolhive_source(&written)?,
            reference: Some(skill.digest),
            folder_hash: None,
            signer: skill.provenance.as_ref().map(ForeignSigner::read),
        })
    };
    Ok(read_entries(text, "skills", file.skills, skill))
}

/// Reads the entries of a list, each with the line that it begins at.
fn read_entries<T: DeserializeOwned>(
    text: &str,
    key: &str,
    entries: Vec<serde_yaml::Value>,
    read: impl Fn(T) -> Result<ForeignSkill, String>,
) -> ForeignSkills {
    let lines = (1..).zip(text.lines());
    let lines = lines.skip_while(|(_, line)| line.split(':').next() != Some(key)).skip(1);
    let mut starts = lines.filter(|(_, line)| line.trim_start().starts_with('-')).peekable();
    let margin = |line: &str| line.len() - line.trim_start().len();
    let first = starts.peek().map_or(0, |(_, line)| margin(line));
    let mut starts = starts.filter(|(_, line)| margin(line) == first).map(|(number, _)| number);
    let mut all = ForeignSkills::default();
    for entry in entries {
        let name = ["name", "repo_url"].iter().find_map(|key| entry.get(*key)?.as_str());
        let name = name.unwrap_or_default().to_owned();
        let skill = serde_yaml::from_value(entry).map_err(|error| error.to_string());
        all.add(&name, starts.next().unwrap_or(1), skill.and_then(&read));
    }
    all
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
}

#[derive(Deserialize)]
struct ApmDependency {
    repo_url: String,
    host: Option<String>,
    resolved_commit: Option<String>,
    resolved_ref: Option<String>,
    virtual_path: Option<String>,
    #[serde(alias = "signer", alias = "signature")]
    provenance: Option<serde_json::Value>,
}

fn read_apm(text: &str) -> Result<ForeignSkills, LockError> {
    let file: Apm = yaml(text)?;
    let version = file.lockfile_version.parse().map_err(|error| invalid(&error))?;
    if version != 1 && version != 2 {
        return Err(LockError::UnknownVersion(version));
    }
    let skill = |it: ApmDependency| {
        let written = it.repo_url.trim_end_matches('/');
        let repository = match it.host.as_deref().filter(|host| !host.is_empty()) {
            Some(host) => repository_at(host, written)?,
            None if has_host(written) => with_scheme(written),
            None if written.split('/').count() == 2 => format!("git+https://github.com/{written}"),
            None => return Err(format!("it has the source {} and not its host", quoted(written))),
        };
        let directory = it.virtual_path.map(|path| format!("//{path}")).unwrap_or_default();
        Ok(ForeignSkill {
            name: None,
            source: format!("{repository}{directory}"),
            reference: it.resolved_commit.or(it.resolved_ref),
            folder_hash: None,
            signer: it.provenance.as_ref().map(ForeignSigner::read),
        })
    };
    Ok(read_entries(text, "dependencies", file.dependencies, skill))
}

/// The maximum depth of `[` and `{`. The reader's time grows with the square of the depth.
const MAX_FLOW_DEPTH: usize = 16;

fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, LockError> {
    if flow_depth(text) > MAX_FLOW_DEPTH {
        let message = format!("`[` and `{{` are nested deeper than {MAX_FLOW_DEPTH}");
        return Err(LockError::Invalid(message));
    }
    serde_yaml::from_str(text).map_err(|error| invalid(&error))
}

/// Returns the maximum depth of `[` and `{`. Those in quotes are counted, too.
fn flow_depth(text: &str) -> usize {
    let mut depth = 0_usize;
    let depths = text.bytes().map(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth
    });
    depths.max().unwrap_or(0)
}

fn check_version(version: i64, known: i64) -> Result<(), LockError> {
    if version == known { Ok(()) } else { Err(LockError::UnknownVersion(version)) }
}

fn invalid(error: &dyn std::fmt::Display) -> LockError {
    LockError::Invalid(error.to_string().trim().replace('\n', "; "))
}
