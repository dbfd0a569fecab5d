//! Servers that attack or fail.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prowess_core::{
    Cancel, Digest, FetchedParts, Remote, RemoteArtifact, RemoteErrorKind, RemoteRequest,
};
use prowess_source_remote::{AnyRemote, HttpOptions};

use crate::server::Server;

const URL: &str = "/a.zip";

/// Requests an artifact, with a time that no answer needs.
fn get(server: &Server, source: &str) -> Result<Digest, RemoteErrorKind> {
    get_within(server, source, Duration::from_secs(60))
}

fn get_within(server: &Server, source: &str, timeout: Duration) -> Result<Digest, RemoteErrorKind> {
    let named_hosts = vec![server.host.clone()];
    let remote = AnyRemote::new(HttpOptions { named_hosts, timeout, ..HttpOptions::default() });
    let resolved = remote.resolve(&RemoteRequest::latest(source), &Cancel::default());
    Ok(resolved.map_err(|error| error.kind)?[0].digest.unwrap())
}

#[test]
fn redirects_are_followed_a_few_times() {
    let server = Server::new();
    server.on_get("/end", "bytes");
    server.redirect("/4", "/end");
    for number in 0..4 {
        server.redirect(&format!("/{number}"), &format!("{}", number + 1));
    }
    server.redirect(URL, "/0");
    server.redirect("/b.zip", "/1");
    assert_eq!(get(&server, &server.url("/b.zip")), Ok(Digest::of(b"bytes")));
    assert_eq!(get(&server, &server.url(URL)), Err(RemoteErrorKind::Unavailable), "six redirects");
    server.redirect(URL, URL);
    assert_eq!(get(&server, &server.url(URL)), Err(RemoteErrorKind::Unavailable), "a loop");
}

