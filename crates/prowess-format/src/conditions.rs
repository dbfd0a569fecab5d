//! The audience and the requirements of a skill, as its frontmatter states them.

mod read;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::AllowedTools;

pub use read::read_switch;
pub(crate) use read::{
    begins_with_switch, closing_lines, is_chosen_by_model, may_be_in_metadata, may_have,
    names_condition, read, report,
};

/// The conditions for offering a skill, from the fields of several clients. How they apply is the
/// policy of the host.
///
/// The default has no condition, as nearly every skill: it is offered to everyone, everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conditions {
    /// `disable-model-invocation: true`, or a value that is no switch: a model is not to load it by
    /// itself.
    pub not_by_model: bool,
    /// `user-invocable: false`, or a value that is no switch: a user is not to load it by its name.
    pub not_by_user: bool,
    /// `scope`: its audience.
    pub scope: Scope,
    /// `metadata.openclaw`: what it needs of the machine.
    pub requirements: Requirements,
    /// `paths`: patterns of files; it is of use only where one of them is worked on.
    pub paths: Vec<Box<str>>,
    /// The tools of `allowed-tools` without their patterns, and those of `requires`.
    pub tools: Vec<Box<str>>,
    /// `requires`: the skills to be loaded before it, by id, each with a range of versions or
    /// without one: `forms`, `forms@^1.2`.
    pub skills: Vec<Box<str>>,
}

/// The audience of a skill. An empty list does not limit it; `*` in a list means all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scope {
    /// The agents that may have it.
    pub agents: Vec<Box<str>>,
    /// The tenants whose conversations may have it.
    pub tenants: Vec<Box<str>>,
    /// The environments that it may be used in, such as `production`.
    pub environments: Vec<Box<str>>,
}

/// The requirements of a skill on the machine where it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Requirements {
    /// `os`: one of these systems, such as `linux`, `darwin` or `win32`.
    pub systems: Vec<Box<str>>,
    /// `requires.bins`: each of these programs.
    pub programs: Vec<Box<str>>,
    /// `requires.anyBins`: one of these programs.
    pub any_program: Vec<Box<str>>,
    /// `requires.env`: each of these environment variables.
    pub variables: Vec<Box<str>>,
    /// `requires.config`: each of these keys of the host's configuration.
    pub config: Vec<Box<str>>,
    /// `always: true`: it is to be offered all the same.
    pub is_waived: bool,
}

/// The [`Conditions`] in a summary. Most skills with conditions only name tools, and many name the
/// same; a catalog shares one value among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SummaryConditions<'t> {
    /// Nothing is said.
    #[default]
    None,
    /// Tools alone are named, by this text.
    Tools(Cow<'t, str>),
    /// Everything that is said.
    All(Box<Conditions>),
}

impl<'t> SummaryConditions<'t> {
    /// Those of the text of `allowed-tools`.
    pub(crate) fn tools(text: impl Into<Cow<'t, str>>) -> Self {
        Self::Tools(text.into())
    }

    /// The conditions themselves; `None` where nothing is said.
    pub fn to_conditions(&self) -> Option<Conditions> {
        match self {
            Self::None => None,
            Self::Tools(text) => Conditions::of_tools(text),
            Self::All(conditions) => Some(Conditions::clone(conditions)),
        }
    }
}

impl Conditions {
    fn of_tools(text: &str) -> Option<Self> {
        let tools = read::tool_names(AllowedTools::parse(text).unwrap_or_default());
        (!tools.is_empty()).then(|| Self { tools, ..Self::default() })
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
