//! Requests that the server refuses.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use prowess_web::{WebError, WebServer};

use crate::fixture::{PATHS, Server, memory};

#[test]
fn address_of_other_machines_is_refused() {
    let refused = WebServer::bind(([0, 0, 0, 0], 0).into()).err().expect("it is refused");
    assert!(matches!(refused, WebError::NotLoopback(_)), "{refused}");
}

#[test]
fn token_works_once() {
    let server = Server::locked(memory());
    for path in PATHS.split(' ').chain(["/enter", "/enter?token=", "/enter?token=00"]) {
        let answer = server.get(path);
        assert_eq!(answer.status(), 403, "{path} needs a session");
        assert!(!answer.body().contains("Bash"), "nothing is shown without one");
    }
    assert_eq!(server.send("HEAD", &server.entrance, "", "").status(), 403, "a probe uses nothing");
    let entered = server.get(&server.entrance);
    assert_eq!((entered.status(), entered.header("location")), (303, Some("./")));
    let cookie = entered.header("set-cookie").expect("a cookie");
    let path = format!("; HttpOnly; SameSite=Strict; Path={}/", server.directory);
    assert!(cookie.ends_with(&path) && path.len() > 64, "no other server gets it: {cookie}");
    assert!(cookie.starts_with(&format!("prowess-{}=", server.address.port())), "{cookie}");
    assert_eq!(server.get(&server.entrance).status(), 403, "the token was used");
    let mut server = server;
    server.cookie = cookie.split(';').next().expect("a pair").to_owned();
    assert_eq!(server.get("/").status(), 200, "the cookie opens the page");
    assert_eq!(server.get(&server.entrance).status(), 303, "a reload of the URL is no error");
    server.directory.push('0');
    assert_eq!(server.get("/").status(), 403, "in the directory of its pages alone");
    server.directory.pop();
    server.cookie.push('0');
    assert_eq!(server.get("/").status(), 403, "another cookie does not");
}

#[test]
fn other_names_are_refused() {
    let server = Server::start(memory());
    let own = server.address;
    for (headers, expected) in [
        ("Host: attacker.example\r\n".to_owned(), 403),
        (format!("Host: attacker.example:{}\r\n", own.port()), 403),
        (format!("Host: {own}\r\nHost: {own}\r\n"), 403),
        ("Host: 127.0.0.1\r\n".to_owned(), 403),
        (format!("Host: LOCALHOST:{}\r\n", own.port()), 200),
        ("Origin: https://attacker.example\r\n".to_owned(), 403),
        (format!("Origin: http://localhost:{}\r\n", own.port()), 403),
        (format!("Origin: http://{own}\r\n"), 200),
    ] {
        assert_eq!(server.send("GET", "/", &headers, "").status(), expected, "{headers}");
    }
    let target = format!("http://attacker.example:{}/", own.port());
    assert_eq!(server.get(&target).status(), 403, "an absolute target is a name, too");
    assert_eq!(server.send("PUT", "/", "", "").status(), 405);
}

#[test]
fn form_of_a_stranger_decides_nothing() {
    let server = Server::start(memory());
    let form = server.get("/approval?id=a1").form() + "decision=once";
    let own = format!("Origin: http://{}\r\n", server.address);
    let without_token = form.split_once('&').expect("fields").1;
    let wrong_token = format!("form=00&{without_token}");
    let long = format!("{form}&more={}", "x".repeat(70_000));
    for (headers, form, expected) in [
        ("", &*form, 403),
        ("Origin: null\r\n", &form, 403),
        ("Origin: https://attacker.example\r\n", &form, 403),
        (&own, without_token, 409),
        (&own, &wrong_token, 409),
        (&own, &long, 409),
    ] {
        let answer = server.send("POST", "/approval", headers, form);
        assert_eq!(answer.status(), expected, "{headers}{form}");
    }
    assert_eq!(server.post("/skills", &form).status(), 404, "another page takes no decision");
    assert_eq!(*server.memory.decided.lock().unwrap(), [""; 0], "nothing was decided");
    assert_eq!(server.post("/approval", &form).status(), 303, "the form itself is good");
}

#[test]
fn names_are_those_of_the_server_and_of_its_proxies() {
    let server = Server::locked_under(memory(), &["page.example", "localhost:9000"]);
    let port = server.address.port();
    let icon = server.send("GET", "/favicon.ico", "", "").status();
    assert_eq!(icon, 204, "a browser asks for it, and reports an error");
    for (host, expected) in [
        ("page.example", 200),
        ("localhost:9000", 200),
        ("127.0.0.1", 403),
        ("page.example:9000", 403),
        (&format!("LOCALHOST:{port}"), 200),
    ] {
        let answer = server.send("GET", "/style.css", &format!("Host: {host}\r\n"), "");
        assert_eq!(answer.status(), expected, "{host}");
    }
}

/// Another user of the machine needs no cookie to open connections.
#[test]
fn idle_connections_keep_nobody_out() {
    let server = Server::start(memory());
    let open = || TcpStream::connect(server.address).expect("the server listens");
    let mut own = open();
    let request = format!(
        "GET /style.css HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n",
        server.address, server.cookie
    );
    let mut ask = |first: &[u8; 12]| {
        own.write_all(request.as_bytes()).expect("it reads");
        let mut read = vec![0; 64 << 10];
        let length = own.read(&mut read).expect("it answers");
        assert_eq!(read[..length].first_chunk(), Some(first), "it is the same connection");
    };
    ask(b"HTTP/1.1 200");
    let mut idle: Vec<_> = (0..200).map(|_| open()).collect();
    assert_eq!(server.get("/style.css").status(), 200, "a new connection has its turn");
    ask(b"HTTP/1.1 200");
    assert_eq!(idle[0].read(&mut [0]).expect("it was ended"), 0, "the oldest idle one ends");
}
