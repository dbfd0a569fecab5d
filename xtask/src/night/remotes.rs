//! Tests of remotes against real servers, which are started here and end with the tests.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::install::python::environment;
use crate::process::{Failure, Server, cargo_with, first_line, succeed};
use crate::root;
use crate::selection::Selection;

/// The packages with tests that need servers, and the module of these.
pub(super) const PACKAGES: [&str; 2] = ["prowess-cli", "prowess-source-remote"];
pub(super) const REAL: &str = "real::";

/// The packages of the store, whose versions belong together.
const STORE: [&str; 1] = ["moto[server]==5.2.5"];

/// The password of the user `prowess` is `s3cr3t`, hashed by bcrypt.
const USERS: &str = "prowess:$2y$04$abcdefghijklmnopqrstuu35fBIWlNgF8BcAW/t2cO158N8svSFHy\n";

/// Starts a registry and a store, and runs the tests that need them.
pub(crate) fn run() -> Result<(), Failure> {
    let place = tempfile::tempdir()?;
    let certificates = certificates(place.path())?;
    let (plain, _plain_server) = registry(&place.path().join("plain"), "")?;
    let tls = format!(
        "  tls:\n    certificate: {0}/server.pem\n    key: {0}/server.key\n",
        place.path().display()
    );
    let (secure, _secure_server) = registry(&place.path().join("secure"), &tls)?;
    let (store, _store_server) = store()?;
    let variables = [
        ("PROWESS_TEST_CERTIFICATES", certificates.as_str()),
        ("PROWESS_TEST_REGISTRY", plain.as_str()),
        ("PROWESS_TEST_SECURE_REGISTRY", secure.as_str()),
        ("PROWESS_TEST_S3", store.as_str()),
    ];
    let features = PACKAGES.map(|package| format!("{package}/real-servers")).join(",");
    let test = ["test", "--test", "it", "--features", &features, "--", REAL];
    cargo_with(&variables, Selection::Full.cargo(&test))
}

/// Creates an authority, and the certificate of a server on this machine; returns the path of the
/// authority's own.
fn certificates(place: &Path) -> Result<String, Failure> {
    let openssl = |arguments: &str| {
        let mut command = Command::new("openssl");
        succeed(command.args(arguments.split(' ')).current_dir(place)).map(drop)
    };
    std::fs::write(place.join("server.ext"), "subjectAltName = IP:127.0.0.1\n")?;
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    openssl(&format!("req -x509 {key} -keyout root.key -out root.pem -subj /CN=Test"))?;
    openssl(&format!("req {key} -keyout server.key -out server.csr -subj /CN=127.0.0.1"))?;
    openssl(
        "x509 -req -in server.csr -CA root.pem -CAkey root.key -CAcreateserial -days 2 \
         -extfile server.ext -out server.pem",
    )?;
    Ok(place.join("root.pem").display().to_string())
}

/// Starts the registry of Debian, with a password, and returns its address.
fn registry(place: &Path, tls: &str) -> Result<(String, Server), Failure> {
    std::fs::create_dir(place)?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let host = format!("127.0.0.1:{port}");
    let users = place.join("users");
    std::fs::write(&users, USERS)?;
    let config = place.join("registry.yaml");
    let (users, data) = (users.display(), place.join("registry"));
    let text = format!(
        "version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: {}\n\
         http:\n  addr: {host}\n{tls}auth:\n  htpasswd:\n    realm: registry\n    path: {users}\n",
        data.display()
    );
    std::fs::write(&config, text)?;
    let mut command = Command::new("docker-registry");
    let server = Server::listening(command.arg("serve").arg(&config), &host)?;
    Ok((host, server))
}

/// Starts the store, which prints where it is, and ends with its input.
fn store() -> Result<(String, Server), Failure> {
    let python = environment(&root().join("target/clients/moto"), &STORE)?;
    let mut command = Command::new(python);
    command.args(["-c", include_str!("remotes/s3.py")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Server(command.spawn()?);
    let host = first_line(server.0.stdout.take())?;
    if host.is_empty() {
        return Err(Failure("the store does not start".to_owned()));
    }
    Ok((host, server))
}
