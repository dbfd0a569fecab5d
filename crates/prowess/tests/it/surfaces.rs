//! The tools of each preset, as a model calls them.

mod activate_skill;
mod get_skill;
mod presets;
mod read_skill;
mod skill;
mod users;

use expect_test::expect;
use prowess::format::Profile;
use prowess::{Content, Layer, Policies, Runtime, ToolResult, Trust};
use prowess_testkit::Tree;
use serde_json::Value;

use crate::dynamic;
use crate::scripted::Agent;

const SHELF: &str = "
//- /skills/code-review/SKILL.md
---
name: code-review
description: Reviews code. Use when a change is to be reviewed.
allowed-tools: Read Bash(git diff:*)
requires: [test-skill]
---
Check names first. See templates/report.md.
//- /skills/code-review/templates/report.md
# Report
//- /skills/code-review/scripts/count.sh
echo 1
//- /skills/test-skill/SKILL.md
---
name: test-skill
description: Runs tests. Use when tests are to be run.
---
Run them all.
//- /secret.txt
canary
";

/// One preset over the shelf.
struct Place {
    tree: Tree,
    runtime: Runtime,
}

impl Place {
    fn with(mut policies: Policies) -> Self {
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        policies.registry.profile = Profile::Extended;
        let tree = Tree::new(SHELF);
        let runtime = dynamic::builder()
            .policies(policies)
            .skills_directory("personal", tree.join("skills"))
            .build();
        Self { runtime: runtime.expect("the policies fit together"), tree }
    }

    fn of(preset: &str) -> Self {
        Self::with(Policies::preset(preset).expect("there is one"))
    }

    fn tools(&self) -> Vec<String> {
        let session = self.runtime.open_session().expect("memory takes another session");
        let turn = self.runtime.turn(&session).expect("the session is open");
        turn.tools().into_iter().map(|tool| tool.name).collect()
    }

    fn root(&self, skill: &str) -> String {
        self.tree.join("skills").join(skill).to_string_lossy().into_owned()
    }
}

fn texts(result: &ToolResult) -> String {
    let text = |part: &Content| match part {
        Content::Text { text } => text.clone(),
        Content::Blob { mime_type, data, .. } => format!("[{mime_type}] {data}"),
    };
    result.content.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Calls a tool in a new session, and checks the code and the text of the result.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "cases are written in place")]
fn check(place: &Place, tool: &str, arguments: Value, code: Option<&str>, expected: &str) {
    let answer = Agent::new(&place.runtime).turn(tool, arguments.clone()).1;
    let found = answer.code.as_ref().map(prowess::Code::as_str);
    assert_eq!((found, &*texts(&answer)), (code, expected), "{tool} with {arguments}");
    assert_eq!(answer.is_error, code.is_some(), "an error has a code");
}
