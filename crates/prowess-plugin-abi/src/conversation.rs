//! The questions of a tool about the conversation that it is called in.
//!
//! A plugin that names the feature [`FEATURE`] in its manifest gets [`CallNotes`] with each call of
//! its tools, and may then [`ask`](crate::HostApi::ask) until the call returns. Questions and
//! answers are JSON, except that the answer to [`Question::Read`] is the file. A host answers for
//! the caller of the call: with the skills that this caller can find, and with the files of those
//! that it may load.

use serde::{Deserialize, Serialize};

/// The feature of a plugin whose tools see the catalog and the session, and of a host that shows
/// them.
pub const FEATURE: &str = "conversation";

/// Notes on a call, in [`CallCtx::ext`](crate::CallCtx::ext). Unknown keys are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallNotes {
    /// `user` if the user makes the call, and not the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The number of the pinned catalog. No other catalog that this instance sees has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catalog: Option<u64>,
    /// A number for the state of the session: states with the same number are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<u64>,
    /// The secret for the tags around bodies.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub boundary: String,
}

/// A question about the conversation of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// The pinned catalog; the answer is a [`CatalogSnapshot`].
    Catalog,
    /// The files of a package; the answer is a [`PackageListing`].
    List {
        /// The skill's position in the snapshot.
        skill: usize,
        /// The most files to name.
        most: usize,
    },
    /// A file of a package; the answer is its content.
    Read {
        /// The skill's position in the snapshot.
        skill: usize,
        /// The file's path in the package.
        resource: String,
        /// The most bytes that it may have.
        limit: usize,
    },
    /// The loaded skills; the answer is the core's `SessionState`.
    State,
    /// Loads skills; the answer is the core's `Receipt`, and with `delivery` also the fields of a
    /// [`Delivered`]. The host reads the skills itself.
    Load {
        /// The skills.
        skills: Vec<SkillVersion>,
        /// Whether those that are loaded stay.
        add: bool,
        /// The destination of bodies, as the core's `BodyDelivery` is written. A host that does not
        /// know it answers with the receipt alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delivery: Option<String>,
        /// Whether to deliver bodies again that the model has.
        #[serde(default, skip_serializing_if = "is_false")]
        force: bool,
    },
    /// Unloads skills; the answer is the core's `Receipt`.
    Unload {
        /// Their ids; `None` for all that are loaded.
        ids: Option<Vec<String>>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The bodies that belong into the result of a load, next to its receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered<T> {
    /// The ids of the skills whose bodies are delivered.
    pub deliver: Vec<String>,
    /// The ledger's entries of the skills whose bodies the model has, each the core's
    /// `LedgerEntry`.
    pub already_loaded: Vec<T>,
}

/// One version of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillVersion {
    /// An id by which the caller finds it.
    pub id: String,
    /// The digest of its `SKILL.md`, as text. A skill that has changed since is not loaded.
    pub digest: String,
}

/// The files of a package other than its `SKILL.md`, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageListing {
    /// Their paths and sizes.
    pub files: Vec<(String, u64)>,
    /// Whether these are all.
    pub is_complete: bool,
}

/// A catalog, without the skills of other audiences and without those that cannot be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogSnapshot {
    /// The catalog's generation.
    pub generation: u64,
    /// The layers, the highest first.
    pub layers: Vec<LayerSnapshot>,
    /// The sources in the order of precedence.
    pub sources: Vec<SourceSnapshot>,
    /// First the offered skills, sorted by id; then the others.
    pub skills: Vec<SkillSnapshot>,
    /// Further names with the ids that they stand for, sorted.
    pub aliases: Vec<(String, String)>,
}

/// A layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerSnapshot {
    /// Its name.
    pub name: String,
    /// `untrusted`, `prompt` or `trusted`.
    pub trust: String,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSnapshot {
    /// The position of its layer.
    pub layer: usize,
    /// Its name.
    pub name: String,
    /// Where its packages' paths begin.
    pub root: String,
}

/// A skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillSnapshot {
    /// The position of its source.
    pub source: usize,
    /// The package's path in its source.
    pub package: String,
    /// The name of its file.
    pub file: String,
    /// The id, as a model writes it.
    pub id: String,
    /// The id that it would have if no other skill had the same; empty if it is `id`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base_id: String,
    /// The declared name.
    pub name: String,
    /// The description. Empty if the skill is neither offered nor to be loaded by its id.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Words to filter by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Its priority inside its layer.
    #[serde(skip_serializing_if = "is_default")]
    pub priority: i16,
    /// The version that its author gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether its description is not shown.
    #[serde(skip_serializing_if = "is_default")]
    pub is_name_only: bool,
    /// A requirement that the machine does not meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_requirement: Option<String>,
    /// Whether a model may load it.
    pub by_model: bool,
    /// Whether a user may load it.
    pub by_user: bool,
    /// Why it is not offered; `None` if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusion: Option<Exclusion>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Why a skill is not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// `hidden`, `not-ready` or `shadowed`.
    pub availability: String,
    /// The reason in words.
    pub reason: String,
}

/// Why a session refused, in the `ext` of the [`AbiError`](crate::AbiError) that answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionRefusal {
    /// More skills than a conversation may have loaded.
    TooManySkills {
        /// How many there would be.
        wanted: usize,
        /// How many there may be.
        cap: usize,
    },
    /// This skill is loaded, and the host does not load it again.
    AlreadyActive(String),
    /// This skill was loaded later, and the conversation is a stack.
    NotOnTop(String),
    /// The conversation is a stack and has nothing to unload.
    NothingActive,
    /// The conversation may load other skills only.
    NotAllowed(String),
    /// The conversation is over.
    NotFound,
    /// Others changed it at the same time.
    Contended,
    /// The store failed.
    Store(String),
    /// The host does not load a skill that the tool has found.
    Refused {
        /// One of [`REFUSALS`].
        code: String,
        /// The reason and the next step.
        message: String,
    },
}

/// The codes of [`SessionRefusal::Refused`]: the caller has no such skill, it has changed since it
/// was read, or the host's rules do not accept it.
pub const REFUSALS: [&str; 3] = ["skill-not-found", "skill-changed", "skill-invalid"];

/// Reads notes of a call. Text that is not an object has none.
pub fn notes(ext: &str) -> CallNotes {
    if ext.is_empty() {
        return CallNotes::default();
    }
    serde_json::from_str(ext).unwrap_or_default()
}
