//! Lock files of other tools.

use std::collections::BTreeMap;

use prowess_core::Digest;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::LockError;
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

    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// The text is not such a file, has conflict markers or another version, or names a source
    /// that cannot be installed from. It is never read in part.
    pub fn read(self, text: &str) -> Result<Vec<ForeignSkill>, LockError> {
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
    skills: BTreeMap<String, VercelSkill>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VercelSkill {
    source: String,
    source_type: String,
    source_url: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    skill_path: Option<String>,
    computed_hash: Option<String>,
    #[serde(alias = "signer", alias = "signature")]
    provenance: Option<serde_json::Value>,
}

fn read_vercel(text: &str, version: i64) -> Result<Vec<ForeignSkill>, LockError> {
    let file: Vercel = serde_json::from_str(text).map_err(|error| invalid(&error))?;
    check_version(file.version, version)?;
    let skills = file.skills.into_iter().map(|(name, skill)| {
        let source = vercel_source(&name, &skill)?;
        let hash = skill.computed_hash.map(|hash| digest(&hash)).transpose()?;
        let signer = skill.provenance.as_ref().map(ForeignSigner::read);
        let reference = skill.reference;
        Ok(ForeignSkill { name: Some(name), source, reference, folder_hash: hash, signer })
    });
    skills.collect()
}

/// Returns the source of a skill, with its host and its directory. Nothing is guessed: who owns a
/// name on another host would choose the skill.
fn vercel_source(name: &str, skill: &VercelSkill) -> Result<String, LockError> {
    let written = skill.source_url.as_deref().unwrap_or(&skill.source);
    let has_host = |source: &str| source.contains("://") || source.contains('@');
    let directory = skill.skill_path.as_deref().unwrap_or_default();
    let directory = directory.strip_suffix("SKILL.md").unwrap_or(directory).trim_matches('/');
    let below = |separator: &str, repository: &str| match directory {
        "" => repository.to_owned(),
        _ => format!("{repository}{separator}{directory}"),
    };
    match skill.source_type.as_str() {
        "github" | "git" | "gitlab" if has_host(written) => {
            let plus = if written.starts_with("http") { "git+" } else { "" };
            Ok(format!("{plus}{}", below("//", written)))
        }
        "github" => Ok(below("/", &skill.source)),
        "gitlab" => Ok(below("//", &format!("git+https://gitlab.com/{}.git", skill.source))),
        "local" => Ok(skill.source.clone()),
        "well-known" if written.contains("://") => Ok(written.to_owned()),
        "well-known" => Ok(format!("https://{written}")),
        "git" => Err(LockError::Invalid(format!(
            "the line of {} has the source {} and not its host; add the URL as `sourceUrl`",
            prowess_text::quoted(name),
            prowess_text::quoted(&skill.source)
        ))),
        other => {
            let kind = prowess_text::quoted(other);
            Err(LockError::Invalid(format!("the source of `{name}` is of the kind {kind}")))
        }
    }
}

#[derive(Deserialize)]
struct ToolHive {
    version: i64,
    #[serde(default)]
    skills: Vec<ToolHiveSkill>,
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

fn read_toolhive(text: &str) -> Result<Vec<ForeignSkill>, LockError> {
    let file: ToolHive = yaml(text)?;
    check_version(file.version, 1)?;
    let skill = |skill: ToolHiveSkill| {
        let written = skill.resolved_reference.unwrap_or(skill.source);
        ForeignSkill {
            name: Some(skill.name),
            source: toolhive_source(&written),
            reference: Some(skill.digest),
            folder_hash: None,
            signer: skill.provenance.as_ref().map(ForeignSigner::read),
        }
    };
    Ok(file.skills.into_iter().map(skill).collect())
}

/// Returns the source of `git://HOST/PATH@REF#DIRECTORY`, or of an image such as `HOST/NAME:TAG`.
fn toolhive_source(written: &str) -> String {
    if let Some(git) = written.strip_prefix("git://") {
        let (repository, directory) = git.split_once('#').unwrap_or((git, ""));
        let repository = repository.split('@').next().unwrap_or_default();
        let separator = if directory.is_empty() { "" } else { "//" };
        return format!("git+https://{repository}{separator}{directory}");
    }
    let image = written.split('@').next().unwrap_or_default();
    let image = image.strip_prefix("oci://").unwrap_or(image);
    // A colon before the last slash is that of a port.
    let name_at = image.rfind('/').map_or(0, |at| at + 1);
    let end = image[name_at..].find(':').map_or(image.len(), |at| name_at + at);
    format!("oci://{}", &image[..end])
}

#[derive(Deserialize)]
struct Apm {
    lockfile_version: String,
    #[serde(default)]
    dependencies: Vec<ApmDependency>,
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

fn read_apm(text: &str) -> Result<Vec<ForeignSkill>, LockError> {
    let file: Apm = yaml(text)?;
    let version = file.lockfile_version.parse().map_err(|error| invalid(&error))?;
    if version != 1 && version != 2 {
        return Err(LockError::UnknownVersion(version));
    }
    let skill = |it: ApmDependency| {
        let repository = it.repo_url.trim_end_matches('/');
        let repository = match (repository.contains("://"), it.host.as_deref()) {
            (true, _) => repository.to_owned(),
            (false, Some(host)) if !repository.starts_with(host) => {
                format!("https://{host}/{repository}")
            }
            (false, None) if repository.split('/').count() == 2 => {
                format!("https://github.com/{repository}")
            }
            (false, _) => format!("https://{repository}"),
        };
        let directory = it.virtual_path.map(|path| format!("//{path}")).unwrap_or_default();
        ForeignSkill {
            name: None,
            source: format!("git+{repository}{directory}"),
            reference: it.resolved_commit.or(it.resolved_ref),
            folder_hash: None,
            signer: it.provenance.as_ref().map(ForeignSigner::read),
        }
    };
    Ok(file.dependencies.into_iter().map(skill).collect())
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

fn digest(hash: &str) -> Result<Digest, LockError> {
    format!("sha256:{hash}")
        .parse()
        .map_err(|_| LockError::Invalid(format!("{} is not a SHA-256", prowess_text::quoted(hash))))
}

fn invalid(error: &dyn std::fmt::Display) -> LockError {
    LockError::Invalid(error.to_string().trim().replace('\n', "; "))
}
