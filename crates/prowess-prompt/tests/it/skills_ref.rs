//! Tests of the reference tool's text.

use expect_test::expect;
use prowess_prompt::{SkillEntry, reference_available_skills};

#[test]
fn names_and_descriptions_are_escaped_and_locations_are_not() {
    let entry = SkillEntry {
        name: "a<b&c".into(),
        description: "\"Quoted\" 'single' > other\nline".into(),
        location: Some("/tmp/a<b&c/SKILL.md".into()),
    };
    expect![[r#"
        <available_skills>
        <skill>
        <name>
        a&lt;b&amp;c
        </name>
        <description>
        &quot;Quoted&quot; &#x27;single&#x27; &gt; other
        line
        </description>
        <location>
        /tmp/a<b&c/SKILL.md
        </location>
        </skill>
        </available_skills>"#]]
    .assert_eq(&reference_available_skills([entry]));
}

#[test]
fn no_skill_gives_an_empty_catalog() {
    let text = reference_available_skills([]);
    assert_eq!(text, "<available_skills>\n</available_skills>");
}
