//! The encrypted server and the library of another language.

use std::process::Command;

use crate::serve_http::{certified, start};

/// Requests a URL with Python's own TLS, which trusts one certificate, and returns the status.
const CLIENT: &str = "import ssl, sys, urllib.request as request\n\
    context = ssl.create_default_context(cafile=sys.argv[2])\n\
    print(request.urlopen(sys.argv[1], context=context).status)";

#[test]
fn encrypted_server_answers_another_library() {
    let (tree, certificate, key) = certified();
    let server = start(&tree, &["--tls-cert", &certificate, "--tls-key", &key]);
    let health = server.url.replace("/mcp", "/healthz");
    let mut python = Command::new("python3");
    let ran = python.args(["-c", CLIENT, &health, &certificate]).output().expect("python3 starts");
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "200", "{ran:?}");
}
