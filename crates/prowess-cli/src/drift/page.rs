//! Pages that skills depend on, where the operator grants their hosts.

use prowess::script::ScriptPolicy;

use super::Answer;

/// Returns a request for the head of a page; `None` if nothing may be asked there.
#[cfg(feature = "remotes")]
pub(super) fn head(url: &str, policy: &ScriptPolicy) -> Option<impl FnOnce() -> Answer> {
    use prowess_source_remote::{HttpEndpoint, HttpOptions};

    use crate::install_place::http_options;

    // The hosts of private networks among those that are granted, as for scripts.
    let private = policy.private_hosts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let options = HttpOptions { timeout: super::LIMIT, ..http_options(&private).ok()? };
    let endpoint = HttpEndpoint::new(url, options).ok()?;
    let host = endpoint.host().to_ascii_lowercase();
    let is_granted = policy.network.iter().any(|it| it.matches(&host, endpoint.port()));
    let ask = move || {
        let Ok(answer) = endpoint.head() else { return Answer::Nothing };
        match answer.status {
            404 | 410 => Answer::Missing,
            200..=299 => {
                let changed = answer.header("last-modified");
                let changed = changed.and_then(|it| jiff::fmt::rfc2822::parse(it).ok());
                let seconds = changed.map(|it| it.timestamp().as_second().to_string());
                seconds.map_or(Answer::Nothing, Answer::Text)
            }
            _ => Answer::Nothing,
        }
    };
    is_granted.then_some(ask)
}

#[cfg(not(feature = "remotes"))]
pub(super) fn head(_: &str, _: &ScriptPolicy) -> Option<fn() -> Answer> {
    None
}

#[cfg(all(test, feature = "remotes"))]
mod tests {
    use prowess_testkit::Server;

    use super::*;

    #[test]
    fn only_granted_hosts_are_asked() {
        let time = Answer::Text("1772323210".to_owned());
        for (answer, expected) in [
            ("404 Not Found\r\n", Answer::Missing),
            ("200 OK\r\nlast-modified: Sun, 01 Mar 2026 00:00:10 GMT\r\n", time),
            ("200 OK\r\n", Answer::Nothing),
            ("301 Moved\r\nlocation: /other\r\n", Answer::Nothing),
        ] {
            let server = Server::plain(&format!("HTTP/1.1 {answer}connection: close\r\n\r\n"));
            let url = format!("http://localhost:{}/api", server.port);
            let mut policy = ScriptPolicy::default();
            assert!(head(&url, &policy).is_none(), "no host is granted");
            policy.private_hosts = vec![url[7..url.len() - 4].parse().expect("it is a host")];
            assert!(head(&url, &policy).is_none(), "a private host is not granted by that");
            policy.network = policy.private_hosts.clone();
            assert!(head("http://localhost:9/", &policy).is_none(), "another port is another host");
            assert!(head("file:///etc/passwd", &policy).is_none());
            assert!(head(&url, &policy).expect("it is granted")() == expected);
            assert!(server.received().starts_with("HEAD /api "));
        }
    }
}
