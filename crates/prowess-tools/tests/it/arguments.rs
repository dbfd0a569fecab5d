//! Refusals of arguments of the skill tools.

use serde_json::{Value, json};

use crate::fixture::{Host, Setup, check_error, text};

#[test]
fn fault_names_the_field_and_the_next_step() {
    let missing = "`names` is missing (The names of the skills to load, from the list of skills)";
    for (tool, arguments, fault) in [
        ("skills_load", json!({}), missing),
        ("skills_load", Value::Null, missing),
        ("skills_load", json!({ "names": null }), "`names` must be an array, not null"),
        ("skills_load", json!(["alpha"]), "the argument must be an object, not an array"),
        (
            "skills_load",
            json!({ "names": ["alpha"], "session": "x" }),
            "there is no argument `session`, only `names` and `mode`",
        ),
        (
            "skills_read",
            json!({ "path": 1, "skill": [] }),
            "`path` must be a string, not a number; `skill` must be a string, not an array",
        ),
    ] {
        let host = Host::new(Setup::default());
        host.done("skills_load", json!({ "names": ["beta"] }));
        let answer = host.call(tool, arguments);
        let sentence = format!("`{tool}`: {fault}. Correct this and call again");
        check_error(&answer, "invalid-arguments", &sentence);
        assert_eq!(host.active(), "beta", "a call that does not fit changes nothing");
    }
}

#[test]
fn huge_arguments_are_repeated_in_part() {
    let host = Host::new(Setup::default());
    let huge = "x".repeat(1_000_000);
    for arguments in [
        json!({ "names": ["alpha"], "mode": huge }),
        json!({ "names": [huge] }),
        json!({ huge.clone(): 1, "names": [] }),
        json!({ "names": vec![1; 10_000] }),
    ] {
        let answer = host.call("skills_load", arguments);
        let length = text(&answer).len();
        assert!(answer.result.is_error && length < 1000, "the answer has {length} bytes");
    }
}
