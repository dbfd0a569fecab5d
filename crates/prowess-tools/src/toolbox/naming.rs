//! The names of tools for the model.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::error::{BuildError, MAX_NAME_BYTES};
use crate::names::{ALL, RUN, RUN_SCRIPT};
use crate::surface::Surface;

/// The separator in the names of tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameStyle {
    /// `skills.load`, which several vendors reject.
    Dot,
    /// `skills-load`.
    Dash,
    /// `skills_load`, legal everywhere. The default.
    #[default]
    Underscore,
}

/// Spells canonical names for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolNaming {
    /// By default with underscores.
    pub names: NameStyle,
    /// Whether the tool that runs scripts is called `skills.run_script`. By default, it is
    /// `skills.run`.
    pub run_script: bool,
}

impl ToolNaming {
    /// Creates a naming in this style.
    pub fn new(names: NameStyle) -> Self {
        Self { names, run_script: false }
    }

    /// Returns the naming of these surfaces in this style.
    pub fn of(names: NameStyle, surfaces: &[Surface]) -> Self {
        let run_script =
            surfaces.contains(&Surface::FourTools) && !surfaces.contains(&Surface::Skills);
        Self { names, run_script }
    }

    /// Returns a canonical name as the model sees it.
    pub fn spell(self, name: &str) -> String {
        let name = if self.run_script && name == RUN { RUN_SCRIPT } else { name };
        match self.names {
            NameStyle::Dot => name.to_owned(),
            NameStyle::Dash => name.replace('.', "-"),
            NameStyle::Underscore => name.replace('.', "_"),
        }
    }

    /// Returns the canonical name of the skill tool that a model sees under this name.
    pub fn skill_tool(self, spelled: &str) -> Option<&'static str> {
        let is_run = spelled == self.spell(RUN_SCRIPT);
        ALL.into_iter().find(|name| is_run && *name == RUN || spelled == self.spell(name))
    }

    fn is_legal(self, spelled: &str) -> bool {
        (1..=MAX_NAME_BYTES).contains(&spelled.len())
            && spelled.bytes().all(|byte| match byte {
                b'_' | b'-' => true,
                b'.' => self.names == NameStyle::Dot,
                _ => byte.is_ascii_alphanumeric(),
            })
    }

    /// Returns the index of each tool by its spelled name, if the spelling is one-to-one.
    pub(crate) fn index(self, names: &[String]) -> Result<HashMap<String, usize>, BuildError> {
        let mut index = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let spelled = self.spell(name);
            if !self.is_legal(&spelled) {
                return Err(BuildError::IllegalName(name.clone()));
            }
            if let Some(earlier) = index.insert(spelled.clone(), at) {
                let earlier: usize = earlier;
                let [first, second] = [names[earlier].clone(), name.clone()];
                return Err(BuildError::Collision { first, second, spelled });
            }
        }
        Ok(index)
    }
}
