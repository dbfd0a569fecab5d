//! The policy of the skill tools.

use prowess_core::ToolCall;
use serde::{Deserialize, Serialize};

use crate::names;
use crate::suggestion::LEAST_SIMILARITY;
use crate::surface::Surface;

/// The default of [`ToolPolicy::read_limit_bytes`].
const READ_LIMIT_BYTES: usize = 256 * 1024;

/// The policy of [`SkillTools`](crate::SkillTools).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolPolicy {
    /// The surfaces that a model sees, which share gate, session and audit. By default,
    /// [`Surface::Skills`].
    pub surfaces: Vec<Surface>,
    /// The program whose conversations the tools are called in. By default [`ToolHost::Own`]. No
    /// key of a file: a server sets it.
    #[serde(skip)]
    pub host: ToolHost,
    /// The part of a `SKILL.md` that a tool's result contains. By default `None`, which means the
    /// body, and for [`Surface::ReadSkill`] the whole file.
    pub skill_content: Option<SkillContent>,
    /// The maximum size of a file that `skills.read` returns, in bytes. By default 262,144 (256
    /// KiB), about 64,000 tokens of text; a larger text comes in pages or, under a limit that is
    /// smaller than a page, by `lines`, and any other larger file is an error and never cut.
    /// Another limit than the default one is that of the files that a client reads, too. One over
    /// [`ToolPolicy::MOST_READ_BYTES`] counts as that.
    pub read_limit_bytes: usize,
    /// The skills whose files may be read. By default `None`, which means [`ReadGate::Known`] in a
    /// server and with a surface that returns files without loading, a shell too, otherwise
    /// [`ReadGate::Active`].
    pub read_gate: Option<ReadGate>,
    /// The ids of skills whose files may be read without loading them, under
    /// [`ReadGate::Allowlisted`]. By default, none.
    pub read_allowlist: Vec<String>,
    /// The files of a package that may be read. By default all.
    pub read_scope: ReadScope,
    /// The maximum size of the text in one result of `skills.read`, in bytes. By default 65,536 (64
    /// KiB), about 16,000 tokens. A longer text is returned in pages of whole lines. No key of a
    /// file: the next page is one call away.
    #[serde(skip)]
    pub page_bytes: usize,
    /// The skills whose scripts may be run. By default [`ReadGate::Active`].
    pub run_gate: ReadGate,
    /// The directories of a package that hold scripts. By default, `scripts`.
    pub script_directories: Vec<String>,
    /// The extensions of further scripts, beside those of
    /// [`usual_interpreter`](prowess_core::usual_interpreter). By default, none. No key of a file:
    /// a host adds those that its runner of scripts knows.
    #[serde(skip)]
    pub script_extensions: Vec<String>,
    /// Whether scripts may be read: files that `skills.run` runs. By default they may.
    pub script_read: ScriptRead,
    /// Whether the scripts run that a skill names in `hooks`. By default they do not.
    pub hooks: HookPolicy,
    /// The time limit of a script, in seconds. By default 30.
    #[serde(deserialize_with = "prowess_core::positive")]
    pub script_seconds: u64,
    /// When `skills.list`, `skills.search` and `skills.describe` are offered to a model. They can
    /// be called at any time.
    pub discovery: DiscoveryTools,
    /// The number of skills in a page of `skills.list`. By default 50. No key of a file: the next
    /// page is one call away.
    #[serde(skip)]
    pub list_page: usize,
    /// Whether a skill is found by a name in another case. By default it is not.
    pub skill_lookup: SkillLookup,
    /// The treatment of skills that a skill requires. By default none: the frontmatter is a hint.
    pub requires: RequiresMode,
    /// The maximum number of skills in one call, before duplicates are dropped. By default 64. The
    /// limit of loaded skills is that of the session. No key of a file: it protects the host.
    #[serde(skip)]
    pub names_per_call: usize,
    /// The maximum number of skills whose ids are listed in the schema of `skills.load`. By default
    /// 100; with more, the schema accepts any text. No key of a file: it bounds the size of a
    /// definition.
    #[serde(skip)]
    pub ids_in_schema: usize,
    /// The maximum number of a package's files that are listed next to a body in a tool's result.
    /// By default 50. No key of a file: it bounds the size of a result.
    #[serde(skip)]
    pub resources_listed: usize,
    /// The minimum similarity of a suggested name to an unknown one, in hundredths. By default 60;
    /// 101 disables suggestions. No key of a file: it was chosen by measurement.
    #[serde(skip)]
    pub suggestion_similarity: u8,
}

