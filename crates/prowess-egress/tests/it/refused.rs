//! Requests that a proxy refuses.

use std::io::{Read, Write};

use prowess_egress::{EgressPolicy, RefusalKind, TrafficLimits};
use prowess_testkit::Server;

use crate::fixture::{Host, granting, patterns};

/// A policy that grants every public host, and one that is on this machine.
fn public() -> EgressPolicy {
    EgressPolicy { hosts: patterns(&["*:*", "localhost:*", "127.0.0.1:*"]), ..Default::default() }
}

#[track_caller]
fn check(policy: EgressPolicy, request: &str, kind: RefusalKind, host: &str) {
    let proxy = Host::new(policy);
    let answer = proxy.answer(request);
    let code = kind.as_str();
    assert!(answer.starts_with("HTTP/1.1 4"), "{request:?} is refused: {answer}");
    assert!(answer.contains(&format!("error={code}")), "{request:?} has the code: {answer}");
    assert!(answer.contains(kind.help()), "{request:?} has the next step: {answer}");
    proxy.refused(kind, host);
}

#[test]
fn other_hosts_are_not_granted() {
    for request in ["CONNECT b.c:443 HTTP/1.1\r\n\r\n", "GET http://b.c:443/ HTTP/1.1\r\n\r\n"] {
        let policy = EgressPolicy { hosts: patterns(&["a.b"]), ..Default::default() };
        check(policy, request, RefusalKind::HostNotGranted, "b.c:443");
    }
    // The port is part of the grant.
    let policy = EgressPolicy { hosts: patterns(&["a.b"]), ..Default::default() };
    check(policy, "CONNECT a.b:22 HTTP/1.1\r\n\r\n", RefusalKind::HostNotGranted, "a.b:22");
}

#[test]
fn name_that_leads_to_this_machine_is_refused() {
    let server = Server::plain("");
    let host = format!("localhost:{}", server.port);
    for request in
        [format!("CONNECT {host} HTTP/1.1\r\n\r\n"), format!("GET http://{host}/ HTTP/1.1\r\n\r\n")]
    {
        check(public(), &request, RefusalKind::PrivateAddress, &host);
    }
    assert!(!server.has_received());
}

#[test]
fn private_addresses_are_refused() {
    let request = "CONNECT 127.0.0.1:443 HTTP/1.1\r\n\r\n";
    check(public(), request, RefusalKind::PrivateAddress, "127.0.0.1:443");
    // An address is no host of `*`.
    let request = "GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\n\r\n";
    check(public(), request, RefusalKind::HostNotGranted, "169.254.169.254:80");
}

#[test]
fn requests_that_can_be_read_in_two_ways_are_refused() {
    let requests = include_str!("../data/ambiguous.txt").lines().chain(["\u{16}\u{3}\u{1}␤␤"]);
    for request in requests {
        check(public(), &request.replace('␤', "\r\n"), RefusalKind::RequestInvalid, "");
    }
}

#[test]
fn head_has_a_limit() {
    let proxy = Host::new(public());
    let mut connection = proxy.connect();
    let begin = format!("GET http://a.b/ HTTP/1.1\r\nA: {}", "x".repeat(70_000));
    connection.write_all(begin.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("error=proxy-request-invalid"), "{answer}");
    proxy.refused(RefusalKind::RequestInvalid, "");
}

#[test]
fn connections_have_a_limit() {
    let limits = TrafficLimits { connections: 2, ..TrafficLimits::default() };
    let proxy = Host::new(EgressPolicy { limits, ..EgressPolicy::default() });
    let answers = [(); 4].map(|()| proxy.answer("CONNECT a.b:443 HTTP/1.1\r\n\r\n"));
    let limited = answers.iter().filter(|answer| answer.contains("error=traffic-limit")).count();
    assert_eq!(limited, 2, "{answers:?}");
    let traffic = proxy.end();
    assert_eq!((traffic.connections, traffic.refusals.len()), (4, 4));
}

#[test]
fn bytes_have_a_limit() {
    let body = "x".repeat(50_000);
    let server = Server::plain(&format!("HTTP/1.1 200 OK\r\n\r\n{body}"));
    let limits = TrafficLimits { bytes: 20_000, ..TrafficLimits::default() };
    let proxy = Host::new(EgressPolicy { limits, ..granting(server.port) });
    let host = format!("localhost:{}", server.port);
    let answer = proxy.answer(format!("GET http://{host}/ HTTP/1.1\r\n\r\n"));
    assert!(answer.len() < 21_000, "{} bytes arrived", answer.len());
    proxy.refused(RefusalKind::TrafficLimit, &host);
}

#[test]
fn idle_connections_end() {
    let limits = TrafficLimits { idle_seconds: 1, ..TrafficLimits::default() };
    let proxy = Host::new(EgressPolicy { limits, ..public() });
    assert_eq!(proxy.answer("GET http://a.b"), "", "the rest of the request never arrives");
}

#[test]
fn host_that_does_not_answer_is_unreachable() {
    let proxy = Host::new(granting(1));
    let answer = proxy.answer("GET http://localhost:1/ HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
    proxy.refused(RefusalKind::HostUnreachable, "localhost:1");
}

#[test]
fn list_of_refusals_is_short() {
    let proxy = Host::new(EgressPolicy::default());
    let name = "a.".repeat(100) + "b";
    for _ in 0..103 {
        proxy.answer(format!("CONNECT {name}:443 HTTP/1.1\r\n\r\n"));
    }
    let traffic = proxy.end();
    assert_eq!((traffic.refusals.len(), traffic.more_refusals), (100, 3));
}
