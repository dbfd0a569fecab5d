//! A server that accepts the tokens of a real authorization server, and a real client that gets
//! them there.

use serde_json::{Value, json};

use crate::install::node::Packages;
use crate::process::{Failure, output, write_files};
use crate::root;
use crate::selection::Selection;

/// The authorization server, and the client.
const PACKAGES: [&str; 2] = ["oidc-provider@9.13.3", "@modelcontextprotocol/sdk@1.32.2"];

/// Starts both servers, and prints what the client and requests of its own got.
pub(crate) fn run() -> Result<(), Failure> {
    let prowess = Selection::Full.program("prowess")?;
    let directory = root().join("target/oauth");
    let packages = Packages::install(&directory, &PACKAGES)?;
    let skill = "---\nname: pdf\ndescription: Fills forms.\n---\nbody-marker\n";
    write_files(&directory.join("skills"), &[("pdf/SKILL.md", skill)])?;
    let server = json!([prowess, "--root", directory.join("skills"), "serve", "--http"]);
    let mut driver = packages.evaluate(include_str!("oauth/driver.mjs"));
    let ran = output(driver.arg("--").arg(server.to_string()))?;
    // The authorization server prints advice in front of the results.
    let printed = String::from_utf8_lossy(&ran.stdout);
    let last = printed.lines().last().unwrap_or_default();
    let results: Value = serde_json::from_str(last).unwrap_or_default();
    let results = results.as_object().cloned().unwrap_or_default();
    for (name, result) in &results {
        println!("{name:32} {}", if result == true { "yes" } else { "NO" });
    }
    if ran.status.success() && !results.is_empty() && results.values().all(|it| it == true) {
        return Ok(());
    }
    eprintln!("{}", String::from_utf8_lossy(&ran.stderr));
    Err(Failure("not every token is treated as it must be".to_owned()))
}
