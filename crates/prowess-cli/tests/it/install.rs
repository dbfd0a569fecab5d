//! Skills are installed, found by every command, updated and rolled back.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use prowess_testkit::Tree;
use serde_json::{Value, json};

use crate::plain_skill;
use crate::program::{Program, Ran};

/// A server of the files of a folder on this machine, which ends when it is dropped.
struct Site {
    host: String,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    fn new(folder: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if answer(&folder, stream.unwrap()).is_none() {
                    return;
                }
            }
        });
        Self { host, thread: Some(thread) }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // An empty request ends the server.
        drop(TcpStream::connect(&self.host));
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Answers one request; `None` for an empty one.
fn answer(folder: &Path, mut stream: TcpStream) -> Option<()> {
    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let first = lines.next()?;
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = first.split(' ').nth(1)?.trim_start_matches('/');
    let (status, body) = match fs::read(folder.join(path)) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    let _ = stream.write_all(&body);
    Some(())
}

/// A stranger's skills, their site, and a user with an empty home.
pub(crate) struct Machine {
    pub(crate) tree: Tree,
    site: Site,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let tree = Tree::new("//- /home/.keep\n");
        tree.write("skills/pdf/SKILL.md", plain_skill("pdf"));
        tree.write("skills/notes/SKILL.md", plain_skill("notes"));
        let site = Site::new(tree.join("site"));
        let machine = Self { tree, site };
        machine.publish();
        machine
    }

    pub(crate) fn publish(&self) {
        let published = self.run(&["publish", &self.path("skills"), &self.path("site")]);
        assert_eq!(published.code, Some(0), "{}", published.stderr);
    }

    pub(crate) fn path(&self, path: &str) -> String {
        self.tree.join(path).to_string_lossy().into_owned()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Program::new().at_home_in(&self.tree.join("home")).run(args)
    }

    /// Runs a command that may reach the site.
    pub(crate) fn online(&self, args: &[&str]) -> Ran {
        self.run(&[args, &["--host", &self.site.host, "--format", "json"]].concat())
    }

    pub(crate) fn add(&self) {
        let added = self.online(&["add", &format!("http://{}", self.site.host)]);
        assert_eq!(states(&added.json()), ["notes added", "pdf added"]);
    }

    pub(crate) fn host(&self) -> &str {
        &self.site.host
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.site.host)
    }

    /// Runs git in the directory of the skills, and returns what it prints.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let user = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
        let mut command = std::process::Command::new("git");
        let ran = command.args(user).args(arguments).current_dir(self.tree.join("skills"));
        let ran = ran.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    }

    /// Creates a repository of the skills.
    pub(crate) fn commit_all(&self) {
        self.git(&["init", "--quiet", "--initial-branch=main"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=one"]);
    }

    /// The ids of the installed skills that `list` finds.
    pub(crate) fn listed(&self) -> Vec<String> {
        let listed = self.run(&["list", "--format", "json"]).json();
        let skills = listed["skills"].as_array().unwrap().iter();
        let installed = skills.filter(|skill| skill["layer"] == "installed");
        installed.map(|skill| skill["id"].as_str().unwrap().to_owned()).collect()
    }
}

pub(crate) fn states(answer: &Value) -> Vec<String> {
    let text = |skill: &Value, key: &str| skill[key].as_str().unwrap().to_owned();
    let skills = answer["skills"].as_array().unwrap().iter();
    skills.map(|skill| format!("{} {}", text(skill, "id"), text(skill, "state"))).collect()
}

#[test]
fn strangers_round_trip() {
    let machine = Machine::new();
    machine.add();
    assert_eq!(machine.listed(), ["notes", "pdf"]);
    let shown = machine.run(&["show", "pdf"]);
    assert!(shown.text().contains("How to use pdf"), "{}", shown.stdout);
    assert_eq!(machine.online(&["sync", "--check"]).code, Some(0));

    // One byte changes at the server.
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf").replace("How to", "How tO"));
    machine.publish();
    let checked = machine.online(&["sync", "--check"]);
    assert_eq!(checked.code, Some(1));
    assert_eq!(states(&checked.json()), ["notes intact", "pdf changed"]);
    assert_eq!(states(&machine.online(&["outdated"]).json()), ["pdf changed"]);
    let preview = machine.online(&["update", "--preview"]).json();
    let update = &preview["updates"][0];
    assert_eq!(update["files"].to_string(), r#"{"SKILL.md":"changed"}"#);
    assert_eq!(
        (&update["gained"], &update["lost"]),
        (&json!([]), &json!([])),
        "it can do the same"
    );
    assert!(machine.run(&["show", "pdf"]).text().contains("How to"), "a preview changes nothing");

    let updated = machine.online(&["update"]).json();
    assert_eq!(updated["updates"].as_array().unwrap().len(), 1);
    assert!(machine.run(&["show", "pdf"]).text().contains("How tO use pdf"));
    assert_eq!(states(&machine.online(&["rollback", "pdf"]).json()), ["pdf restored"]);
    assert!(machine.run(&["show", "pdf"]).text().contains("How to use pdf"));
    assert_eq!(states(&machine.online(&["remove", "notes"]).json()), ["notes removed"]);
    assert_eq!(machine.listed(), ["pdf"]);
}

#[test]
fn start_needs_no_network() {
    let Machine { tree, site } = {
        let machine = Machine::new();
        machine.add();
        machine
    };
    let host = site.host.clone();
    drop(site);
    let run = |args: &[&str]| Program::new().at_home_in(&tree.join("home")).run(args);
    assert!(run(&["show", "pdf"]).text().contains("How to use pdf"));
    assert_eq!(run(&["verify"]).code, Some(0));
    assert_eq!(run(&["sync"]).code, Some(0), "everything is in the store");
    let checked = run(&["sync", "--check", "--host", &host, "--format", "json"]);
    assert_eq!(states(&checked.json()), ["notes unavailable", "pdf unavailable"]);
}

#[test]
fn surface_growth_has_to_be_accepted() {
    let machine = Machine::new();
    machine.add();
    machine.tree.write("skills/pdf/scripts/run.sh", "#!/bin/sh\ncurl https://evil.example\n");
    machine.publish();
    let refused = machine.online(&["update"]);
    assert_eq!(refused.code, Some(1));
    assert_eq!(refused.error()["code"], "surface-grown");
    let gained = &machine.online(&["update", "--preview"]).json()["updates"][0]["gained"];
    assert_eq!(
        gained.to_string(),
        r#"["host:evil.example","interpreter:sh","script:scripts/run.sh"]"#
    );
    assert_eq!(machine.online(&["update", "--accept"]).code, Some(0));
    assert_eq!(machine.online(&["sync", "--check"]).code, Some(0));
}

#[test]
fn preview_shows_hosts_and_variables_on_both_sides() {
    let machine = Machine::new();
    let script = |text: &str| machine.tree.write("skills/pdf/scripts/run.sh", text);
    script("#!/bin/sh\ncurl https://one.example/$OLD_TOKEN\n");
    machine.publish();
    machine.add();
    script("#!/bin/sh\ncurl https://two.example/${NEW_TOKEN} \"$OLD_TOKEN\"\n");
    machine.publish();
    let update = &machine.online(&["update", "--preview"]).json()["updates"][0];
    assert_eq!(update["gained"].to_string(), r#"["env:NEW_TOKEN","host:two.example"]"#);
    assert_eq!(update["lost"].to_string(), r#"["host:one.example"]"#);
    assert_eq!(update["files"].to_string(), r#"{"scripts/run.sh":"changed"}"#);

    let shown = machine.run(&["update", "--preview", "--host", machine.host()]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let lines: Vec<_> = shown.stdout.lines().filter(|line| !line.contains("sha256:")).collect();
    let expected = [
        "pdf",
        "  changed  scripts/run.sh",
        "  gains    env:NEW_TOKEN",
        "  gains    host:two.example",
        "  loses    host:one.example",
    ];
    assert_eq!(lines, expected, "only what differs is shown");

    let refused = machine.run(&["update", "--host", machine.host()]);
    assert_eq!(refused.code, Some(1), "new hosts and variables have to be accepted");
    for fact in ["env:NEW_TOKEN", "host:two.example"] {
        assert!(refused.stderr.contains(fact), "`{fact}` is named: {}", refused.stderr);
    }
    assert!(!refused.stderr.contains("OLD_TOKEN"), "what is known is not: {}", refused.stderr);
}

#[test]
fn other_bytes_end_with_their_own_code() {
    let machine = Machine::new();
    machine.add();
    let store = machine.tree.join("home/.local/state/prowess/store");
    let tree = machine.run(&["verify", "--format", "json"]).json();
    assert_eq!(states(&tree), ["notes intact", "pdf intact"]);
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + "More.\n");
    machine.publish();
    fs::remove_dir_all(store.join("packages")).unwrap();
    assert_eq!(machine.run(&["verify"]).code, Some(1));
    let synced = machine.online(&["sync"]);
    assert_eq!(synced.code, Some(3));
    assert_eq!(states(&synced.json()), ["notes installed", "pdf quarantined"]);
    let listed = machine.run(&["quarantine", "list", "--format", "json"]).json();
    assert_eq!(states(&listed), ["pdf quarantined"]);
    let detail = listed["skills"][0]["detail"].as_str().unwrap();
    let digest = detail.split(' ').next().unwrap();
    let file = machine.path("released.tar.gz");
    assert_eq!(machine.run(&["quarantine", "release", digest, &file]).code, Some(0));
    let released = machine.online(&["add", &file, "--lock", &machine.path("other.lock")]);
    assert_eq!(states(&released.json()), ["pdf added"]);
}

#[test]
fn broken_lock_installs_nothing() {
    let machine = Machine::new();
    machine.add();
    let lock = machine.tree.join("home/.local/state/prowess/prowess.lock");
    let text = fs::read_to_string(&lock).unwrap();
    fs::write(&lock, format!("<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n")).unwrap();
    for args in [&["sync"] as &[&str], &["update"], &["remove", "pdf"], &["verify"]] {
        let ran = machine.run(&[args, &["--format", "json"]].concat());
        assert_eq!(ran.error()["code"], "lock-conflicted", "{args:?}");
    }
    assert_eq!(machine.run(&["lock", "merge"]).code, Some(0));
    assert_eq!(fs::read_to_string(&lock).unwrap(), text, "it is repaired");
    assert_eq!(machine.listed(), ["notes", "pdf"]);
    let frozen = machine.run(&["sync", "--frozen", "--lock", &machine.path("none.lock")]);
    assert_eq!(frozen.code, Some(1));
}

#[test]
fn merge_driver_of_git_merges_locks() {
    let machine = Machine::new();
    let locks = ["base.lock", "ours.lock", "theirs.lock"].map(|name| machine.path(name));
    for (lock, name) in [(&locks[1], "pdf"), (&locks[2], "notes")] {
        let site = format!("http://{}", machine.site.host);
        assert_eq!(machine.online(&["add", &site, name, "--lock", lock]).code, Some(0));
    }
    fs::write(&locks[0], "").unwrap();
    let merged = machine.run(&["lock", "merge", "--files", &locks[0], &locks[1], &locks[2]]);
    assert_eq!(merged.code, Some(0), "{}", merged.stderr);
    let text = fs::read_to_string(&locks[1]).unwrap();
    assert!(text.contains("[skill.pdf]") && text.contains("[skill.notes]"), "{text}");
}

#[test]
fn repository_is_installed_by_branch_and_commit() {
    let machine = Machine::new();
    let git = |arguments: &[&str]| machine.git(arguments);
    machine.commit_all();
    let first = git(&["rev-parse", "HEAD"]);
    let path = std::env::var("PATH").unwrap();
    let run = |arguments: &[&str]| {
        let program = Program::new().at_home_in(&machine.tree.join("home"));
        program.variable("PATH", &path).run(&[arguments, &["--format", "json"]].concat())
    };
    let source = format!("git+file://{}", machine.path("skills"));
    let added = run(&["add", &source, "pdf", "--ref", "main"]);
    assert_eq!(states(&added.json()), ["pdf added"]);
    let lock = machine.tree.join("home/.local/state/prowess/prowess.lock");
    let text = fs::read_to_string(&lock).unwrap();
    assert!(text.contains(&format!("revision = \"{first}\"")), "{text}");
    assert!(text.contains("ref = \"main\"") && text.contains("path = \"pdf\""), "{text}");
    assert_eq!(run(&["sync", "--check"]).code, Some(0));

    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf").replace("How to", "How tO"));
    git(&["commit", "--quiet", "--all", "--message=two"]);
    assert_eq!(states(&run(&["outdated"]).json()), ["pdf changed"]);
    assert_eq!(run(&["update"]).code, Some(0));
    assert!(machine.run(&["show", "pdf"]).text().contains("How tO use pdf"));
    assert_eq!(states(&run(&["rollback", "pdf"]).json()), ["pdf restored"]);
    assert!(machine.run(&["show", "pdf"]).text().contains("How to use pdf"));
}

/// A site of repositories makes such an archive of a version: git writes the commit into a header of
/// pax, and everything is in one directory.
#[test]
fn archive_that_git_makes_is_installed() {
    let machine = Machine::new();
    machine.tree.write("skills/README.md", "Two skills.\n");
    machine.commit_all();
    let archive = machine.tree.join("site/owner/repo/archive/main.tar.gz");
    let archive_of = |prefix: &str| {
        fs::create_dir_all(archive.parent().unwrap()).unwrap();
        let output = format!("--output={}", archive.display());
        machine.git(&[
            "archive",
            "--format=tar.gz",
            &format!("--prefix={prefix}/"),
            &output,
            "HEAD",
        ]);
    };
    archive_of("repo-0123abc");
    let mut gzip = std::process::Command::new("gzip");
    let tar = gzip.arg("-dc").arg(&archive).output().unwrap().stdout;
    assert!(tar.windows(17).any(|text| text == b"pax_global_header"), "git writes the header");

    let source = format!("{}/owner/repo/archive/main.tar.gz", machine.address());
    let added = machine.online(&["add", &source, "pdf"]);
    assert_eq!(states(&added.json()), ["pdf added"]);
    assert_eq!(machine.listed(), ["pdf"], "one of the skills was selected");
    let lock = machine.tree.join("home/.local/state/prowess/prowess.lock");
    let text = fs::read_to_string(&lock).unwrap();
    assert!(text.contains("path = \"repo-0123abc/pdf\""), "{text}");
    assert!(machine.run(&["show", "pdf"]).text().contains("How to use pdf"));
    let all = machine.online(&["add", &source]);
    assert_eq!(states(&all.json()), ["notes added", "pdf unchanged"]);

    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf").replace("How to", "How tO"));
    machine.git(&["commit", "--quiet", "--all", "--message=two"]);
    archive_of("repo-4567def");
    assert_eq!(machine.online(&["update"]).code, Some(0), "the directory has another name");
    assert!(machine.run(&["show", "pdf"]).text().contains("How tO use pdf"));
}

#[test]
fn path_that_may_be_a_repository_is_ambiguous() {
    let machine = Machine::new();
    let program = Program::new().at_home_in(&machine.tree.join("home"));
    let added =
        program.working_in(&machine.tree.join("")).run(&["add", "skills/pdf", "--format", "json"]);
    assert_eq!(added.error()["code"], "remote-unsupported");
    let help = added.error()["help"].to_string();
    assert!(help.contains("./skills/pdf") && help.contains("github:skills/pdf"), "{help}");
}

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

/// The files below a directory, with their contents.
fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let content = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => vec![(path.clone(), fs::read(&path).unwrap_or_default())],
    };
    entries.flat_map(content).collect()
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

#[test]
fn approval_is_of_the_installed_files() {
    let machine = Machine::new();
    machine.tree.write("skills/pdf/scripts/seven.sh", "exit 7\n");
    machine.publish();
    machine.add();
    let script = ["run", "pdf", "scripts/seven.sh"];
    let asks = |version: &str| {
        let ran = machine.run(&script);
        assert_eq!(ran.code, Some(125), "{version}: {}", ran.stderr);
        assert!(ran.stderr.contains("error[approval-required]"), "{version}: {}", ran.stderr);
    };
    asks("the first version");
    let listed = machine.run(&["approvals", "list", "--format", "json"]).json();
    let id = listed["approvals"][0]["id"].as_str().unwrap();
    let granted = machine.run(&["approvals", "grant", id, "--scope", "always"]);
    assert_eq!(granted.code, Some(0), "{}", granted.stderr);
    assert_eq!(machine.run(&script).code, Some(7), "it runs");

    // One byte of another file changes.
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf").replace("How to", "How tO"));
    machine.publish();
    assert_eq!(machine.run(&script).code, Some(7), "what is installed is as it was approved");
    assert_eq!(machine.online(&["update"]).code, Some(0));
    asks("the update");
    assert_eq!(machine.online(&["rollback", "pdf"]).code, Some(0));
    assert_eq!(machine.run(&script).code, Some(7), "the approved files are back");
}

#[cfg(unix)]
#[test]
fn link_is_not_published() {
    let machine = Machine::new();
    machine.tree.write("secret", "-----BEGIN KEY-----");
    let link = machine.tree.join("skills/pdf/notes.md");
    std::os::unix::fs::symlink(machine.tree.join("secret"), link).unwrap();
    let (skills, site) = (machine.path("skills"), machine.path("site-with-link"));
    let published = machine.run(&["publish", &skills, &site, "--format", "json"]);
    let error = published.error();
    assert_eq!(error["code"], "remote-invalid", "{error}");
    assert!(!machine.tree.join("site-with-link").exists(), "nothing is written");
}

#[test]
fn packages_are_published_to_targets_that_exist() {
    let machine = Machine::new();
    let published =
        machine.run(&["publish", &machine.path("skills"), "--to", "ftp://a", "--format", "json"]);
    assert_eq!(published.error()["code"], "remote-unsupported");
    let private = "oci+http://127.0.0.1:1/skills:1";
    let published =
        machine.run(&["publish", &machine.path("skills"), "--to", private, "--format", "json"]);
    assert_eq!(published.error()["code"], "remote-unsupported", "plain `http` has to be named");
}
