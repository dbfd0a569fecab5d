//! Titles, hints and icons of the skill tools. Some clients run tools without hints one at a time.

use prowess::tools::SkillTools;
use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::icon;

/// The number of characters of a result that a client should keep: whole instructions of nearly
/// every skill, or a page of a file.
const MOST_RESULT_CHARS: usize = 200_000;

/// The tools that make skills active or end them.
const HOOKED: [&str; 4] = ["skills.load", "skills.unload", "skill", "activate_skill"];

/// Returns the tool with its title, hints and icon. `name` is the canonical name of a skill tool.
/// With `has_hooks`, those that make skills active or end them run scripts of the skills; otherwise
/// they change only what this server remembers of the session.
pub(crate) fn annotated(tool: Tool, name: &str, has_hooks: bool) -> Tool {
    let title = title(name);
    let runs_hooks = has_hooks && HOOKED.contains(&name);
    let runs = runs_hooks || name == SkillTools::RUN || name == SkillTools::EXECUTE;
    let is_read_only = !runs && name != SkillTools::PROPOSE;
    let hints = ToolAnnotations::with_title(title)
        .read_only(is_read_only)
        // A proposal adds a file and replaces none.
        .destructive(runs)
        .idempotent(is_read_only)
        // A command in the sandbox reaches nothing outside.
        .open_world(runs && name != SkillTools::EXECUTE);
    let tool = tool.with_title(title).with_annotations(hints).with_icons(vec![icon::of_tool(name)]);
    tool.with_meta(MetaObject(hints_of_clients().collect()))
}

/// Returns hints that clients read which defer tools or cut results: the tools are always in the
/// prompt, and a result has as many characters as a page.
fn hints_of_clients() -> impl Iterator<Item = (String, Value)> {
    let hints = [
        ("anthropic/alwaysLoad", Value::from(true)),
        ("anthropic/maxResultSizeChars", Value::from(MOST_RESULT_CHARS)),
    ];
    hints.into_iter().map(|(key, value)| (key.to_owned(), value))
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
