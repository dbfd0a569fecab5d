//! A PostgreSQL server of a test's own, and a proxy that loses its answers.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// How often a server is started before that has failed.
const STARTS: usize = 100;

/// A server in a directory of its own, which ends when it is dropped. It needs `initdb`, `postgres`
/// and `psql`; for root also `setpriv`, and a user `postgres`, because no server runs as root.
pub struct PostgresServer {
    directory: TempDir,
    port: u16,
    server: Option<Child>,
    databases: AtomicUsize,
}

impl PostgresServer {
    /// Creates the files of a server and starts it.
    pub fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        if is_root() {
            succeed(Command::new("chown").arg("postgres").arg(directory.path()));
        }
        let data = directory.path().join("data");
        let initdb = "--username=postgres --auth=trust --no-sync --encoding=UTF8 --locale=C -D";
        succeed(command("initdb").args(initdb.split(' ')).arg(data));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut this = Self { directory, port, server: None, databases: AtomicUsize::new(0) };
        this.restart();
        this
    }

    /// Starts the server again, with the same files and port. What a killed one has left ends a
    /// moment later, and another program may have its port for as long.
    pub fn restart(&mut self) {
        let is_started = (0..STARTS).any(|_| self.try_restart());
        assert!(is_started, "it starts");
    }

    fn try_restart(&mut self) -> bool {
        let mut server = command("postgres");
        server
            .arg("-D")
            .arg(self.directory.path().join("data"))
            .arg("-k")
            .arg(self.directory.path());
        server.args(["-p", &self.port.to_string(), "-h", "127.0.0.1"]);
        let mut server = server.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
        let is_ready = |line: &String| line.contains("ready to accept connections");
        if !lines.by_ref().map_while(Result::ok).any(|line| is_ready(&line)) {
            server.wait().unwrap();
            return false;
        }
        // Its log must not fill the pipe.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        self.server = Some(server);
        true
    }

    /// Creates an empty database, and returns its URL.
    pub fn database(&self) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.query("postgres://postgres", &format!("CREATE DATABASE {name}"));
        format!("postgres://postgres@127.0.0.1:{}/{name}", self.port)
    }

    /// Runs a statement in the database of a URL and returns its rows, one a line.
    pub fn query(&self, url: &str, statement: &str) -> String {
        let name = url.rsplit_once('/').map_or("postgres", |(_, name)| name);
        let mut psql = Command::new("psql");
        psql.args([
            "-U",
            "postgres",
            "-p",
            &self.port.to_string(),
            "-d",
            name,
            "-XAtqc",
            statement,
        ]);
        succeed(psql.arg("-h").arg(self.directory.path()))
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends the server without a word, as a power failure of its machine does.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.server.take().unwrap().wait().unwrap();
    }

    /// Sends a signal to each process of the server.
    pub fn signal(&self, signal: Signal) {
        let server = self.server.as_ref().unwrap().id();
        let children = format!("/proc/{server}/task/{server}/children");
        let children = std::fs::read_to_string(children).unwrap();
        let children = children.split_whitespace().map(|pid| pid.parse().unwrap());
        // First the one that starts others.
        for pid in std::iter::once(i32::try_from(server).unwrap()).chain(children) {
            // A child may have ended.
            let _ = kill_process(Pid::from_raw(pid).unwrap(), signal);
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        if self.server.is_some() {
            self.signal(Signal::CONT);
            self.kill();
        }
    }
}

/// Returns a command of the server's user.
fn command(program: &str) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--", program]);
    command.current_dir("/");
    command
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {error}");
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// A proxy in front of a port that passes everything on, except for answers that are to be lost.
pub struct CutProxy {
    /// Its own port.
    pub port: u16,
    /// The number of answers with this text that are lost, each with its connection.
    left: Arc<AtomicUsize>,
}

impl CutProxy {
    /// Starts a proxy. An answer that contains `mark` is lost if one is to be.
    pub fn start(server: u16, mark: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let left = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&left);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let requests = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || pass_on(requests.0, requests.1, |_| false));
                let left = Arc::clone(&counter);
                thread::spawn(move || pass_on(server, client, |bytes| is_lost(bytes, mark, &left)));
            }
        });
        Self { port, left }
    }

    /// Loses the next answers with the mark.
    pub fn lose(&self, answers: usize) {
        self.left.store(answers, Ordering::SeqCst);
    }

    /// Returns the number of answers that will be lost.
    pub fn left(&self) -> usize {
        self.left.load(Ordering::SeqCst)
    }
}

fn is_lost(bytes: &[u8], mark: &str, left: &AtomicUsize) -> bool {
    let has_mark = bytes.windows(mark.len()).any(|part| part == mark.as_bytes());
    has_mark
        && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| it.checked_sub(1)).is_ok()
}

/// Passes bytes on until the connection ends or is to be cut.
fn pass_on(mut from: TcpStream, mut to: TcpStream, is_cut: impl Fn(&[u8]) -> bool) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if is_cut(&bytes[..read]) || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
