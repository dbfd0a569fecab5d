//! Five documents about skills as data, each under its preset as it is.
//!
//! A case has the document's own inputs and results. A case that `differs` has the results of the
//! preset, why they differ and, where a key has the document's form, that key and its results. Each
//! section of a document has a case, a test elsewhere, or the reason why it has neither.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use prowess::lint::{LintOptions, NoProgress, check_trees};
use prowess::script::ScriptExecution;
use prowess::session::SessionHandle;
use prowess::source_fs::{FsConfig, FsSource, Surroundings};
use prowess::tools::HookPolicy;
use prowess::{
    Cancel, Content, FolderAnswer, FolderTrust, NoFolderTrust, Policies, Runtime, SkillSource,
    SystemClock, ToolCall, ToolResult,
};
use prowess_testkit::{ShellRunner, Tree};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cases::data::{includes, read};
use crate::dynamic;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// The files of a home and of a project, which the user trusts.
    tree: String,
    /// The sections of the document, with semicolons between them. Those without a note have cases;
    /// a note that begins with `FILE::FUNCTION` below `crates` names the test, and any other is the
    /// reason.
    sections: BTreeMap<String, Option<String>>,
    cases: Vec<Case>,
    /// The differences under `prowess serve`, with their cases, which the program's tests check.
    #[serde(default)]
    served: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    /// The parts of the document, with semicolons between them.
    section: String,
    /// Set if there are no files.
    #[serde(default)]
    empty: bool,
    /// Further files.
    #[serde(default)]
    files: String,
    /// The frontmatter of further skills by their directories, and a body behind `---`.
    #[serde(default)]
    skills: BTreeMap<String, String>,
    /// Set if the user trusts no folder.
    #[serde(default)]
    untrusted: bool,
    steps: Vec<Step>,
    differs: Option<Differs>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Differs {
    document: String,
    prowess: String,
    why: String,
    key: Option<String>,
    /// The document's results with the key.
    #[serde(default)]
    steps: Vec<Step>,
}

/// The steps of a host or a model, and the results.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Step {
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
    /// The codes and severities of what is wrong with the packages below a directory.
    Validate {
        validate: String,
        found: Vec<String>,
        /// The codes of some of the hints.
        #[serde(default)]
        hints: Vec<String>,
    },
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
struct Expected {
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

/// A user with trust in each folder.
pub(crate) struct Trusting;

impl FolderTrust for Trusting {
    fn answer(&self, _: &Path) -> FolderAnswer {
        FolderAnswer::Trusted
    }
}

struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
}

impl Host {
    fn new(preset: &str, key: Option<&str>, files: &str, trust: Arc<dyn FolderTrust>) -> Self {
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
        let builder = builder.policies(policies).discover(machine, trust);
        let runtime = builder.build().expect("the preset fits together");
        let session = runtime.open_session().expect("the store is in memory");
        Self { tree, runtime, session }
    }

    fn root(&self) -> String {
        self.tree.path().to_string_lossy().into_owned()
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
            Step::Validate { validate, found, hints } => {
                let (hinted, rest): (Vec<_>, Vec<_>) =
                    self.findings(validate).into_iter().partition(|it| it.starts_with("hint: "));
                assert_eq!(rest, *found);
                for hint in hints {
                    assert!(hinted.contains(&format!("hint: {hint}")), "{hint} is in {hinted:?}");
                }
            }
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

/// Runs the cases of a document.
fn check(preset: &str, text: &str) {
    let document: Document = read(text);
    let mut failures = Vec::new();
    let mut try_steps = |case: &Case, key: Option<&str>, steps: &[Step]| {
        let files = if case.empty { "" } else { &document.tree };
        let skills = case.skills.iter().map(|(directory, text)| {
            format!("//- /{directory}/SKILL.md\n---\n{text}\n---\n# {directory}\n")
        });
        let files = [files, &case.files, &skills.collect::<String>()].concat();
        let trust: Arc<dyn FolderTrust> = match case.untrusted {
            true => Arc::new(NoFolderTrust),
            false => Arc::new(Trusting),
        };
        let host = Host::new(preset, key, &repeated(&files), trust);
        for (at, step) in steps.iter().enumerate() {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| host.run(step))) {
                let reason =
                    panic.downcast::<String>().map_or_else(|_| String::new(), |text| *text);
                failures.push(format!("{}, {key:?}, step {}: {reason}", case.id, at + 1));
            }
        }
    };
    for case in &document.cases {
        try_steps(case, None, &case.steps);
        if let Some(differs) = &case.differs {
            let Differs { document, prowess, why, key, steps } = differs;
            let texts = [document, prowess, why];
            assert!(texts.iter().all(|text| !text.trim().is_empty()), "{}: a reason", case.id);
            assert_eq!(key.is_some(), !steps.is_empty(), "{}: a key has results", case.id);
            try_steps(case, key.as_deref(), steps);
        }
    }
    failures.extend(unread(&document).into_iter().map(|name| format!("section {name}")));
    assert!(failures.is_empty(), "{preset}:\n{}", failures.join("\n"));
    let explained = document.cases.iter().filter(|case| case.differs.is_some()).count();
    let listed = Policies::differences(preset).expect("it is a preset");
    assert_eq!(listed.len(), explained + document.served.len(), "each difference is listed");
}

