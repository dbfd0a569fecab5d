//! Does each Python client of the Model Context Protocol show its model what it must see?

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::process::{Failure, build_prowess, output, succeed};
use crate::root;

/// A client with the packages that it needs and a script that drives it.
///
/// A script gets the server's command line as JSON and prints what the model sees, as JSON: `catalog`,
/// `body` and `read`.
struct Client {
    name: &'static str,
    packages: &'static [&'static str],
    script: &'static str,
}

/// Each has an environment of its own, because they need different versions of the SDK.
const CLIENTS: [Client; 5] = [
    Client { name: "mcp", packages: &["mcp==1.30.0"], script: include_str!("clients/mcp.py") },
    Client {
        name: "fastmcp",
        packages: &["fastmcp==4.1.2"],
        script: include_str!("clients/fastmcp.py"),
    },
    Client {
        name: "langchain-mcp-adapters",
        packages: &["langchain-mcp-adapters==0.3.2"],
        script: include_str!("clients/langchain.py"),
    },
    Client {
        name: "pydantic-ai-slim",
        packages: &["pydantic-ai-slim[mcp]==2.68.0"],
        script: include_str!("clients/pydantic_ai.py"),
    },
    Client {
        name: "agent-framework-core",
        packages: &["agent-framework-core==1.23.0", "mcp==2.3.0", "tenacity==9.1.4"],
        script: include_str!("clients/agent_framework.py"),
    },
];

const CATALOG_MARKER: &str = "catalog-marker-5f1c";
const BODY_MARKER: &str = "body-marker-77aa";
const FILE_MARKER: &str = "file-marker-09be";

/// What a client was seen to do.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    name: &'static str,
    connects: bool,
    catalog: bool,
    body: bool,
    read: bool,
    /// What a client that failed printed.
    printed: String,
}

impl Row {
    fn is_good(&self) -> bool {
        self.connects && self.catalog && self.body && self.read
    }
}

/// Runs each client against the built server and prints a table.
pub(crate) fn run() -> Result<(), Failure> {
    let prowess = build_prowess()?;
    let skills = write_skills()?;
    let server = json!([prowess, "--root", skills, "serve", "--quiet"]).to_string();
    println!("{:24} {:9} {:8} {:5} read", "client", "connects", "catalog", "body");
    let mut failed = Vec::new();
    for client in &CLIENTS {
        let row = row(client, &server)?;
        println!("{}", line(&row));
        if !row.is_good() {
            eprintln!("{}", row.printed);
            failed.push(row.name);
        }
    }
    match failed.as_slice() {
        [] => Ok(()),
        _ => Err(Failure(format!("not every client shows what it must: {}", failed.join(", ")))),
    }
}

fn row(client: &Client, server: &str) -> Result<Row, Failure> {
    let python = environment(client.name, client.packages)?;
    let ran = output(Command::new(python).args(["-c", client.script, server]))?;
    let seen: Value = match ran.status.success() {
        true => serde_json::from_slice(&ran.stdout).unwrap_or_default(),
        false => Value::Null,
    };
    let printed = [ran.stdout, ran.stderr].concat();
    Ok(judged(client, &seen, String::from_utf8_lossy(&printed).into_owned()))
}

fn judged(client: &Client, seen: &Value, printed: String) -> Row {
    let shows =
        |key: &str, marker: &str| seen[key].as_str().is_some_and(|text| text.contains(marker));
    Row {
        name: client.name,
        connects: seen.is_object(),
        catalog: shows("catalog", CATALOG_MARKER),
        body: shows("body", BODY_MARKER),
        read: shows("read", FILE_MARKER),
        printed,
    }
}

fn line(row: &Row) -> String {
    let word = |is_so| if is_so { "yes" } else { "no" };
    let Row { name, connects, catalog, body, read, .. } = row;
    let [connects, catalog, body, read] = [connects, catalog, body, read].map(|is_so| word(*is_so));
    format!("{name:24} {connects:9} {catalog:8} {body:5} {read}")
}

/// Writes the skill that the clients use.
fn write_skills() -> Result<PathBuf, Failure> {
    let skills = root().join("target/clients/skills");
    let package = skills.join("pdf");
    std::fs::create_dir_all(package.join("references"))?;
    let text = format!(
        "---\nname: pdf\ndescription: Fills forms, {CATALOG_MARKER}.\n---\nFill it in: {BODY_MARKER}\n"
    );
    std::fs::write(package.join("SKILL.md"), text)?;
    std::fs::write(package.join("references/fields.md"), format!("{FILE_MARKER}\n"))?;
    Ok(skills)
}

/// Returns a Python with these packages, installed once below `target`.
pub(crate) fn environment(name: &str, packages: &[&str]) -> Result<PathBuf, Failure> {
    let directory = root().join("target/clients").join(name);
    let python = directory.join("bin/python");
    let installed = directory.join("installed");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    install(&directory, &python, packages)?;
    std::fs::write(installed, wanted)?;
    Ok(python)
}

fn install(directory: &Path, python: &Path, packages: &[&str]) -> Result<(), Failure> {
    std::fs::create_dir_all(directory)?;
    succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(directory))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    succeed(Command::new(python).args(pip).args(packages))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(index: usize, seen: &Value, expected: &str, is_good: bool) {
        let row = judged(&CLIENTS[index], seen, String::new());
        assert_eq!(line(&row).split_whitespace().skip(1).collect::<Vec<_>>().join(" "), expected);
        assert_eq!(row.is_good(), is_good, "{row:?}");
    }

    #[test]
    fn missing_marker_is_a_failure() {
        let seen = |catalog, body, read| json!({ "catalog": catalog, "body": body, "read": read });
        check(0, &seen(CATALOG_MARKER, BODY_MARKER, FILE_MARKER), "yes yes yes yes", true);
        check(0, &seen("", BODY_MARKER, FILE_MARKER), "yes no yes yes", false);
        check(0, &seen(CATALOG_MARKER, "", FILE_MARKER), "yes yes no yes", false);
        check(0, &seen(CATALOG_MARKER, BODY_MARKER, ""), "yes yes yes no", false);
        check(2, &seen("", BODY_MARKER, FILE_MARKER), "yes no yes yes", false);
        check(0, &Value::Null, "no no no no", false);
    }
}
