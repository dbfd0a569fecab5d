//! The cost of each skill by level of disclosure.

use prowess_core::TokenCounter;
use serde::Serialize;

use crate::{Part, Prompt};

/// The tokens of one skill by level: its entry in the catalog, its instructions, and what else of
/// its package a model has received.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SkillLevels {
    /// The skill's id.
    pub id: String,
    /// Level 1: its entry in the catalog, in each model call; 0 if the catalog does not show it.
    pub catalog: usize,
    /// Level 2: its instructions with their tags; 0 if it is not loaded.
    pub instructions: usize,
    /// Level 3: the files that were read and the scripts that were run, in the order of their first
    /// use.
    pub resources: Vec<UsedResource>,
}

impl SkillLevels {
    /// Creates the levels of a skill that costs nothing yet.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Returns the tokens of level 3.
    pub fn resource_tokens(&self) -> usize {
        self.resources.iter().map(|used| used.tokens).sum()
    }
}

/// A file of a skill's package that a model has used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedResource {
    /// The path in the package.
    pub path: String,
    /// How it was used.
    pub by: ResourceUse,
    /// The tokens of the results: of the file's text, or of the script's output.
    pub tokens: usize,
}

/// How a model uses a file of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResourceUse {
    /// It reads the text.
    Read,
    /// It runs the script, and receives the output alone.
    Run,
}

impl Prompt {
    /// Returns the cost of each skill in the prompt by level: those of the catalog in its order,
    /// then loaded ones that the catalog does not show. Level 3 is in results of tools, which no
    /// prompt has.
    ///
    /// Counts the tokens of each entry, so it costs more than the prompt itself.
    pub fn levels(&self, counter: &dyn TokenCounter) -> Vec<SkillLevels> {
        let entries = self.shown_entries();
        let mut levels: Vec<_> = entries
            .map(|(id, text)| SkillLevels { catalog: counter.count(text), ..SkillLevels::new(id) })
            .collect();
        for entry in &self.ledger.entries {
            if let Part::ActiveSkill { id } = &entry.part {
                level_of(&mut levels, id).instructions += entry.tokens;
            }
        }
        levels
    }
}

/// Returns the levels of this skill, which are added if there are none.
pub fn level_of<'l>(levels: &'l mut Vec<SkillLevels>, id: &str) -> &'l mut SkillLevels {
    let known = levels.iter().position(|skill| skill.id == id);
    let index = known.unwrap_or_else(|| {
        levels.push(SkillLevels::new(id));
        levels.len() - 1
    });
    &mut levels[index]
}
