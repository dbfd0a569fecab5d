//! Loaded skills.

use prowess_core::{ActiveSkill, AllowedTools, Digest, Timestamp};

/// Creates a skill that was loaded at the time 0, in a directory of its name.
pub fn active_skill(root: &str, id: &str, body: &str) -> ActiveSkill {
    ActiveSkill {
        id: id.to_owned(),
        name: id.to_owned(),
        location: format!("{root}/{id}/SKILL.md"),
        root_dir: format!("{root}/{id}"),
        layer: "user".to_owned(),
        version: None,
        digest: Digest::of(body.as_bytes()),
        properties: serde_json::json!({ "name": id }),
        allowed_tools: AllowedTools::Absent,
        body: body.into(),
        loaded_at: Timestamp(0),
        activated_at: Timestamp(0),
    }
}
