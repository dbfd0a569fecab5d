//! Credentials for sites.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;

use prowess_testkit::Tree;

use super::{Machine, files};
use crate::plain_skill;
use crate::program::Program;

/// Runs `add` for a source that does not exist, and returns the credentials that its server gets.
fn credentials_of(prepare: impl Fn(Program, &str, &Path) -> Program) -> Option<String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(&stream).lines().map_while(Result::ok);
        let lines: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
        let _ = write!(stream, "HTTP/1.1 404 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        let header = |line: &String| Some(line.split_once(": ")?.1.to_owned());
        lines.iter().find(|line| line.starts_with("authorization")).and_then(header)
    });
    let tree = Tree::new("//- /home/.keep\n");
    let program = prepare(Program::new().at_home_in(&tree.join("home")), &host, &tree.join("home"));
    let added = program.run(&["add", &format!("http://{host}/a.zip"), "--host", &host]);
    assert_eq!(added.code, Some(1));
    assert!(!added.stderr.contains("s3cr3t"), "no secret is shown: {}", added.stderr);
    server.join().unwrap()
}

#[test]
fn credentials_come_from_variables_netrc_and_a_command() {
    assert_eq!(credentials_of(|program, _, _| program), None);
    let token = credentials_of(|program, host, _| {
        let name = host.replace(':', "__").replace('.', "_");
        program.variable(&format!("PROWESS_TOKEN_{name}"), "s3cr3t")
    });
    assert_eq!(token.as_deref(), Some("Bearer s3cr3t"));
    let basic = Some("Basic dTpzM2NyM3Q=");
    let netrc = credentials_of(|program, _, home| {
        fs::write(home.join(".netrc"), "machine 127.0.0.1 login u password s3cr3t\n").unwrap();
        program
    });
    assert_eq!(netrc.as_deref(), basic);
    let helper = credentials_of(|program, host, home| {
        let script = home.join("helper.sh");
        let text = format!("grep -q 'host={host}' && echo username=u && echo password=s3cr3t\n");
        fs::write(&script, text).unwrap();
        let command = format!("/bin/sh {}", script.display());
        program.variable("PROWESS_CREDENTIAL_HELPER", &command).variable("PATH", "/usr/bin:/bin")
    });
    assert_eq!(helper.as_deref(), basic);
}

#[test]
fn credentials_are_in_no_file_and_no_message() {
    let machine = Machine::new();
    let name = machine.site.host.replace(':', "__").replace('.', "_");
    let run = |args: &[&str]| {
        let program = Program::new().at_home_in(&machine.tree.join("home"));
        let program = program.variable(&format!("PROWESS_TOKEN_{name}"), "s3cr3t-token");
        let ran = program.run(&[args, &["--host", &machine.site.host]].concat());
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!said.contains("s3cr3t"), "{args:?}: {said}");
        ran
    };
    assert_eq!(run(&["add", &machine.address()]).code, Some(0));
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + "More.\n");
    machine.publish();
    assert_eq!(run(&["sync", "--check"]).code, Some(1));
    assert_eq!(run(&["update"]).code, Some(0));
    assert_eq!(run(&["add", &format!("{}/none.zip", machine.address())]).code, Some(1));
    let signed = format!("{}/a.zip?token=s3cr3t", machine.address());
    assert_eq!(run(&["add", &signed]).code, Some(1), "the lock file would repeat it");
    let user = format!("http://u:s3cr3t@{}", machine.site.host);
    assert_eq!(run(&["add", &user]).code, Some(1), "the lock file would repeat it");
    for (path, content) in files(&machine.tree.join("home")) {
        let has_secret = content.windows(6).any(|part| part == b"s3cr3t");
        assert!(!has_secret, "{} has a secret", path.display());
    }
}
