//! A host under one preset, with one session.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use prowess::gating::Decision;
use prowess::session::{Discipline, SessionHandle};
use prowess::tools::{ReadGate, SkillTools, Surface};
use prowess::{Code, Content, Error, Layer, Policies, Runtime, ToolCall, ToolResult, Trust, Turn};
use prowess_testkit::{TestTool, TestTools, Tree};
use serde_json::{Value, json};

use super::data::{Case, End, Operation, Outcome, Plain};
use crate::dynamic;

/// The layer of the skills, which every preset accepts.
const LAYER: &str = "personal";

/// The bytes of a file that is not text.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(super) struct Place {
    tree: Tree,
    files: String,
    runtime: Runtime,
    session: SessionHandle,
    /// A turn that started before the session was closed.
    turn: Option<Turn>,
    facts: Vec<String>,
}

impl Place {
    pub(super) fn new(preset: &str, files: &str, case: &Case) -> Self {
        let tree = Tree::new(files);
        tree.write("skills/guide/assets/logo.png", PICTURE);
        let policies = policies(preset, case);
        let facts = facts(&policies);
        let mut builder = dynamic::builder().policies(policies);
        let query =
            TestTool::new("host_query", "Queries data.", |_, _| ToolResult::text("the data"));
        builder = builder.tools(Arc::new(TestTools::one(query)));
        #[cfg(unix)]
        if case.runner {
            builder = builder.script_runner(Arc::new(prowess_testkit::ShellRunner));
        }
        let runtime = builder.skills_directory(LAYER, tree.join("skills")).build();
        let runtime = runtime.expect("the policies fit together");
        let session = runtime.open_session().expect("the store is in memory");
        let files = files.to_owned();
        Self { tree, files, runtime, session, turn: None, facts }
    }

    pub(super) fn root(&self) -> String {
        self.tree.path().to_string_lossy().into_owned()
    }

    /// The values of the policies that results depend on.
    pub(super) fn facts(&self) -> Vec<String> {
        self.facts.clone()
    }

    /// Returns whether a model or a host can call each tool of a case here.
    pub(super) fn has_tools(&self, case: &Case) -> bool {
        let offered: Vec<String> =
            self.turn().expect("it is open").tools().into_iter().map(|tool| tool.name).collect();
        case.steps.iter().all(|step| match &step.operation {
            Operation::Call { call, .. } if call == SkillTools::RUN => self.has_scripts(),
            // A host can call these under every surface with a model's rights.
            Operation::Call { call, .. } => call.contains('.') || offered.contains(call),
            _ => true,
        })
    }

    fn has_scripts(&self) -> bool {
        let has = |surface| self.runtime.policies().tools.surfaces.contains(&surface);
        has(Surface::Skills) || has(Surface::FourTools)
    }

    fn turn(&self) -> Result<Turn, Error> {
        self.runtime.turn(&self.session)
    }

    /// The loaded skills, as the next turn sees them; `None` if the session has ended.
    pub(super) fn active(&self) -> Option<Vec<String>> {
        let state = self.session.state().ok()?;
        Some(state.active.iter().map(|skill| skill.id.clone()).collect())
    }

    /// Loads skills one by one, as a stack does.
    pub(super) fn load(&self, ids: &[String]) {
        for id in ids {
            let outcome = self.call("skills.load", &json!({ "names": [id], "mode": "add" }));
            assert_eq!(outcome.code, None, "`{id}` is loaded: {}", outcome.text);
        }
    }

    fn call(&self, tool: &str, arguments: &Value) -> Outcome {
        let fresh;
        let turn = if let Some(turn) = &self.turn {
            turn
        } else {
            match self.turn() {
                Ok(turn) => {
                    fresh = turn;
                    &fresh
                }
                Err(error) => return failed(&error),
            }
        };
        let naming = self.runtime.policies().naming();
        let dispatched = turn.call(&ToolCall::new(naming.spell(tool), arguments.clone()));
        outcome(&dispatched.result, None)
    }

    fn guard(&self, tool: &str, arguments: &Value, end: End) -> Outcome {
        let decision = self.runtime.decide(&self.session, tool, arguments);
        let decision = decision.expect("the approvals are in memory");
        let mut has_run = false;
        let call = ToolCall::new(tool, arguments.clone());
        let ran = self.runtime.guard(&self.session, &call, || {
            has_run = true;
            match end {
                End::Well => ToolResult::text("done"),
                End::Failed => ToolResult::error(Code::new("tool-failed"), "it failed"),
                End::Panicked => panic!("a tool of the host breaks"),
            }
        });
        let dispatched = ran.expect("the session is open");
        assert_eq!(has_run, decision.is_allowed(), "a tool runs if the decision allows it");
        outcome(&dispatched.result, Some(&decision))
    }

