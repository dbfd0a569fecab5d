//! The operator's page has the values of the commands, byte for byte, and makes their decisions.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use prowess_testkit::Tree;
use serde_json::Value;
use tempfile::TempDir;

use crate::plain_skill;
use crate::program::Program;

/// A program that serves the page, and a browser that has entered.
pub(crate) struct Page {
    tree: Tree,
    serving: Child,
    address: String,
    cookie: String,
    /// The directory of the pages.
    directory: String,
    _home: TempDir,
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.serving.kill();
        let _ = self.serving.wait();
    }
}

fn program(tree: &Tree) -> Program {
    Program::new().at_home_in(&tree.join("home")).working_in(&tree.join("project"))
}

impl Page {
    /// A home with a skill, a broken one, a trusted project, an audit log, and a call that waits.
    fn open() -> Self {
        let tree = Self::tree();
        Self::prepare(&tree);
        Self::serve(tree)
    }

    /// Returns the process that serves it.
    pub(crate) fn process(&self) -> u32 {
        self.serving.id()
    }

    pub(crate) fn tree() -> Tree {
        Tree::new("//- /project/.git/HEAD\nref: refs/heads/main\n")
    }

    pub(crate) fn prepare(tree: &Tree) {
        let proposals = tree.join("proposals");
        let proposals = format!("proposals: {{ directory: '{}' }}\n", proposals.display());
        let config = "added_tools: gate\naudit: { log: keep }\n\
            discovery: { roots: { agents: [~/written] } }\n";
        tree.write("home/.config/prowess/config.yaml", config.to_owned() + &proposals);
        tree.write("home/written/notes/SKILL.md", plain_skill("notes"));
        tree.write("home/.agents/skills/pdf/SKILL.md", plain_skill("pdf"));
        tree.write("home/.agents/skills/pdf/scripts/fill.sh", "echo filled\n");
        tree.write("home/.agents/skills/bad/SKILL.md", "no frontmatter");
        assert_eq!(program(tree).run(&["trust"]).code, Some(0));
        let call = r#"{"skill": "pdf", "path": "scripts/fill.sh"}"#;
        program(tree).run(&["call", "skills_run", call]);
        let diff = "@@\\n-name: pdf\\n+name: pdf\\n+license: MIT\\n";
        let proposal =
            format!(r#"{{"skill_id": "pdf", "diff": "{diff}", "justification": "none is named"}}"#);
        let proposed = program(tree).run(&["call", "propose_skill_update", &proposal]);
        assert_eq!(proposed.code, Some(0), "{proposed:?}");
    }

    pub(crate) fn serve(tree: Tree) -> Self {
        let (mut command, home) = program(&tree).into_command();
        command.args(["serve", "--web", "127.0.0.1:0", "--format", "json"]);
        let mut serving = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(serving.stdout.take().expect("it is piped")).lines();
        let url = lines.find_map(|line| {
            let line = line.expect("text");
            Some(line.split_once("http://")?.1.trim_end_matches('"').to_owned())
        });
        let url = url.expect("the URL is printed");
        let (address, entrance) = url.split_once('/').expect("a path");
        let address = address.to_owned();
        let (directory, entrance) = entrance.split_once('/').expect("a directory");
        let directory = format!("/{directory}");
        let cookie = String::new();
        let mut page = Self { tree, serving, address, cookie, directory, _home: home };
        let entered = page.send("GET", &format!("/{entrance}"), "");
        let cookie = entered.split_once("set-cookie: ").expect("a cookie").1;
        page.cookie = cookie.split(';').next().expect("a pair").to_owned();
        page
    }

    fn send(&self, method: &str, path: &str, form: &str) -> String {
        let Self { address, cookie, directory, .. } = self;
        let request = format!(
            "{method} {directory}{path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\
             Cookie: {cookie}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{form}",
            form.len()
        );
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    pub(crate) fn body(&self, path: &str) -> String {
        self.send("GET", path, "").split_once("\r\n\r\n").expect("a head").1.to_owned()
    }

    fn run(&self, args: &[&str]) -> String {
        program(&self.tree).run(&[args, &["--format", "json"]].concat()).stdout
    }
}

/// Returns the number of bytes that a process has read so far.
pub(crate) fn read(process: u32) -> u64 {
    let counts = std::fs::read_to_string(format!("/proc/{process}/io")).expect("it is ours");
    let count = counts.lines().find_map(|line| line.strip_prefix("rchar: ")).expect("a count");
    count.parse().expect("a number")
}

/// Files that stay as they are are not read for each request.
#[cfg(target_os = "linux")]
#[test]
fn proposals_are_read_again_once_they_change() {
    let page = Page::open();
    let evidence = "x".repeat(16_000);
    let diff = "-name: pdf\n+name: pdf\n+license: X\n";
    let arguments = ["propose", "pdf", "--reason", "mine", "--evidence", &evidence];
    let long = program(&page.tree).with_input(diff).run(&arguments);
    let name = long.text().trim().trim_start_matches("proposed: ").to_owned();
    let bytes = |_| {
        let before = read(page.process());
        assert!(page.body("/proposals").contains(&name));
        read(page.process()) - before
    };
    // Something else may be read beside one of them.
    let bytes = (0..5).map(bytes).min().unwrap_or_default();
    assert!(bytes < 16_000, "{bytes} bytes");
    page.run(&["proposals", "withdraw", &name]);
    assert!(!page.body("/proposals").contains(&name), "it is gone");
}

#[test]
fn page_is_the_json_of_the_command() {
    let page = Page::open();
    // It waits for a quick report only.
    while page.body("/health").contains("setup-being-checked") {}
    for line in include_str!("../data/pages.txt").lines() {
        let (path, args) = line.split_once(" ¦ ").expect("a path and a command");
        let args: Vec<_> = args.split(' ').collect();
        assert_eq!(page.body(path), page.run(&args), "{path}");
    }
    for path in ["/chain", "/stats", "/health", "/audit?session=none"] {
        assert!(page.body(path).contains(">As of 20"), "{path} has its time");
    }
    let missing: Value = page.body("/skill?id=none&format=json").parse().expect("JSON");
    assert_eq!(missing["error"]["code"], "skill-not-found");
}

#[test]
fn decision_is_that_of_the_command() {
    let page = Page::open();
    let form = |path: &str| {
        let body = page.body(path);
        let form = body.split_once("method=\"post\"").expect("a form").1;
        let form = form.split_once("</form>").expect("its end").0;
        let fields = form.split("name=\"").skip(1).filter_map(|field| {
            let (name, rest) = field.split_once("\" value=\"")?;
            let value = rest.split_once('"')?.0.replace('%', "%25");
            (name != "decision").then(|| format!("{name}={value}&"))
        });
        fields.collect::<String>()
    };
    let decide = |path: &str, form: &str| {
        let answer = page.send("POST", path, form);
        answer.split(' ').nth(1).map(str::to_owned)
    };
    let stale = form("/approval?id=1") + "decision=deny";
    let grant = form("/approval?id=1") + "decision=once";
    assert_eq!(decide("/approval", &grant).as_deref(), Some("303"));
    assert!(page.run(&["approvals", "show", "1"]).contains("\"granted\""));
    assert!(page.run(&["audit", "show"]).contains("granted by"), "it is in the log");
    assert_eq!(decide("/approval", &stale).as_deref(), Some("409"), "it was decided already");
    // Elsewhere in the skill, so the change still fits.
    let edit = |text: &str| {
        let skill = plain_skill("pdf") + text;
        page.tree.write("home/.agents/skills/pdf/SKILL.md", skill);
    };
    edit("seen\n");
    let seen = form("/proposal?id=pdf") + "decision=rebase";
    edit("not seen\n");
    let stale = page.send("POST", "/proposal", &seen);
    assert!(stale.contains(" 409 ") && stale.contains("<ins>+not seen\n</ins>"), "{stale}");
    edit("");
    let accept = form("/proposal?id=pdf") + "decision=accept";
    assert_eq!(decide("/proposal", &accept).as_deref(), Some("303"));
    assert_eq!(decide("/proposal", &accept).as_deref(), Some("409"), "it is gone");
    let changes = page.run(&["history", "diff", "pdf", "1", "2"]);
    assert!(changes.contains("+license: MIT"), "{changes}");
    assert_eq!(page.body("/difference?id=pdf&from=1&to=2&format=json"), changes);
    assert!(page.body("/history?id=pdf").contains("2 accepted, now"));
    assert!(page.body("/").contains("/skill?id=notes"), "an agent has written it");
    let trust = form("/skill?id=notes") + "decision=trust";
    page.tree.write("home/written/notes/new.md", "Not seen.");
    assert_eq!(decide("/skill", &trust).as_deref(), Some("409"), "its files are others");
    let trust = form("/skill?id=notes") + "decision=trust";
    assert_eq!(decide("/skill", &trust).as_deref(), Some("303"));
    assert!(page.run(&["trust", "--list"]).contains("notes@sha256:"));
    let distrust = form("/trust") + "decision=distrust";
    assert_eq!(decide("/trust", &distrust).as_deref(), Some("303"));
    assert!(page.run(&["trust", "--list"]).contains("\"folders\": []"));
    for step in ["granted by", "revoked by"] {
        let line = format!("trust in `{}` {step}", page.tree.join("project").display());
        assert!(page.run(&["audit", "show"]).contains(&line), "{line}");
    }
}

/// A rule is no fault of the server, and is said before a decision.
#[test]
fn refusals_of_rules_are_no_failures() {
    let page = Page::open();
    let own = program(&page.tree)
        .with_input("-name: pdf\n+name: pdf\n+license: MIT\n+compatibility: any\n");
    let proposed = own.run(&["propose", "pdf", "--reason", "mine"]);
    let name = proposed.text().trim().trim_start_matches("proposed: ").to_owned();
    let own = page.body(&format!("/proposal?id={name}"));
    let only = own.contains("value=\"withdraw\"") && !own.contains("value=\"reject\"");
    assert!(own.contains("You may not decide on it") && only, "{own}");
    let embedded = page.body("/history?id=prowess-usage");
    assert!(embedded.contains("This program has not changed the skill"), "{embedded}");
    let difference = page.send("GET", "/difference?id=prowess-usage&from=1&to=2", "");
    let is_refused = difference.contains(" 403 ") && difference.contains("skill-not-writable");
    assert!(is_refused, "{difference}");
    let file = page.tree.join("proposals").join(&name);
    std::fs::write(file, "changed").expect("it is written");
    for path in ["/", "/proposals"] {
        let body = page.body(path);
        assert!(body.contains("tampered") && body.contains(&name), "{path}: {body}");
    }
    let body = page.body(&format!("/proposal?id={name}"));
    assert!(body.contains("value=\"reject\"") && !body.contains("value=\"accept\""), "{body}");
}

#[test]
fn address_of_other_machines_is_refused() {
    let ran = Program::new().run(&["serve", "--web", "0.0.0.0:0"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("is not a loopback address"), "{}", ran.stderr);
    let options = "--token-file=t; --oauth-issuer=https://a.example; --oauth-scope=a; \
                   --oauth-resource=https://a.example/mcp; --tls-cert=c --tls-key=k; \
                   --allow-origin=https://a.example; --rate=1; --client-connections=1; \
                   --client-sessions=1; --approvals=client; --store=postgres://a@b/c; \
                   --http=127.0.0.1:0";
    for option in options.split("; ") {
        let options = option.split(' ');
        let args: Vec<_> = ["serve", "--web", "127.0.0.1:0"].into_iter().chain(options).collect();
        let ran = Program::new().run(&args);
        assert!(ran.code == Some(2) && ran.stderr.contains("cannot be used with"), "{ran:?}");
    }
    let ran = Program::new().run(&["serve", "--allow-host", "a.example"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("--web <ADDR>"), "{ran:?}");
}
