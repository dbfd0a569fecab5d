//! `prowess validate --schema`: what an editor is given.

use crate::program::Program;

#[test]
fn each_profile_has_a_schema() {
    for profile in ["lenient", "spec", "skills-ref"] {
        let ran = Program::new().run(&["validate", "--schema", "--profile", profile]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let schema = ran.json();
        assert_eq!(schema["$id"], format!("urn:prowess:frontmatter:{profile}"));
        assert_eq!(schema["required"], serde_json::json!(["name", "description"]));
    }
}

#[test]
fn without_a_profile_it_is_the_specification_s() {
    let [text, json] = ["text", "json"].map(|format| {
        Program::new().run(&["validate", "--schema", "--format", format]).text().to_owned()
    });
    assert_eq!(text, json, "a schema is JSON in either format");
    assert!(text.contains("frontmatter:spec"), "{text}");
}
