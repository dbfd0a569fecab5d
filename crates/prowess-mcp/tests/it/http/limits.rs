//! Limits, and messages that are none.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use prowess_mcp::{HttpLimits, HttpOptions};
use prowess_testkit::ManualClock;
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};

use super::{Request, Server, read_until};
use crate::block_on;

fn with(limits: HttpLimits) -> Server {
    Server::embedded(HttpOptions { limits, ..HttpOptions::default() })
}

#[test]
fn invalid_messages_are_answered_as_elsewhere() {
    let server = Server::embedded(HttpOptions::default());
    for (body, code, id) in [
        ("not json", -32700, Value::Null),
        ("", -32700, Value::Null),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":1e400}}"#,
            -32700,
            json!(7),
        ),
        ("[]", -32600, Value::Null),
        (r#"{"jsonrpc":"1.0","id":7,"method":"tools/list"}"#, -32600, json!(7)),
    ] {
        let answer = block_on(server.send(Request { body, ..Request::POST }));
        assert_eq!(answer.status(), 400, "{body}: {answer:?}");
        let message = answer.message();
        assert_eq!((&message["error"]["code"], &message["id"]), (&json!(code), &id), "{body}");
    }
}

#[test]
fn long_bodies_and_headers_are_refused() {
    let server = with(HttpLimits { body_bytes: 1000, header_bytes: 8 << 10, ..Default::default() });
    let long = "x".repeat(1001);
    let answer = block_on(server.send(Request { body: &long, ..Request::POST }));
    assert_eq!(answer.status(), 413, "{answer:?}");
    let headers = format!("X: {}\r\n", "x".repeat(64 << 10));
    let get = Request { line: "GET /healthz", headers: &headers, ..Request::POST };
    assert_eq!(block_on(server.send(get)).status(), 431);
    let many = "X: y\r\n".repeat(1000);
    let get = Request { headers: &many, ..get };
    assert_eq!(block_on(server.send(get)).status(), 431);
}

#[test]
fn slow_requests_are_ended() {
    let limits = HttpLimits { header_seconds: 1, body_seconds: 1, ..HttpLimits::default() };
    let server = with(limits);
    block_on(async {
        let host = server.address;
        let unfinished = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n");
        // If the connection stayed open, this would hang.
        let answer = server.exchange(unfinished.as_bytes()).await;
        assert!(!answer.contains("200 OK"), "{answer}");
        let body = "x";
        let whole = Request { body, ..Request::POST }.text(host);
        let cut = whole.replace("Content-Length: 1", "Content-Length: 2");
        let answer = server.exchange(cut.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    });
}

#[test]
fn rate_is_per_second_of_the_clock() {
    let clock = Arc::new(ManualClock::default());
    let limits = HttpLimits { requests_per_second: Some(2), ..HttpLimits::default() };
    let options = HttpOptions { limits, clock: clock.clone(), ..HttpOptions::default() };
    let server = Server::embedded(options);
    let get = || {
        let answer = block_on(server.send(Request { line: "GET /metrics", ..Request::POST }));
        (answer.status(), answer.header("retry-after").map(str::to_owned))
    };
    let busy = (429, Some("1".to_owned()));
    assert_eq!([get(), get(), get()], [(200, None), (200, None), busy.clone()]);
    clock.advance(Duration::from_millis(500));
    assert_eq!([get(), get()], [(200, None), busy]);
    clock.advance(Duration::from_secs(60));
    let statuses = [get(), get(), get()].map(|(status, _)| status);
    assert_eq!(statuses, [200, 200, 429], "a bucket holds one second");
}

#[test]
fn sessions_of_a_client_are_limited() {
    let server = with(HttpLimits { sessions_per_client: 2, ..HttpLimits::default() });
    block_on(async {
        let first = server.initialize().await.session();
        assert_eq!(server.initialize().await.status(), 200);
        let third = server.initialize().await;
        assert_eq!((third.status(), third.header("retry-after")), (503, Some("1")), "{third:?}");
        assert!(third.0.contains("1024 may be open, 2 of one client"), "{third:?}");
        let delete = Request { line: "DELETE /mcp", headers: &first, ..Request::POST };
        assert_eq!(server.send(delete).await.status(), 204);
        assert_eq!(server.initialize().await.status(), 200, "an ended session leaves room");
        assert_eq!(server.initialize().await.status(), 503);
    });
}

const HEALTH: Request<'static> = Request { line: "GET /healthz", ..Request::POST };
const METRICS: Request<'static> = Request { line: "GET /metrics", ..Request::POST };

/// Opens connections that stay open, in the order in which the server accepts them.
async fn idle_connections(server: &Server, count: usize) -> Vec<TcpStream> {
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(TcpStream::connect(server.address).await.expect("the server listens"));
    }
    open
}

/// Sends a request until it is not refused any more. Returns the answer, and how often it was
/// refused. If it always was, this would hang.
async fn send_until_served(server: &Server, request: Request<'_>) -> (String, usize) {
    let mut refused = 0;
    loop {
        let answer = server.send(request).await;
        match answer.status() {
            200 => return (answer.0, refused),
            _ => refused += 1,
        }
        tokio::task::yield_now().await;
    }
}

#[test]
fn connections_of_a_client_are_limited() {
    let server = with(HttpLimits { connections_per_client: 2, ..HttpLimits::default() });
    block_on(async {
        let open = idle_connections(&server, 2).await;
        let third = server.send(HEALTH).await;
        assert_eq!((third.status(), third.header("retry-after")), (429, Some("1")), "{third:?}");
        let other = TcpSocket::new_v4().expect("there is a socket");
        other.bind((Ipv4Addr::new(127, 0, 0, 2), 0).into()).expect("each loopback address is free");
        let mut other = other.connect(server.address).await.expect("the server listens");
        let health = HEALTH.text(server.address);
        tokio::io::AsyncWriteExt::write_all(&mut other, health.as_bytes()).await.expect("it reads");
        let answer = read_until(&mut other, "ok\n").await;
        assert!(answer.starts_with("HTTP/1.1 200"), "another client has its own limit: {answer}");
        drop(open);
        let (_, refused) = send_until_served(&server, HEALTH).await;
        let (metrics, more) = send_until_served(&server, METRICS).await;
        let counted = 1 + refused + more;
        let line =
            format!("prowess_http_refusals_total{{reason=\"client-connections\"}} {counted}");
        assert!(metrics.lines().any(|found| found == line), "{line}: {metrics}");
    });
}

#[test]
fn connections_of_all_clients_are_limited() {
    let server = with(HttpLimits { connections: 1, ..HttpLimits::default() });
    block_on(async {
        let open = idle_connections(&server, 1).await;
        let second = server.send(HEALTH).await;
        assert_eq!((second.status(), second.header("retry-after")), (503, Some("1")), "{second:?}");
        drop(open);
        let (_, refused) = send_until_served(&server, HEALTH).await;
        let (metrics, more) = send_until_served(&server, METRICS).await;
        let counted = 1 + refused + more;
        let line = format!("prowess_http_refusals_total{{reason=\"connections\"}} {counted}");
        assert!(metrics.lines().any(|found| found == line), "{line}: {metrics}");
    });
}