    pub(super) fn perform(&mut self, operation: &Operation) -> Outcome {
        match operation {
            Operation::Call { call, with } => return self.call(call, with),
            Operation::Guard { guard, with, ends } => return self.guard(guard, with, *ends),
            Operation::Task { task, loads } => self.task(*task, loads),
            Operation::Write { write, text } => self.tree.write(write, text),
            Operation::Delete { delete } => {
                fs::remove_file(self.tree.join(delete)).expect("it is there");
            }
            Operation::Remove { remove, reload } => self.remove(remove, *reload),
            Operation::Restore { restore } => self.restore(restore),
            Operation::Plain(plain) => self.plain(*plain),
        }
        // The policy about changed skills acts at the start of a turn.
        if self.turn.is_none() {
            let _ = self.turn().map(drop);
        }
        Outcome::default()
    }

    fn task(&self, end: End, loads: &[String]) {
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let _task = self.session.task();
            self.load(loads);
            match end {
                End::Well => Ok(()),
                End::Failed => Err("the task failed"),
                End::Panicked => panic!("the task breaks"),
            }
        }));
        assert_eq!(ended.is_err(), end == End::Panicked, "a task ends as the case says");
    }

    fn remove(&self, skill: &str, reload: bool) {
        fs::remove_dir_all(self.tree.join("skills").join(skill)).expect("it is there");
        if reload {
            self.runtime.reload();
        }
    }

    fn restore(&self, skill: &str) {
        let again = Tree::new(&self.files);
        let file = format!("skills/{skill}/SKILL.md");
        let text = fs::read(again.join(&file)).expect("the tree has it");
        self.tree.write(&file, text);
        self.runtime.reload();
    }

    fn plain(&mut self, plain: Plain) {
        match plain {
            Plain::Reload => drop(self.runtime.reload()),
            Plain::Close => {
                self.turn = self.turn().ok();
                let closed = self.runtime.close_session(self.session.id());
                assert!(closed.expect("the store is in memory"), "it was open");
            }
        }
    }
}

/// Returns whether each step of a case has an expected result under a preset.
pub(super) fn has_results(preset: &str, case: &Case) -> bool {
    let facts = facts(&policies(preset, case));
    !case.steps.iter().any(|step| step.is_open(&facts))
}

/// The policies of a preset with those of a case. Skills change only when a case says so.
fn policies(preset: &str, case: &Case) -> Policies {
    let mut yaml = json!({ "preset": preset, "refresh": { "mode": "manual", "body_seconds": 0 } });
    if let (Some(yaml), Value::Object(own)) = (yaml.as_object_mut(), &case.policies) {
        yaml.extend(own.clone());
    }
    // JSON is YAML.
    let mut policies = Policies::from_yaml(&yaml.to_string()).expect("the policies are valid");
    policies.layers = vec![Layer::new(LAYER, Trust::Trusted)];
    policies.registry.profile = prowess::format::Profile::Extended;
    policies
}

fn facts(policies: &Policies) -> Vec<String> {
    let word = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let Policies { session, gate, tools, added_tools, .. } = policies;
    let is_stateless = session.discipline == Discipline::Stateless;
    let unset = if is_stateless { ReadGate::Known } else { tools.read_gate() };
    vec![
        word(json!(session.discipline)),
        word(json!(gate.tool_semantics)),
        format!("read-{}", word(json!(tools.read_gate.unwrap_or(unset)))),
        format!("run-{}", word(json!(tools.run_gate))),
        format!("added-{}", word(json!(added_tools))),
    ]
}

fn outcome(result: &ToolResult, decision: Option<&Decision>) -> Outcome {
    let text = |part: &Content| match part {
        Content::Text { text } => text.clone(),
        Content::Blob { mime_type, data, .. } => format!("[{mime_type}] {data}"),
    };
    let word = |decision: &Decision| match decision {
        Decision::Allow { .. } => "allow".to_owned(),
        Decision::Ask { .. } => "ask".to_owned(),
        Decision::Deny { .. } => "deny".to_owned(),
    };
    Outcome {
        code: result.code.as_ref().map(ToString::to_string),
        text: result.content.iter().map(text).collect::<Vec<_>>().join("\n"),
        data: result.structured.clone().unwrap_or_default(),
        decision: decision.map(word),
    }
}

fn failed(error: &Error) -> Outcome {
    let code = match error {
        Error::Session(error) => error.code().to_owned(),
        other => format!("{other:?}"),
    };
    Outcome { code: Some(code), text: error.to_string(), ..Outcome::default() }
}