impl ToolPolicy {
    /// The maximum limit of a read, 64 MiB: the file and its result are held in memory.
    pub const MOST_READ_BYTES: usize = 64 * 1024 * 1024;

    /// Returns the gate of reads.
    pub fn read_gate(&self) -> ReadGate {
        let reads_unloaded = self.surfaces.iter().any(|surface| surface.reads_unloaded());
        let unset = if reads_unloaded { ReadGate::Known } else { ReadGate::Active };
        self.read_gate.unwrap_or(unset)
    }

    /// Returns whether a file of a visible skill may be closed to reads.
    pub fn closes_files(&self) -> bool {
        self.script_read != ScriptRead::Allow
            || self.read_scope != ReadScope::Package
            || self.read_gate() != ReadGate::Known
            || self.whole_file_limit().is_some()
    }

    /// Returns the canonical name of the tool that loads a skill, if a surface has one.
    pub fn load_tool(&self) -> Option<&'static str> {
        self.load_surface()?.load_tool()
    }

    /// Returns whether a surface has a tool that makes skills active.
    pub fn makes_active(&self) -> bool {
        let makes = |surface: &Surface| {
            use Surface::{ActivateSkill, FourTools, Skill, Skills};
            matches!(surface, Skills | FourTools | Skill | ActivateSkill)
        };
        self.surfaces.iter().any(makes)
    }

    /// Returns the first surface with a tool that loads a skill: its list of skills and its
    /// delivery of bodies are those of the policies. Further ones have those of their documents.
    pub fn load_surface(&self) -> Option<Surface> {
        self.surfaces.iter().copied().find(|surface| surface.load_tool().is_some())
    }

    /// Returns whether a surface has the tool of this canonical name, needs it to find skills, or
    /// offers it as every surface does: that for proposals.
    pub fn has_tool(&self, tool: &str) -> bool {
        let finds = ["skills.list", "skills.search"].contains(&tool);
        finds && self.find_surface() == Some(Surface::Skills)
            || tool == names::PROPOSE && !self.surfaces.is_empty()
            || self.surfaces.iter().any(|surface| surface.tools().contains(&tool))
    }

    /// Returns the canonical name of the tool that searches skills, if a model may be offered one.
    pub fn search_tool(&self) -> Option<&'static str> {
        match self.find_surface()? {
            Surface::ReadSkill => Some("list_skills"),
            _ => self.offers_skills_search().then_some("skills.search"),
        }
    }

    /// Returns the canonical name of the tool that lists skills, if a model may be offered one
    /// besides [`Self::search_tool`].
    pub fn list_tool(&self) -> Option<&'static str> {
        match self.find_surface()? {
            Surface::ReadSkill => None,
            _ => self.offers_skills_search().then_some("skills.list"),
        }
    }

    fn offers_skills_search(&self) -> bool {
        self.discovery != DiscoveryTools::Never
    }

    /// Returns the surface whose tools find skills. Those of [`Surface::Skills`] stand in for a
    /// surface that has none.
    pub(crate) fn find_surface(&self) -> Option<Surface> {
        let finds = |surface: &&Surface| matches!(surface, Surface::Skills | Surface::ReadSkill);
        let own = self.surfaces.iter().find(finds).copied();
        own.or_else(|| (!self.surfaces.is_empty()).then_some(Surface::Skills))
    }

    /// Returns a call that loads a skill in addition to the active ones, by the canonical name of
    /// the tool, if a surface has such a tool: one that makes the skill active, if there is one.
    pub fn load_call(&self, id: &str) -> Option<ToolCall> {
        let (shown, activating): (Vec<Surface>, Vec<_>) =
            self.surfaces.iter().partition(|surface| surface.reads_unloaded());
        activating.into_iter().chain(shown).find_map(|surface| {
            Some(ToolCall::new(surface.load_tool()?, surface.load_arguments(id)?))
        })
    }

    /// Returns whether the tools that find skills are offered with a catalog of this many skills.
    pub fn offers_discovery(&self, skills: usize) -> bool {
        match self.discovery {
            DiscoveryTools::Overflow if self.host == ToolHost::Foreign => skills > 0,
            DiscoveryTools::Overflow => skills > self.ids_in_schema,
            DiscoveryTools::Always => skills > 0,
            DiscoveryTools::Never => false,
        }
    }

    /// Returns the limit of a file that a client reads whole, without a page of a model's context,
    /// in bytes; `None` if the only limit is the default one, which is about contexts.
    pub fn whole_file_limit(&self) -> Option<usize> {
        (self.read_limit_bytes != READ_LIMIT_BYTES).then(|| self.read_limit())
    }

    /// Returns the limit of a read in bytes.
    pub fn read_limit(&self) -> usize {
        self.read_limit_bytes.min(Self::MOST_READ_BYTES)
    }
}

