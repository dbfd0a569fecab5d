//! Cases about the skills of a session between delimiters.

use prowess::prompt::{Activity, SkillFilter};
use prowess::{Policies, Runtime, SessionId};
use prowess_testkit::Tree;
use serde::Deserialize;

use super::data::read;
use crate::dynamic;
use crate::scripted::Agent;

const CASES: &str = include_str!("prompts.yaml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    tree: String,
    prompts: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    /// The skills that are loaded in a session; absent without a session.
    loaded: Option<Vec<String>>,
    activity: Option<String>,
    #[serde(default)]
    name_prefix: String,
    #[serde(default)]
    location_prefix: String,
    /// The names in the text, in its order.
    names: Option<Vec<String>>,
    text: Option<String>,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
}

fn runtime(tree: &Tree) -> Runtime {
    let builder = dynamic::builder().policies(Policies::default());
    let runtime = builder.skills_directory("user", tree.join("skills")).build();
    runtime.expect("the layers are the standard ones")
}

#[test]
fn sessions_and_filters_choose_the_skills() {
    let tree = Tree::new(&read::<Suite>(CASES).tree);
    let root = tree.path().to_string_lossy();
    for case in read::<Suite>(&CASES.replace("{root}", &root)).prompts {
        check(&tree, &case);
    }
}

fn check(tree: &Tree, case: &Case) {
    let runtime = runtime(tree);
    let mut agent = Agent::new(&runtime);
    for id in case.loaded.iter().flatten() {
        agent.load(&[id], "add");
    }
    let filter = SkillFilter {
        name_prefix: case.name_prefix.clone(),
        location_prefix: case.location_prefix.clone(),
        activity: match case.activity.as_deref() {
            Some("active") => Activity::Active,
            Some("inactive") => Activity::Inactive,
            _ => Activity::Any,
        },
    };
    let session = case.loaded.is_some().then(|| agent.session_id());
    let text = runtime.skills_prompt(session.as_ref(), &filter).expect("the session is open");
    let separator = text.split("SKILL SEPARATOR ").nth(1).and_then(|rest| rest.split(' ').next());
    let text = text.replace(separator.unwrap_or("no boundary"), "BOUNDARY");
    let id = &case.id;
    if let Some(names) = &case.names {
        let found: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("name: ")).collect();
        assert_eq!(found, *names, "{id}: {text}");
    }
    if let Some(expected) = &case.text {
        assert_eq!(text, *expected, "{id}");
    }
    for part in &case.has {
        assert!(text.contains(part), "{id}: `{part}` is in {text}");
    }
    for part in &case.lacks {
        assert!(!text.contains(part), "{id}: `{part}` is not in {text}");
    }
}

#[test]
fn unknown_session_is_an_error() {
    let tree = Tree::new(&read::<Suite>(CASES).tree);
    let id = SessionId::new("unknown").expect("it is a valid id");
    let answer = runtime(&tree).skills_prompt(Some(&id), &SkillFilter::default());
    assert!(answer.is_err(), "{answer:?}");
}
