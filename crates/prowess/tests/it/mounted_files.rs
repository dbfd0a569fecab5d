//! Skills of every kind of source in one sandbox, with the bytes that their sources have.

use std::sync::Arc;

use expect_test::expect;
use prowess::session::SessionHandle;
use prowess::{Layer, MemorySource, Policies, Runtime, ToolCall, Trust};
use prowess_shell::{InMemoryShell, ShellPolicy};
use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};
use prowess_testkit::Tree;
use serde_json::{Value, json};

const ALL_BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut byte = 0;
    while byte < u8::MAX {
        bytes[byte as usize] = byte;
        byte += 1;
    }
    bytes[byte as usize] = byte;
    bytes
};
/// Starts as a gzip archive does, and has no valid UTF-8.
const ARCHIVE: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\xed\xbd\r\n\r\n\xff\xfe\0";

/// The files of each skill but its `SKILL.md`.
const FILES: [(&str, &[u8]); 6] = [
    ("assets/all", &ALL_BYTES),
    ("assets/deep/er/archive.tar.gz", ARCHIVE),
    ("assets/empty", b""),
    ("assets/feeds", b"\n\n"),
    ("assets/no-last-feed", b"text"),
    ("scripts/run.sh", b"echo ran $0\r\n"),
];

const SKILL_MD: [(&str, &[u8]); 3] = [
    ("listed", b"---\nname: listed\ndescription: Is in a directory.\n---\nBody\n"),
    ("generated", b"---\nname: generated\ndescription: Is in memory.\n---\nBody\n"),
    ("built-in", b"---\nname: built-in\ndescription: Is in the program.\n---\nBody\n"),
];

static IN_PROGRAM: [EmbeddedFile; 7] = [
    EmbeddedFile { path: "built-in/SKILL.md", bytes: SKILL_MD[2].1 },
    EmbeddedFile { path: "built-in/assets/all", bytes: &ALL_BYTES },
    EmbeddedFile { path: "built-in/assets/deep/er/archive.tar.gz", bytes: ARCHIVE },
    EmbeddedFile { path: "built-in/assets/empty", bytes: b"" },
    EmbeddedFile { path: "built-in/assets/feeds", bytes: b"\n\n" },
    EmbeddedFile { path: "built-in/assets/no-last-feed", bytes: b"text" },
    EmbeddedFile { path: "built-in/scripts/run.sh", bytes: FILES[5].1 },
];

/// A sandbox with a skill of a directory, one of memory and one of the program.
struct Sandbox {
    _tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
}

impl Sandbox {
    fn new(policy: &str) -> Self {
        let mut policies = Policies::from_yaml(&format!("preset: sandbox\n{policy}\n"))
            .expect("the policies are valid");
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        let tree = Tree::new("");
        let mut memory = MemorySource::builder("memory");
        for (path, bytes) in FILES.into_iter().chain([("SKILL.md", SKILL_MD[0].1)]) {
            tree.write(&format!("listed/{path}"), bytes);
        }
        for (path, bytes) in FILES.into_iter().chain([("SKILL.md", SKILL_MD[1].1)]) {
            memory = memory.file(&format!("generated/{path}"), bytes);
        }
        let runtime = Runtime::builder()
            .policies(policies)
            .skills_directory("personal", tree.path())
            .source("personal", Arc::new(memory.build().expect("the paths are good")))
            .source("personal", Arc::new(EmbeddedSource::new("program", &IN_PROGRAM).expect("so")))
            .build()
            .expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        Self { _tree: tree, runtime, session }
    }

    /// Runs a command that succeeds, and returns its output.
    #[track_caller]
    fn output(&self, command: &str) -> String {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        let call = ToolCall::new("sandbox_execute", json!({ "command": command }));
        let result: Value = turn.call(&call).result.structured.expect("it is data");
        assert_eq!((&result["exitCode"], &result["error"]), (&json!(0), &json!("")), "{command}");
        result["output"].as_str().expect("it is a text").to_owned()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn mounted_tree_has_the_bytes_of_its_source() {
    for policy in ["shell: { materialize: on_read }", "shell: { materialize: at_mount }"] {
        let sandbox = Sandbox::new(policy);
        for (skill, skill_md) in SKILL_MD {
            let root = format!("/.sandbox/skills/{skill}");
            let mut expected: Vec<_> = FILES.into_iter().chain([("SKILL.md", skill_md)]).collect();
            expected.sort_unstable();
            let paths = sandbox.output(&format!("cd {root}; find . -type f | sort"));
            let listed: Vec<_> = expected.iter().map(|(path, _)| format!("./{path}")).collect();
            assert_eq!(paths.lines().collect::<Vec<_>>(), listed, "{policy}, {skill}");
            for (path, bytes) in expected {
                let dump = sandbox.output(&format!("od -An -v -tx1 {root}/{path}"));
                let dump: String = dump.split_whitespace().collect();
                assert_eq!(dump, hexadecimal(bytes), "{policy}, {skill}, {path}");
            }
        }
    }
}

#[test]
fn sources_of_every_kind_share_a_sandbox() {
    let sandbox = Sandbox::new("");
    assert_eq!(sandbox.output("ls /.sandbox/skills"), "built-in\ngenerated\nlisted");
    for (skill, _) in SKILL_MD {
        let script = format!("/.sandbox/skills/{skill}/scripts/run.sh");
        assert_eq!(sandbox.output(&format!("sh {script}")).trim_end(), format!("ran {script}"));
    }
    let command = "cmp /.sandbox/skills/listed/assets/all /.sandbox/skills/built-in/assets/all";
    assert_eq!(sandbox.output(command), "", "one command uses files of two sources");
}

#[test]
fn mounted_skill_is_described_with_its_metadata() {
    let tree = Tree::new(
        "
//- /python-dev/SKILL.md
---
name: python-dev
description: Develops with Python.
metadata:
  version: 1.2.0
  tags: [python, venv]
---
Body
",
    );
    let runtime = Runtime::builder()
        .layers([Layer::new("personal", Trust::Trusted)])
        .skills_directory("personal", tree.path())
        .build()
        .expect("the runtime is complete");
    let mounted = InMemoryShell::new(ShellPolicy::default()).mounted_skills(&runtime.catalog());
    expect![[r#"
        [
            MountedSkill {
                id: "python-dev",
                name: "python-dev",
                description: "Develops with Python.",
                mount_path: "/.sandbox/skills/python-dev",
                version: Some(
                    "1.2.0",
                ),
                tags: [
                    "python",
                    "venv",
                ],
            },
        ]
    "#]]
    .assert_debug_eq(&mounted);
}
