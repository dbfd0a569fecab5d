//! Titles, hints and icons of the skill tools. Some clients run tools without hints one at a time.

use prowess::tools::SkillTools;
use rmcp::model::{Tool, ToolAnnotations};

use crate::icon;

/// Returns the tool with its title, hints and icon. `name` is the canonical name of a skill tool.
pub(crate) fn annotated(tool: Tool, name: &str) -> Tool {
    let title = title(name);
    // Loading and unloading change only what this server remembers of the session.
    let runs = name == SkillTools::RUN || name == SkillTools::EXECUTE;
    let is_read_only = !runs && name != SkillTools::PROPOSE;
    let hints = ToolAnnotations::with_title(title)
        .read_only(is_read_only)
        // A proposal adds a file and replaces none.
        .destructive(runs)
        .idempotent(is_read_only)
        // A command in the sandbox reaches nothing outside.
        .open_world(name == SkillTools::RUN);
    tool.with_title(title).with_annotations(hints).with_icons(vec![icon::of_tool(name)])
}

fn title(name: &str) -> &'static str {
    match name {
        "skills.load" | "activate_skill" => "Load skills",
        "skills.unload" => "Unload skills",
        "skills.read" | "read_skill_resource" => "Read a file of a skill",
        "skills.list" | "list_skills" => "List skills",
        "skills.search" => "Search skills",
        "skills.describe" => "Describe a skill",
        SkillTools::RUN => "Run a script of a skill",
        SkillTools::EXECUTE => "Run a command in the sandbox",
        SkillTools::PROPOSE => "Propose an update of a skill",
        "read_skill" | "get_skill" => "Read a skill",
        _ => "Use a skill",
    }
}
