//! Headers with secrets.

use prowess_egress::{EgressPolicy, Proxy, RefusalKind, SecretHeader, SecretValue, TrafficLimits};
use prowess_testkit::Server;

use crate::fixture::{Host, granting, patterns};

const SECRET: &str = "s3cret-of-the-operator";

fn secret(host: &str) -> SecretHeader {
    SecretHeader {
        host: patterns(&[host]).remove(0),
        header: "Authorization".to_owned(),
        prefix: "Bearer ".to_owned(),
        value: SecretValue::new(SECRET),
    }
}

fn with_secret(port: u16) -> Host {
    Host::with_secrets(granting(port), vec![secret(&format!("localhost:{port}"))])
}

#[test]
fn secret_is_added_and_sent_by_tls() {
    let server = Server::encrypted("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let proxy = with_secret(server.port);
    let answer = proxy.answer(format!(
        "GET http://localhost:{}/ HTTP/1.1\r\nauthorization: Bearer of-the-script\r\n\
         Accept-Encoding: gzip\r\n\r\n",
        server.port
    ));
    assert!(answer.ends_with("\r\n\r\nok"), "{answer}");
    let received = server.received();
    assert!(received.contains(&format!("Authorization: Bearer {SECRET}\r\n")), "{received}");
    assert!(!received.contains("of-the-script"), "the header of the process is replaced");
    assert!(!received.contains("gzip"), "a compressed answer would hide a secret in it");
}

#[test]
fn secret_in_an_answer_is_replaced() {
    let answer = format!("HTTP/1.1 200 OK\r\nX-Sent: {SECRET}\r\n\r\nyou sent {SECRET}");
    let server = Server::encrypted(&answer);
    let proxy = with_secret(server.port);
    let answer = proxy.answer(format!("GET http://localhost:{}/ HTTP/1.1\r\n\r\n", server.port));
    assert!(!answer.contains(SECRET), "{answer}");
    assert!(answer.ends_with(&format!("you sent {}", "*".repeat(SECRET.len()))), "{answer}");
}

#[test]
fn secret_goes_to_no_server_without_a_certificate() {
    let server = Server::encrypted("");
    let port = server.port;
    let policy = EgressPolicy { authorities: None, ..granting(port) };
    let proxy = Host::with_secrets(policy, vec![secret(&format!("localhost:{port}"))]);
    let answer = proxy.answer(format!("GET http://localhost:{port}/ HTTP/1.1\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert!(!server.has_received());
    proxy.refused(RefusalKind::HostUnreachable, &format!("localhost:{port}"));
}

#[test]
fn secret_goes_to_no_server_without_tls() {
    let server = Server::plain("HTTP/1.1 200 OK\r\n\r\n");
    let port = server.port;
    // The server waits for the rest of a request, as the proxy does for an answer.
    let limits = TrafficLimits { idle_seconds: 1, ..TrafficLimits::default() };
    let policy = EgressPolicy { limits, ..granting(port) };
    let proxy = Host::with_secrets(policy, vec![secret(&format!("localhost:{port}"))]);
    let answer = proxy.answer(format!("GET http://localhost:{port}/ HTTP/1.1\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert!(!server.received().contains(SECRET));
}

#[test]
fn secret_goes_to_no_other_host() {
    let server = Server::plain("HTTP/1.1 200 OK\r\n\r\n");
    let port = server.port;
    // A pattern of several hosts is no host of a secret.
    for host in ["other.example.com:*", "*.example.com", "*:*"] {
        let proxy = Host::with_secrets(granting(port), vec![secret(host)]);
        proxy.answer(format!("GET http://localhost:{port}/ HTTP/1.1\r\n\r\n"));
        assert!(!server.received().contains(SECRET), "{host}");
    }
}

#[test]
fn method_that_returns_the_request_is_refused() {
    let server = Server::encrypted("");
    let proxy = with_secret(server.port);
    proxy.answer(format!("TRACE http://localhost:{}/ HTTP/1.1\r\n\r\n", server.port));
    proxy.refused(RefusalKind::RequestInvalid, &format!("localhost:{}", server.port));
}

#[test]
fn redirect_to_the_same_host_stays_with_the_proxy() {
    for (location, expected) in [
        ("https://localhost:PORT/next", "http://localhost:PORT/next"),
        ("https://localhost.example.com:PORT/", "https://localhost.example.com:PORT/"),
        ("/next", "/next"),
    ] {
        let answer = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n");
        let server = Server::encrypted(&answer);
        let port = server.port.to_string();
        let proxy = with_secret(server.port);
        let answer = proxy.answer(format!("GET http://localhost:{port}/ HTTP/1.1\r\n\r\n"));
        let expected = format!("location: {}\r\n", expected.replace("PORT", &port));
        assert!(answer.contains(&expected), "{answer}");
    }
}

#[test]
fn secret_that_is_no_header_starts_no_proxy() {
    for (header, value) in
        [("a", "b\r\nc: d"), ("a b", "c"), ("", "c"), ("a:", "c"), ("a", "\u{e9}")]
    {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let value = SecretValue::new(value);
        let secret = SecretHeader { header: header.to_owned(), value, ..secret("a.b") };
        let started = Proxy::start(listener, EgressPolicy::default(), vec![secret]);
        let error = started.err().unwrap().to_string();
        assert_eq!(error, "the secret for `a.b` is no value of a header");
    }
}

#[test]
fn value_is_in_no_debug_output() {
    assert!(!format!("{:?}", secret("a.b")).contains(SECRET));
}
