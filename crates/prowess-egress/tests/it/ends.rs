//! The end of a proxy.

use std::io::{Read, Write};
use std::net::TcpListener;

use prowess_egress::{EgressPolicy, TrafficLimits};

use crate::fixture::{Host, granting};

#[test]
fn end_of_the_proxy_ends_its_connections() {
    // A server that never answers, and limits that would end nothing for an hour.
    let silent = TcpListener::bind("localhost:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let limits = TrafficLimits { idle_seconds: 3_600, ..TrafficLimits::default() };
    let proxy = Host::new(EgressPolicy { limits, ..granting(port) });
    let mut tunnel = proxy.tunnel(&format!("localhost:{port}"));
    let mut request = proxy.connect();
    let text = format!("GET http://localhost:{port}/ HTTP/1.1\r\n\r\n");
    request.write_all(text.as_bytes()).unwrap();
    let mut unfinished = proxy.connect();
    unfinished.write_all(b"GET http://").unwrap();
    let upstream = [(); 2].map(|()| silent.accept().unwrap().0);
    let traffic = proxy.end();
    assert!(traffic.connections >= 2, "{traffic:?}");
    for connection in [&mut tunnel, &mut request, &mut unfinished] {
        let mut rest = Vec::new();
        let _ = connection.read_to_end(&mut rest);
    }
    for mut connection in upstream {
        let _ = connection.read_to_end(&mut Vec::new());
    }
}

#[test]
fn proxy_without_room_serves_the_next_connection_later() {
    let limits = TrafficLimits { concurrent: 1, ..TrafficLimits::default() };
    let proxy = Host::new(EgressPolicy { limits, ..EgressPolicy::default() });
    let held = proxy.connect();
    let mut waiting = proxy.connect();
    waiting.write_all(b"CONNECT a.b:443 HTTP/1.1\r\n\r\n").unwrap();
    drop(held);
    let mut answer = String::new();
    waiting.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("error=host-not-granted"), "{answer}");
}
