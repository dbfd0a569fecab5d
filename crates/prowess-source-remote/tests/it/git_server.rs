//! Repositories of git, and a real server of git for them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

/// A repository with a work tree.
pub(crate) struct Repository {
    pub(crate) place: TempDir,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Self { place: tempfile::tempdir().unwrap() };
        repository.git(&["init", "--quiet", "--initial-branch=main", "team/skills.git"]);
        repository
    }

    /// Creates a repository with one skill.
    pub(crate) fn with(skill_md: &str) -> Self {
        let repository = Self::new();
        repository.commit("SKILL.md", skill_md);
        repository
    }

    pub(crate) fn tree(&self) -> std::path::PathBuf {
        self.place.path().join("team/skills.git")
    }

    /// Returns the source of the repository on this machine.
    pub(crate) fn source(&self) -> String {
        format!("git+file://{}", self.tree().display())
    }

    /// Commits a file, and returns the commit.
    pub(crate) fn commit(&self, path: &str, content: impl AsRef<[u8]>) -> String {
        let file = self.tree().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
        self.in_tree(&["add", "--all"]);
        self.commit_index()
    }

    /// Commits the index, and returns the commit.
    pub(crate) fn commit_index(&self) -> String {
        self.in_tree(&["commit", "--quiet", "--message=next", "--allow-empty"]);
        self.in_tree(&["rev-parse", "HEAD"])
    }

    /// Runs git in the work tree, and returns what it prints.
    pub(crate) fn in_tree(&self, arguments: &[&str]) -> String {
        let tree = self.tree();
        self.git(&[&["-C", tree.to_str().unwrap()], arguments].concat())
    }

    fn git(&self, arguments: &[&str]) -> String {
        let user = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
        let mut command = Command::new("git");
        command.args(user).args(arguments).current_dir(self.place.path());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    }
}

/// A server of the repositories of a folder, by `git http-backend`, which ends when it is dropped.
pub(crate) struct GitServer {
    pub(crate) host: String,
    /// The value of `Authorization` that every request has to have.
    needed: Option<&'static str>,
    requests: Arc<Mutex<usize>>,
    thread: Option<JoinHandle<()>>,
}

impl GitServer {
    pub(crate) fn new(root: &Path, needed: Option<&'static str>) -> Self {
        Self::start(root, needed, None)
    }

    pub(crate) fn with_tls(
        root: &Path,
        needed: Option<&'static str>,
        config: Arc<ServerConfig>,
    ) -> Self {
        Self::start(root, needed, Some(config))
    }

    fn start(root: &Path, needed: Option<&'static str>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(0));
        let thread = {
            let (root, requests) = (root.to_owned(), Arc::clone(&requests));
            std::thread::spawn(move || {
                std::thread::scope(|scope| {
                    for stream in listener.incoming() {
                        let stream = stream.unwrap();
                        // An empty connection ends the server.
                        if stream.peek(&mut [0]).unwrap_or_default() == 0 {
                            return;
                        }
                        let (root, requests, tls) = (&root, &requests, tls.clone());
                        scope.spawn(move || match tls {
                            None => answer(&stream, root, needed, requests),
                            Some(config) => {
                                let connection = ServerConnection::new(config).unwrap();
                                let mut stream = StreamOwned::new(connection, stream);
                                answer(&mut stream, root, needed, requests);
                                stream.conn.send_close_notify();
                                let _ = stream.flush();
                            }
                        });
                    }
                });
            })
        };
        Self { host, needed, requests, thread: Some(thread) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    pub(crate) fn requests(&self) -> usize {
        assert!(self.needed.is_none() || *self.requests.lock().unwrap() > 0);
        *self.requests.lock().unwrap()
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        drop(TcpStream::connect(&self.host));
        drop(self.thread.take().map(JoinHandle::join));
    }
}

/// Answers one request of a connection.
fn answer(
    mut stream: impl Read + Write,
    root: &Path,
    needed: Option<&str>,
    requests: &Mutex<usize>,
) {
    let Some(request) = Request::read(&mut stream) else { return };
    *requests.lock().unwrap() += 1;
    let _ = stream.write_all(&request.answer(root, needed));
    let _ = stream.flush();
}

struct Request {
    method: String,
    target: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Request {
    fn read(stream: &mut impl Read) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let mut words = lines.first()?.split(' ').map(str::to_owned);
        let header = |line: &String| {
            let (key, value) = line.split_once(": ")?;
            Some((key.to_ascii_lowercase(), value.to_owned()))
        };
        let headers: BTreeMap<_, _> = lines[1..].iter().filter_map(header).collect();
        let length = headers.get("content-length").map_or(0, |it| it.parse().unwrap());
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some(Self { method: words.next()?, target: words.next()?, headers, body })
    }

    fn answer(&self, root: &Path, needed: Option<&str>) -> Vec<u8> {
        let given = self.headers.get("authorization").map(String::as_str);
        if needed.is_some() && given != needed {
            let challenge = "WWW-Authenticate: Basic realm=\"skills\"\r\nConnection: close";
            return format!(
                "HTTP/1.1 401 Unauthorized\r\n{challenge}\r\nContent-Length: 0\r\n\r\n"
            )
            .into();
        }
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let mut command = Command::new("git");
        command.arg("http-backend").env("GIT_PROJECT_ROOT", root).env("GIT_HTTP_EXPORT_ALL", "1");
        command.env("PATH_INFO", path).env("QUERY_STRING", query);
        command
            .env("REQUEST_METHOD", &self.method)
            .env("CONTENT_LENGTH", self.body.len().to_string());
        for (variable, header) in [
            ("CONTENT_TYPE", "content-type"),
            ("HTTP_CONTENT_ENCODING", "content-encoding"),
            ("GIT_PROTOCOL", "git-protocol"),
        ] {
            command.env(variable, self.headers.get(header).map_or("", String::as_str));
        }
        let mut backend = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        backend.stdin.take().unwrap().write_all(&self.body).unwrap();
        let output = backend.wait_with_output().unwrap().stdout;
        let text = String::from_utf8_lossy(&output);
        let status = text.lines().find_map(|line| line.strip_prefix("Status: "));
        let status = status.unwrap_or("200 OK");
        [format!("HTTP/1.1 {status}\r\nConnection: close\r\n").as_bytes(), &output].concat()
    }
}
