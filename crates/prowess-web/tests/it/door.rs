//! Requests that the server refuses.

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
    for path in PATHS.iter().chain(&["/enter", "/enter?token=", "/enter?token=00"]) {
        let answer = server.get(path);
        assert_eq!(answer.status(), 403, "{path} needs a session");
        assert!(!answer.body().contains("Bash"), "nothing is shown without one");
    }
    assert_eq!(server.send("HEAD", &server.entrance, "", "").status(), 403, "a probe uses nothing");
    let entered = server.get(&server.entrance);
    assert_eq!((entered.status(), entered.header("location")), (303, Some("/")));
    let cookie = entered.header("set-cookie").expect("a cookie");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
    assert!(cookie.starts_with(&format!("prowess-{}=", server.address.port())), "{cookie}");
    assert_eq!(server.get(&server.entrance).status(), 403, "the token was used");
    let mut server = server;
    server.cookie = cookie.split(';').next().expect("a pair").to_owned();
    assert_eq!(server.get("/").status(), 200, "the cookie opens the page");
    assert_eq!(server.get(&server.entrance).status(), 303, "a reload of the URL is no error");
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
