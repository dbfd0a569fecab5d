//! Lock files of other tools.

mod lists;
mod repository;
mod vercel;

use std::collections::BTreeMap;

use prowess_core::{Digest, has_credentials, without_user};
use prowess_text::{clipped, quoted};
use serde_json::Value;

use crate::candidate::LeftOut;
use crate::error::{LockError, StoreError};
use crate::signer::SIGSTORE;

/// The maximum size of such a file, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The maximum number of characters of a reason: it may have the text of a line.
const MAX_REASON: usize = 300;

/// The maximum number of skills in one: each that cannot be read is reported.
const MOST_SKILLS: usize = 2_000;

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

/// The skills that the lock file of another tool names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignSkills {
    /// The skills.
    pub skills: Vec<ForeignSkill>,
    /// The lines that cannot be read, each with its number.
    pub left_out: Vec<LeftOut>,
}

impl ForeignSkills {
    fn add(&mut self, name: &str, line: usize, read: Result<ForeignSkill, String>) {
        let read = read.and_then(|skill| {
            let source = without_user(&skill.source).into_owned();
            match has_credentials(&source) {
                true => Err("its source contains a password or a token".to_owned()),
                false => Ok(ForeignSkill { source, ..skill }),
            }
        });
        match read {
            Ok(skill) => self.skills.push(skill),
            Err(reason) => {
                let error = invalid(&format!("line {line}: {reason}"));
                let name = clipped(name, MAX_REASON);
                self.left_out.push(LeftOut { name, error: StoreError::from(error).into() });
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
    fn read(written: &Value) -> Self {
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

/// The keys of a line, or of a whole file, that are not read.
type Others = BTreeMap<String, Value>;

/// Refuses a key that is not known to be harmless: its line would be read without the host, the
/// signer or the version that it demands.
fn check_others(others: &Others, harmless: &str) -> Result<(), String> {
    let is_set = |value: &Value| !value.is_null() && value != "";
    // Members could say more. Those of tables are names of files and of questions.
    let is_known = |key: &str, value: &Value| {
        let is_plain = match value {
            Value::Object(table) if key.ends_with("hashes") || key == "dismissed" => {
                !table.values().any(has_members)
            }
            value => key == "mcp_configs" || !has_members(value),
        };
        is_plain && harmless.split(' ').any(|known| known == key)
    };
    match others.iter().find(|(key, value)| is_set(value) && !is_known(key, value)) {
        Some((key, _)) => Err(format!("its key {} is not known", quoted(key))),
        None => Ok(()),
    }
}

/// Returns whether a value has keys of its own, at any depth.
fn has_members(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(has_members),
        _ => value.is_object(),
    }
}

/// Returns a commit or a digest that cannot be the name of a branch or a tag, which would be
/// followed.
fn fixed(written: String) -> Result<String, String> {
    let digits = written.strip_prefix("sha256:").unwrap_or(&written);
    let is_whole = matches!(digits.len(), 40 | 64) && (digits.len() == 64 || digits == written);
    match is_whole && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        true => Ok(written),
        false => Err(format!("it has {} and not a commit or a digest", quoted(&written))),
    }
}

/// Refuses a whole file, as [`check_others`] a line.
fn check_file(others: &Others, harmless: &str) -> Result<(), LockError> {
    check_others(others, harmless).map_err(LockError::Invalid)
}

prowess_core::declare_kinds! {
    /// The lock files of other tools.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ForeignLock {
        /// `skills-lock.json`, which Vercel's `skills` keeps in a project.
        SkillsLock = "skills-lock.json",
        /// `.skill-lock.json`, which Vercel's `skills` keeps for a user.
        SkillLock = ".skill-lock.json",
        /// `toolhive.lock.yaml`.
        ToolHive = "toolhive.lock.yaml",
        /// `apm.lock.yaml`.
        Apm = "apm.lock.yaml",
    }
}

impl ForeignLock {
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
            Self::SkillsLock => vercel::read(text, 1),
            Self::SkillLock => vercel::read(text, 3),
            Self::ToolHive => lists::read_toolhive(text),
            Self::Apm => lists::read_apm(text),
        }
    }
}

fn check_count(skills: usize) -> Result<(), LockError> {
    if skills > MOST_SKILLS {
        return Err(LockError::Invalid(format!("it has more than {MOST_SKILLS} skills")));
    }
    Ok(())
}

fn check_version(version: i64, known: i64) -> Result<(), LockError> {
    if version == known { Ok(()) } else { Err(LockError::UnknownVersion(version)) }
}

fn invalid(error: &dyn std::fmt::Display) -> LockError {
    let reason = error.to_string().trim().replace('\n', "; ");
    LockError::Invalid(clipped(&reason, MAX_REASON))
}
