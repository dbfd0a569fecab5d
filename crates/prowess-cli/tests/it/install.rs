//! Skills are installed, found by every command, updated and rolled back.

#[cfg(feature = "remotes")]
mod credentials;
mod git;
mod updates;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

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
    if folder.join(format!("{path}.silent")).exists() {
        // Until the client hangs up, or has waited longer than any may.
        let _ = stream.set_read_timeout(Some(Duration::from_secs(50)));
        let _ = stream.read(&mut [0]);
    }
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

    /// Returns the path of a file below the user's state.
    pub(crate) fn state(&self, path: &str) -> PathBuf {
        self.tree.join("home/.local/state/prowess").join(path)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Program::new().at_home_in(&self.tree.join("home")).run(args)
    }

    /// Runs a command that may reach the site.
    pub(crate) fn online(&self, args: &[&str]) -> Ran {
        self.run(&[args, &["--host", &self.site.host, "--format", "json"]].concat())
    }

    pub(crate) fn add(&self) {
        let added = self.online(&["add", &self.source()]);
        assert_eq!(states(&added.json()), ["notes added", "pdf added"]);
    }

    /// Returns the site of the skills or, for a program that cannot reach it, their folder.
    pub(crate) fn source(&self) -> String {
        if cfg!(feature = "remotes") {
            format!("http://{}", self.site.host)
        } else {
            self.path("skills")
        }
    }

    pub(crate) fn host(&self) -> &str {
        &self.site.host
    }

    #[cfg(feature = "remotes")]
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

/// Returns the content of all files below a directory, by path.
pub(crate) fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let content = |path: PathBuf| match path.is_dir() {
        true => files(&path),
        false => vec![(path.clone(), fs::read(&path).unwrap_or_default())],
    };
    paths.into_iter().flat_map(content).collect()
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
    assert_eq!(states(&machine.online(&["update", "--check"]).json()), ["pdf changed"]);
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
    assert_eq!(states(&machine.online(&["update", "--rollback", "pdf"]).json()), ["pdf restored"]);
    assert!(machine.run(&["show", "pdf"]).text().contains("How to use pdf"));
    assert_eq!(states(&machine.online(&["remove", "notes"]).json()), ["notes removed"]);
    assert_eq!(machine.listed(), ["pdf"]);
}
