//! The steps of a case, and a host that takes them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use prowess::lint::{LintOptions, NoProgress, check_trees};
use prowess::script::ScriptExecution;
use prowess::session::SessionHandle;
use prowess::source_fs::{FsConfig, FsSource, Surroundings};
use prowess::tools::HookPolicy;
use prowess::{
    Cancel, Content, FolderTrust, Policies, Runtime, RuntimeBuilder, SkillSource, SystemClock,
    ToolCall, ToolResult,
};
use prowess_testkit::{ShellRunner, Tree};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cases::data::includes;
use crate::dynamic;

/// The steps of a host or a model, and the results.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Step {
    /// The names of all tools of a model.
    Tools { tools: Vec<String> },
    /// The description of a tool, or parts of it.
    Description {
        description: String,
        is: Option<String>,
        #[serde(default)]
        has: Vec<String>,
    },
    /// The schema of a tool's arguments has this.
    Schema { schema: String, has: Value },
    /// The text in front of a conversation has these parts, in this order, and not those.
    Prompt {
        prompt: Vec<String>,
        #[serde(default)]
        lacks: Vec<String>,
    },
    /// The skills that are offered.
    Skills { skills: Vec<String> },
    /// Some of the codes of the catalog's findings.
    Catalog { catalog: Vec<String> },
    /// The codes and severities of what is wrong with the packages below a directory.
    Validate {
        validate: String,
        found: Vec<String>,
        /// The codes of some of the hints.
        #[serde(default)]
        hints: Vec<String>,
    },
    /// A file has another text from then on.
    Write { write: String, text: String },
    Call {
        call: String,
        with: Value,
        #[serde(flatten)]
        result: Expected,
    },
    /// A call of a tool of the host.
    Host {
        host: String,
        with: Value,
        #[serde(flatten)]
        result: Expected,
    },
    /// The end of the conversation's task.
    End { end_of_task: () },
    /// The loaded skills.
    Active { active: Vec<String> },
    /// The tools that they leave possible; null for all.
    Allowed { allowed: Value },
}

#[derive(Debug, Deserialize)]
pub(crate) struct Expected {
    /// The code of an error; a result has none.
    code: Option<String>,
    /// The whole text.
    text: Option<String>,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    data: Option<Value>,
}

impl Expected {
    fn check(&self, result: &ToolResult, root: &str) {
        let parts = result.content.iter().map(|part| match part {
            Content::Text { text } | Content::Blob { data: text, .. } => text.as_str(),
        });
        let text = parts.collect::<Vec<_>>().join("\n");
        let code = result.code.as_ref().map(ToString::to_string);
        assert_eq!(code, self.code, "code of `{text}`");
        if let Some(expected) = &self.text {
            assert_eq!(text, expected.replace("{root}", root));
        }
        for part in &self.has {
            assert!(text.contains(&part.replace("{root}", root)), "`{part}` is in `{text}`");
        }
        for part in &self.lacks {
            assert!(!text.contains(part), "`{part}` is not in `{text}`");
        }
        if let Some(expected) = &self.data {
            let expected = expected.to_string().replace("{root}", root);
            let expected = serde_json::from_str(&expected).expect("it is still JSON");
            let data = result.structured.clone().unwrap_or_default();
            assert!(includes(&data, &expected), "{expected} is in {data}");
        }
    }
}

pub(crate) struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
}

impl Host {
    pub(crate) fn of(tree: Tree, builder: RuntimeBuilder) -> Self {
        let runtime = builder.build().expect("the policies fit together");
        let session = runtime.open_session().expect("the store is in memory");
        Self { tree, runtime, session }
    }

    pub(super) fn new(
        preset: &str,
        key: Option<&str>,
        files: &str,
        trust: Arc<dyn FolderTrust>,
    ) -> Self {
        let tree = Tree::new(files);
        let yaml = format!("{{ preset: {preset}, {} }}", key.unwrap_or_default());
        let policies = Policies::from_yaml(&yaml).expect("the key is one");
        let machine = Surroundings::new(Some(tree.join("home")), Some(tree.join("project")));
        let builder = if cfg!(feature = "virtual-shell") && preset == "sandbox" {
            Runtime::builder()
        } else {
            dynamic::builder()
        };
        // A host of the library may run scripts; hooks have a runner as in the programs.
        let is_run = policies.scripts.exec == ScriptExecution::Tool;
        let builder = match policies.tools.hooks {
            HookPolicy::Run if !is_run => builder,
            _ => builder.script_runner(Arc::new(ShellRunner)),
        };
        Self::of(tree, builder.policies(policies).discover(machine, trust))
    }

    fn root(&self) -> String {
        self.tree.path().to_string_lossy().into_owned()
    }

