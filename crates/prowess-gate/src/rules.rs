//! Rules that an operator writes.

use prowess_core::{AllowedTools, ToolRule};
use prowess_format::tool_pattern::{PatternError, names_no_tool};
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
    /// The first rule that is not of the form `Tool` or `Tool(pattern)`, or is prose: a denial must
    /// not be lost in it.
    pub fn parse(rules: &[&str]) -> Result<Self, String> {
        let tools = AllowedTools::parse_all(rules).map_err(|error| error.to_string())?;
        let is_of_servers = |tool: &str| tool.ends_with('*') || tool.starts_with("mcp__");
        let is_prose = |rule: &&ToolRule| names_no_tool(rule) && !is_of_servers(&rule.tool);
        match tools.rules().iter().find(is_prose) {
            Some(rule) => Err(format!("`{rule}`: {}", PatternError::Tool)),
            None => Ok(Self(tools.rules().to_vec())),
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
