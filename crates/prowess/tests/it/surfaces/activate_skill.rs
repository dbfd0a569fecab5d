//! The tool `activate_skill`.

use prowess::tools::{SkillContent, Surface};
use prowess::{BodyDelivery, Policies, ShowLocation};
use serde_json::json;

use super::{Place, check, texts};
use crate::scripted::Agent;

fn with_activate_skill(change: impl FnOnce(&mut Policies)) -> Place {
    let mut policies = Policies::default().with_body_delivery(BodyDelivery::ToolResult);
    policies.tools.surfaces = vec![Surface::ActivateSkill, Surface::Files];
    change(&mut policies);
    Place::with(policies)
}

#[test]
fn activate_skill_lists_the_names_and_wraps_the_body() {
    let place = with_activate_skill(|_| {});
    let session = place.runtime.open_session().expect("memory takes another session");
    let tools = place.runtime.turn(&session).expect("the session is open").tools();
    let names = &tools[0].input_schema["properties"]["name"]["anyOf"][0]["enum"];
    assert_eq!(*names, json!(["code-review", "test-skill"]));
    let mut agent = Agent::new(&place.runtime);
    let text = texts(&agent.succeed("activate_skill", json!({ "name": "code-review" })).1);
    let tag = text.split_whitespace().next().expect("it begins with a tag").trim_start_matches('<');
    let root = place.root("code-review");
    let expected = format!(
        "<{tag} name=\"code-review\">\nCheck names first. See templates/report.md.\n\n\
         Skill directory: {root}\n\
         Relative paths in this skill are relative to the skill directory.\n\
         <skill_resources>\n<file>scripts/count.sh</file>\n<file>templates/report.md</file>\n\
         </skill_resources>\n</{tag}>"
    );
    assert_eq!(text, expected);
    assert_eq!(agent.active(), ["code-review"]);
    agent.succeed("activate_skill", json!({ "name": "test-skill" }));
    assert_eq!(agent.active(), ["code-review", "test-skill"]);
    let unknown = "no skill named `tests-kill`; did you mean `test-skill`?";
    let arguments = json!({ "name": "tests-kill" });
    check(&place, "activate_skill", arguments, Some("skill-not-found"), unknown);
}

#[test]
fn activate_skill_can_return_the_whole_file_and_limits_the_listing() {
    let place = with_activate_skill(|policies| {
        policies.tools.skill_content = SkillContent::File;
        policies.tools.resources_listed = 1;
    });
    let mut agent = Agent::new(&place.runtime);
    let text = texts(&agent.succeed("activate_skill", json!({ "name": "code-review" })).1);
    assert!(text.contains("requires: [test-skill]"), "the frontmatter is there: {text}");
    assert!(text.contains("There are more files than these."), "the listing is cut: {text}");
    assert!(!text.contains("templates/report.md</file>"), "{text}");
}

#[test]
fn activate_skill_leaves_the_body_to_the_prompt() {
    let place = with_activate_skill(|policies| {
        policies.delivery.bodies = BodyDelivery::Instructions;
        policies.delivery.show_location = ShowLocation::Virtual;
    });
    let mut agent = Agent::new(&place.runtime);
    let answer = agent.succeed("activate_skill", json!({ "name": "code-review" })).1;
    assert!(!texts(&answer).contains("Check names first"), "the receipt has no body");
    assert!(texts(&answer).contains("\"skill://code-review/SKILL.md\""), "the location is virtual");
    assert!(agent.prompt().contains("Check names first"), "the prompt has it");
}
