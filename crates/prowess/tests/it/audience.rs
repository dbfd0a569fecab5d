//! Audiences through the facade: in the prompt, the search and every call.

use std::sync::Arc;

use prowess::{Audience, Facts, Policies, RuntimeBuilder, ToolCall};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

const SKILLS: &str = include_str!("../data/audience.txt");

fn runtime(tree: &Tree) -> RuntimeBuilder {
    dynamic::builder().skills_directory("user", tree.path())
}

fn tenant(name: &str) -> Audience {
    Audience { tenant: Some(name.to_owned()), ..Audience::default() }
}

fn load(id: &str) -> ToolCall {
    ToolCall::new("skills_load", json!({ "names": [id] }))
}

#[test]
fn one_tenant_never_meets_anothers_skills() {
    let tree = Tree::new(SKILLS);
    let runtime = runtime(&tree).build().expect("the layers are the standard ones");
    for (own, other) in [("a", "b"), ("b", "a"), ("a", "b")] {
        let (audience, session) = (tenant(own), runtime.open_session().expect("memory"));
        let turn = runtime.turn_for(&session, &audience).expect("the session is open");
        let (mine, theirs) = (format!("of-{own}"), format!("of-{other}"));
        let prompt = turn.prompt();
        assert_eq!(*prompt.shown, ["all".to_owned(), mine.clone()], "the prompt of {own}");
        assert!(!prompt.text.contains(&theirs), "not a word of {theirs}");
        let hits = turn.search("reports", 10);
        let hits: Vec<_> = hits.iter().map(|hit| hit.record.id().to_owned()).collect();
        assert!(hits.contains(&mine) && !hits.contains(&theirs), "the search of {own}: {hits:?}");
        let tools = serde_json::to_string(&turn.tools()).expect("tools are data");
        assert!(tools.contains(&mine) && !tools.contains(&theirs), "the tools of {own}");
        assert!(!turn.call(&load(&mine)).result.is_error);
        for typed in [theirs.clone(), format!("user:{theirs}")] {
            let refused = turn.call(&load(&typed)).result;
            assert_eq!(refused.code.expect("it is refused").as_str(), "skill-not-found");
            let refused = turn.call_as_user(&load(&typed)).result;
            assert_eq!(refused.code.expect("it is refused").as_str(), "skill-not-found");
        }
    }
}

/// A machine that has everything.
struct Everything;

impl Facts for Everything {
    fn system(&self) -> &str {
        "linux"
    }

    fn has_program(&self, _name: &str) -> bool {
        true
    }

    fn has_variable(&self, _name: &str) -> bool {
        true
    }

    fn has_config(&self, _key: &str) -> bool {
        true
    }
}

#[test]
fn the_host_may_know_the_machine_better() {
    let tree = Tree::new(SKILLS);
    let runtime = runtime(&tree).facts(Arc::new(Everything)).build().expect("the layers are good");
    assert!(runtime.catalog().get("needs").is_some());
}

/// Both orders that clients of today use are a matter of the file.
#[test]
fn layers_of_a_file_come_above_those_of_the_program() {
    let check = |order: &[&str]| {
        let rows = order.iter().map(|name| format!("  - {{ name: {name}, trust: trusted }}\n"));
        let text = "layers:\n".to_owned() + &rows.collect::<String>();
        let policies = Policies::from_yaml(&text).expect("layers are data");
        let user = Tree::new(&deploy("user"));
        let mut builder =
            dynamic::builder().policies(policies).skills_directory("user", user.path());
        let trees: Vec<_> = order.iter().map(|name| Tree::new(&deploy(name))).collect();
        for (name, tree) in order.iter().zip(&trees) {
            builder = builder.skills_directory(name, tree.path());
        }
        let runtime = builder.build().expect("each layer is one of the file's or the program's");
        let catalog = runtime.catalog();
        assert_eq!(catalog.get("deploy").expect("one is offered").description(), order[0]);
        let names: Vec<_> = catalog.layers().iter().map(|layer| &*layer.name).collect();
        assert_eq!(names, [order, &["project", "user", "embedded"]].concat());
    };
    check(&["enterprise", "personal", "team", "plugin"]);
    check(&["workspace", "managed", "bundled"]);
}

fn deploy(description: &str) -> String {
    format!("//- /deploy/SKILL.md\n---\nname: deploy\ndescription: {description}\n---\n")
}
