//! Skills of MCP servers in the commands: the servers are other runs of the program.

use std::path::PathBuf;

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::bad_input::make_fifo;
use crate::plain_skill;
use crate::program::{Program, Ran};
use crate::serve::{Client, block_on, code};
use crate::serve_http::HttpServer;

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

#[test]
fn skills_of_a_started_server_are_used() {
    let place = Place::new().with_command();
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
fn skills_of_a_server_over_http_are_used() {
    const TOKEN: &str = "token-of-the-server-0123456789";
    let place = Place::new();
    place.tree.write("token", TOKEN);
    let token = place.tree.join("token");
    let args = ["--token-file".as_ref(), token.as_os_str()];
    let server = HttpServer::start(&place.tree.join("served"), &args);
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

/// The server begins once something is written to a pipe.
#[test]
fn server_that_does_not_answer_delays_no_client() {
    let place = Place::new();
    let pipe = place.tree.join("pipe");
    make_fifo(&pipe);
    let [pipe, served] = [pipe, place.tree.join("served")].map(|it| it.display().to_string());
    let server = ["--no-config", "--root", &served, "serve", "--quiet"];
    let waiting = ["sh", "-c", "read line < \"$0\"; exec \"$@\"", &pipe];
    let command = [&waiting[..], &[env!("CARGO_BIN_EXE_prowess")], &server].concat();
    place.configure(&json!({ "command": command, "timeout_seconds": 5 }));
    let listed = place.run(&["list", "--format", "json"]).json();
    assert_eq!(record(&listed, "notes")["state"], "visible", "no command waits: {listed}");
    assert_eq!(listed["diagnostics"][0]["code"], "source-late", "{listed}");
    for args in [&["show", "pdf"][..], &["prompt", "--load", "pdf"]] {
        let missing = place.run(args);
        assert!(missing.stderr.contains("has not answered yet"), "it may be there: {missing:?}");
    }
    place.configure(&json!({ "command": command, "timeout_seconds": 3600 }));
    block_on(async {
        let client = Client::of(place.client()).await;
        let load = |name: &str| client.call("skills_load", json!({ "names": [name] }));
        assert_eq!(load("notes").await.is_error, Some(false), "other skills are there");
        assert_eq!(code(&load("pdf").await), Some("skill-not-found"), "its skills are not");
        tokio::task::spawn_blocking(move || std::fs::write(pipe, "go on\n"))
            .await
            .unwrap()
            .unwrap();
        while load("pdf").await.is_error != Some(false) {}
    });
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
