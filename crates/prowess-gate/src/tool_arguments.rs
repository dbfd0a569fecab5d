//! The arguments that patterns of `allowed-tools` are about, by tool.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::input::ToolKind;

/// The arguments of tools that patterns are about, such as the command in `Bash(git:*)`, by the
/// name of the tool. The case of ASCII letters in names does not matter.
///
/// A tool that is not listed has those of [`ToolKind::by_name`], which knows the common tools of
/// clients: `Bash`, `Read`, `Write`, `Edit` and others. By default, none is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolArguments(BTreeMap<String, GatedArguments>);

/// The arguments of one tool that patterns are about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum GatedArguments {
    /// The tool runs a shell command.
    Shell {
        /// The argument with the command.
        command: String,
        /// Further arguments that do not change which command runs and how. With any other
        /// argument, no pattern covers a call.
        #[serde(default)]
        harmless: Vec<String>,
    },
    /// The tool uses files.
    File {
        /// The arguments with a path or a list of paths.
        paths: Vec<String>,
    },
}

impl ToolArguments {
    /// Returns the names of the arguments of a tool that patterns are about, other than a command.
    pub fn names(&self, tool: &str) -> Vec<&str> {
        let names = match self.get(tool) {
            Some(GatedArguments::Shell { harmless, .. }) => harmless.as_slice(),
            Some(GatedArguments::File { paths }) => paths,
            None => &[],
        };
        names.iter().map(String::as_str).collect()
    }

    /// Returns the kind of a tool; `names` are those of [`Self::names`].
    pub fn kind<'a>(&'a self, tool: &str, names: &'a [&'a str], arguments: &Value) -> ToolKind<'a> {
        match self.get(tool) {
            Some(GatedArguments::Shell { command, .. }) => {
                ToolKind::Shell { command, harmless: names }
            }
            Some(GatedArguments::File { .. }) => ToolKind::File { paths: names },
            None => ToolKind::by_name(tool, arguments),
        }
    }

    fn get(&self, tool: &str) -> Option<&GatedArguments> {
        let mut named = self.0.iter().filter(|(name, _)| name.eq_ignore_ascii_case(tool));
        named.next().map(|(_, arguments)| arguments)
    }
}
