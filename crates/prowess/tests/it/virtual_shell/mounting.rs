//! The cases of mounting as data: sources of each kind, and what a model finds of their skills.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use prowess::{Layer, MemorySource, Policies, Runtime, Trust, default_skills};
use prowess_testkit::Tree;
use serde::Deserialize;

use crate::cases::data::read;
use crate::documents::{Host, Step};

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
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Source {
    Directory { directory: Files },
    Memory { memory: Files },
    Named { named: String, files: Files },
    Program(String),
}

fn host(sources: &[Source], policy: &str) -> Host {
    let policies = Policies::from_yaml(&format!("preset: sandbox\n{policy}\n"));
    let mut policies = policies.expect("the policies are valid");
    policies.layers = vec![Layer::new("personal", Trust::Trusted)];
    let (tree, mut builder) = (Tree::new(""), Runtime::builder().policies(policies));
    for source in sources {
        builder = match source {
            Source::Directory { directory } => {
                directory.iter().for_each(|(path, text)| tree.write(path, text));
                builder.skills_directory("personal", tree.path())
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
    Host::of(tree, builder)
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
    for Case { id, sources, policy, steps } in &cases {
        let failures = host(sources.as_deref().unwrap_or(&usual), policy).failures(steps);
        assert!(failures.is_empty(), "{id}: {}", failures.join("\n"));
    }
}
