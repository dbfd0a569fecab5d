//! Paths that lead out of a skill and commands that hide another one, as data: what a model gets of
//! each by the tools of a whole runtime.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use prowess::session::SessionHandle;
use prowess::{Policies, Runtime, ToolCall};
use prowess_testkit::Tree;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::dynamic;

const FILES: &str = "
//- /skills/alpha/SKILL.md
---
name: alpha
description: Has files. Use it in tests.
allowed-tools: Bash(gh:*) Bash(git:*)
---
Body.
//- /skills/alpha/references/a.md
inside
//- /outside.txt
CANARY-4f1d
//- /skills/outside.txt
CANARY-4f1d
";
const CANARY: &str = "CANARY-4f1d";
const INSIDE: &str = "inside\n";

/// The result of reading a path: the text of a file, or the code of a refusal.
type Read = Result<&'static str, &'static str>;

const ESCAPE: Read = Err("path-escape");
const MISSING: Read = Err("resource-not-found");
const NO_FILE: Read = Err("not-a-file");

/// Each path with its result in a layer that is trusted, and in one that is not.
const PATHS: [(&str, Read, Read); 22] = [
    ("references/a.md", Ok(INSIDE), Ok(INSIDE)),
    ("./references/a.md", Ok(INSIDE), Ok(INSIDE)),
    ("references/../references/a.md", Ok(INSIDE), Ok(INSIDE)),
    ("../outside.txt", ESCAPE, ESCAPE),
    ("references/../../outside.txt", ESCAPE, ESCAPE),
    ("/etc/passwd", ESCAPE, ESCAPE),
    ("C:\\x", ESCAPE, ESCAPE),
    ("\\\\host\\x", ESCAPE, ESCAPE),
    ("..\\outside.txt", ESCAPE, ESCAPE),
    ("%2e%2e/outside.txt", MISSING, MISSING),
    ("~/.ssh", MISSING, MISSING),
    ("references/a.md\0", Err("invalid-path"), Err("invalid-path")),
    ("link", ESCAPE, ESCAPE),
    ("absolute-link", ESCAPE, ESCAPE),
    ("linked-directory/outside.txt", ESCAPE, ESCAPE),
    ("hard-link", Ok("CANARY-4f1d\n"), Err("multiple-links")),
    ("loop", Err("symlink-loop"), Err("symlink-loop")),
    ("pipe", NO_FILE, NO_FILE),
    ("socket", NO_FILE, NO_FILE),
    ("references", NO_FILE, NO_FILE),
    (".", NO_FILE, NO_FILE),
    ("", NO_FILE, NO_FILE),
];

/// The commands that rules for `gh` and `git` cover.
const COVERED: [&str; 3] = ["gh pr diff", "git status", "gh pr diff && git status"];

/// Commands that they do not cover.
const NOT_COVERED: [&str; 24] = [
    "ghx",
    "rm",
    "GIT status",
    "/usr/bin/gh pr diff",
    "../gh pr diff",
    "gh pr diff; rm x",
    "gh pr diff && rm x",
    "gh pr diff || rm x",
    "gh pr diff | rm x",
    "gh pr diff > x",
    "gh pr diff < x",
    "gh pr diff >> x",
    "gh pr diff << x",
    "gh pr diff\nrm x",
    "gh pr diff\rrm x",
    "gh pr $(rm x)",
    "gh pr `rm x`",
    "gh pr diff & rm x",
    "gh pr $VAR",
    "gh pr *",
    "gh pr ~",
    "gh pr <(rm x)",
    "gh pr {a,b}",
    "gh pr 'diff",
];

/// A runtime over the files in a layer, with the skill loaded.
fn conversation(tree: &Tree, layer: &str) -> (Runtime, SessionHandle) {
    let builder = dynamic::builder().skills_directory(layer, tree.join("skills"));
    let runtime = builder.policies(Policies::default()).build().expect("it is complete");
    let session = runtime.open_session().expect("the store is in memory");
    let turn = runtime.turn(&session).expect("the session is open");
    let loaded = turn.call(&ToolCall::new("skills_load", json!({ "names": ["alpha"] })));
    assert!(!loaded.result.is_error, "{loaded:?}");
    (runtime, session)
}

/// The files, with links and special files in the skill.
fn tree() -> Tree {
    let tree = Tree::new(FILES);
    let alpha = tree.join("skills/alpha");
    symlink("../outside.txt", alpha.join("link")).expect("a link");
    symlink(tree.join("outside.txt"), alpha.join("absolute-link")).expect("a file of its kind");
    symlink("..", alpha.join("linked-directory")).expect("a file of its kind");
    symlink("loop", alpha.join("loop")).expect("a file of its kind");
    std::fs::hard_link(tree.join("outside.txt"), alpha.join("hard-link"))
        .expect("a file of its kind");
    mknodat(CWD, alpha.join("pipe"), FileType::Fifo, Mode::RUSR, 0).expect("a file of its kind");
    drop(UnixListener::bind(alpha.join("socket")).expect("a file of its kind"));
    tree
}

#[test]
fn every_path_has_its_result() {
    let tree = tree();
    for (layer, is_trusted) in [("user", true), ("project", false)] {
        let (runtime, session) = conversation(&tree, layer);
        let turn = runtime.turn(&session).expect("the session is open");
        for (path, trusted, untrusted) in PATHS {
            let expected = if is_trusted { trusted } else { untrusted };
            let read = ToolCall::new("skills_read", json!({ "skill": "alpha", "path": path }));
            let result = turn.call(&read).result;
            let text: String = result.texts().collect();
            let found = match &result.code {
                Some(code) => Err(code.as_str()),
                None => Ok(text.as_str()),
            };
            assert_eq!(found, expected, "{layer}: {path:?}: {text}");
            let shows = format!("{result:?}").contains(CANARY);
            assert_eq!(shows, expected == Ok("CANARY-4f1d\n"), "{layer}: {path:?}");
        }
    }
}

#[test]
fn listing_has_the_files_of_the_skill_alone() {
    let tree = Tree::new(FILES);
    tree.write("skills/alpha/docs/guide.md", "A guide.");
    tree.write("skills/alpha/note.txt", "A note.");
    std::fs::remove_dir_all(tree.join("skills/alpha/references")).unwrap();
    let (runtime, _) = conversation(&tree, "user");
    let catalog = runtime.catalog();
    let listing = catalog.list(catalog.get("alpha").expect("it is there"), 100).expect("it lists");
    let paths: Vec<_> = listing.resources.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(paths, ["docs/guide.md", "note.txt"], "sorted, without `SKILL.md`");
}

#[test]
fn commands_are_covered_only_as_they_are_read() {
    let tree = Tree::new(FILES);
    let (runtime, session) = conversation(&tree, "user");
    let turn = runtime.turn(&session).expect("the session is open");
    let is_allowed = |turn: &prowess::Turn, command: &str| {
        let decision = turn.decide("Bash", &json!({ "command": command }));
        decision.expect("approvals are in memory").is_allowed()
    };
    for command in COVERED {
        assert!(is_allowed(&turn, command), "`{command}` is covered");
    }
    for command in NOT_COVERED {
        assert!(!is_allowed(&turn, command), "`{command}` is not covered");
    }
    let other = runtime.open_session().expect("the store is in memory");
    let turn = runtime.turn(&other).expect("the session is open");
    for command in COVERED {
        assert!(!is_allowed(&turn, command), "without a list, `{command}` needs a person");
    }
}
