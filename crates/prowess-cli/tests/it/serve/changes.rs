//! Changes of skills and of trust while a server runs.

use prowess_testkit::Tree;
use rustix::process::Signal;
use serde_json::json;

use super::{Client, block_on, code, tree, words};
use crate::plain_skill;
use crate::program::{Program, signal};

/// A server may run for days; what its user takes back counts from the next call on.
#[test]
fn changes_of_trust_reach_a_running_server() {
    block_on(async {
        let tree = Tree::new("//- /project/.git/HEAD\nref: refs/heads/main\n//- /home/x\n");
        for name in ["early", "later", "last"] {
            tree.write(&format!("project/.agents/skills/{name}/SKILL.md"), plain_skill(name));
        }
        let program = || {
            let program = Program::new().at_home_in(&tree.join("home"));
            program.working_in(&tree.join("project"))
        };
        let client = Client::of(program()).await;
        let load = |name: &str| client.call("skills_load", json!({ "names": [name] }));
        assert_eq!(
            code(&load("early").await),
            Some("skill-hidden"),
            "the directory is not trusted"
        );
        program().run(&["trust"]).text();
        assert_eq!(load("later").await.is_error, Some(false), "it is trusted");
        program().run(&["trust", "--revoke", "."]).text();
        assert_eq!(code(&load("last").await), Some("skill-hidden"), "and no longer");
    });
}

#[test]
fn changed_skill_is_loaded_with_new_content() {
    block_on(async {
        let tree = tree();
        let client = Client::connect(tree.path()).await;
        let load = json!({ "names": ["late"] });
        let refused = client.call("skills_load", load.clone()).await;
        assert_eq!(code(&refused), Some("skill-not-found"));
        for version in ["The first version.", "The second version."] {
            tree.write("late/SKILL.md", plain_skill("late") + version + "\n");
            // It ends when the server has seen the change, or after the timeout of the test.
            loop {
                let result = client.call("skills_load", load.clone()).await;
                if words(&result).contains(version) {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
    });
}

/// `spec` refuses a field that it does not know, which `lenient` ignores.
#[test]
fn kept_skill_is_refused_with_the_errors_of_its_file() {
    block_on(async {
        let tree = tree();
        let config = Tree::new("//- /prowess.yaml\nregistry: { profile: spec }\n");
        let program = Program::new().root("user", tree.path()).config(&config.join("prowess.yaml"));
        let client = Client::of(program).await;
        let load = json!({ "names": ["pdf"] });
        assert!(words(&client.call("skills_load", load.clone()).await).contains("pdf"));
        let text = "---\nname: pdf\ndescription: x\ncolour: red\n---\nSecond body.\n";
        tree.write("pdf/SKILL.md", text);
        loop {
            let result = client.call("skills_load", load.clone()).await;
            assert!(!words(&result).contains("Second body."), "it is loaded by the server's rules");
            if result.is_error == Some(true) && code(&result) == Some("skill-invalid") {
                assert!(words(&result).contains("4:1: error[unknown-field]"), "{}", words(&result));
                break;
            }
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn sighup_reloads_a_manual_server() {
    block_on(async {
        let tree = tree();
        let config = Tree::new("//- /prowess.yaml\nrefresh: { mode: manual }\n");
        let program = Program::new().root("user", tree.path()).config(&config.join("prowess.yaml"));
        let client = Client::of(program).await;
        let load = json!({ "names": ["late"] });
        tree.write("late/SKILL.md", plain_skill("late"));
        for _ in 0..3 {
            let refused = client.call("skills_load", load.clone()).await;
            assert_eq!(code(&refused), Some("skill-not-found"), "nothing was scanned since");
        }
        signal(client.pid, Signal::HUP).expect("it runs");
        // It ends when the server has looked, or with the test's patience.
        while client.call("skills_load", load.clone()).await.is_error == Some(true) {
            tokio::task::yield_now().await;
        }
    });
}

/// A client has its instructions already, so a result has to tell.
#[test]
fn change_of_a_loaded_skill_is_reported() {
    block_on(async {
        let tree = tree();
        let config = Tree::new("//- /prowess.yaml\nsession: { on_change: notify }\n");
        let program = Program::new().root("user", tree.path()).config(&config.join("prowess.yaml"));
        let client = Client::of(program).await;
        let note = "have changed since they were loaded: `pdf`";
        client.call("skills_load", json!({"names": ["pdf"]})).await;
        let read = json!({"path": "references/fields.md"});
        let before = client.call("skills_read", read.clone()).await;
        assert!(!words(&before).contains(note), "nothing has: {}", words(&before));
        tree.write("pdf/SKILL.md", plain_skill("pdf") + "A second version.\n");
        let after = client.call("skills_read", read.clone()).await;
        assert!(words(&after).contains(note), "it is said: {}", words(&after));
        assert!(words(&after).contains("Every field has a name."), "beside what was asked for");
        let again = client.call("skills_load", json!({"names": ["pdf"]})).await;
        assert!(words(&again).contains("A second version."), "{}", words(&again));
        assert!(!words(&again).contains(note), "and no more: {}", words(&again));
    });
}
