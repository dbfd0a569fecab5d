//! The 22 cases of mounting of another sandbox for agents, as data: sources of each kind, and what
//! a model finds of their skills in the sandbox.

use std::collections::BTreeSet;
use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::{Layer, MemorySource, Policies, Runtime, ToolCall, Trust};
use prowess_source_embedded::{EmbeddedFile, EmbeddedSource};
use prowess_testkit::Tree;
use serde_json::{Value, json};

type Files = &'static [(&'static str, &'static str)];

/// The sources of a case.
#[derive(Clone, Copy)]
enum Given {
    /// A directory of skills.
    Directory(Files),
    /// Files in memory.
    Memory(Files),
    /// One skill with a name of the host's.
    Named(&'static str, Files),
    /// Files in the program.
    Embedded(&'static [EmbeddedFile]),
}

/// The result of a case.
#[derive(Clone, Copy)]
enum Found {
    /// The mounted skills, by their paths.
    Mounted(&'static [&'static str]),
    /// The whole output of a command that succeeds.
    Output(&'static str, &'static str),
    /// A part of the output of a command that succeeds.
    Part(&'static str, &'static str),
    /// A command that fails.
    Fails(&'static str),
    /// A field of what the model reads of the skill with this name.
    Field(&'static str, &'static str, &'static str),
    /// A finding of the catalog.
    Finding(&'static str),
}

use Found::{Fails, Field, Finding, Mounted, Output, Part};
use Given::{Directory, Embedded, Memory, Named};

struct Case {
    name: &'static str,
    given: &'static [Given],
    /// The configuration over the preset.
    policy: &'static str,
    found: &'static [Found],
}

const TEST_SKILL_MD: &str = "---\nname: test-skill\ndescription: Test skill for unit tests\n---\n\
    # Test Skill\n\n## When to use this skill\n\nIn tests.\n";
const TEST_SKILL: Files = &[
    ("test-skill/SKILL.md", TEST_SKILL_MD),
    ("test-skill/scripts/hello.sh", "echo Hello from skill\n"),
    ("test-skill/references/deep/er/note.md", "A note."),
];
const TEMP_SKILL: Files =
    &[("temp-skill/SKILL.md", "---\nname: temp-skill\ndescription: Temporary\n---\n# Temp\n")];
const ORIGINAL: Files = &[
    ("SKILL.md", "---\nname: original-name\ndescription: Test\n---\nBody\n"),
    ("scripts/run.sh", "echo ran\n"),
];
static IN_PROGRAM: &[EmbeddedFile] = &[
    EmbeddedFile {
        path: "built-in/SKILL.md",
        bytes: b"---\nname: built-in\ndescription: Is in the program\n---\nBody\n",
    },
    EmbeddedFile { path: "built-in/scripts/setup.sh", bytes: b"echo set up\n" },
];

const CASE: Case = Case { name: "", given: &[Directory(TEST_SKILL)], policy: "", found: &[] };

const CASES: [Case; 22] = [
    Case {
        name: "no-skills-mount-nothing",
        given: &[],
        found: &[Mounted(&[]), Fails("ls /.sandbox")],
        ..CASE
    },
    Case {
        name: "skill-has-its-path",
        found: &[Mounted(&["/.sandbox/skills/test-skill"])],
        ..CASE
    },
    Case {
        name: "metadata-is-that-of-the-file",
        found: &[
            Field("test-skill", "name", "test-skill"),
            Field("test-skill", "description", "Test skill for unit tests"),
            Field("test-skill", "instructions", "When to use this skill"),
        ],
        ..CASE
    },
    Case {
        name: "description-is-that-of-the-metadata",
        found: &[Field("TEST-SKILL", "description", "Test skill for unit tests")],
        ..CASE
    },
    Case {
        name: "files-are-readable",
        found: &[
            Part("cat /.sandbox/skills/test-skill/SKILL.md", "# Test Skill"),
            Part("cat /.sandbox/skills/test-skill/SKILL.md", "name: test-skill"),
        ],
        ..CASE
    },
    Case {
        name: "script-runs",
        found: &[Output("sh /.sandbox/skills/test-skill/scripts/hello.sh", "Hello from skill")],
        ..CASE
    },
    Case {
        name: "directory-is-listed",
        found: &[Output("ls /.sandbox/skills/test-skill", "SKILL.md\nreferences\nscripts")],
        ..CASE
    },
    Case {
        name: "several-skills-are-mounted",
        given: &[Directory(TEST_SKILL), Memory(TEMP_SKILL)],
        found: &[
            Mounted(&["/.sandbox/skills/temp-skill", "/.sandbox/skills/test-skill"]),
            Part("cat /.sandbox/skills/test-skill/SKILL.md", "test-skill"),
            Part("cat /.sandbox/skills/temp-skill/SKILL.md", "temp-skill"),
        ],
        ..CASE
    },
    Case {
        name: "mount-directory-is-an-option",
        policy: "shell: { mount: /custom/skills }",
        found: &[
            Mounted(&["/custom/skills/test-skill"]),
            Part("cat /custom/skills/test-skill/SKILL.md", "# Test Skill"),
            Fails("ls /.sandbox"),
        ],
        ..CASE
    },
    Case {
        name: "copied-options-mount-the-same",
        given: &[Memory(TEMP_SKILL), Memory(TEST_SKILL)],
        policy: "shell: { mount: /custom/path }",
        found: &[Mounted(&["/custom/path/temp-skill", "/custom/path/test-skill"])],
    },
    Case {
        name: "directory-is-a-source",
        found: &[Output("cat /.sandbox/skills/test-skill/references/deep/er/note.md", "A note.")],
        ..CASE
    },
    Case {
        name: "memory-is-a-source",
        given: &[Memory(TEST_SKILL)],
        found: &[Output("cat /.sandbox/skills/test-skill/references/deep/er/note.md", "A note.")],
        ..CASE
    },
    Case {
        name: "program-is-a-source",
        given: &[Embedded(IN_PROGRAM)],
        found: &[Output("sh /.sandbox/skills/built-in/scripts/setup.sh", "set up")],
        ..CASE
    },
    Case {
        name: "name-of-the-host-replaces-that-of-the-file",
        given: &[Named("override-name", ORIGINAL)],
        found: &[
            Mounted(&["/.sandbox/skills/override-name"]),
            Field("override-name", "name", "override-name"),
            Output("sh /.sandbox/skills/override-name/scripts/run.sh", "ran"),
            Fails("ls /.sandbox/skills/original-name"),
        ],
        ..CASE
    },
    Case {
        name: "frontmatter-is-no-instruction",
        given: &[Memory(&[(
            "my-skill/SKILL.md",
            "---\nname: my-skill\ndescription: My description\n---\n\n# Instructions\nDo this.",
        )])],
        found: &[
            Field("my-skill", "description", "My description"),
            Field("my-skill", "instructions", "# Instructions\nDo this."),
        ],
        ..CASE
    },
    Case {
        name: "name-is-required",
        given: &[Memory(&[("a/SKILL.md", "---\ndescription: Test\n---\n")])],
        policy: "registry: { profile: spec }",
        found: &[Finding("name-missing"), Mounted(&[])],
    },
    Case {
        name: "description-is-required",
        given: &[Memory(&[("a/SKILL.md", "---\nname: a\n---\n")])],
        found: &[Finding("description-missing"), Mounted(&[])],
        ..CASE
    },
    Case {
        name: "frontmatter-is-required",
        given: &[Memory(&[("a/SKILL.md", "# No frontmatter here")])],
        found: &[Finding("frontmatter-missing"), Mounted(&[])],
        ..CASE
    },
    Case {
        name: "skill-md-is-required",
        given: &[Memory(&[("a/README.md", "No SKILL.md here")])],
        found: &[Mounted(&[]), Fails("ls /.sandbox")],
        ..CASE
    },
    Case {
        name: "files-of-a-source-are-added-one-by-one",
        given: &[Memory(&[
            ("test/SKILL.md", "---\nname: test\ndescription: Test\n---\n"),
            ("test\\scripts\\run.sh", "echo hello\n"),
        ])],
        found: &[Output(
            "find /.sandbox/skills/test -type f | sort | sed 's/.*test.//'",
            "SKILL.md\nscripts/run.sh",
        )],
        ..CASE
    },
    Case {
        name: "all-files-may-be-copied-at-the-start",
        policy: "shell: { materialize: at_mount }",
        found: &[
            Output("cat /.sandbox/skills/test-skill/references/deep/er/note.md", "A note."),
            Output("find /.sandbox/skills -type f | wc -l", "3"),
        ],
        ..CASE
    },
    Case {
        name: "changes-stay-in-the-sandbox",
        found: &[
            Output(
                "cd /.sandbox/skills/test-skill; echo x > SKILL.md; rm -r scripts; ls; cat SKILL.md",
                "SKILL.md\nreferences\nx",
            ),
            Field("test-skill", "instructions", "When to use this skill"),
        ],
        ..CASE
    },
];

/// A runtime over the sources of a case, and one session.
struct Sandbox {
    runtime: Runtime,
    session: SessionHandle,
    _trees: Vec<Tree>,
}

impl Sandbox {
    fn of(case: &Case) -> Self {
        let policies = Policies::from_yaml(&format!("preset: sandbox\n{}\n", case.policy));
        let mut policies = policies.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        let mut builder = Runtime::builder().policies(policies.clone());
        let mut trees = Vec::new();
        for given in case.given {
            builder = match *given {
                Directory(files) => {
                    let tree = Tree::new("");
                    for (path, text) in files {
                        tree.write(path, text);
                    }
                    trees.push(tree);
                    let tree = trees.last().expect("it was added");
                    builder.skills_directory("personal", tree.path())
                }
                Memory(files) => builder.source("personal", Arc::new(memory(files))),
                Named(name, files) => {
                    builder.single_skill_source("personal", name, Arc::new(memory(files)))
                }
                Embedded(files) => {
                    let source = EmbeddedSource::new("program", files).expect("good paths");
                    builder.source("personal", Arc::new(source))
                }
            };
        }
        let runtime = builder.build().unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let session = runtime.open_session().expect("the store is in memory");
        Self { runtime, session, _trees: trees }
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        let result = turn.call(&ToolCall::new(tool, arguments)).result;
        result.structured.unwrap_or_else(|| panic!("{tool}: {:?}", result.content))
    }

    fn execute(&self, command: &str) -> Value {
        self.call("sandbox_execute", json!({ "command": command }))
    }

    fn mounted(&self) -> BTreeSet<String> {
        let catalog = self.runtime.catalog();
        let path = |id: &str| {
            let got = self.call("get_skill", json!({ "skillName": id }));
            got["mountPath"].as_str().expect("it is mounted").to_owned()
        };
        catalog.skills().map(|record| path(record.id())).collect()
    }

    fn check(&self, case: &str, found: Found) {
        match found {
            Mounted(paths) => {
                let paths: BTreeSet<_> = paths.iter().map(|path| (*path).to_owned()).collect();
                assert_eq!(self.mounted(), paths, "{case}");
            }
            Output(command, output) => {
                let ran = self.execute(command);
                assert_eq!(
                    (&ran["exitCode"], &ran["output"]),
                    (&json!(0), &json!(output)),
                    "{case}"
                );
            }
            Part(command, part) => {
                let ran = self.execute(command);
                assert_eq!(ran["exitCode"], 0, "{case}: {ran}");
                let output = ran["output"].as_str().expect("it is a text");
                assert!(output.contains(part), "{case}: {output}");
            }
            Fails(command) => assert_ne!(self.execute(command)["exitCode"], 0, "{case}"),
            Field(skill, field, part) => {
                let got = self.call("get_skill", json!({ "skillName": skill }));
                let text = got[field].as_str().unwrap_or_default();
                assert!(text.contains(part), "{case}: {got}");
            }
            Finding(code) => {
                let catalog = self.runtime.catalog();
                let codes: Vec<_> =
                    catalog.diagnostics().map(|found| found.code.as_str().to_owned()).collect();
                assert!(codes.iter().any(|found| found == code), "{case}: {codes:?}");
            }
        }
    }
}

fn memory(files: Files) -> MemorySource {
    let mut source = MemorySource::builder("memory");
    for (path, text) in files {
        source = source.file(path, text);
    }
    source.build().expect("the paths are good")
}

#[test]
fn every_case_finds_its_skills() {
    let names: BTreeSet<_> = CASES.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), 22, "the document counts 22 cases, each with its own name");
    for case in &CASES {
        let sandbox = Sandbox::of(case);
        for found in case.found {
            sandbox.check(case.name, *found);
        }
    }
}
