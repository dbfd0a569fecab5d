//! The catalog in the prompts of one session, while files change.

use prowess::prompt::{CatalogEvery, common_prefix};
use prowess::session::SessionHandle;
use prowess::{EstimatedTokens, Policies, Runtime, ToolCall};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

struct Host {
    tree: Tree,
    runtime: Runtime,
}

impl Host {
    fn new(every: CatalogEvery) -> Self {
        let tree = Tree::new("");
        let mut policies = Policies::default();
        policies.prompt.catalog_every = every;
        let builder = dynamic::builder().policies(policies);
        let runtime = builder.skills_directory("user", tree.path()).build();
        let host = Self { runtime: runtime.expect("the policies fit together"), tree };
        host.write("alpha", "The first.");
        host.write("beta", "The second.");
        host.runtime.reload();
        host
    }

    fn write(&self, id: &str, description: &str) {
        let text = format!("---\nname: {id}\ndescription: {description}\n---\nBody\n");
        self.tree.write(&format!("{id}/SKILL.md"), text);
    }

    fn prompt(&self, session: &SessionHandle) -> String {
        self.runtime.turn(session).expect("the session is open").prompt().text.clone()
    }

    fn open(&self) -> SessionHandle {
        self.runtime.open_session().expect("memory takes another session")
    }
}

#[test]
fn session_repeats_its_catalog_and_a_new_one_has_the_newest() {
    let host = Host::new(CatalogEvery::Change);
    let session = host.open();
    let before = host.prompt(&session);
    host.write("alpha", "An edited text.");
    host.runtime.reload();
    let after = host.prompt(&session);
    let kept = common_prefix(&before, &after, &EstimatedTokens);
    assert_eq!(kept.bytes, before.len(), "the prompt before is the start of the one after");
    assert!(after[before.len()..].contains("An edited text."), "the end reports the edit");
    let other = host.prompt(&host.open());
    assert!(!other.contains("The first.") && other.contains("An edited text."), "{other}");
    assert!(!other.contains("has changed"), "a new session has nothing to report");
}

#[test]
fn prompt_of_a_turn_stays_while_another_turn_runs() {
    let host = Host::new(CatalogEvery::Change);
    let session = host.open();
    let turn = host.runtime.turn(&session).expect("the session is open");
    let text = turn.prompt().text.clone();
    for at in 0..40 {
        host.write(&format!("skill-{at}"), &"word ".repeat(60));
    }
    host.runtime.reload();
    let rewritten = host.prompt(&session);
    assert!(!rewritten.starts_with(&text), "so many changes write the catalog again");
    assert_eq!(turn.prompt().text, text);
}

/// Everything of a request that is in front of the messages, in the order of a provider's cache.
fn request(host: &Host, session: &SessionHandle) -> String {
    let turn = host.runtime.turn(session).expect("the session is open");
    let tools = serde_json::to_string(&turn.tools()).expect("definitions are JSON");
    format!("{tools}\n{}", turn.prompt().text)
}

fn edit(host: &Host) {
    host.write("alpha", "An edited text.");
    host.write("gamma", "A third one.");
    host.runtime.reload();
}

#[test]
fn tools_are_repeated_with_the_catalog() {
    for every in [CatalogEvery::Change, CatalogEvery::Session] {
        let host = Host::new(every);
        let session = host.open();
        let tools = |session| host.runtime.turn(session).expect("the session is open").tools();
        let before = tools(&session);
        edit(&host);
        assert_eq!(tools(&session), before, "{every:?}: the definitions are in the cached prefix");
        let other = host.open();
        let newest = format!("{:?}", tools(&other));
        assert!(newest.contains("gamma"), "a new session has the newest ids: {newest}");
    }
    let host = Host::new(CatalogEvery::Call);
    let session = host.open();
    let tools = || host.runtime.turn(&session).expect("the session is open").tools();
    let before = tools();
    edit(&host);
    assert_ne!(tools(), before, "the schema follows the catalog");
}

/// A skill that a notice announces can be loaded, also by a model that may write nothing but what a
/// schema allows.
#[test]
fn announced_skill_fits_the_repeated_schema() {
    let host = Host::new(CatalogEvery::Change);
    let session = host.open();
    request(&host, &session);
    edit(&host);
    let turn = host.runtime.turn(&session).expect("the session is open");
    assert!(turn.prompt().text.contains("gamma"), "it is announced");
    let tools = turn.tools();
    let items = &tools[0].input_schema["properties"]["names"]["items"]["anyOf"];
    assert_eq!(
        *items,
        json!([{ "type": "string", "enum": ["alpha", "beta"] }, { "type": "string" }])
    );
    let result = turn.call(&ToolCall::new("skills_load", json!({ "names": ["gamma"] }))).result;
    assert!(!result.is_error, "{result:?}");
}

#[test]
fn rewritten_catalog_brings_its_tools() {
    let host = Host::new(CatalogEvery::Change);
    let session = host.open();
    let before = request(&host, &session);
    for at in 0..40 {
        host.write(&format!("skill-{at}"), &"word ".repeat(60));
    }
    host.runtime.reload();
    let after = request(&host, &session);
    assert!(after.contains(r#""skill-39""#), "the schema lists the ids of the text: {after}");
    assert!(!after.starts_with(&before));
}
