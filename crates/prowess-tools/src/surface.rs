//! The surfaces: the names, schemas and results under which a model sees the operations.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::names;

/// One set of tools over the operations on skills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Surface {
    /// `skills.load`, `skills.unload`, `skills.read`, `skills.list`, `skills.search`,
    /// `skills.describe` and `skills.run`. The default.
    #[default]
    Skills,
    /// `skills.load`, `skills.unload`, `skills.read` and `skills.run`, which is called
    /// `skills.run_script` here.
    FourTools,
    /// `skills.read` alone, for surfaces without a tool that reads files.
    Files,
    /// `skill`, which activates and deactivates one skill.
    Skill,
    /// `get_skill`, which returns the instructions of a skill without loading it.
    GetSkill,
    /// `sandbox_execute`, which runs a shell command next to the mounted skills, if the host has a
    /// shell.
    Shell,
    /// `list_skills`, `read_skill` and `read_skill_resource`, which load nothing, and
    /// `propose_skill_update`, if the host keeps proposals.
    ReadSkill,
    /// `activate_skill`, which loads one skill in addition to the active ones.
    ActivateSkill,
}

impl Surface {
    /// Returns the canonical names of its tools.
    pub(crate) fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Skills => names::SKILLS,
            Self::FourTools => &["skills.load", "skills.unload", names::READ, names::RUN],
            Self::Files => &[names::READ],
            Self::Skill => &["skill"],
            Self::GetSkill => &["get_skill"],
            Self::Shell => &[names::EXECUTE],
            Self::ReadSkill => {
                &["list_skills", "read_skill", "read_skill_resource", names::PROPOSE]
            }
            Self::ActivateSkill => &["activate_skill"],
        }
    }

    /// Returns the canonical name of the tool that loads a skill, or returns its instructions.
    pub fn load_tool(self) -> Option<&'static str> {
        match self {
            Self::Skills | Self::FourTools => Some("skills.load"),
            Self::Files | Self::Shell => None,
            Self::Skill => Some("skill"),
            Self::GetSkill => Some("get_skill"),
            Self::ReadSkill => Some("read_skill"),
            Self::ActivateSkill => Some("activate_skill"),
        }
    }

    /// Returns the arguments with which that tool loads a skill, in addition to the active ones.
    pub(crate) fn load_arguments(self, id: &str) -> Option<Value> {
        match self {
            Self::Skills | Self::FourTools => Some(json!({ "names": [id], "mode": "add" })),
            Self::Files | Self::Shell => None,
            Self::Skill => Some(json!({ "skill_name": id })),
            Self::GetSkill => Some(json!({ "skillName": id })),
            Self::ReadSkill => Some(json!({ "skill_id": id })),
            Self::ActivateSkill => Some(json!({ "name": id })),
        }
    }

    /// Returns whether a model is offered the tools that load and read skills.
    pub(crate) fn loads_and_reads(self) -> bool {
        matches!(self, Self::Skills | Self::FourTools)
    }

    /// Returns whether the surface returns files of skills that are not loaded.
    pub(crate) fn reads_unloaded(self) -> bool {
        matches!(self, Self::GetSkill | Self::ReadSkill | Self::Shell)
    }
}
