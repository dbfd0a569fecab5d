//! The prompt policy.

use serde::{Deserialize, Serialize};

use crate::{BlockPolicy, CatalogFormat, ModelFamily};

/// The presentation of skills to a model. Every field is optional in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptPolicy {
    /// The place of the catalog. By default, the system prompt.
    pub catalog_place: CatalogPlace,
    /// The priority of the catalog as a block of context. By default 60, which is behind the
    /// context of a channel (0) and in front of memory (100). No key of a file: only a host orders
    /// blocks of context.
    #[serde(skip)]
    pub context_priority: u16,
    /// The skills that the description of a tool lists; `None`, which is the default, for those of
    /// the turn's catalog. No key of a file: the surfaces decide it.
    #[serde(skip)]
    pub described_skills: Option<DescribedSkills>,
    /// The format of the catalog. By default, XML elements.
    pub catalog_format: CatalogFormat,
    /// How often the text of the catalog is written again in a conversation.
    pub catalog_every: CatalogEvery,
    /// The maximum size of the catalog, in tokens of the counter; `None` for no limit. By default,
    /// 4,000.
    ///
    /// The loading rule is not included. Skills that do not fit are left out, and the text says so.
    pub max_tokens: Option<usize>,
    /// The maximum number of characters of the catalog; `None`, which is the default, for no limit.
    /// Above it, a catalog of elements becomes one of lines, too. No key of a file: a server knows
    /// what its clients keep.
    #[serde(skip)]
    pub max_characters: Option<usize>,
    /// The maximum number of characters of a description, within a budget or not; `None` for no
    /// limit. By default 1,024, the limit of the specification. No key of a file: `max_tokens` is
    /// the budget that people set.
    #[serde(skip)]
    pub max_description: Option<usize>,
    /// The number of characters to which descriptions may be shortened before whole skills are left
    /// out. By default, 80. No key of a file: `max_tokens` is the budget that people set.
    #[serde(skip)]
    pub min_description: usize,
    /// The treatment of a catalog that exceeds its budget.
    pub on_overflow: Overflow,
    /// The family of the models that read the prompt. By default, any.
    pub model_family: ModelFamily,
    /// The fixed texts in front of the catalog, by the family of the model. By default, the base
    /// rule.
    pub blocks: BlockPolicy,
    /// The name of the tool that loads skills, as the model sees it. By default, `skills.load`. No
    /// key of a file: the surfaces decide it.
    #[serde(skip)]
    pub load_tool: String,
    /// The name of the tool that searches skills, as the model sees it, for the note about skills
    /// that were left out; `None` if there is none. By default, `skills.search`. No key of a file:
    /// the surfaces decide it.
    #[serde(skip)]
    pub search_tool: Option<String>,
    /// The name of the tool that lists skills. By default, `skills.list`. No key of a file: the
    /// surfaces decide it.
    #[serde(skip)]
    pub list_tool: Option<String>,
}

impl PromptPolicy {
    /// Returns whether the description of a tool lists the skills of the first catalog.
    pub(crate) fn is_described_at_start(&self) -> bool {
        self.catalog_place == CatalogPlace::ToolDescription
            && self.described_skills == Some(DescribedSkills::AtStart)
    }

    /// Returns the maximum number of characters of a description, by the policy and by the format.
    pub(crate) fn description_limit(&self) -> Option<usize> {
        self.max_description.into_iter().chain(self.catalog_format.description_limit()).min()
    }
}

impl Default for PromptPolicy {
    fn default() -> Self {
        Self {
            catalog_place: CatalogPlace::default(),
            context_priority: 60,
            described_skills: None,
            catalog_format: CatalogFormat::default(),
            catalog_every: CatalogEvery::default(),
            max_tokens: Some(4_000),
            max_characters: None,
            max_description: Some(1_024),
            min_description: 80,
            on_overflow: Overflow::default(),
            model_family: ModelFamily::default(),
            blocks: BlockPolicy::default(),
            load_tool: "skills.load".to_owned(),
            search_tool: Some("skills.search".to_owned()),
            list_tool: Some("skills.list".to_owned()),
        }
    }
}

/// The place of the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CatalogPlace {
    /// In the composed text of every call, behind the blocks. The default.
    #[default]
    SystemPrompt,
    /// In the description of the tool that loads a skill, or returns its instructions.
    ToolDescription,
    /// In a block of context with [`PromptPolicy::context_priority`], next to the composed text.
    ContextBlock,
    /// Nowhere: the model calls a tool for it.
    ToolOnly,
}

/// The skills that the description of a tool lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DescribedSkills {
    /// Those of the turn's catalog. The default.
    #[default]
    Current,
    /// Those of the first catalog that are still offered, with their first descriptions, source by
    /// source.
    AtStart,
}

/// How often the text of the catalog is written again in a conversation. A provider's prompt cache
/// keeps the part of a prompt that equals the one before, up to the first difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CatalogEvery {
    /// In each call, so the text is always that of the newest catalog, and a change of one skill
    /// loses the cached rest of the prompt.
    Call,
    /// Once in a conversation. Changes are not reported to the model.
    Session,
    /// Once in a conversation, and a notice at the end of the text lists what has changed since.
    /// After large changes the catalog is written again. The default.
    #[default]
    Change,
}

/// The treatment of a catalog that exceeds its budget.
///
/// Locations are left out first, since a tool loads a skill by its id; a text with the block
/// [`FileReading`](crate::Block::FileReading) keeps them. Then, except under
/// [`Overflow::NamesOnly`], descriptions are shortened, all to the same number of characters and
/// none below [`PromptPolicy::min_description`]. If that is not enough, the value decides which
/// skills stay. The text lists skills by id under each value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Overflow {
    /// Those that a ranker prefers for the user's last message, if the host passes one, else the
    /// first ones by id. A conversation repeats its first text until the catalog changes. The
    /// default.
    #[default]
    Shorten,
    /// Every description is left out. If the names alone are too many, the first ones by id stay.
    NamesOnly,
    /// Those that a ranker prefers for the user's last message stay. The text may differ from call
    /// to call.
    Relevance,
    /// The most used ones stay, by counts of the host.
    Usage,
    /// Those of the highest layers stay.
    Layer,
}

impl Overflow {
    /// Returns whether the preferred ids of the input decide which skills stay.
    pub fn uses_preferred(self) -> bool {
        matches!(self, Self::Shorten | Self::Relevance | Self::Usage)
    }
}
