//! The icons of the server and of its tools, which clients show next to their names.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prowess::tools::SkillTools;
use rmcp::model::Icon;

/// A card with a check mark.
const SERVER: &str =
    "M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2zM5 8l2 2 4-4";
/// An arrow down to a line.
const LOAD: &str = "M8 2v8M5 7l3 3 3-3M3 13h10";
/// An arrow up from a line.
const UNLOAD: &str = "M8 11V3M5 6l3-3 3 3M3 13h10";
/// A page.
const READ: &str = "M4 2h6l2 2v10H4zM6 7h4M6 10h4";
/// Lines.
const LIST: &str = "M3 4h10M3 8h10M3 12h10";
/// A magnifying glass.
const SEARCH: &str = "M11 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM10 10l4 4";
/// A pen over a line.
const WRITE: &str = "M10 3l3 3-7 7H3v-3zM9 13h5";
/// A triangle that points to the right.
const RUN: &str = "M5 3l8 5-8 5z";

/// Returns the icon of the server.
pub(crate) fn icon() -> Icon {
    drawing(SERVER)
}

/// Returns the icon of a skill tool, by its canonical name.
pub(crate) fn of_tool(name: &str) -> Icon {
    drawing(match name {
        "skills.unload" => UNLOAD,
        "skills.read" | "read_skill_resource" | "read_skill" | "get_skill" => READ,
        "skills.list" | "list_skills" | "skills.describe" => LIST,
        "skills.search" => SEARCH,
        SkillTools::RUN | SkillTools::EXECUTE => RUN,
        SkillTools::PROPOSE => WRITE,
        _ => LOAD,
    })
}

/// Draws lines in the color of the text around them. The icon is part of the message, so no client
/// fetches anything.
fn drawing(lines: &str) -> Icon {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\" fill=\"none\" \
         stroke=\"currentColor\" stroke-width=\"1.5\"><path d=\"{lines}\"/></svg>"
    );
    let data = format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg));
    Icon::new(data).with_mime_type("image/svg+xml").with_sizes(vec!["any".to_owned()])
}
