//! Rules that an operator writes.

use prowess_core::{AllowedTools, ToolRule};
use serde::{Deserialize, Serialize};

/// A list of rules such as `Read` or `Bash(git:*)`, in the grammar of `allowed-tools`. Written as a
/// list of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct ToolRules(Vec<ToolRule>);

impl ToolRules {
    /// Reads rules.
    ///
    /// # Errors
    ///
    /// The first rule that is not of the form `Tool` or `Tool(pattern)`.
    pub fn parse(rules: &[&str]) -> Result<Self, String> {
        match AllowedTools::parse_all(rules) {
            Ok(tools) => Ok(Self(tools.rules().to_vec())),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the rules in their order.
    pub fn as_slice(&self) -> &[ToolRule] {
        &self.0
    }
}

impl TryFrom<Vec<String>> for ToolRules {
    type Error = String;

    fn try_from(rules: Vec<String>) -> Result<Self, String> {
        Self::parse(&rules.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

impl From<ToolRules> for Vec<String> {
    fn from(rules: ToolRules) -> Self {
        rules.0.iter().map(ToString::to_string).collect()
    }
}
