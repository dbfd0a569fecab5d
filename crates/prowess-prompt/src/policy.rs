//! What a host decides about the text.

use serde::{Deserialize, Serialize};

/// How skills are shown to a model. Every field may be left out of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptPolicy {
    /// Where the catalog stands. By default, in the system prompt.
    pub catalog_place: CatalogPlace,
    /// How the catalog is written. By default, as XML elements.
    pub catalog_format: CatalogFormat,
    /// What the catalog may cost, in tokens of the counter; none means no limit. By default, 4,000.
    ///
    /// The loading rule is not part of it. What does not fit is left out, and the text says so.
    pub max_tokens: Option<usize>,
    /// To how many characters a description may be shortened before whole skills are left out.
    /// By default, 80.
    pub min_description: usize,
    /// The name under which the model finds the tool that loads skills. By default, `skills.load`.
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

/// Where a model meets the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CatalogPlace {
    /// In the composed text of every call, with the loading rule before it. The default.
    #[default]
    SystemPrompt,
    /// Not in the composed text: the model asks a tool.
    ToolOnly,
}

/// How the catalog is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CatalogFormat {
    /// `<skill>` elements, a line for each field. The default.
    #[default]
    XmlElements,
    /// One JSON object a line.
    Json,
    /// One Markdown bullet a line.
    Bullets,
}
