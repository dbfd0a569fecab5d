//! Checks that prowess uses the skills of other projects' servers.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{BODY_MARKER, CATALOG_MARKER, FASTMCP, FILE_MARKER, root_of_clients, write_skills};
use crate::install::python::environment;
use crate::process::{Failure, fail_for, output};

/// The ways in which FastMCP publishes skills: by the skills extension, and as resources with their
/// files in a manifest or in the list.
const MODES: [&str; 3] = ["extension", "manifest", "resources"];

const SERVER: &str = include_str!("fastmcp_server.py");

/// Lists, loads and reads the skills of each server.
pub(super) fn run(prowess: &Path) -> Result<(), Failure> {
    let python = environment(&root_of_clients().join("fastmcp/python"), FASTMCP)?;
    let skills = write_skills("fastmcp-server")?;
    println!("\n{:24} catalog  body     read", "server");
    let mut failed = Vec::new();
    for mode in MODES {
        let configuration = skills.join(format!("{mode}.yaml"));
        let command = json!([python, "-c", SERVER, mode, skills]);
        let server = json!({ "command": command, "timeout_seconds": 60 });
        let sources = json!({ "sources": { "mcp": { "fastmcp": server } } });
        fs::write(&configuration, sources.to_string())?;
        let (answers, printed) = seen(prowess, &configuration)?;
        let words = answers.map(|is_shown| if is_shown { "yes     " } else { "no      " });
        println!("fastmcp {mode:16} {}", words.join(" "));
        if answers != [true; 3] {
            eprintln!("{printed}");
            failed.push(mode);
        }
    }
    fail_for("not every server's skills are used", &failed)
}

/// Returns whether the commands show each part of a server's skills, and what they print.
fn seen(prowess: &Path, configuration: &Path) -> Result<([bool; 3], String), Failure> {
    let read = json!({ "skill": "pdf", "path": "references/fields.md" }).to_string();
    let shown: [(&str, &[&str]); 3] = [
        (CATALOG_MARKER, &["list", "--format", "json"]),
        (BODY_MARKER, &["prompt", "--load", "pdf"]),
        (FILE_MARKER, &["call", "skills_read", &read, "--load", "pdf"]),
    ];
    let (mut answers, mut printed) = ([false; 3], String::new());
    for ((marker, arguments), answer) in shown.into_iter().zip(&mut answers) {
        let mut command = Command::new(prowess);
        command.args(["--no-config", "--no-cache", "--config"]).arg(configuration);
        let ran = output(command.args(arguments))?;
        *answer = ran.status.success() && String::from_utf8_lossy(&ran.stdout).contains(marker);
        printed.push_str(&String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()));
    }
    Ok((answers, printed))
}
