//! Requests of pages and programs that may not use a server.

use prowess_mcp::{HttpOptions, HttpToken};
use serde_json::json;

use super::{Request, Server, TOKEN, message};
use crate::block_on;

/// Each request would be answered with 200 without its one fault.
#[track_caller]
fn check(server: &Server, request: Request<'_>, status: u16) {
    let answer = block_on(server.send(request));
    assert_eq!(answer.status(), status, "{answer:?}");
}

#[test]
fn other_hosts_and_origins_are_forbidden() {
    let options = HttpOptions {
        hosts: vec!["skills.example".to_owned()],
        origins: vec!["https://app.example".to_owned()],
        ..HttpOptions::default()
    };
    let server = Server::embedded(options);
    let port = server.address.port();
    let get = Request { line: "GET /metrics", ..Request::POST };
    let localhost = format!("localhost:{port}");
    for host in [localhost.as_str(), "skills.example", "SKILLS.example"] {
        check(&server, Request { host: Some(host), ..get }, 200);
    }
    let evil = format!("evil.test:{port}");
    for host in [evil.as_str(), "localhost", "localhost:1", "localhost.evil.test", "", "a b"] {
        let status = block_on(server.send(Request { host: Some(host), ..get })).status();
        assert!(matches!(status, 400 | 403), "{host}: {status}");
    }
    let own = format!("Origin: http://localhost:{port}\r\n");
    for headers in [own.as_str(), "Origin: https://app.example\r\n"] {
        check(&server, Request { headers, ..get }, 200);
    }
    for origin in [
        "https://evil.test",
        "null",
        "",
        "http://localhost:1",
        "http://localhost",
        "http://localhost.evil.test",
        "https://app.example.evil.test",
        "http://app.example",
    ] {
        let headers = format!("Origin: {origin}\r\n");
        check(&server, Request { headers: &headers, ..get }, 403);
        let body = message("initialize", &json!({}));
        check(&server, Request { headers: &headers, body: &body, ..Request::POST }, 403);
    }
    let twice = format!("{own}Origin: https://evil.test\r\n");
    check(&server, Request { headers: &twice, ..get }, 403);
    let line = format!("GET http://{evil}/metrics");
    check(&server, Request { line: &line, ..get }, 403);
}

/// A page may send such a request to another origin without asking first.
#[test]
fn simple_request_of_a_page_is_not_read() {
    let server = Server::embedded(HttpOptions::default());
    let body = message("tools/list", &json!({}));
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        check(&server, Request { content_type, body: &body, ..Request::POST }, 415);
    }
}

#[test]
fn token_is_required() {
    let token = Some(HttpToken::new(TOKEN).expect("it is long enough"));
    let server = Server::embedded(HttpOptions { token, ..HttpOptions::default() });
    let get = Request { line: "GET /metrics", ..Request::POST };
    let right = format!("Authorization: Bearer {TOKEN}\r\n");
    check(&server, Request { headers: &right, ..get }, 200);
    let twice = format!("{right}{right}");
    let longer = format!("Authorization: Bearer {TOKEN}x\r\n");
    let basic = format!("Authorization: Basic {TOKEN}\r\n");
    for headers in ["", "Authorization: Bearer \r\n", &twice, &longer, &basic] {
        let answer = block_on(server.send(Request { headers, ..get }));
        assert_eq!(answer.status(), 401, "{answer:?}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    check(&server, Request { line: "GET /healthz", ..get }, 200);
}

/// Two readers of one stream must not see different requests in it.
#[test]
fn smuggled_request_is_not_answered() {
    let server = Server::embedded(HttpOptions::default());
    let host = server.address;
    let second = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    for headers in [
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 5 5\r\n",
        "Content-Length : 5\r\n",
    ] {
        let first = format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n0\r\n\r\n{second}");
        let answer = block_on(server.exchange(first.as_bytes()));
        assert!(!answer.contains("HTTP/1.1 200"), "{headers:?}: {answer}");
    }
}
