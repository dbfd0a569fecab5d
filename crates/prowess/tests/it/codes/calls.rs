//! Calls of a runtime over files, and the result of the last one.

use prowess::tools::Dispatched;
use prowess::{Code, Content, Policies, Runtime, RuntimeBuilder, ToolCall, ToolResult, Turn};
use prowess_testkit::Tree;
use serde_json::Value;

/// Calls by tool and arguments.
pub(super) type Calls = &'static [(&'static str, &'static str)];

/// The skill of most examples.
pub(super) const PDF: &str = include_str!("../../data/codes-pdf.txt");

/// The origin of a result.
pub(super) enum Given {
    /// Calls of a runtime over files, of which the last has the result.
    Calls { files: &'static str, policies: &'static str, calls: Calls },
    /// A host with something that the calls alone do not show.
    Host(fn() -> Option<(Code, String)>),
}

impl Given {
    /// Returns the code and the message of the result.
    pub(super) fn result(&self) -> Option<(Code, String)> {
        match self {
            Self::Host(result) => result(),
            Self::Calls { files, policies, calls } => {
                let tree = tree(files);
                let runtime = builder(&tree, policies).build().expect("it is complete");
                let session = runtime.open_session().expect("the store is in memory");
                let turn = || runtime.turn(&session).expect("the session is open");
                let mut last = None;
                for call in *calls {
                    last = Some(dispatch(&turn(), *call));
                }
                last.and_then(refused)
            }
        }
    }
}

/// Returns calls as the page has them.
pub(super) fn shown(files: &str, policies: &str, calls: Calls) -> String {
    let files = if files == PDF { "" } else { files.trim() };
    let calls = calls.iter().map(|(tool, arguments)| format!("{tool} {arguments}\n"));
    format!(
        "{files}\n\n{}",
        policies.lines().map(|line| format!("{line}\n")).chain(calls).collect::<String>()
    )
}

/// Returns a tree with a directory for each layer of [`builder`].
pub(super) fn tree(files: &str) -> Tree {
    let tree = Tree::new(files);
    for layer in ["user", "project"] {
        std::fs::create_dir_all(tree.join(layer)).expect("there is room");
    }
    tree
}

pub(super) fn builder(tree: &Tree, policies: &str) -> RuntimeBuilder {
    let policies = Policies::from_yaml(policies).expect("the policies are good");
    let builder = Runtime::builder().policies(policies);
    builder.tree("user", tree.join("user")).tree("project", tree.join("project"))
}

/// Makes a call. `Bash` is a tool of the host, which the runtime guards.
pub(super) fn dispatch(turn: &Turn, (tool, arguments): (&str, &str)) -> Dispatched {
    let arguments: Value = serde_json::from_str(arguments).expect("the arguments are JSON");
    let call = ToolCall::new(tool, arguments);
    if tool == "Bash" { turn.guard(&call, || ToolResult::text("")) } else { turn.call(&call) }
}

/// Returns the code and the message of a result that is an error.
pub(super) fn refused(answer: Dispatched) -> Option<(Code, String)> {
    let texts = answer.result.content.iter().filter_map(|part| match part {
        Content::Text { text } => Some(text.as_str()),
        Content::Blob { .. } => None,
    });
    let message = texts.collect::<Vec<_>>().join("\n");
    Some((answer.result.code?, message))
}
