//! Connections by `CONNECT`.

use std::io::{Read, Write};

use prowess_egress::RefusalKind;
use prowess_testkit::Server;

use crate::fixture::{Host, client, granting};

#[test]
fn granted_host_is_reached_by_tls() {
    let server = Server::encrypted("HTTP/1.1 200 OK\r\n\r\nhello");
    let host = Host::new(granting(server.port));
    let authority = format!("localhost:{}", server.port);
    let mut stream = client(host.tunnel(&authority), "localhost").unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.ends_with("hello"), "{answer}");
    drop(stream);
    let traffic = host.end();
    assert!(traffic.refusals.is_empty(), "{traffic:?}");
    assert_eq!(traffic.reached.into_iter().collect::<Vec<_>>(), [authority]);
    assert!(traffic.bytes > 0 && traffic.connections == 1);
}

#[test]
fn other_name_in_tls_is_refused() {
    let server = Server::encrypted("");
    let host = Host::new(granting(server.port));
    let authority = format!("localhost:{}", server.port);
    let error = client(host.tunnel(&authority), "other.example.com").unwrap_err();
    assert!(error.to_string().contains("AccessDenied"), "TLS ends with an alert: {error}");
    assert!(!server.has_received(), "nothing reaches the server");
    host.refused(RefusalKind::ServerNameMismatch, &authority);
}

#[test]
fn name_is_compared_in_one_form() {
    let server = Server::encrypted("");
    let host = Host::new(granting(server.port));
    let authority = format!("LocalHost.:{}", server.port);
    client(host.tunnel(&authority), "localhost").unwrap();
    assert!(host.end().refusals.is_empty());
}

#[test]
fn other_protocols_are_refused() {
    let server = Server::plain("");
    let host = Host::new(granting(server.port));
    let authority = format!("localhost:{}", server.port);
    let mut tunnel = host.tunnel(&authority);
    tunnel.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    tunnel.read_to_end(&mut answer).unwrap();
    assert_eq!(answer.first(), Some(&21), "the answer is an alert of TLS");
    host.refused(RefusalKind::NotTls, &authority);
}