    /// Takes the steps, and returns what is not as expected.
    pub(crate) fn failures(&self, steps: &[Step]) -> Vec<String> {
        let fails = |(at, step)| {
            let panic = catch_unwind(AssertUnwindSafe(|| self.run(step))).err()?;
            let reason = panic.downcast::<String>().map_or_else(|_| String::new(), |text| *text);
            Some(format!("step {}: {reason}", at + 1))
        };
        (0..).zip(steps).filter_map(fails).collect()
    }

    fn run(&self, step: &Step) {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        match step {
            Step::Tools { tools } => {
                let names: Vec<_> = turn.tools().into_iter().map(|tool| tool.name).collect();
                assert_eq!(names, *tools);
            }
            Step::Description { description, is, has } => {
                let found = self.tool(description).description;
                if let Some(whole) = is {
                    assert_eq!(found.trim_end(), whole.trim_end());
                }
                for part in has {
                    assert!(found.contains(part), "`{part}` is in `{found}`");
                }
            }
            Step::Schema { schema, has } => {
                let found = self.tool(schema).input_schema;
                assert!(includes(&found, has), "{has} is in {found}");
            }
            Step::Prompt { prompt, lacks } => {
                let text = turn.prompt().whole_text().into_owned();
                let mut rest = &*text;
                for part in prompt {
                    let part = part.replace("{root}", &self.root());
                    let at = rest.find(&part).unwrap_or_else(|| panic!("`{part}` is in {text}"));
                    rest = &rest[at + part.len()..];
                }
                for part in lacks {
                    assert!(!text.contains(part), "`{part}` is not in {text}");
                }
            }
            Step::Skills { skills } => {
                let ids: Vec<_> = turn.catalog().skills().map(|skill| skill.id()).collect();
                assert_eq!(ids, *skills);
            }
            Step::Catalog { catalog } => {
                let found = turn.catalog();
                let found: Vec<_> = found.diagnostics().map(|found| found.code.as_str()).collect();
                assert!(catalog.iter().all(|code| found.contains(&&**code)), "{found:?}");
            }
            Step::Validate { validate, found, hints } => {
                let (hinted, rest): (Vec<_>, Vec<_>) =
                    self.findings(validate).into_iter().partition(|it| it.starts_with("hint: "));
                assert_eq!(rest, *found);
                for hint in hints {
                    assert!(hinted.contains(&format!("hint: {hint}")), "{hint} is in {hinted:?}");
                }
            }
            Step::Write { write, text } => self.tree.write(write, text),
            Step::Call { call, with, result } => {
                let call = ToolCall::new(call, self.at_root(with));
                result.check(&turn.call(&call).result, &self.root());
            }
            Step::Host { host, with, result } => {
                let call = ToolCall::new(host, self.at_root(with));
                let ran = turn.guard(&call, || ToolResult::text("the host's tool ran"));
                result.check(&ran.result, &self.root());
            }
            Step::End { end_of_task: () } => {
                self.session.task().end().expect("the session is open");
            }
            Step::Allowed { allowed } => {
                let found = turn.allowed_tools().expect("the session is open");
                assert_eq!(json!(found), *allowed);
            }
            Step::Active { active } => {
                let state = self.session.state().expect("the session is open");
                let ids: Vec<_> = state.active.iter().map(|skill| skill.id.clone()).collect();
                assert_eq!(ids, *active);
            }
        }
    }

    fn at_root(&self, arguments: &Value) -> Value {
        let arguments = arguments.to_string().replace("{root}", &self.root());
        serde_json::from_str(&arguments).expect("it is still JSON")
    }

    fn tool(&self, name: &str) -> prowess::ToolDefinition {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        let tool = turn.tools().into_iter().find(|tool| tool.name == name);
        tool.unwrap_or_else(|| panic!("`{name}` is offered"))
    }

    /// Checks the packages below a directory by the settings of the registry, as `validate` does.
    fn findings(&self, directory: &str) -> Vec<String> {
        let registry = self.runtime.policies().registry;
        let options = LintOptions {
            profile: registry.profile,
            name_rule: registry.name_rule,
            name_mismatch: registry.name_mismatch,
            skill_md_case: registry.skill_md_case,
            limits: registry.limits,
            ..LintOptions::default()
        };
        let config = FsConfig::new(self.tree.join(directory));
        let source = FsSource::new(config, Arc::new(SystemClock::default()));
        let sources: [&dyn SkillSource; 1] = [&source];
        let checked = check_trees(&sources, &options, &NoProgress, &Cancel::default());
        let packages = checked.expect("the directory can be read").packages;
        let found = packages.iter().flat_map(|package| &package.diagnostics);
        found.map(|found| format!("{}: {}", found.severity.as_str(), found.code)).collect()
    }
}
