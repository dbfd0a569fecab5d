//! `skills.unload`.

use serde_json::{Value, json};

use crate::fixture::{Host, Setup, check_error, text};

fn loaded() -> Host {
    let host = Host::new(Setup::default());
    host.done("skills_load", json!({ "names": ["alpha", "beta"] }));
    host
}

#[test]
fn unloading_by_name_by_location_and_all() {
    let cases = [
        (json!({ "names": ["alpha"] }), "beta"),
        (json!({ "names": ["memory://shelf/alpha/SKILL.md"] }), "beta"),
        (json!({ "names": ["zzz"] }), "alpha beta"),
        (json!({ "names": ["zzz", "beta"] }), "alpha"),
        (json!({ "all": true }), ""),
        (json!({ "all": true, "names": ["alpha"] }), ""),
        (json!({ "all": false, "names": ["alpha"] }), "beta"),
        (json!({ "all": true, "names": null }), ""),
    ];
    for (arguments, active) in cases {
        let host = loaded();
        let answer = host.done("skills_unload", arguments.clone());
        assert_eq!(host.active(), active, "what is active after {arguments}");
        let receipt: Value = serde_json::from_str(&text(&answer)).expect("a receipt is JSON");
        let entries = receipt["active_skills"].as_array().expect("a receipt lists what is active");
        let ids: Vec<_> = entries.iter().filter_map(|entry| entry["id"].as_str()).collect();
        assert_eq!(ids.join(" "), active, "the receipt is of the new state");
    }
}

#[test]
fn unloading_nothing_is_an_invalid_call() {
    for arguments in [json!({}), json!({ "all": false }), json!({ "names": [] }), Value::Null] {
        let host = loaded();
        let answer = host.call("skills_unload", arguments);
        check_error(
            &answer,
            "invalid-arguments",
            "nothing to unload was named; give `names`, or `all` as true",
        );
        assert_eq!(host.active(), "alpha beta", "nothing was changed");
    }
}