impl Default for ToolPolicy {
    fn default() -> Self {
        Self {
            surfaces: vec![Surface::default()],
            host: ToolHost::default(),
            skill_content: None,
            read_limit_bytes: READ_LIMIT_BYTES,
            read_gate: None,
            read_allowlist: Vec::new(),
            read_scope: ReadScope::default(),
            page_bytes: 64 * 1024,
            run_gate: ReadGate::default(),
            script_directories: vec!["scripts".to_owned()],
            script_extensions: Vec::new(),
            script_read: ScriptRead::default(),
            hooks: HookPolicy::default(),
            script_seconds: 30,
            discovery: DiscoveryTools::default(),
            list_page: 50,
            skill_lookup: SkillLookup::default(),
            requires: RequiresMode::default(),
            names_per_call: 64,
            ids_in_schema: 100,
            resources_listed: 50,
            suggestion_similarity: LEAST_SIMILARITY,
        }
    }
}

/// The program whose conversations the tools are called in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolHost {
    /// The host of this library: a session is one conversation, and the catalog is in its prompt.
    /// The default.
    #[default]
    Own,
    /// Another program, as over MCP, whose conversations may share a session and which may cut or
    /// drop the catalog.
    ///
    /// Loads add to the active skills unless a call says otherwise, their results are short and
    /// always have the bodies, and [`DiscoveryTools::Overflow`] means [`DiscoveryTools::Always`].
    Foreign,
}

/// The skills whose files `skills.read` may read, or whose scripts `skills.run` may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadGate {
    /// Active skills. The default. `loaded` means the same.
    #[default]
    #[serde(alias = "loaded")]
    Active,
    /// All visible skills, loaded or not.
    Known,
    /// Active skills, and those in [`ToolPolicy::read_allowlist`].
    Allowlisted,
}

/// When the tools that find skills are offered to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscoveryTools {
    /// With more skills than [`ToolPolicy::ids_in_schema`], or if the budget has cut the catalog of
    /// the prompt: then a list in a prompt or in a schema is not complete. The default.
    #[default]
    Overflow,
    /// Whenever there is a skill.
    Always,
    /// Never.
    Never,
}

/// How names of skills are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillLookup {
    /// As they are written, otherwise by every spelling of the name: see
    /// [`prowess_core::Catalog::find`]. A name that several skills match is refused with their ids.
    /// The default.
    #[default]
    Spelling,
    /// As they are written.
    Exact,
    /// As they are written, otherwise without regard to case.
    CasefoldUnique,
}

/// The files of a package that `skills.read` may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadScope {
    /// All of them. The default.
    #[default]
    Package,
    /// Files under `references/` and `assets/`.
    Resources,
}

/// Whether scripts may be read: a script is there to be run, and its text fills the context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptRead {
    /// They may be read. The default.
    #[default]
    Allow,
    /// Those of active skills may not.
    BlockWhenActive,
    /// None may.
    Block,
}

/// Whether the scripts run that a skill names in `hooks`: see [`SkillHooks`](crate::SkillHooks).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookPolicy {
    /// They do not run. The default.
    #[default]
    Ignore,
    /// They run. A skill whose hooks are not scripts of its package cannot be loaded. Hooks of
    /// sources that are not trusted need the approval of a person for the load of their skill.
    Run,
}

/// The part of a `SKILL.md` that a tool's result contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillContent {
    /// Everything after the frontmatter. The default.
    #[default]
    Body,
    /// The whole file, with its frontmatter.
    File,
}

/// The treatment of the skills that a loaded skill requires. A cycle, a missing skill and a wrong
/// version are findings of the catalog under each value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequiresMode {
    /// `requires` is a hint for the model. The default.
    #[default]
    Hint,
    /// A load is refused unless what it requires is active or loaded by the same call.
    Check,
    /// What is required is loaded too, before the skills that require it. It counts for the maximum
    /// of active skills, and all are loaded or none.
    AutoLoad,
}
