//! The errors for arguments that do not fit.

use serde_json::{Value, json};

use crate::fixture::{Host, Setup, check_error};

#[test]
fn a_fault_names_the_field_what_was_expected_and_the_next_step() {
    let cases = [
        (
            "skills_load",
            json!({}),
            "`names` is missing (The names of the skills to load, from the list of skills)",
        ),
        (
            "skills_load",
            Value::Null,
            "`names` is missing (The names of the skills to load, from the list of skills)",
        ),
        ("skills_load", json!({ "names": "alpha" }), "`names` must be an array, not a string"),
        ("skills_load", json!({ "names": null }), "`names` must be an array, not null"),
        ("skills_load", json!({ "names": [] }), "`names` must have at least 1 item"),
        ("skills_load", json!({ "names": ["a", 1] }), "`names[1]` must be a string, not a number"),
        (
            "skills_load",
            json!({ "names": ["alpha"], "mode": "append" }),
            "`mode` must be `replace` or `add`, not `append`",
        ),
        (
            "skills_load",
            json!({ "names": ["alpha"], "session": "x" }),
            "there is no argument `session`, only `names` and `mode`",
        ),
        ("skills_load", json!(["alpha"]), "the argument must be an object, not an array"),
        ("skills_load", json!("alpha"), "the argument must be an object, not a string"),
        ("skills_unload", json!({ "all": "yes" }), "`all` must be a boolean, not a string"),
        (
            "skills_read",
            json!({ "path": 1, "skill": [] }),
            "`path` must be a string, not a number; `skill` must be a string, not an array",
        ),
    ];
    for (tool, arguments, fault) in cases {
        let host = Host::new(Setup::default());
        host.done("skills_load", json!({ "names": ["beta"] }));
        let answer = host.call(tool, arguments);
        let sentence = format!("`{tool}`: {fault}. Correct this and call again");
        check_error(&answer, "invalid-arguments", &sentence);
        assert_eq!(host.active(), "beta", "a call that does not fit changes nothing");
    }
}

#[test]
fn what_the_model_wrote_is_repeated_only_in_part() {
    let host = Host::new(Setup::default());
    let huge = "x".repeat(1_000_000);
    for arguments in [
        json!({ "names": ["alpha"], "mode": huge }),
        json!({ "names": [huge] }),
        json!({ huge.clone(): 1, "names": [] }),
        json!({ "names": vec![1; 10_000] }),
    ] {
        let answer = host.call("skills_load", arguments);
        let length = crate::fixture::text(&answer).len();
        assert!(answer.result.is_error && length < 1000, "the answer has {length} bytes");
    }
}
