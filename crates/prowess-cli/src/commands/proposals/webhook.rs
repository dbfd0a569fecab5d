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
        let help = "make a secret with `openssl rand -hex 32`, and put it into the file of \
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
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::thread;
    use std::time::Duration;

    use super::*;

    const SECRET: &str = "a secret of some length";

    /// The requests, and the connections that were not answered.
    type Received = (Vec<String>, Vec<TcpStream>);

    /// Receives a request for each answer. One without text never comes.
    fn server(answers: &'static [&'static str]) -> (String, thread::JoinHandle<Received>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound").to_string();
        let receive = move || {
            let mut requests = Vec::new();
            let mut open = Vec::new();
            for answer in answers {
                let (mut stream, _) = listener.accept().expect("a request comes");
                let mut reader = BufReader::new(stream.try_clone().expect("it is open"));
                let (mut head, mut length) = (String::new(), 0);
                while !head.ends_with("\r\n\r\n") {
                    let from = head.len();
                    reader.read_line(&mut head).expect("it is text");
                    let line = head[from..].to_ascii_lowercase();
                    if let Some(value) = line.strip_prefix("content-length:") {
                        length = value.trim().parse().expect("it is a number");
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("it has this length");
                requests.push(head + &String::from_utf8_lossy(&body));
                stream.write_all(answer.as_bytes()).expect("it is open");
                open.extend(answer.is_empty().then_some(stream));
            }
            (requests, open)
        };
        (address, thread::spawn(receive))
    }

    fn webhook(address: &str, timeout: Duration) -> Webhook {
        let options = HttpOptions {
            timeout,
            named_hosts: vec![address.to_owned()],
            ..HttpOptions::default()
        };
        let endpoint = HttpEndpoint::new(&format!("http://{address}/hook/token"), options);
        let secret = WebhookSecret::parse(SECRET).expect("it is long enough");
        Webhook { endpoint: endpoint.expect("its host is named"), secret }
    }

    #[test]
    fn only_success_is_a_delivery() {
        const CLOSE: &str = "connection: close\r\ncontent-length: 2\r\n\r\nno";
        let ok = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
        // The answer was received, whatever becomes of its body.
        let cut = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 9999999999\r\n\r\n{";
        let failing: &'static str = format!("HTTP/1.1 503 Busy\r\n{CLOSE}").leak();
        let moved: &'static str =
            format!("HTTP/1.1 307 Moved\r\nlocation: /other\r\n{CLOSE}").leak();
        let answers: &'static [&'static str] = vec![failing, moved, ok, cut].leak();
        let (address, server) = server(answers);
        let webhook = webhook(&address, Duration::from_secs(600));
        let results = [(); 4].map(|()| webhook.send("sha256:1", Timestamp(5_000), "{}\n"));
        let [failed, moved, ok, cut] = results;
        assert_eq!(failed, Err("`127.0.0.1` answers 503".to_owned()));
        assert_eq!(moved, Err("`127.0.0.1` answers 307".to_owned()), "no redirect is followed");
        assert_eq!((ok, cut), (Ok(()), Ok(())));
        let (requests, _) = server.join().expect("the server ends");
        assert_eq!(requests.len(), 4);
        let secret = WebhookSecret::parse(SECRET).expect("it is long enough");
        for request in requests {
            assert!(request.starts_with("POST /hook/token "), "{request}");
            assert!(request.ends_with("\r\n\r\n{}\n"), "{request}");
            for (name, value) in secret.headers("sha256:1", 5, b"{}\n") {
                assert!(request.contains(&format!("{name}: {value}\r\n")), "{request}");
            }
        }
    }

    #[test]
    fn server_that_never_answers_is_given_up() {
        let (address, server) = server(&[""]);
        let webhook = webhook(&address, Duration::from_millis(200));
        let reason = webhook.send("sha256:1", Timestamp(0), "{}\n").expect_err("nothing came");
        assert!(!reason.contains("token"), "{reason}");
        drop(server.join().expect("it has received the request"));
        let gone = webhook.send("sha256:1", Timestamp(0), "{}\n");
        gone.expect_err("nothing listens there");
    }

    #[test]
    fn private_addresses_are_named_or_refused() {
        let options = HttpOptions::default();
        assert!(HttpEndpoint::new("http://127.0.0.1:9/", options.clone()).is_err());
        let endpoint = HttpEndpoint::new("https://127.0.0.1:9/", options).expect("it is a URL");
        let secret = WebhookSecret::parse(SECRET).expect("it is long enough");
        let sent = Webhook { endpoint, secret }.send("1", Timestamp(0), "{}");
        assert!(sent.is_err_and(|reason| reason.contains("private")), "a host has to be named");
    }
}
