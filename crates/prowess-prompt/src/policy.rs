//! The prompt policy.

use serde::{Deserialize, Serialize};

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
    /// The number of characters to which descriptions may be shortened before whole skills are left
    /// out. By default, 80.
    pub min_description: usize,
    /// The name of the tool that loads skills, as the model sees it. By default, `skills.load`.
    pub load_tool: String,
}

impl Default for PromptPolicy {
    fn default() -> Self {
        Self {
            catalog_place: CatalogPlace::default(),
            catalog_format: CatalogFormat::default(),
            max_tokens: Some(4_000),
            min_description: 80,
            load_tool: "skills.load".to_owned(),
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
