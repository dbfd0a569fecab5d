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
    /// The first rule that is not of the form `Tool` or `Tool(pattern)`, or names no tool: a denial
    /// must not be lost in it. `*` is all tools, and `mcp__SERVER` those of a server.
    pub fn parse(rules: &[&str]) -> Result<Self, String> {
        let tools = AllowedTools::parse_all(rules).map_err(|error| error.to_string())?;
        let is_of_none = |rule: &&ToolRule| names_no_tool(rule) && tools_of(rule).is_none();
        match tools.rules().iter().find(is_of_none) {
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

/// Returns how the names begin, before `__`, of the tools of a rule that is for all those of an MCP
/// server: `mcp__SERVER` and `mcp__SERVER__*`; nothing for `*`.
pub(crate) fn tools_of(rule: &ToolRule) -> Option<&str> {
    let name = rule.tool.as_str();
    if name == "*" {
        return rule.pattern.is_none().then_some("");
    }
    let server = name.strip_suffix("__*").unwrap_or(name);
    let rest = server.strip_prefix("mcp__").filter(|rest| !rest.is_empty())?;
    let is_plain = rest.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-.".contains(&it));
    (is_plain && (server != name || !rest.contains("__"))).then_some(server)
}
