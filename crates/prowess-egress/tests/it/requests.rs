//! Requests for `http://`.

use prowess_testkit::Server;

use crate::fixture::{Host, granting};

const OK: &str = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nX-Answer: 1\r\n\r\nhello";

#[test]
fn request_arrives_without_what_is_for_the_proxy() {
    let server = Server::plain(OK);
    let proxy = Host::new(granting(server.port));
    let port = server.port;
    let answer = proxy.answer(format!(
        "POST http://localhost:{port}/a?b=c HTTP/1.1\r\nHost: other.example.com\r\nX-One: 1\r\n\
         Proxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\nUpgrade: websocket\r\n\
         Content-Length: 4\r\n\r\nbody"
    ));
    let expected = format!(
        "POST /a?b=c HTTP/1.1\r\nHost: localhost:{port}\r\nx-one: 1\r\ncontent-length: 4\r\n\
         Connection: close\r\n\r\nbody"
    );
    assert_eq!(server.received(), expected, "the host is that of the URL");
    assert_eq!(answer, "HTTP/1.1 200 \r\nx-answer: 1\r\nConnection: close\r\n\r\nhello");
    assert!(proxy.end().refusals.is_empty());
}

#[test]
fn second_request_of_a_connection_is_not_sent() {
    let server = Server::plain(OK);
    let proxy = Host::new(granting(server.port));
    let one = format!("GET http://localhost:{}/1 HTTP/1.1\r\n\r\n", server.port);
    let answer = proxy.answer(format!("{one}{}", one.replace("/1", "/2")));
    assert!(server.received().starts_with("GET /1 "));
    assert!(!server.has_received(), "the second one is dropped");
    assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{answer}");
}

#[test]
fn client_that_waits_is_asked_for_its_body() {
    let server = Server::plain(OK);
    let proxy = Host::new(granting(server.port));
    let answer = proxy.answer(format!(
        "PUT http://localhost:{}/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody",
        server.port
    ));
    assert!(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 "), "{answer}");
    assert!(!server.received().contains("expect"), "the server is not asked to wait");
}

#[test]
fn body_ends_with_its_length() {
    let server = Server::plain("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more");
    let proxy = Host::new(granting(server.port));
    let answer = proxy.answer(format!("GET http://localhost:{}/ HTTP/1.1\r\n\r\n", server.port));
    assert!(answer.ends_with("\r\n\r\nhello"), "{answer}");
}

#[test]
fn answer_before_the_answer_is_left_out() {
    let server = Server::plain("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 None\r\n\r\n");
    let proxy = Host::new(granting(server.port));
    let answer = proxy.answer(format!("GET http://localhost:{}/ HTTP/1.1\r\n\r\n", server.port));
    assert_eq!(answer, "HTTP/1.1 204 \r\nConnection: close\r\n\r\n");
}

#[test]
fn answer_that_is_no_http_is_unreachable() {
    let server = Server::plain("SSH-2.0-server\r\n\r\n");
    let proxy = Host::new(granting(server.port));
    let answer = proxy.answer(format!("GET http://localhost:{}/ HTTP/1.1\r\n\r\n", server.port));
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
}
