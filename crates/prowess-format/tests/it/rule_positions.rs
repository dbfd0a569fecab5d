//! The positions of rules in their file.

use proptest::prelude::*;
use prowess_format::{AllowedTools, Profile, parse, rule_positions};

use crate::support::skill;

/// Returns the rest of the line that each rule's position points to.
fn pointed_to(file: &str) -> Vec<String> {
    let lines: Vec<_> = file.lines().collect();
    let rest = |line: u32, column: u32| {
        lines[line as usize - 1].chars().skip(column as usize - 1).collect()
    };
    rule_positions(file.as_bytes()).iter().map(|at| rest(at.line, at.column)).collect()
}

#[track_caller]
fn check(field: &str, expected: &[&str]) {
    let file = skill(&format!("name: pdf\n{field}\ndescription: x\n"));
    let file = String::from_utf8(file).expect("it was a text");
    assert_eq!(pointed_to(&file), expected, "{field}");
    let document = parse(file.as_bytes(), Profile::Lenient).document.expect("a document");
    let rules = document.frontmatter.allowed_tools;
    assert_eq!(rules.rules().len(), expected.len(), "one position for each rule of {field}");
}

#[test]
fn each_spelling_has_positions() {
    check("allowed-tools: Bash(git:*) Read", &["Bash(git:*) Read", "Read"]);
    check("allowed_tools: Read, Write", &["Read, Write", "Write"]);
    check("allowed-tools: \"Bash(git:*)\\tRead\"", &["Bash(git:*)\\tRead\"", "Read\""]);
    check(
        "allowed-tools: [Bash, 'Read Write']",
        &["Bash, 'Read Write']", "Read Write']", "Write']"],
    );
    check("allowed-tools:\n  - Bash(git:*) # Read\n  - Read", &["Bash(git:*) # Read", "Read"]);
    check("allowed-tools: |\n  Bash(git:*)\n  Read", &["Bash(git:*)", "Read"]);
    check("allowed-tools: >\n  Bash(git:*)\n  Read", &["Bash(git:*)", "Read"]);
    check("allowed-tools: Read Read Read", &["Read Read Read", "Read Read", "Read"]);
    check("allowed-tools: Bash(Read:*) Read", &["Bash(Read:*) Read", "Read"]);
    check("allowed-tools: ö Read", &["ö Read", "Read"]);
}

#[test]
fn specified_spelling_wins_over_alias() {
    check("allowed_tools: Write\nallowed-tools: Read", &["Read"]);
}

#[test]
fn no_rule_has_no_position() {
    for field in ["license: MIT", "allowed-tools: []", "allowed-tools: \"\"", "allowed-tools: a(b"]
    {
        let file = skill(&format!("name: pdf\ndescription: x\n{field}\n"));
        assert!(rule_positions(&file).is_empty(), "{field}");
    }
    assert!(rule_positions(b"no frontmatter").is_empty(), "a file without fences");
}

proptest! {
    #[test]
    fn any_file_has_positions_inside(value in "[ -~\\n]{0,60}") {
        let file = skill(&format!("name: pdf\ndescription: x\nallowed-tools: {value}\n"));
        let lines = file.split(|byte| *byte == b'\n').count();
        for at in rule_positions(&file) {
            prop_assert!(at.line as usize <= lines, "{at:?} is in the file");
        }
    }

    #[test]
    fn each_rule_is_where_it_points(tools in "[QXZ][a-z]{0,3}( [QXZ][a-z]{0,3}(\\([a-z]{1,3}:\\*\\))?){0,6}") {
        let file = String::from_utf8(skill(&format!(
            "name: pdf\ndescription: x\nallowed-tools: {tools}\n"
        ))).expect("it was a text");
        let rules = AllowedTools::parse(&tools).expect("rules");
        let pointed_to = pointed_to(&file);
        prop_assert_eq!(pointed_to.len(), rules.rules().len());
        for (rest, rule) in pointed_to.iter().zip(rules.rules()) {
            prop_assert!(rest.starts_with(&rule.to_string()), "{} at {}", rule, rest);
        }
    }
}
