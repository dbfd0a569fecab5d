//! The receiver of proposals behind a URL.

use std::time::Duration;

use prowess::Timestamp;
use prowess_signature::WebhookSecret;
use prowess_source_remote::{HttpEndpoint, HttpOptions};

use crate::args::Notify;
use crate::failure::Failure;
use crate::install_place::http_options;
use crate::named_file;

/// The variable with the secret.
const SECRET_VARIABLE: &str = "PROWESS_WEBHOOK_SECRET";

/// A URL that receives signed proposals.
pub(super) struct Webhook {
    endpoint: HttpEndpoint,
    secret: WebhookSecret,
}

impl Webhook {
    /// Reads the URL, the hosts and the secret of the arguments.
    pub(super) fn of(url: &str, args: &Notify, timeout: Duration) -> Result<Self, Failure> {
        let options = HttpOptions { timeout, ..http_options(&args.hosts)? };
        let help = "name a URL of `https`, and with `--host` a host in a private network";
        let endpoint = HttpEndpoint::new(url, options)
            .map_err(|error| Failure::usage("webhook-invalid", error.message, help))?;
        let help = "make a secret with `openssl rand -base64 32`, and put it into the file of \
                    `--secret-file` or into `PROWESS_WEBHOOK_SECRET`";
        let text = match &args.secret_file {
            Some(file) => named_file::text(file).map_err(|reason| {
                let message = format!("`{}` cannot be read: {reason}", file.display());
                Failure::usage("webhook-secret-invalid", message, help)
            })?,
            None => std::env::var(SECRET_VARIABLE).unwrap_or_default(),
        };
        let secret = WebhookSecret::parse(&text)
            .map_err(|error| Failure::usage("webhook-secret-invalid", error.to_string(), help))?;
        Ok(Self { endpoint, secret })
    }

    /// Sends a proposal under an id by which the receiver drops a repetition. Messages name the
    /// host alone: the rest of such a URL is often a secret.
    pub(super) fn send(&self, id: &str, at: Timestamp, body: &str) -> Result<(), String> {
        let mut headers = vec![("content-type", "application/json".to_owned())];
        headers.extend(self.secret.headers(id, at.0 / 1000, body.as_bytes()));
        match self.endpoint.send(&headers, body.as_bytes()) {
            Ok(200..=299) => Ok(()),
            Ok(status) => Err(format!("`{}` answers {status}", self.endpoint.host())),
            Err(error) => Err(error.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use prowess_testkit::Server;

    use super::*;

    fn webhook(port: u16, timeout: Duration) -> Webhook {
        let named_hosts = vec![format!("localhost:{port}")];
        let options = HttpOptions { timeout, named_hosts, ..HttpOptions::default() };
        let endpoint = HttpEndpoint::new(&format!("http://localhost:{port}/hook/token"), options);
        let secret =
            WebhookSecret::parse("YSBzZWNyZXQgb2Ygc29tZSBsZW5ndGg=").expect("it is long enough");
        Webhook { endpoint: endpoint.expect("its host is named"), secret }
    }

    #[test]
    fn only_success_is_a_delivery() {
        for (answer, expected) in [
            ("204 No Content\r\n", Ok(())),
            // The answer was received, whatever becomes of its body.
            ("200 OK\r\ncontent-length: 9999999999\r\n", Ok(())),
            ("503 Busy\r\n", Err("`localhost` answers 503".to_owned())),
            ("307 Moved\r\nlocation: /other\r\n", Err("`localhost` answers 307".to_owned())),
        ] {
            let server = Server::plain(&format!("HTTP/1.1 {answer}connection: close\r\n\r\n"));
            let webhook = webhook(server.port, Duration::from_secs(600));
            assert_eq!(webhook.send("sha256:1", Timestamp(5_000), "{}\n"), expected);
            let request = server.received();
            assert!(request.starts_with("POST /hook/token "), "{request}");
            assert!(request.ends_with("\r\n\r\n{}\n"), "{request}");
            for (name, value) in webhook.secret.headers("sha256:1", 5, b"{}\n") {
                assert!(request.contains(&format!("{name}: {value}\r\n")), "{request}");
            }
            assert!(!server.has_received(), "it is sent once, and no redirect is followed");
        }
    }

    #[test]
    fn server_that_never_answers_is_given_up() {
        let listener = TcpListener::bind("localhost:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let sent = webhook(port, Duration::from_millis(200)).send("1", Timestamp(0), "{}\n");
        assert!(sent.is_err_and(|reason| !reason.contains("token")), "the path may be a secret");
    }
}
