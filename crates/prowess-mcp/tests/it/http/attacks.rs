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
    let origins = "https://evil.test null http://localhost:1 http://localhost \
        http://localhost.evil.test https://app.example.evil.test http://app.example ";
    for origin in origins.split(' ') {
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

/// A message whose framing is wrong or ambiguous, followed by a request that only a reader with
/// another idea of the message's end sees.
fn hidden_request(server: &Server, first: &str) -> String {
    let host = server.address;
    let hidden = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let first = first.replace("HOST", &host.to_string());
    block_on(server.exchange(format!("{first}{hidden}").as_bytes()))
}

/// Two readers of one stream, such as a proxy and this server, must not see different requests in
/// it.
#[test]
fn smuggled_request_is_not_answered() {
    let server = Server::embedded(HttpOptions::default());
    let plain = "GET /metrics HTTP/1.1\r\nHost: HOST\r\n\r\n";
    let answer = hidden_request(&server, plain);
    assert!(answer.ends_with("\r\n\r\nok\n"), "a second request is answered otherwise: {answer}");
    let body = "0\r\n\r\n";
    let all = "Content-Length: 5\r\nContent-Length: 6¦Content-Length: 5, 6¦\
        Content-Length: 0\r\nTransfer-Encoding: chunked¦\
        Transfer-Encoding: chunked\r\nContent-Length: 0¦Transfer-Encoding: chunked¦\
        Transfer-Encoding: chunked, identity¦Transfer-Encoding: identity¦\
        Transfer-Encoding: xchunked¦Transfer-Encoding:\u{b}chunked¦\
        Transfer-Encoding : chunked¦X: y\r\n Transfer-Encoding: chunked¦\
        Transfer-Encoding:\r\n chunked¦Content-Length: -1¦Content-Length: +5¦\
        Content-Length: 0x5¦Content-Length: 5 5¦Content-Length : 5¦\
        Content-Length: 18446744073709551621¦X: a\rb¦X: a\0b¦X y";
    for headers in all.split('¦').map(|headers| format!("{headers}\r\n")) {
        let line = "POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n";
        let answer = hidden_request(&server, &format!("{line}{headers}\r\n{body}"));
        assert!(!answer.ends_with("ok\n"), "{headers:?}: {answer}");
    }
    for version in ["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", ""] {
        let first = format!(
            "POST /mcp {version}\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n{body}"
        );
        let answer = hidden_request(&server, &first);
        assert!(!answer.ends_with("ok\n"), "{version}: {answer}");
    }
}

#[test]
fn host_is_required_once() {
    let server = Server::embedded(HttpOptions::default());
    for headers in ["", "Host: HOST\r\nHost: HOST\r\n", "Host: HOST\r\nHost: evil.test\r\n"] {
        let request = format!("GET /metrics HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
        let answer = hidden_request(&server, &request);
        assert!(answer.starts_with("HTTP/1.1 403"), "{headers:?}: {answer}");
    }
}
