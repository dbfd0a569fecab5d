//! The answers of the reference tool, as functions and as a profile.

mod messages;
mod properties;

use prowess_format::Profile;

use crate::fixture::{BODY, checked, memory, skill_md};

#[test]
fn its_verdict_is_the_reference_tools_own() {
    let good = skill_md("notes", BODY);
    let cases = [
        ("notes", good.clone()),
        ("other", good),
        ("upper", skill_md("UPPER", BODY)),
        ("bare", "nonsense".to_owned()),
        ("linked", skill_md("linked", "[x](../../etc/passwd)\n")),
        ("flow", "---\nname: flow\ndescription: {a: 1}\n---\n".to_owned()),
    ];
    for (directory, text) in cases {
        let path = format!("{directory}/SKILL.md");
        let checked = checked(&memory(&[(&path, &text)]), Profile::SkillsRef);
        let said: Vec<&str> = checked.diagnostics().map(|found| found.message.as_str()).collect();
        let expected = match prowess_lint::reference::validate(text.as_bytes(), directory) {
            Ok(messages) => messages,
            Err(crash) => vec![crash.to_string()],
        };
        assert_eq!(said, expected, "{directory}");
        assert_eq!(checked.packages[0].valid, expected.is_empty(), "{directory}");
    }
}
