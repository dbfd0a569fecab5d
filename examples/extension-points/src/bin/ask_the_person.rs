//! A program for people, without any configuration: the skills of the project in the working
//! directory are offered once the person trusts its folder, and a call that no skill grants runs
//! once the person has agreed.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::io::{self, BufRead};
use std::path::Path;

use prowess::{
    ApprovalDecision, ApprovalScope, ApprovalStoreExt, ApprovalVerdict, HiddenProject, Runtime,
    ToolCall, ToolResult, this_machine, trust_file,
};
use serde_json::json;

/// Prints a question, and returns whether the next line of the input is `y`.
fn agrees(question: &str) -> io::Result<bool> {
    println!("{question} [y/N]");
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim() == "y")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::for_this_machine()?;
    let file = trust_file(&this_machine()).ok_or("the user has no home")?;
    for project in HiddenProject::all(&runtime.catalog()) {
        if agrees(&format!("use {} skill of this project?", project.skills))? {
            file.trust(Path::new(&project.folder), runtime.now())?;
        }
    }
    runtime.reload();
    let skills: Vec<_> = runtime.catalog().skills().map(|skill| skill.id().to_owned()).collect();
    println!("offered: {}", skills.join(" "));

    let session = runtime.open_session()?;
    let call = ToolCall::new("Bash", json!({ "command": "git push" }));
    let push = || runtime.guard(&session, &call, || ToolResult::text("pushed"));
    let mut answer = push()?;
    if let Some(pending) = &answer.approval {
        let verdict = match agrees("run `git push` once?")? {
            true => ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires: None },
            false => ApprovalVerdict::Deny,
        };
        let decision = ApprovalDecision { verdict, by: "terminal".into(), at: runtime.now() };
        runtime.approvals().decide(pending, &decision)?;
        answer = push()?;
    }
    println!("{}", answer.result.texts().collect::<String>());
    Ok(())
}
