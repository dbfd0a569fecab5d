//! The cases of mounting as data: sources of each kind, and what a model finds of their skills.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prowess::session::SessionHandle;
use prowess::{Layer, MemorySource, Policies, Runtime, ToolCall, Trust, default_skills};
use prowess_testkit::Tree;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cases::data::read;

type Files = BTreeMap<String, String>;

#[derive(Deserialize)]
struct Suite {
    test_skill: Files,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    sources: Option<Vec<Source>>,
    /// The configuration over the preset.
    #[serde(default)]
    policy: String,
    found: Vec<Found>,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Source {
    Directory { directory: Files },
    Memory { memory: Files },
    Named { named: String, files: Files },
    Program(String),
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Found {
    Mounted {
        mounted: BTreeSet<String>,
    },
    /// The skills of the description, in their order.
    Described {
        described: Vec<String>,
    },
    Prints {
        run: String,
        prints: String,
    },
    Has {
        run: String,
        has: String,
    },
    Fails {
        fails: String,
    },
    Field {
        skill: String,
        field: String,
        has: String,
    },
    Finding {
        finding: String,
    },
}

/// A runtime over the sources of a case, and one session.
struct Sandbox {
    runtime: Runtime,
    session: SessionHandle,
    _trees: Vec<Tree>,
}

impl Sandbox {
    fn of(sources: &[Source], policy: &str) -> Self {
        let policies = Policies::from_yaml(&format!("preset: sandbox\n{policy}\n"));
        let mut policies = policies.expect("the policies are valid");
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        let mut builder = Runtime::builder().policies(policies);
        let mut trees = Vec::new();
        for source in sources {
            builder = match source {
                Source::Directory { directory } => {
                    let tree = directory_of(directory);
                    let builder = builder.skills_directory("personal", tree.path());
                    trees.push(tree);
                    builder
                }
                Source::Memory { memory } => builder.source("personal", memory_of(memory)),
                Source::Named { named, files } => {
                    builder.single_skill_source("personal", named, memory_of(files))
                }
                Source::Program(name) => {
                    assert_eq!(name, "program", "it has one source");
                    builder.source("personal", Arc::new(default_skills()))
                }
            };
        }
        let runtime = builder.build().expect("the sources fit together");
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

    fn field(&self, skill: &str, field: &str) -> String {
        let got = self.call("get_skill", json!({ "skillName": skill }));
        got[field].as_str().unwrap_or_else(|| panic!("{field} of {got}")).to_owned()
    }

    fn check(&self, case: &str, found: &Found) {
        let catalog = self.runtime.catalog();
        match found {
            Found::Mounted { mounted } => {
                let paths = catalog.skills().map(|record| self.field(record.id(), "mountPath"));
                assert_eq!(paths.collect::<BTreeSet<_>>(), *mounted, "{case}");
            }
            Found::Described { described } => {
                let turn = self.runtime.turn(&self.session).expect("the session is open");
                let tools = turn.tools();
                let lines = tools[0].description.lines().filter_map(|it| it.strip_prefix("  - "));
                let names = lines.filter_map(|line| Some(line.split_once(':')?.0));
                assert_eq!(names.collect::<Vec<_>>(), *described, "{case}");
            }
            Found::Prints { run, prints } => {
                let ran = self.execute(run);
                assert_eq!(
                    (&ran["exitCode"], &ran["output"]),
                    (&json!(0), &json!(prints)),
                    "{case}"
                );
            }
            Found::Has { run, has } => {
                let ran = self.execute(run);
                assert_eq!(ran["exitCode"], 0, "{case}: {ran}");
                assert!(ran["output"].to_string().contains(has), "{case}: {ran}");
            }
            Found::Fails { fails } => {
                assert_ne!(self.execute(fails)["exitCode"], 0, "{case}");
            }
            Found::Field { skill, field, has } => {
                let text = self.field(skill, field);
                assert!(text.contains(has), "{case}: {text}");
            }
            Found::Finding { finding } => {
                let is_reported = catalog.diagnostics().any(|found| found.code.as_str() == finding);
                assert!(is_reported, "{case}: {finding}");
            }
        }
    }
}

fn directory_of(files: &Files) -> Tree {
    let tree = Tree::new("");
    files.iter().for_each(|(path, text)| tree.write(path, text));
    tree
}

fn memory_of(files: &Files) -> Arc<MemorySource> {
    let source = MemorySource::builder("memory");
    let source = files.iter().fold(source, |source, (path, text)| source.file(path, text.clone()));
    Arc::new(source.build().expect("the paths are good"))
}

#[test]
fn every_case_finds_its_skills() {
    let Suite { test_skill, cases } = read(include_str!("mounting.yaml"));
    let ids: BTreeSet<_> = cases.iter().map(|case| &case.id).collect();
    assert_eq!(ids.len(), 22, "the document counts 22 cases, each with its own name");
    let usual = [Source::Directory { directory: test_skill }];
    for Case { id, sources, policy, found } in &cases {
        let sandbox = Sandbox::of(sources.as_deref().unwrap_or(&usual), policy);
        found.iter().for_each(|found| sandbox.check(id, found));
    }
}
