//! A server whose project is exchanged for another folder, again and again, while it is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use prowess_testkit::Tree;
use rmcp::model::CallToolResult;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::program::Program;
use crate::serve::{Client, block_on, words};
use crate::skill_md;

/// What no answer may hold.
const CANARY: &str = "CANARY-7f3a";

/// How often the two folders change places, at the least.
const EXCHANGES: usize = 100_000;

/// How many skills are loaded by turns, as a loaded one is not read again by each call.
const SKILLS: usize = 4;

/// A trusted project and its twin, which is not trusted and in which each file has other bytes.
fn twins() -> Tree {
    let tree = Tree::new("//- /home/x\nx\n");
    for (folder, text) in [("a", "Good."), ("evil", CANARY)] {
        tree.write(&format!("{folder}/.git/HEAD"), "ref: refs/heads/main\n");
        for number in 0..SKILLS {
            let skill = format!("{folder}/.agents/skills/s{number}");
            let frontmatter = format!("name: s{number}\ndescription: Helps.");
            tree.write(&format!("{skill}/SKILL.md"), skill_md(&frontmatter) + text);
            tree.write(&format!("{skill}/notes.md"), text);
        }
    }
    tree
}

/// Exchanges the folders as often as is asked and as long as it takes, and leaves each at its own
/// path.
fn exchange(tree: &Tree, exchanges: &AtomicUsize, is_over: &AtomicBool) {
    let (one, other) = (tree.join("a"), tree.join("evil"));
    while exchanges.load(Ordering::Relaxed) < EXCHANGES || !is_over.load(Ordering::Relaxed) {
        for _ in 0..2 {
            renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).expect("both are there");
        }
        exchanges.fetch_add(2, Ordering::Relaxed);
    }
}

fn is_good(result: &CallToolResult) -> bool {
    let text = words(result);
    let structured = format!("{:?}", result.structured_content);
    assert!(!text.contains(CANARY) && !structured.contains(CANARY), "no foreign byte: {text}");
    result.is_error == Some(false)
}

#[test]
fn exchanged_project_never_shows_a_byte_of_the_other_folder() {
    let tree = Arc::new(twins());
    let config = "tools: { read_gate: known }\n";
    tree.write("policy.yaml", config);
    let program = || {
        let program = Program::new().at_home_in(&tree.join("home"));
        program.working_in(&tree.join("a"))
    };
    program().run(&["trust"]).text();
    block_on(async {
        let client =
            Client::with(program(), &["--config", tree.join("policy.yaml").to_str().unwrap()])
                .await;
        let [exchanges, loops] = [0, 0].map(AtomicUsize::new).map(Arc::new);
        let is_over = Arc::new(AtomicBool::new(false));
        let exchanging = thread::spawn({
            let (tree, exchanges, is_over) = (tree.clone(), exchanges.clone(), is_over.clone());
            move || exchange(&tree, &exchanges, &is_over)
        });
        let (mut good, mut refused) = (0, 0);
        while exchanges.load(Ordering::Relaxed) < EXCHANGES || good == 0 || refused == 0 {
            let name = format!("s{}", loops.fetch_add(1, Ordering::Relaxed) % SKILLS);
            let read = json!({ "skill": name, "path": "notes.md" });
            let load = json!({ "names": [name] });
            let calls = [
                client.call("skills_load", load.clone()).await,
                client.call("skills_read", read).await,
                client.call("skills_unload", load).await,
            ];
            for result in &calls[..2] {
                if is_good(result) { good += 1 } else { refused += 1 }
            }
        }
        is_over.store(true, Ordering::Relaxed);
        exchanging.join().expect("the folders can be exchanged");
        let after = client.call("skills_load", json!({ "names": ["s0"] })).await;
        assert!(is_good(&after), "the trusted folder is back: {}", words(&after));
    });
}
