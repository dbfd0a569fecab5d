//! Does prowess use the skills of other projects' servers?

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{BODY_MARKER, CATALOG_MARKER, FILE_MARKER, root_of_clients, write_skills};
use crate::install::python::environment;
use crate::process::{Failure, output};

/// The ways in which FastMCP publishes skills: by the skills extension, and as resources with their
/// files in a manifest or in the list.
const MODES: [&str; 3] = ["extension", "manifest", "resources"];

const SERVER: &str = include_str!("fastmcp_server.py");

/// Lists, loads and reads the skills of each server.
pub(super) fn run(prowess: &Path) -> Result<(), Failure> {
    let python = environment(&root_of_clients().join("fastmcp/python"), &["fastmcp==4.1.2"])?;
    let skills = write_skills("fastmcp-server")?;
    println!("\n{:24} catalog  body     read", "server");
    let mut failed = Vec::new();
    for mode in MODES {
        let configuration = skills.join(format!("{mode}.yaml"));
        let command = json!([python, "-c", SERVER, mode, skills]);
        let server = json!({ "command": command, "timeout_seconds": 60 });
        let sources = json!({ "sources": { "mcp": { "fastmcp": server } } });
        fs::write(&configuration, sources.to_string())?;
        let seen = Seen::of(prowess, &configuration)?;
        println!("fastmcp {mode:16} {}", seen.line());
        if !seen.is_good() {
            eprintln!("{}", seen.printed);
            failed.push(mode);
        }
    }
    match failed.as_slice() {
        [] => Ok(()),
        _ => Err(Failure(format!("not every server's skills are used: {}", failed.join(", ")))),
    }
}

/// The parts of a server's skills that the commands must show.
struct Seen {
    answers: [bool; 3],
    printed: String,
}

impl Seen {
    fn of(prowess: &Path, configuration: &Path) -> Result<Self, Failure> {
        let read = json!({ "skill": "pdf", "path": "references/fields.md" }).to_string();
        let shown: [(&str, &[&str]); 3] = [
            (CATALOG_MARKER, &["list", "--format", "json"]),
            (BODY_MARKER, &["prompt", "--load", "pdf"]),
            (FILE_MARKER, &["call", "skills_read", &read, "--load", "pdf"]),
        ];
        let (mut answers, mut printed) = ([false; 3], String::new());
        for ((marker, arguments), answer) in shown.into_iter().zip(&mut answers) {
            let ran = output(
                Command::new(prowess)
                    .args(["--no-config", "--no-cache", "--config"])
                    .arg(configuration)
                    .args(arguments),
            )?;
            *answer = ran.status.success() && String::from_utf8_lossy(&ran.stdout).contains(marker);
            printed.push_str(&String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()));
        }
        Ok(Self { answers, printed })
    }

    fn is_good(&self) -> bool {
        self.answers == [true; 3]
    }

    fn line(&self) -> String {
        let word = |answer: &bool| if *answer { "yes     " } else { "no      " };
        self.answers.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}
