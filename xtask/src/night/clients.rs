//! Checks what each client of the Model Context Protocol shows to its model.

mod servers;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::install::node::Packages;
use crate::install::python::environment;
use crate::process::{Failure, built, output};
use crate::root;
use crate::selection::Selection;

/// A client: its name and what drives it.
///
/// A driver gets the server's command line as JSON and the directory of its skills, and prints what
/// the model sees, as JSON: `catalog`, `body` and `read`. One whose client has more to show prints
/// whether it works, too: `parallel` for two loads at once, `cancel` for a call after a cancelled
/// one, `changes` for a skill that is added while the server runs; and `times` of 200 reads, in
/// milliseconds.
type Client = (&'static str, Driver);

enum Driver {
    /// A script, with the packages that it needs from PyPI.
    Python(&'static [&'static str], &'static str),
    /// A module, with the packages that it needs from npm.
    Node(&'static [&'static str], &'static str),
    /// An example of the server's crate.
    Rust(&'static str),
}

use Driver::{Node, Python, Rust};

/// Clients connect over HTTP, too, and the skills of other servers are used.
const FEATURES: &str = "prowess-cli/http,prowess-cli/mcp-sources";

const FASTMCP: &[&str] = &["fastmcp==4.1.2"];

/// Each Python client has an environment of its own, because they need different versions of the
/// SDK.
const CLIENTS: [Client; 13] = [
    ("mcp", Python(&["mcp==1.30.0"], include_str!("clients/mcp.py"))),
    (
        "typescript-sdk",
        Node(&["@modelcontextprotocol/sdk@1.32.2"], include_str!("clients/typescript.mjs")),
    ),
    (
        "typescript-client",
        Node(
            &["@modelcontextprotocol/client@2.4.0"],
            include_str!("clients/typescript_client.mjs"),
        ),
    ),
    ("rmcp", Rust("client")),
    ("fastmcp", Python(FASTMCP, include_str!("clients/fastmcp.py"))),
    (
        "langchain-mcp-adapters",
        Python(&["langchain-mcp-adapters==0.3.2"], include_str!("clients/langchain.py")),
    ),
    (
        "pydantic-ai-slim",
        Python(&["pydantic-ai-slim[mcp]==2.68.0"], include_str!("clients/pydantic_ai.py")),
    ),
    (
        "agent-framework-core",
        Python(
            &["agent-framework-core==1.23.0", "mcp==2.3.0", "tenacity==9.1.4"],
            include_str!("clients/agent_framework.py"),
        ),
    ),
    (
        "openai-agents",
        Python(&["openai-agents==0.24.0", "mcp==1.30.0"], include_str!("clients/openai_agents.py")),
    ),
    (
        "autogen-ext",
        Python(&["autogen-ext[mcp]==0.7.5", "mcp==1.30.0"], include_str!("clients/autogen.py")),
    ),
    (
        "semantic-kernel",
        Python(
            &["semantic-kernel[mcp]==1.45.0", "mcp==1.30.0"],
            include_str!("clients/semantic_kernel.py"),
        ),
    ),
    (
        "strands-agents",
        Python(&["strands-agents==1.62.0", "mcp==2.1.1"], include_str!("clients/strands.py")),
    ),
    ("vercel-ai", Node(&["ai@7.0.173", "@ai-sdk/mcp@2.0.99"], include_str!("clients/vercel.mjs"))),
];

/// The code that the scripts share.
const COMMON: &str = include_str!("clients/common.py");

const CATALOG_MARKER: &str = "catalog-marker-5f1c";
const BODY_MARKER: &str = "body-marker-77aa";
const FILE_MARKER: &str = "file-marker-09be";

/// The columns of the table.
const COLUMNS: [&str; 7] = ["connects", "catalog", "body", "read", "parallel", "cancel", "changes"];

/// The observed behavior of a client.
#[derive(Debug)]
struct Row {
    name: &'static str,
    /// The answer for each column; `None` if the client offers no way to try it.
    answers: [Option<bool>; 7],
    /// The median and the 99th percentile of a read, in milliseconds.
    times: Option<(f64, f64)>,
    /// The output of a client that failed.
    printed: String,
}

impl Row {
    fn is_good(&self) -> bool {
        !self.answers.contains(&Some(false))
    }
}

/// Runs each client against the built server and prints a table.
pub(crate) fn run() -> Result<(), Failure> {
    let prowess = Selection::Tested.program_with(FEATURES, "prowess")?;
    println!(
        "{:24} {} p50/p99 ms",
        "client",
        COLUMNS.map(|column| format!("{column:8}")).join(" ")
    );
    let mut failed = Vec::new();
    for client in &CLIENTS {
        let row = row(client, &prowess)?;
        println!("{}", line(&row));
        if !row.is_good() {
            eprintln!("{}", row.printed);
            failed.push(row.name);
        }
    }
    servers::run(&prowess)?;
    match failed.as_slice() {
        [] => Ok(()),
        _ => Err(Failure(format!("not every client shows what it must: {}", failed.join(", ")))),
    }
}

fn row((name, driver): &Client, prowess: &Path) -> Result<Row, Failure> {
    let directory = root_of_clients().join(name);
    let skills = write_skills(name)?;
    let server = json!([prowess, "--root", skills, "serve", "--quiet"]).to_string();
    let mut command = match driver {
        Python(packages, script) => {
            let mut command = Command::new(environment(&directory.join("python"), packages)?);
            command.args(["-c", &format!("{COMMON}\n{script}")]);
            command
        }
        Node(packages, module) => {
            let mut command = Packages::install(&directory, packages)?.evaluate(module);
            command.arg("--");
            command
        }
        Rust(example) => Command::new(built("debug", &format!("examples/{example}"))?),
    };
    let ran = output(command.arg(server).arg(skills))?;
    let seen: Value = match ran.status.success() {
        true => serde_json::from_slice(&ran.stdout).unwrap_or_default(),
        false => Value::Null,
    };
    let printed = [ran.stdout, ran.stderr].concat();
    Ok(judged(name, &seen, String::from_utf8_lossy(&printed).into_owned()))
}

fn judged(name: &'static str, seen: &Value, printed: String) -> Row {
    let shows = |key: &str, marker: &str| {
        Some(seen[key].as_str().is_some_and(|text| text.contains(marker)))
    };
    let works = |key: &str| seen[key].as_bool();
    let answers = [
        Some(seen.is_object()),
        shows("catalog", CATALOG_MARKER),
        shows("body", BODY_MARKER),
        shows("read", FILE_MARKER),
        works("parallel"),
        works("cancel"),
        works("changes"),
    ];
    Row { name, answers, times: percentiles(&seen["times"]), printed }
}

/// Returns the median and the 99th percentile.
fn percentiles(times: &Value) -> Option<(f64, f64)> {
    let mut times: Vec<_> = times.as_array()?.iter().filter_map(Value::as_f64).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times.get(times.len().saturating_sub(1) * share / 100).copied();
    Some((at(50)?, at(99)?))
}

fn line(row: &Row) -> String {
    let word = |answer: Option<bool>| match answer {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    };
    let answers = row.answers.map(|answer| format!("{:8}", word(answer))).join(" ");
    let times = row.times.map(|(median, slow)| format!("{median:.1}/{slow:.1}"));
    format!("{:24} {answers} {}", row.name, times.as_deref().unwrap_or("-"))
}

/// Writes the skills that a client uses.
fn write_skills(client: &str) -> Result<PathBuf, Failure> {
    let skills = root_of_clients().join(client).join("skills");
    if skills.exists() {
        std::fs::remove_dir_all(&skills)?;
    }
    let pdf = format!(
        "---\nname: pdf\ndescription: Fills forms, {CATALOG_MARKER}.\n---\nFill it in: {BODY_MARKER}\n"
    );
    let notes = "---\nname: notes\ndescription: Takes notes.\n---\nnotes-body\n";
    for (path, text) in [
        ("pdf/SKILL.md", pdf.as_str()),
        ("pdf/references/fields.md", &format!("{FILE_MARKER}\n")),
        ("notes/SKILL.md", notes),
    ] {
        let file = skills.join(path);
        std::fs::create_dir_all(file.parent().expect("it is below the directory"))?;
        std::fs::write(file, text)?;
    }
    Ok(skills)
}

fn root_of_clients() -> PathBuf {
    root().join("target/clients")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seen: &Value, expected: &str, is_good: bool) {
        let row = judged("one", seen, String::new());
        assert_eq!(line(&row).split_whitespace().skip(1).collect::<Vec<_>>().join(" "), expected);
        assert_eq!(row.is_good(), is_good, "{row:?}");
    }

    #[test]
    fn missing_marker_is_a_failure() {
        let seen = |catalog, body, read| json!({ "catalog": catalog, "body": body, "read": read });
        let mut all = seen(CATALOG_MARKER, BODY_MARKER, FILE_MARKER);
        check(&all, "yes yes yes yes - - - -", true);
        check(&seen("", BODY_MARKER, FILE_MARKER), "yes no yes yes - - - -", false);
        check(&seen(CATALOG_MARKER, "", FILE_MARKER), "yes yes no yes - - - -", false);
        check(&seen(CATALOG_MARKER, BODY_MARKER, ""), "yes yes yes no - - - -", false);
        check(&Value::Null, "no no no no - - - -", false);
        all["parallel"] = json!(true);
        all["times"] = json!([3.0, 1.0, 2.0]);
        check(&all, "yes yes yes yes yes - - 2.0/2.0", true);
        all["changes"] = json!(false);
        check(&all, "yes yes yes yes yes - no 2.0/2.0", false);
    }
}
