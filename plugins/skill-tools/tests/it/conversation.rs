//! The conversation.

use prowess_core::{BodyDelivery, Caller, Catalog, DeliveryPolicy, ShowLocation, Unload};
use prowess_tools::{ReadGate, ToolPolicy};
use serde_json::{Value, json};

use crate::host::{Host, LOADED, Tools};

/// The steps of the conversation: the caller, the tool and the arguments.
fn steps() -> Vec<(Caller, &'static str, Value)> {
    let load = |names: Value| (Caller::Model, "skills_load", json!({ "names": names }));
    let add = |names: Value| (Caller::Model, "skills_load", json!({"names": names, "mode": "add"}));
    let read = |skill: Value, path: &str| {
        (Caller::Model, "skills_read", json!({"skill": skill, "path": path}))
    };
    let unload = |arguments: Value| (Caller::Model, "skills_unload", arguments);
    let by_user = |(_, tool, arguments)| (Caller::User, tool, arguments);
    vec![
        (Caller::Model, "skills_read", json!({"path": "references/fields.md"})),
        read(json!("pdf"), "references/fields.md"),
        load(json!(["pdf"])),
        load(json!(["pdff"])),
        load(json!(["forms"])),
        load(json!(["user:pdf"])),
        add(json!(["docx", "notes"])),
        add(json!(["pdf", "docx", "notes", "modelled"])),
        (Caller::Model, "skills_read", json!({"path": "SKILL.md"})),
        read(json!("pdf"), "references/fields.md"),
        load(json!(["pdf"])),
        read(json!("pdf"), "references/fields.md"),
        read(json!("pdf"), "assets/form.bin"),
        read(json!("pdf"), "references/field.md"),
        read(json!("pdf"), "../docx/SKILL.md"),
        read(json!("docx"), "SKILL.md"),
        read(Value::Null, "skill://pdf/assets/form.bin"),
        load(json!(["alone"])),
        load(json!(["secret"])),
        load(json!(["unready"])),
        load(json!(["broken"])),
        load(json!([])),
        load(json!(7)),
        by_user(load(json!(["alone"]))),
        by_user(load(json!(["modelled"]))),
        (Caller::Model, "skills_read", json!({"skill": "alone", "path": "SKILL.md"})),
        unload(json!({"names": ["alone", "docx"]})),
        unload(json!({})),
        add(json!(["pdf"])),
        unload(json!({"all": true})),
        (Caller::Model, "skills_list", json!({"limit": 2})),
        (Caller::User, "skills_list", json!({"cursor": "docx"})),
        (Caller::Model, "skills_search", json!({"query": "pdf"})),
        (Caller::Model, "skills_describe", json!({"skill": "pdf"})),
        (Caller::Model, "skills_run", json!({"skill": "pdf", "path": "scripts/fill.py"})),
    ]
}

#[track_caller]
fn check(policy: &ToolPolicy, delivery: DeliveryPolicy) {
    let linked = Host::new(Tools::Linked, policy, delivery);
    let loaded = LOADED.map(|tools| (tools, Host::new(tools, policy, delivery)));
    for (tools, host) in &loaded {
        for catalog in [&*linked.catalog, &Catalog::empty()] {
            let [one, other] = [&linked, host].map(|host| host.definitions(catalog));
            assert_eq!(one, other, "{tools:?}: a model is shown the same tools");
        }
        assert_eq!(linked.now(), host.now(), "the hosts have one time");
    }
    for (caller, name, arguments) in steps() {
        let expected = linked.call(caller, name, &arguments);
        for (tools, host) in &loaded {
            let seen = host.call(caller, name, &arguments);
            assert_eq!(seen, expected, "{tools:?}: {caller:?} calls {name} with {arguments}");
        }
    }
}

#[test]
fn defaults_equal_linked_tools() {
    check(&ToolPolicy::default(), DeliveryPolicy::default());
}

/// The bodies are between tags with the session's secret, and locations are virtual.
#[test]
fn bodies_equal_those_of_linked_tools() {
    let delivery = DeliveryPolicy {
        bodies: BodyDelivery::ToolResult,
        show_location: ShowLocation::Virtual,
        ..DeliveryPolicy::default()
    };
    let policy = ToolPolicy { read_gate: Some(ReadGate::Known), ..ToolPolicy::default() };
    check(&policy, delivery);
    let shown = Host::new(Tools::InAProcess, &policy, delivery);
    let loaded = shown.call(Caller::Model, "skills_load", &json!({"names": ["pdf"]})).to_string();
    assert!(loaded.contains("<skill_content-5f3a9c1e77b04d28"), "the boundary crosses: {loaded}");
    assert!(loaded.contains("references/fields.md"), "and so do the package's files: {loaded}");
}

/// The plugin parses leniently, so this refusal is the host's; it read "the session store failed".
#[test]
fn refusal_names_the_hosts_rules() {
    for tools in LOADED {
        let mut host = Host::new(tools, &ToolPolicy::default(), DeliveryPolicy::default());
        host.catalog = crate::host::strict_catalog();
        assert_eq!(host.catalog.len(), 1, "it is offered");
        let answer = host.call(Caller::Model, "skills_load", &json!({"names": ["long"]}));
        assert_eq!(answer["result"]["code"], "skill-invalid", "{tools:?}: {answer}");
        let said = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        let expected =
            "skill `long` cannot be loaded: its `SKILL.md` breaks the rules of this host";
        assert_eq!(said, expected, "{tools:?}");
    }
}

/// The plugin requests a state once, so another change of it must change its number.
#[test]
fn changes_by_others_are_seen() {
    for tools in LOADED {
        let host = Host::new(tools, &ToolPolicy::default(), DeliveryPolicy::default());
        let read = || {
            let path = json!({"path": "SKILL.md"});
            host.call(Caller::Model, "skills_read", &path)["result"].to_string()
        };
        host.call(Caller::Model, "skills_load", &json!({"names": ["docx"]}));
        for _ in 0..2 {
            assert!(read().contains("Write."), "{tools:?}: the skill that was loaded last");
        }
        host.session.unload(&Unload::All).unwrap();
        assert!(read().contains("skill-not-active"), "{tools:?}: it was unloaded elsewhere");
    }
}

/// The plugin sees only the skills that the caller can find.
#[test]
fn skills_of_other_audiences_do_not_cross() {
    let catalog = crate::host::catalog();
    let names: Vec<_> = catalog.excluded().map(|record| record.id()).collect();
    assert!(names.contains(&"secret"), "the host knows it: {names:?}");
    for tools in LOADED {
        let host = Host::new(tools, &ToolPolicy::default(), DeliveryPolicy::default());
        let answer = host.call(Caller::Model, "skills_load", &json!({"names": ["secret"]}));
        assert_eq!(answer["result"]["code"], "skill-not-found", "{tools:?}: {answer}");
    }
}
