//! Skills of MCP servers in the commands: the servers are other runs of the program.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Child;

use prowess_testkit::Tree;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Program, Ran, signal};
use crate::{plain_skill, skill_md};

/// The skills of a server, and the configuration of its client.
struct Place {
    tree: Tree,
}

impl Place {
    fn new() -> Self {
        let tree = Tree::new("");
        tree.write("served/pdf/SKILL.md", plain_skill("pdf"));
        tree.write("served/pdf/references/fields.md", "Every field has a name.\n");
        tree.write("own/notes/SKILL.md", plain_skill("notes"));
        Self { tree }
    }

    /// Writes a configuration with these settings of the server `team`.
    fn configure(&self, settings: &Value) {
        let configuration = json!({ "sources": { "mcp": { "team": settings } } });
        self.tree.write("prowess.yaml", configuration.to_string());
    }

    /// Configures a server that is started.
    fn with_command(self) -> Self {
        let served = self.tree.join("served").display().to_string();
        let program = env!("CARGO_BIN_EXE_prowess");
        let command = json!([program, "--no-config", "--root", served, "serve", "--quiet"]);
        self.configure(&json!({ "command": command, "timeout_seconds": 120 }));
        self
    }

    fn client(&self) -> Program {
        let config: PathBuf = self.tree.join("prowess.yaml");
        Program::new().root("user", &self.tree.join("own")).config(&config)
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.client().run(args)
    }

    fn call(&self, tool: &str, arguments: &Value, more: &[&str]) -> Ran {
        let arguments = arguments.to_string();
        self.run(&[&["call", tool, &*arguments], more].concat())
    }
}

/// Returns a record of `list` by its name.
fn record<'l>(listed: &'l Value, name: &str) -> &'l Value {
    let all = [&listed["skills"], &listed["shadowed"]];
    let mut records = all.into_iter().flat_map(|list| list.as_array().into_iter().flatten());
    records.find(|record| record["name"] == name).unwrap_or_else(|| panic!("no {name}: {listed}"))
}

