//! Tools in the conversations of another program, which may share a session.

use prowess_core::{BodyDelivery, DeliveryPolicy};
use prowess_tools::{ToolHost, ToolPolicy};
use serde_json::json;

use crate::fixture::{Host, Setup, text};

/// The longest metadata in front of a body, in characters.
const MOST_METADATA: usize = 300;

fn host() -> Host {
    let policy = ToolPolicy { host: ToolHost::Foreign, ..ToolPolicy::default() };
    let delivery = DeliveryPolicy { bodies: BodyDelivery::ToolResult, ..DeliveryPolicy::default() };
    Host::new(Setup { policy, delivery, ..Setup::default() })
}

#[test]
fn loads_add_up_and_are_short() {
    let host = host();
    let mut lengths = Vec::new();
    for name in ["alpha", "beta", "alpha"] {
        let loaded = host.done("skills_load", json!({ "names": [name] }));
        let texts: Vec<_> = loaded.result.texts().collect();
        assert_eq!(texts[0], format!("Loaded `{name}`."));
        assert!(texts[0].chars().count() <= MOST_METADATA);
        assert_eq!(texts.len(), 2, "the body is there each time, also for another conversation");
        lengths.push(texts[0].len());
    }
    assert_eq!(host.active(), "beta alpha", "a load takes nothing away");
    assert_eq!(lengths[0], lengths[2], "a result does not grow with what is active");
}

#[test]
fn metadata_of_many_names_is_limited() {
    let policy = ToolPolicy { host: ToolHost::Foreign, ..ToolPolicy::default() };
    let host = Host::of_many(policy, 60);
    let names: Vec<_> = (0..60).map(|number| format!("skill-{number:05}")).collect();
    let unload = || text(&host.done("skills_unload", json!({ "names": names })));
    host.done("skills_load", json!({ "names": names[..8] }));
    for (start, end) in
        [("Unloaded `skill-00000`, ", " Not loaded: 52 skills."), ("", "60 skills.")]
    {
        let unloaded = unload();
        assert!(unloaded.starts_with(start) && unloaded.ends_with(end), "{unloaded}");
        assert!(unloaded.chars().count() <= MOST_METADATA);
    }
}

#[test]
fn replacing_is_possible_and_not_shown() {
    let host = host();
    let tools = serde_json::to_string(&host.toolbox.definitions(&host.catalog))
        .expect("definitions are data");
    assert!(!tools.contains("replace") && !tools.contains("force"), "{tools}");
    assert!(tools.contains("End the use of skills."), "an unload frees no room: {tools}");
    host.done("skills_load", json!({ "names": ["alpha"] }));
    host.done("skills_load", json!({ "names": ["beta"], "mode": "replace" }));
    assert_eq!(host.active(), "beta");
    let wrong = text(&host.call("skills_load", json!({ "name": "beta" })));
    assert!(wrong.contains("no argument `name`, only `names`"), "refusals neither: {wrong}");
    assert!(!wrong.contains("mode"), "{wrong}");
}

#[test]
fn unloading_promises_no_room() {
    let host = host();
    host.done("skills_load", json!({ "names": ["alpha"] }));
    let unloaded = text(&host.done("skills_unload", json!({ "names": ["alpha"] })));
    let expected = "Unloaded `alpha`. Their instructions remain in the conversation; do not follow \
                    them any more.";
    assert_eq!(unloaded, expected);
    assert_eq!(host.active(), "");
    host.done("skills_load", json!({ "names": ["alpha"] }));
    for text_of in ["Unloaded every skill. Their instructions", "No skill was loaded."] {
        let unloaded = text(&host.done("skills_unload", json!({ "all": true })));
        assert!(unloaded.starts_with(text_of), "{unloaded}");
    }
}

#[test]
fn finders_are_always_offered() {
    let host = host();
    let names: Vec<_> =
        host.toolbox.definitions(&host.catalog).into_iter().map(|tool| tool.name).collect();
    for name in ["skills_list", "skills_search", "skills_describe"] {
        assert!(names.iter().any(|found| found == name), "{names:?}");
    }
}
