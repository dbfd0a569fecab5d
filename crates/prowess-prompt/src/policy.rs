//! The prompt policy.

use serde::{Deserialize, Serialize};

use crate::{ContextShare, Overflow};

/// The presentation of skills to a model. Every field is optional in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptPolicy {
    /// The place of the catalog. By default, the system prompt.
    pub catalog_place: CatalogPlace,
    /// The format of the catalog. By default, XML elements.
    pub catalog_format: CatalogFormat,
    /// The maximum size of the catalog, in tokens of the counter; `None` for no limit. By default,
    /// 4,000.
    ///
    /// The loading rule is not included. Skills that do not fit are left out, and the text says so.
    pub max_tokens: Option<usize>,
    /// The maximum size of the catalog as a share of [`Self::context_window`]. By default, none.
    pub share_of_context: Option<ContextShare>,
    /// The size of the model's context window, in tokens. By default unknown, which leaves
    /// [`Self::share_of_context`] without effect.
    pub context_window: Option<usize>,
    /// The maximum number of characters of a description, within a budget or not; `None` for no
    /// limit. By default 1,024, the limit of the specification.
    pub max_description: Option<usize>,
    /// The number of characters to which descriptions may be shortened before whole skills are left
    /// out. By default, 80.
    pub min_description: usize,
    /// What happens to a catalog that exceeds its budget.
    pub on_overflow: Overflow,
    /// The name of the tool that loads skills, as the model sees it. By default, `skills.load`.
    pub load_tool: String,
    /// The name of the tool that searches skills, as the model sees it, for the note about skills
    /// that were left out; `None` if there is none. By default, `skills.search`.
    pub search_tool: Option<String>,
    /// The name of the tool that lists skills. By default, `skills.list`.
    pub list_tool: Option<String>,
}

impl PromptPolicy {
    /// Returns the budget of the catalog in tokens: the smaller one of [`Self::max_tokens`] and the
    /// share of the context window. `None` means no limit.
    pub fn budget(&self) -> Option<usize> {
        let share = self.share_of_context.zip(self.context_window);
        let share = share.map(|(share, window)| share.of(window));
        self.max_tokens.into_iter().chain(share).min()
    }
}

impl Default for PromptPolicy {
    fn default() -> Self {
        Self {
            catalog_place: CatalogPlace::default(),
            catalog_format: CatalogFormat::default(),
            max_tokens: Some(4_000),
            share_of_context: None,
            context_window: None,
            max_description: Some(1_024),
            min_description: 80,
            on_overflow: Overflow::default(),
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
    /// In the composed text of every call, with the loading rule before it. The default.
    #[default]
    SystemPrompt,
    /// Not in the composed text: the model calls a tool for it.
    ToolOnly,
}

/// The format of the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CatalogFormat {
    /// `<skill>` elements, one line for each field. The default.
    #[default]
    XmlElements,
    /// One JSON object per line.
    Json,
    /// One Markdown bullet per line.
    Bullets,
}
