//! The families of models, and the blocks of each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Block;

/// A family of models that read prompts alike.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelFamily {
    /// Any model. The default.
    #[default]
    Any,
    /// Models of Anthropic.
    Claude,
    /// Models of OpenAI.
    Gpt,
    /// Models of Google.
    Gemini,
}

impl ModelFamily {
    /// Returns the family of a model by its name, such as `gpt-4o` or `anthropic/claude-opus`.
    pub fn of(model: &str) -> Self {
        let model = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| model.starts_with(word));
        if model.contains("claude") {
            Self::Claude
        } else if model.contains("gemini") {
            Self::Gemini
        } else if names(&["gpt", "chatgpt", "o1", "o3", "o4", "codex"]) {
            Self::Gpt
        } else {
            Self::Any
        }
    }

    /// Returns the name, as the configuration has it; `None` for any model.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Claude => Some("claude"),
            Self::Gpt => Some("gpt"),
            Self::Gemini => Some("gemini"),
        }
    }
}

/// The blocks of a prompt, in their order, by the family of the model. As data, a mapping with the
/// families that have a list of their own, and `any`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<ModelFamily, Vec<Block>>", into = "BTreeMap<ModelFamily, Vec<Block>>")]
pub struct BlockPolicy {
    /// The blocks for families without a list of their own. By default, the base rule.
    pub any: Vec<Block>,
    /// The blocks for [`ModelFamily::Claude`].
    pub claude: Option<Vec<Block>>,
    /// The blocks for [`ModelFamily::Gpt`].
    pub gpt: Option<Vec<Block>>,
    /// The blocks for [`ModelFamily::Gemini`].
    pub gemini: Option<Vec<Block>>,
}

impl BlockPolicy {
    /// Returns the blocks for a family.
    pub fn of(&self, family: ModelFamily) -> &[Block] {
        let own = match family {
            ModelFamily::Any => None,
            ModelFamily::Claude => self.claude.as_ref(),
            ModelFamily::Gpt => self.gpt.as_ref(),
            ModelFamily::Gemini => self.gemini.as_ref(),
        };
        own.unwrap_or(&self.any)
    }

    /// Returns the policy for a model that reads the files of skills itself: in each list,
    /// [`Block::FileReading`] takes the place of [`Block::BaseRule`].
    #[must_use]
    pub fn reading_files(mut self) -> Self {
        let own = [&mut self.claude, &mut self.gpt, &mut self.gemini].into_iter().flatten();
        for block in own.chain([&mut self.any]).flatten() {
            if *block == Block::BaseRule {
                *block = Block::FileReading;
            }
        }
        self
    }
}

impl From<BTreeMap<ModelFamily, Vec<Block>>> for BlockPolicy {
    fn from(mut lists: BTreeMap<ModelFamily, Vec<Block>>) -> Self {
        Self {
            any: lists.remove(&ModelFamily::Any).unwrap_or_else(|| Self::default().any),
            claude: lists.remove(&ModelFamily::Claude),
            gpt: lists.remove(&ModelFamily::Gpt),
            gemini: lists.remove(&ModelFamily::Gemini),
        }
    }
}

impl From<BlockPolicy> for BTreeMap<ModelFamily, Vec<Block>> {
    fn from(BlockPolicy { any, claude, gpt, gemini }: BlockPolicy) -> Self {
        let own =
            [(ModelFamily::Claude, claude), (ModelFamily::Gpt, gpt), (ModelFamily::Gemini, gemini)];
        let own = own.into_iter().filter_map(|(family, list)| Some((family, list?)));
        own.chain([(ModelFamily::Any, any)]).collect()
    }
}

impl Default for BlockPolicy {
    fn default() -> Self {
        Self { any: vec![Block::BaseRule], claude: None, gpt: None, gemini: None }
    }
}
