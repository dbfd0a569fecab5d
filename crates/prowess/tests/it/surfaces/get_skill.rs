//! The tool `get_skill`.

use expect_test::expect;
use prowess::Policies;
use prowess::tools::Surface;
use serde_json::json;

use super::{Place, check};
use crate::scripted::Agent;

#[test]
fn get_skill_returns_json_in_any_case() {
    let place = Place::of("sandbox");
    let expected = json!({
        "name": "test-skill",
        "description": "Runs tests. Use when tests are to be run.",
        "mountPath": "/.sandbox/skills/test-skill",
        "instructions": "Run them all.",
    });
    for name in ["test-skill", "Test-Skill", "skill://test-skill/SKILL.md"] {
        let mut agent = Agent::new(&place.runtime);
        let got = agent.succeed("get_skill", json!({ "skillName": name })).1.structured;
        assert_eq!(got.as_ref(), Some(&expected), "{name}");
        assert!(agent.active().is_empty(), "nothing is loaded");
    }
    let unknown = r#"{"error":"Skill 'x' not found"}"#;
    let arguments = json!({ "skillName": "x" });
    check(&place, "get_skill", arguments, Some("skill-not-found"), unknown);
    let file = json!({ "skill": "code-review", "path": "templates/report.md" });
    check(&place, "skills_read", file, None, "# Report\n");
}

/// A catalog with two names that differ in case alone.
#[test]
fn ambiguous_case_names_both_skills() {
    let place = Place::of("sandbox");
    for name in ["Same", "same"] {
        let text = format!("---\nname: {name}\ndescription: One of two. Use it.\n---\nBody\n");
        place.tree.write(&format!("skills/{}/SKILL.md", name.replace('S', "other-s")), text);
    }
    place.runtime.reload();
    let text = r#"{"error":"`SAME` may be `Same` and `same`; write the name of one"}"#;
    let arguments = json!({ "skillName": "SAME" });
    check(&place, "get_skill", arguments, Some("skill-ambiguous"), text);
}

#[test]
fn get_skill_has_two_descriptions() {
    let description = |place: &Place| {
        let session = place.runtime.open_session().expect("memory takes another session");
        let tools = place.runtime.turn(&session).expect("the session is open").tools();
        tools[0].description.clone()
    };
    let listed = expect![[r#"
        Gets detailed information about an agent skill.
        Available skills:
          - code-review: Reviews code. Use when a change is to be reviewed.
          - test-skill: Runs tests. Use when tests are to be run."#]];
    listed.assert_eq(&description(&Place::of("sandbox")));
    let mut policies = Policies::default();
    policies.tools.surfaces = vec![Surface::GetSkill];
    let plain = expect![
        "Get the instructions of a skill. Do this when the task at hand matches the skill's description, and before you use any of its files or scripts."
    ];
    plain.assert_eq(&description(&Place::with(policies)));
}
