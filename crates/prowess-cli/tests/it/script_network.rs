//! Hosts and secrets that the operator grants to scripts.

use std::fs;

use prowess_testkit::{Server, Tree, server_authority};

use crate::program::{Program, Ran};

const FILES: &str = include_str!("../data/script-network.txt");
const SECRET: &str = "key-of-the-operator-4711";

fn run(tree: &Tree, arguments: &[&str]) -> Ran {
    let program = Program::new().at_home_in(&tree.join("home")).variable("REPORT_KEY", SECRET);
    let program = program.config(&tree.join("prowess.yaml"));
    let script = [&["run", "report", "scripts/load.sh"], arguments].concat();
    program.root("user", &tree.join("skills")).run(&script)
}

/// Grants the secret to the package as it is, for a host of this machine.
fn grant(tree: &Tree, host: &str) {
    tree.write("prowess.yaml", "preset: standard\n");
    let explained = run(tree, &["--explain", "--format", "json"]).json();
    let package = explained["package"].as_str().unwrap();
    tree.write("authority.pem", server_authority());
    let authority = tree.join("authority.pem");
    let authority = authority.display();
    let configuration = format!(
        "audit: {{ log: keep }}\nscripts:\n  network: [\"{host}\"]\n  private_hosts: [\"{host}\"]\n  authorities: {authority}\n  \
         secrets: [{{ packages: [\"{package}\"], variable: REPORT_KEY, host: \"{host}\" }}]\n"
    );
    tree.write("prowess.yaml", &configuration);
}

#[test]
fn granted_secret_reaches_its_host_and_nothing_else() {
    let server = Server::encrypted(&format!("HTTP/1.1 200 OK\r\n\r\nyou sent {SECRET}"));
    let host = format!("localhost:{}", server.port);
    let tree = Tree::new(FILES);
    grant(&tree, &host);
    let explained = run(&tree, &["--explain"]).stdout;
    for line in [
        format!("{host} (also at private addresses, by the configuration)"),
        format!("the header `authorization` for `{host}` (by the configuration)"),
    ] {
        assert!(explained.contains(&line), "{line}: {explained}");
    }
    let ran = run(&tree, &["--", &format!("http://{host}/")]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let received = server.received();
    assert!(received.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{received}");
    let log = fs::read_to_string(tree.join("home/.local/state/prowess/audit.jsonl")).unwrap();
    for (place, text) in
        [("output", &ran.stdout), ("errors", &ran.stderr), ("log", &log), ("reasons", &explained)]
    {
        assert!(!text.contains(SECRET), "the {place} has no secret: {text}");
    }
    assert!(log.contains("skills.run"), "the run is in the log: {log}");
}

#[test]
fn refused_host_is_named_and_recorded() {
    let tree = Tree::new(FILES);
    tree.write("prowess.yaml", "audit: { log: keep }\n");
    let ran = run(&tree, &["--host", "api.example.com", "--", "http://other.example.com/"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    let code = "host-not-granted";
    let remark = format!("refused: other.example.com:80 ({code})");
    assert!(ran.stderr.contains(&remark), "{}", ran.stderr);
    let log = fs::read_to_string(tree.join("home/.local/state/prowess/audit.jsonl")).unwrap();
    let is_refusal = |line: &&str| line.contains("\"script_host_refused\"");
    let recorded = log.lines().find(is_refusal).unwrap();
    for part in ["other.example.com:80", code, "\"skill_name\":\"report\""] {
        assert!(recorded.contains(part), "{part}: {recorded}");
    }
}
