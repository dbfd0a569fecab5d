//! The questions of a tool about the catalog and the session of its call.
//!
//! A plugin whose manifest names the feature [`FEATURE`] receives [`CallNotes`] with each call of
//! its tools, and may [`ask`](crate::HostApi::ask) until the call returns. Questions and answers
//! are JSON, except that the answer to [`Question::Read`] is the content of a file. The answers
//! depend on the caller of the call: they contain the skills that the caller can find, and files of
//! those that it may load.

use serde::{Deserialize, Serialize};

/// The name of the feature: the host shows the catalog and the session to the plugin's tools.
pub const FEATURE: &str = "conversation";

/// The content of [`CallCtx::ext`](crate::CallCtx::ext). Unknown keys are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallNotes {
    /// `user` if the caller is the user; otherwise it is the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The number of the catalog, which is unique for this instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog: Option<u64>,
    /// A hash of the session's state: states with the same hash are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<u64>,
    /// The secret boundary of the tags around skill bodies.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub boundary: String,
    /// Whether the texts of the result may follow its document. The document then has their lengths
    /// in bytes in `texts`, and empty texts; after it come a line feed and the texts.
    #[serde(skip_serializing_if = "is_false")]
    pub takes_texts: bool,
}

/// A question about the conversation of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Requests the catalog. The answer is a [`CatalogSnapshot`].
    Catalog,
    /// Requests the files of a package. The answer is a [`PackageListing`].
    List {
        /// The skill's position in the snapshot.
        skill: usize,
        /// The maximum number of files.
        most: usize,
    },
    /// Requests a file of a package. The answer is its content.
    Read {
        /// The skill's position in the snapshot.
        skill: usize,
        /// The path of the file in the package.
        resource: String,
        /// The maximum size of the file in bytes.
        limit: usize,
    },
    /// Requests the loaded skills. The answer is the core's `SessionState`.
    State,
    /// Loads skills. The answer is the core's `Receipt`, with `delivery` also the fields of
    /// [`Delivered`]. The host reads the skills itself.
    Load {
        /// The skills to load.
        skills: Vec<SkillVersion>,
        /// Whether the loaded skills stay loaded.
        add: bool,
        /// The destination of the bodies: the core's `BodyDelivery`. Older hosts ignore it and
        /// return only the receipt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delivery: Option<String>,
        /// Whether to deliver bodies again that the model already has.
        #[serde(default, skip_serializing_if = "is_false")]
        force: bool,
    },
    /// Unloads skills. The answer is the core's `Receipt`.
    Unload {
        /// The ids of the skills; `None` for all loaded skills.
        ids: Option<Vec<String>>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The bodies to deliver with the result of a load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered<T> {
    /// The ids of the skills whose bodies are delivered.
    pub deliver: Vec<String>,
    /// The ledger entries of the skills whose bodies the model already has, each the core's
    /// `LedgerEntry`.
    pub already_loaded: Vec<T>,
}

/// One version of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillVersion {
    /// An id of the skill.
    pub id: String,
    /// The digest of its `SKILL.md`. A skill with another digest is not loaded.
    pub digest: String,
}

/// The files of a package without its `SKILL.md`, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageListing {
    /// The paths and sizes in bytes.
    pub files: Vec<(String, u64)>,
    /// Whether all files are listed.
    pub is_complete: bool,
}

/// A catalog without skills of other audiences and without rejected skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogSnapshot {
    /// The catalog's generation.
    pub generation: u64,
    /// The layers, with the highest one first.
    pub layers: Vec<LayerSnapshot>,
    /// The sources in the order of precedence.
    pub sources: Vec<SourceSnapshot>,
    /// The offered skills, sorted by id, followed by the excluded ones.
    pub skills: Vec<SkillSnapshot>,
    /// The aliases with the ids that they refer to, sorted.
    pub aliases: Vec<(String, String)>,
}

/// A layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerSnapshot {
    /// The name of the layer.
    pub name: String,
    /// `untrusted`, `prompt` or `trusted`.
    pub trust: String,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSnapshot {
    /// The position of its layer.
    pub layer: usize,
    /// The name of the source.
    pub name: String,
    /// The root directory or URL to which package paths are relative.
    pub root: String,
}

/// A skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillSnapshot {
    /// The position of its source.
    pub source: usize,
    /// The path of the package in its source.
    pub package: String,
    /// The name of its skill file.
    pub file: String,
    /// The id of the skill.
    pub id: String,
    /// The id without the suffix that makes it unique; empty if it is the same as `id`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base_id: String,
    /// The declared name.
    pub name: String,
    /// The description. Empty if no caller may load the skill.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The priority within its layer.
    #[serde(skip_serializing_if = "is_default")]
    pub priority: i16,
    /// The declared version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether the catalog shows the name without the description.
    #[serde(skip_serializing_if = "is_default")]
    pub is_name_only: bool,
    /// A requirement that this machine does not meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_requirement: Option<String>,
    /// Whether a model may load it.
    pub by_model: bool,
    /// Whether a user may load it.
    pub by_user: bool,
    /// The reason why it is not offered; `None` if it is offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusion: Option<Exclusion>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The reason why a skill is not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// `hidden`, `not-ready` or `shadowed`.
    pub availability: String,
    /// A description of the reason.
    pub reason: String,
}

/// The error of a session, in the `ext` field of an [`AbiError`](crate::AbiError).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionRefusal {
    /// The number of loaded skills would exceed the maximum.
    TooManySkills {
        /// The number of skills that would be loaded.
        wanted: usize,
        /// The maximum number of loaded skills.
        cap: usize,
    },
    /// This skill is already loaded, and the host does not load it again.
    AlreadyActive(String),
    /// This skill was loaded later, and skills are unloaded in reverse order.
    NotOnTop(String),
    /// Skills are unloaded in reverse order, and none is loaded.
    NothingActive,
    /// The session may not load this skill.
    NotAllowed(String),
    /// The session does not exist.
    NotFound,
    /// The session was changed concurrently.
    Contended,
    /// The session store failed.
    Store(String),
    /// The host refuses to load a skill.
    Refused {
        /// One of [`REFUSALS`].
        code: String,
        /// The reason, and how to fix it.
        message: String,
    },
}

/// The codes of [`SessionRefusal::Refused`]: the skill is unknown to the caller, has changed since
/// it was read, or is invalid by the host's rules.
pub const REFUSALS: [&str; 3] = ["skill-not-found", "skill-changed", "skill-invalid"];

/// Parses the notes of a call. Invalid JSON gives empty notes.
pub fn notes(ext: &str) -> CallNotes {
    if ext.is_empty() {
        return CallNotes::default();
    }
    serde_json::from_str(ext).unwrap_or_default()
}