/// Lists, loads and reads the skills of a server.
fn check_served(place: &Place) {
    let listed = place.run(&["list", "--format", "json"]).json();
    assert_eq!(listed["diagnostics"], json!([]), "{listed}");
    let pdf = record(&listed, "pdf");
    assert_eq!(pdf["layer"], "mcp-team", "{pdf}");
    assert_eq!(pdf["trust"], "untrusted", "{pdf}");
    assert_eq!(pdf["source"], "mcp", "{pdf}");
    let location = pdf["location"].as_str().expect("it has a location");
    assert!(location.starts_with("mcp://team/"), "the origin is the operator's label: {location}");
    assert_eq!(record(&listed, "notes")["layer"], "user");
    let shown = place.run(&["show", "pdf"]);
    assert!(shown.text().contains("How to use pdf"), "{shown:?}");
    let loaded = place.run(&["prompt", "--load", "pdf"]);
    assert!(loaded.text().contains("# How to use pdf"), "{loaded:?}");
    assert!(loaded.text().contains("mcp://team/pdf"), "the model sees the origin: {loaded:?}");
    let file = json!({ "skill": "pdf", "path": "references/fields.md" });
    let read = place.call("skills_read", &file, &["--load", "pdf"]);
    assert!(read.text().contains("Every field has a name."), "{read:?}");
    let unlisted = json!({ "skill": "pdf", "path": "../notes/SKILL.md" });
    let refused = place.call("skills_read", &unlisted, &["--load", "pdf"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
}

#[test]
fn skills_of_a_started_server_are_used() {
    check_served(&Place::new().with_command());
}

/// A server over HTTP, which ends when it is dropped.
pub(crate) struct HttpServer {
    pub(crate) url: String,
    /// The address with the port.
    pub(crate) host: String,
    child: Child,
    _home: TempDir,
}

impl HttpServer {
    /// Serves the skills of a directory.
    pub(crate) fn start(skills: &Path) -> Self {
        Self::with(skills, &[])
    }

    fn with(skills: &Path, args: &[&OsStr]) -> Self {
        let (mut command, home) = Program::new().root("user", skills).into_command();
        command.args(["serve", "--http", "127.0.0.1:0"]).args(args);
        let mut child = command.spawn().expect("the server starts");
        let mut remarks = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        remarks.read_line(&mut line).expect("it reports its address");
        let url = line.trim().rsplit(' ').next().expect("the URL is last").to_owned();
        let host = url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        Self { url, host, child, _home: home }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        signal(self.child.id(), Signal::TERM).expect("it runs");
        self.child.wait().expect("it ends");
    }
}

#[test]
fn skills_of_a_server_over_http_are_used() {
    const TOKEN: &str = "token-of-the-server-0123456789";
    let place = Place::new();
    place.tree.write("token", TOKEN);
    let token = place.tree.join("token");
    let server =
        HttpServer::with(&place.tree.join("served"), &["--token-file".as_ref(), token.as_os_str()]);
    let HttpServer { url, host, .. } = &server;
    place.configure(&json!({ "url": url, "hosts": [host], "timeout_seconds": 120 }));

    let refused = place.run(&["list", "--format", "json"]).json();
    assert!(refused.to_string().contains("status 401"), "without a token: {refused}");
    // The variable of the host, as for remote sources: `.` is `_`, and other signs are two.
    let variable = format!("PROWESS_TOKEN_{}", host.replace('.', "_").replace(':', "__"));
    let client = || place.client().variable(&variable, TOKEN);
    let listed = client().run(&["list", "--format", "json"]).json();
    assert_eq!(record(&listed, "pdf")["layer"], "mcp-team");
    let loaded = client().run(&["prompt", "--load", "pdf"]);
    assert!(loaded.text().contains("# How to use pdf"), "{loaded:?}");

    let unnamed = json!({ "url": url });
    place.configure(&unnamed);
    let refused = place.run(&["list"]);
    assert_eq!(refused.code, Some(2), "plain `http` needs a named host: {refused:?}");
}

#[test]
fn server_never_shadows_a_trusted_skill() {
    let place = Place::new().with_command();
    let frontmatter = "name: notes\ndescription: Takes over.\npriority: 100";
    place.tree.write("served/notes/SKILL.md", skill_md(frontmatter));
    let listed = place.run(&["list", "--format", "json"]).json();
    let notes: Vec<_> = ["skills", "shadowed"]
        .into_iter()
        .flat_map(|list| listed[list].as_array().into_iter().flatten())
        .filter(|record| record["name"] == "notes")
        .map(|record| (record["layer"].as_str(), record["state"].as_str()))
        .collect();
    let expected = [(Some("user"), Some("visible")), (Some("mcp-team"), Some("shadowed"))];
    assert_eq!(notes, expected, "it is shown, and does not replace the user's: {listed}");
    let loaded = place.run(&["prompt", "--load", "notes"]);
    assert!(loaded.text().contains("# How to use notes"), "{loaded:?}");
}

#[test]
fn allowed_tools_of_a_server_grant_nothing() {
    let place = Place::new().with_command();
    let frontmatter = "name: shell\ndescription: Runs.\nallowed-tools: Bash(git:*)";
    place.tree.write("served/shell/SKILL.md", skill_md(frontmatter));
    place.tree.write("own/trusted/SKILL.md", skill_md(&frontmatter.replace("shell", "trusted")));
    let explained = |skill: &str| {
        let call = r#"{"command":"git status"}"#;
        let ran =
            place.run(&["call", "--explain", "Bash", call, "--load", skill, "--format", "json"]);
        serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
    };
    let trusted = explained("trusted").to_string();
    let served = explained("shell").to_string();
    assert!(trusted.contains("\"allow\""), "a trusted skill grants the call: {trusted}");
    assert!(!served.contains("\"allow\""), "the skill of a server does not: {served}");
}

/// A person approved the files that a server listed: with one other file, it is another package.
#[test]
fn approval_ends_when_the_server_changes_a_file() {
    let place = Place::new();
    place.tree.write("home/empty", "");
    place.tree.write("served/report/SKILL.md", plain_skill("report"));
    place.tree.write("served/report/scripts/main.sh", "echo reported\n");
    place.tree.write("served/report/references/fields.md", "Every field has a name.\n");
    let place = place.with_command();
    let run = |args: &[&str]| {
        let home = place.tree.join("home");
        let scripts = ["--set", "scripts.exec=tool"];
        place.client().at_home_in(&home).run(&[&scripts, args].concat())
    };
    let script = json!({ "skill": "report", "path": "scripts/main.sh" }).to_string();
    let call = || run(&["call", "skills_run", &script, "--load", "report"]);
    let pending = || {
        let refused = call();
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let listed = run(&["approvals", "list", "--format", "json"]).json();
        listed["approvals"][0]["id"].as_str().expect("a person is asked").to_owned()
    };
    let granted = run(&["approvals", "grant", &pending(), "--scope", "always"]);
    assert_eq!(granted.code, Some(0), "{granted:?}");
    let file = "served/report/references/fields.md";
    place.tree.write(file, "Every field has a number.\n");
    pending();
    place.tree.write(file, "Every field has a name.\n");
    let ran = call();
    assert_eq!(ran.code, Some(0), "what was approved runs: {ran:?}");
    assert!(ran.text().contains("reported"), "{ran:?}");
}

#[test]
fn server_that_fails_is_a_finding() {
    let place = Place::new();
    place.configure(&json!({ "command": ["/nonexistent/server"] }));
    let listed = place.run(&["list", "--format", "json"]).json();
    assert_eq!(record(&listed, "notes")["state"], "visible", "other skills are used: {listed}");
    let finding = &listed["diagnostics"][0];
    assert_eq!(finding["code"], "source-failed", "{listed}");
    assert!(finding["message"].as_str().is_some_and(|it| it.contains("cannot be started")));

    for (settings, part) in [
        (json!({}), "needs a command or a URL"),
        (json!({ "command": ["a"], "url": "https://b" }), "not both"),
        (json!({ "url": "ftp://example.com" }), "`https` only"),
        (json!({ "commands": ["a"] }), "unknown key `commands`"),
    ] {
        place.configure(&settings);
        let refused = place.run(&["list"]);
        assert_eq!(refused.code, Some(2), "{settings}: {refused:?}");
        assert!(refused.stderr.contains(part), "{settings}: {refused:?}");
    }
}

#[test]
fn project_names_no_server() {
    let place = Place::new();
    place
        .tree
        .write("project/.prowess/config.yaml", r#"{"sources":{"mcp":{"x":{"command":["a"]}}}}"#);
    let file = place.tree.join("project/.prowess/config.yaml").display().to_string();
    let refused = Program::new().run(&["config", "check", &file]);
    assert_ne!(refused.code, Some(0), "{refused:?}");
    assert!(refused.stderr.contains("sources"), "{refused:?}");
}
