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
    with_value(port, SECRET)
}

fn with_value(port: u16, value: &str) -> Host {
    let value = SecretValue::new(value);
    let secret = SecretHeader { value, ..secret(&format!("localhost:{port}")) };
    Host::with_secrets(granting(port), vec![secret])
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
    let framing = ["Content-Length", "host", "Transfer-Encoding", "Range"].map(|it| (it, "c"));
    let others = [("a", "b\r\nc: d"), ("a b", "c"), ("", "c"), ("a:", "c"), ("a", "\u{e9}")];
    for (header, value) in framing.into_iter().chain(others) {
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

/// Serves a request for `/` with these headers, and returns the request and the answer.
fn served(headers: &str, answer: &str) -> (String, String) {
    served_with(SECRET, headers, answer)
}

fn served_with(secret: &str, headers: &str, answer: &str) -> (String, String) {
    let server = Server::encrypted(answer);
    let proxy = with_value(server.port, secret);
    let request = format!("GET http://localhost:{}/ HTTP/1.1\r\n{headers}\r\n", server.port);
    let answer = proxy.answer(request);
    (server.received(), answer)
}

#[test]
fn request_with_a_secret_asks_for_a_whole_and_plain_answer() {
    let headers = "Range: bytes=0-3\r\nIf-Range: x\r\nRequest-Range: bytes=0-3\r\nA-IM: gzip\r\n\
         Accept-Charset: utf-7\r\nX-HTTP-Method-Override:  trace\r\nUpgrade: h2c\r\nTE: trailers, gzip\r\nAccept: text/plain\r\n";
    let (received, _) = served(headers, "HTTP/1.1 204 None\r\n\r\n");
    let port = received.split("localhost:").nth(1).unwrap().split('\r').next().unwrap();
    let expected = format!(
        "GET / HTTP/1.1\r\nHost: localhost:{port}\r\naccept: text/plain\r\n\
         Accept-Encoding: identity\r\nAuthorization: Bearer {SECRET}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(received, expected);
}

#[test]
fn answer_that_may_hide_a_secret_is_refused() {
    for head in include_str!("../data/hiding.txt").lines() {
        let head = head.replace('␤', "\r\n");
        let (_, answer) = served("", &format!("HTTP/1.1 {head}\r\n\r\n{SECRET}"));
        assert!(answer.starts_with("HTTP/1.1 502 "), "{head}: {answer}");
        assert!(!answer.contains("s3cret"), "{head}: {answer}");
    }
}

/// Returns the body of an answer in chunks.
fn joined(answer: &str) -> (String, bool) {
    let (head, mut rest) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.to_ascii_lowercase().contains("\r\ntransfer-encoding: chunked"), "{answer}");
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        body.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    (body, false)
}

#[test]
fn secret_across_chunks_is_replaced() {
    for size in 1..SECRET.len() {
        let text = format!("you sent {SECRET}!");
        let chunk =
            |part: &[u8]| format!("{:X};a=b\r\n{}\r\n", part.len(), String::from_utf8_lossy(part));
        let chunks: String = text.as_bytes().chunks(size).map(chunk).collect();
        let head = "HTTP/1.1 200 OK\r\nTrailer: x\r\nTransfer-Encoding: Chunked";
        let answer = format!("{head}\r\n\r\n{chunks}0\r\nX: {SECRET}\r\n\r\n");
        let (_, answer) = served("", &answer);
        let expected = format!("you sent {}!", "*".repeat(SECRET.len()));
        assert_eq!(joined(&answer), (expected, true), "chunks of {size} bytes");
        assert!(!answer.contains("s3cret"), "no trailer is passed on: {answer}");
    }
}

#[test]
fn cut_answer_shows_nothing_that_was_held_back() {
    for (framing, begin, is_chunked) in [
        ("Content-Length: 99", "", false),
        ("Transfer-Encoding: chunked", "63\r\n", true),
        ("Transfer-Encoding: chunked", "3\r\nabc\r\nzz\r\n", true),
    ] {
        for held in ["s3c", "s3cret-of-the-op"] {
            let answer = format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n{begin}{held}");
            let (_, answer) = served("", &answer);
            assert!(!answer.contains("s3c"), "{framing}: {answer}");
            assert!(!is_chunked || !joined(&answer).1, "a client sees that it was cut: {answer}");
        }
    }
}

#[test]
fn secret_in_each_part_of_an_answer_is_replaced() {
    let escaped: String = SECRET.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let lower = SECRET.to_ascii_uppercase();
    let (_, answer) = served(
        "",
        &format!(
            "HTTP/1.1 302 {SECRET}\r\nLocation: https://other.example/?t={escaped}\r\n\
             X-{SECRET}: 1\r\nSet-Cookie: a={lower}\r\nContent-Length: 22\r\n\r\n{SECRET}"
        ),
    );
    let answer = answer.to_ascii_lowercase();
    assert!(!answer.contains(SECRET) && !answer.contains(&escaped), "{answer}");
    assert!(answer.contains("location: https://other.example/?t=****"), "{answer}");
}

#[test]
fn secret_like_the_framing_leaves_it_readable() {
    for (secret, answer) in [
        ("HTTP/1.1", "Content-Length: 2\r\n\r\nok"),
        ("Content-Length", "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"),
        ("chunked", "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        ("Connection", "Connection: close\r\n\r\nok"),
    ] {
        let (_, answer) = served_with(secret, "", &format!("HTTP/1.1 200 OK\r\n{answer}"));
        assert!(answer.contains(secret) && answer.contains("ok"), "{secret}: {answer}");
    }
}
