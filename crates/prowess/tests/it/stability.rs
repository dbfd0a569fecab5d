//! The catalog in the prompts of one session, while files change.

use prowess::prompt::{CatalogEvery, common_prefix};
use prowess::session::SessionHandle;
use prowess::{EstimatedTokens, Policies, Runtime};
use prowess_testkit::Tree;

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
fn every_call_has_the_newest_catalog_by_policy() {
    let host = Host::new(CatalogEvery::Call);
    let session = host.open();
    host.prompt(&session);
    host.write("alpha", "An edited text.");
    host.runtime.reload();
    let after = host.prompt(&session);
    assert!(!after.contains("The first.") && !after.contains("has changed"), "{after}");
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