#[test]
fn redirects_to_other_places_are_refused() {
    let server = Server::new();
    let private = Server::new();
    private.on_get("/secret", "secret");
    for (to, kind) in [
        (private.url("/secret"), RemoteErrorKind::Unsupported),
        (format!("https://{}/secret", private.host), RemoteErrorKind::Denied),
        ("https://169.254.169.254/latest/meta-data".to_owned(), RemoteErrorKind::Denied),
        ("https://[::ffff:127.0.0.1]/".to_owned(), RemoteErrorKind::Denied),
        ("https://localhost/".to_owned(), RemoteErrorKind::Denied),
        ("file:///etc/passwd".to_owned(), RemoteErrorKind::Unsupported),
        ("https://user:word@example.com/".to_owned(), RemoteErrorKind::Unsupported),
        ("http://%".to_owned(), RemoteErrorKind::Invalid),
    ] {
        server.redirect(URL, &to);
        assert_eq!(get(&server, &server.url(URL)), Err(kind), "{to}");
    }
    server.on_raw(URL, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(get(&server, &server.url(URL)), Err(RemoteErrorKind::Invalid));
    assert!(private.requests().is_empty(), "the private server was never asked");
}

#[test]
fn private_addresses_have_to_be_named() {
    let server = Server::new();
    server.on_get(URL, "bytes");
    let remote = AnyRemote::new(HttpOptions::default());
    for (source, kind) in [
        (server.url(URL), RemoteErrorKind::Unsupported),
        (format!("https://{}{URL}", server.host), RemoteErrorKind::Denied),
    ] {
        let request = RemoteRequest::latest(&source);
        let resolved = remote.resolve(&request, &Cancel::default()).map_err(|error| error.kind);
        assert_eq!(resolved, Err(kind), "{source}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn known_version_costs_no_body() {
    let server = Server::new();
    for path in [URL, "/bucket/team/catalog.json"] {
        server.on(path, |request, stream| {
            let is_known =
                request.iter().any(|line| line.eq_ignore_ascii_case("if-none-match: \"1\""));
            let answer = if is_known { "304 Not Modified" } else { "200 OK" };
            let body = if is_known { "" } else { "Content-Length: 5\r\n\r\nbytes" };
            let head = "Connection: close\r\nETag: \"1\"";
            let _ = write!(stream, "HTTP/1.1 {answer}\r\n{head}\r\n{body}\r\n");
        });
    }
    let named_hosts = vec![server.host.clone()];
    let http = AnyRemote::new(HttpOptions { named_hosts, ..HttpOptions::default() });
    check_version(&http, &server.url(URL));
    #[cfg(feature = "s3")]
    {
        let clock = Arc::new(prowess_testkit::ManualClock::default());
        let options = prowess_source_remote::S3Options::new(clock);
        // Its host is in a private network, and named by being the endpoint.
        let endpoint = Some(server.url(""));
        let options = prowess_source_remote::S3Options { endpoint, ..options };
        let bucket = AnyRemote::new(HttpOptions::default()).with_s3(options);
        check_version(&bucket, "s3://bucket/team/catalog.json");
    }
}

fn check_version(remote: &AnyRemote, location: &str) {
    let artifact = RemoteArtifact::plain(location);
    let fetch = |known: Option<&str>| {
        let mut bytes = Vec::new();
        let mut receive = |part: &[u8]| {
            bytes.extend(part);
            ControlFlow::Continue(())
        };
        let cancel = Cancel::default();
        let fetched = remote.fetch_parts(&artifact, known, 5, &mut receive, &cancel);
        (fetched.unwrap(), bytes)
    };
    let changed = FetchedParts::Changed { version: Some("\"1\"".to_owned()) };
    assert_eq!(fetch(None), (changed.clone(), b"bytes".to_vec()), "{location}");
    assert_eq!(fetch(Some("\"1\"")), (FetchedParts::Unchanged, Vec::new()), "{location}");
    assert_eq!(fetch(Some("\"0\"")), (changed, b"bytes".to_vec()), "{location}");
}

#[test]
fn credentials_stay_with_their_server() {
    let server = Server::new();
    let other = Server::new();
    other.on_get("/end", "bytes");
    server.redirect(URL, "/next");
    server.redirect("/next", &other.url("/end"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let origins = Arc::clone(&asked);
    let remote = AnyRemote::new(HttpOptions {
        named_hosts: vec![server.host.clone(), other.host.clone()],
        credentials: Some(Arc::new(move |origin| {
            origins.lock().unwrap().push(origin.to_owned());
            Some("Bearer s3cr3t".to_owned())
        })),
        ..HttpOptions::default()
    });
    remote.resolve(&RemoteRequest::latest(server.url(URL)), &Cancel::default()).unwrap();
    let has_secret = |lines: &Vec<String>| lines.iter().any(|line| line.contains("s3cr3t"));
    assert_eq!(server.requests().iter().filter(|lines| has_secret(lines)).count(), 2);
    assert_eq!(other.requests().len(), 1);
    assert!(!other.requests().iter().any(has_secret), "the other server gets no credentials");
    assert_eq!(*asked.lock().unwrap(), [server.url(""), server.url("")]);
}

#[test]
fn statuses_have_their_meaning() {
    let server = Server::new();
    for (status, kind) in [
        ("401 Unauthorized", RemoteErrorKind::Denied),
        ("403 Forbidden", RemoteErrorKind::Denied),
        ("404 Not Found", RemoteErrorKind::NotFound),
        ("410 Gone", RemoteErrorKind::NotFound),
        ("206 Partial Content", RemoteErrorKind::Unavailable),
        ("429 Too Many Requests", RemoteErrorKind::Unavailable),
        ("503 Service Unavailable", RemoteErrorKind::Unavailable),
    ] {
        server.on_raw(URL, format!("HTTP/1.1 {status}\r\nContent-Length: 4\r\n\r\nbody"));
        assert_eq!(get(&server, &server.url(URL)), Err(kind), "{status}");
    }
}

#[test]
fn answers_that_end_early_are_no_artifacts() {
    let server = Server::new();
    let whole = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n01234567890123456789";
    for end in 0..whole.len() {
        server.on_raw(URL, &whole[..end]);
        let kind = get(&server, &server.url(URL));
        assert_eq!(kind, Err(RemoteErrorKind::Unavailable), "after {end} bytes");
    }
    let long = format!("HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n{}", "0".repeat(65_536));
    for end in (0..long.len()).step_by(509) {
        server.on_raw(URL, &long[..end]);
        let kind = get(&server, &server.url(URL));
        assert_eq!(kind, Err(RemoteErrorKind::Unavailable), "after {end} bytes");
    }
    server.on_raw(URL, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbytes\r\n");
    assert_eq!(get(&server, &server.url(URL)), Err(RemoteErrorKind::Unavailable), "no last chunk");
    server.on_raw(URL, whole);
    assert_eq!(get(&server, &server.url(URL)), Ok(Digest::of(b"01234567890123456789")), "again");
}

#[test]
fn endless_answers_end() {
    let server = Server::new();
    server.on(URL, |_, stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\n");
        while write!(stream, "X-More: {}\r\n", "x".repeat(1000)).is_ok() {}
    });
    let header = get(&server, &server.url(URL));
    assert!(matches!(header, Err(RemoteErrorKind::TooLarge | RemoteErrorKind::Unavailable)));
    let many = "X-More: x\r\n".repeat(200);
    server.on_raw(URL, format!("HTTP/1.1 200 OK\r\n{many}Content-Length: 2\r\n\r\nok"));
    assert_eq!(get(&server, &server.url(URL)), Err(RemoteErrorKind::TooLarge), "200 headers");
    server.on(URL, |_, stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        let chunk = "x".repeat(0x10000);
        while write!(stream, "10000\r\n{chunk}\r\n").is_ok() {}
    });
    assert_eq!(get(&server, &server.url(URL)), Err(RemoteErrorKind::TooLarge), "endless chunks");
    server.on(URL, |_, stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\n\r\n");
        let chunk = [b'x'; 0x10000];
        while stream.write_all(&chunk).is_ok() {}
    });
    assert_eq!(get(&server, &server.url(URL)), Err(RemoteErrorKind::TooLarge), "no length");
    server.on_raw(URL, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
    assert_eq!(get(&server, &server.url(URL)), Err(RemoteErrorKind::TooLarge), "a huge length");
}

#[test]
fn slow_answers_end() {
    let server = Server::new();
    // The server sends nothing more, and waits until the client has given up.
    server.on(URL, |_, stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n0123");
        let mut byte = [0];
        let _ = std::io::Read::read(stream, &mut byte);
    });
    let ended = get_within(&server, &server.url(URL), Duration::from_millis(200));
    assert_eq!(ended, Err(RemoteErrorKind::Unavailable));
}

#[test]
fn answers_that_trickle_end() {
    let server = Server::new();
    server.on(URL, |_, stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        // Each byte comes long before the deadline. It ends when the client has given up.
        let _ = stream.set_read_timeout(Some(Duration::from_millis(10)));
        let has_given_up = |stream: &mut TcpStream| matches!(stream.read(&mut [0]), Ok(0));
        while stream.write_all(b"0").is_ok() && !has_given_up(stream) {}
    });
    let ended = get_within(&server, &server.url(URL), Duration::from_millis(200));
    assert_eq!(ended, Err(RemoteErrorKind::Unavailable));
}