/// Writes `{500 * word }` as 500 words.
fn repeated(text: &str) -> String {
    let Some((before, rest)) = text.split_once('{') else { return text.to_owned() };
    let written = rest.split_once('}').and_then(|(inside, rest)| {
        let (count, word) = inside.split_once(" * ")?;
        Some(word.repeat(count.parse().ok()?) + &repeated(rest))
    });
    before.to_owned() + &written.unwrap_or_else(|| format!("{{{}", repeated(rest)))
}

/// Returns the sections without a case, a test or a reason, and those of cases that are not listed.
fn unread(document: &Document) -> Vec<&str> {
    let named: Vec<_> = document.cases.iter().flat_map(|case| case.section.split("; ")).collect();
    let listed = || {
        document
            .sections
            .iter()
            .flat_map(|(names, note)| names.split("; ").map(move |name| (name, note)))
    };
    let unlisted = named.iter().copied().filter(|name| listed().all(|(known, _)| known != *name));
    let unread = listed().filter(|(name, note)| {
        let Some(note) = note else { return !named.contains(name) };
        let test = note.split(' ').next().and_then(|test| test.split_once("::"));
        let is_gone = |(file, function): (&str, &str)| {
            let text = std::fs::read_to_string(Path::new("..").join(file)).unwrap_or_default();
            !text.contains(&format!("fn {function}("))
        };
        test.map_or(note.is_empty(), is_gone)
    });
    unlisted.chain(unread.map(|(name, _)| name)).collect()
}

/// `UPDATE_EXPECT=1` writes the page.
#[test]
fn page_of_the_guide_has_every_difference() {
    let mut page = include_str!("../documents/page.md").to_owned();
    for preset in ["few-active", "enterprise-layers", "strict-spec", "sandbox", "one-directory"] {
        let rows = Policies::differences(preset).expect("it is a preset").into_iter().map(|it| {
            let key = it.key.map_or_else(|| "none".to_owned(), |key| format!("`{key}`"));
            let cells = [it.document, it.prowess, it.why, key];
            format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
        });
        let head = "| the document | prowess | why | the document's form |\n|---|---|---|---|\n";
        page.push_str(&format!("\n# `{preset}`\n\n{head}{}", rows.collect::<String>()));
    }
    expect_test::expect_file!["../../src/guide/differences.md"].assert_eq(&page);
}

#[test]
fn flexigpt() {
    check("flexigpt", include_str!("../documents/flexigpt/cases.yaml"));
}

#[cfg(unix)]
#[test]
fn omniforge() {
    check("omniforge", include_str!("../documents/omniforge/cases.yaml"));
}

#[test]
fn boxxy() {
    check("boxxy", include_str!("../documents/boxxy/cases.yaml"));
}

#[cfg(feature = "virtual-shell")]
#[test]
fn sandbox() {
    check("sandbox", include_str!("../documents/sandbox/cases.yaml"));
}

#[test]
fn yodoca() {
    check("yodoca", include_str!("../documents/yodoca/cases.yaml"));
}
