//! Tests of remotes against real servers, which are started here and end with the tests.

use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::clients::environment;
use crate::process::{Failure, cargo_with};

/// The packages of the store, whose versions belong together.
const STORE: [&str; 1] = ["moto[server]==5.2.5"];

/// The password of the user `prowess` is `s3cr3t`, hashed by bcrypt.
const USERS: &str = "prowess:$2y$04$abcdefghijklmnopqrstuu35fBIWlNgF8BcAW/t2cO158N8svSFHy\n";

/// How often a server is asked whether it has started, every tenth of a second.
const ATTEMPTS: usize = 300;

/// A server, which ends when it is dropped.
struct Server {
    host: String,
    child: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a registry and a store, and runs the tests that need them.
pub(crate) fn run() -> Result<(), Failure> {
    let place = tempfile::tempdir()?;
    let registry = registry(place.path())?;
    let store = store()?;
    let variables = [
        ("PROWESS_TEST_REGISTRY", registry.host.as_str()),
        ("PROWESS_TEST_S3", store.host.as_str()),
    ];
    let test = ["test", "--package", "prowess-source-remote", "--features", "real-servers"];
    cargo_with(&variables, test.iter().chain(&["--test", "it", "--", "real::"]))
}

/// Starts the registry of Debian, with a password.
fn registry(place: &Path) -> Result<Server, Failure> {
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let host = format!("127.0.0.1:{port}");
    let users = place.join("users");
    std::fs::write(&users, USERS)?;
    let config = place.join("registry.yaml");
    let (users, data) = (users.display(), place.join("registry"));
    let text = format!(
        "version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: {}\n\
         http:\n  addr: {host}\nauth:\n  htpasswd:\n    realm: registry\n    path: {users}\n",
        data.display()
    );
    std::fs::write(&config, text)?;
    let mut command = Command::new("docker-registry");
    command.arg("serve").arg(&config).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().map_err(|error| {
        Failure(format!("cannot start `docker-registry`: {error}; install it with apt-get"))
    })?;
    let mut server = Server { host, child };
    for _ in 0..ATTEMPTS {
        if TcpStream::connect(&server.host).is_ok() {
            return Ok(server);
        }
        if let Some(status) = server.child.try_wait()? {
            return Err(Failure(format!("`docker-registry` ends: {status}")));
        }
        sleep(Duration::from_millis(100));
    }
    Err(Failure("`docker-registry` does not start".to_owned()))
}

/// Starts the store, which prints where it is, and ends with its input.
fn store() -> Result<Server, Failure> {
    let python = environment("moto", &STORE)?;
    let mut command = Command::new(python);
    command.args(["-c", include_str!("remotes/s3.py")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut host = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut host)?;
    }
    let server = Server { host: host.trim().to_owned(), child };
    let is_started = !server.host.is_empty();
    if is_started { Ok(server) } else { Err(Failure("the store does not start".to_owned())) }
}
