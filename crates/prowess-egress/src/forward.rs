//! Requests for `http://`, to which secrets are added.

use std::io::{self, Read, Write};

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};

use crate::body::{self, Framed, Length};
use crate::connect::connect;
use crate::mask::Mask;
use crate::policy::{HIDES_SECRETS, NOT_PASSED, SecretHeader};
use crate::refusal::RefusalKind;
use crate::request::{Forward, Headers, MOST_HEAD, MOST_HEADERS, owned};
use crate::stream::{CHUNK, Stream};

/// Headers of an answer that are for one connection.
const NOT_ANSWERED: [&str; 6] =
    ["connection", "keep-alive", "proxy-connection", "trailer", "transfer-encoding", "upgrade"];
/// Methods whose answer is the request.
const ECHOES: [&str; 2] = ["TRACE", "TRACK"];
/// The status of a part of an answer.
const PARTIAL: u16 = 206;

type Served = Result<(), (Stream, RefusalKind)>;

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

/// Passes a request on to a granted host, and its answer back.
pub(crate) fn serve(request: &Forward, mut client: Stream) -> Served {
    let shared = client.shared.clone();
    let secrets = shared.secrets.iter().filter(|secret| secret.is_for(&request.host, request.port));
    let secrets: Vec<_> = secrets.collect();
    let mut server = match reach(request, &secrets, &client) {
        Ok(server) => server,
        Err(kind) => return Err((client, kind)),
    };
    if let Err(error) = send(request, &secrets, &mut *server, &mut client) {
        return Err((client, kind(&error)));
    }
    let (head, rest) = match answer_head(&mut *server) {
        Ok(head) => head,
        Err(error) => return Err((client, kind(&error))),
    };
    let length = match head.length(request, secrets.is_empty()) {
        Ok(length) => length,
        Err(kind) => return Err((client, kind)),
    };
    let values = || secrets.iter().map(|secret| secret.value.expose());
    let mut masked = Mask::new(Vec::new(), values());
    let framing = head.framing(length);
    let head = masked.write_all(&head.passed(request, secrets.is_empty(), length));
    let (bytes, finished) = masked.finish();
    let whole = [framing, bytes, b"Connection: close\r\n\r\n".to_vec()].concat();
    let begun = head.and(finished).and_then(|()| client.write_all(&whole));
    // The beginning of a secret, perhaps, is written once the answer has come to its end.
    let mut masked = Mask::new(Framed::new(client, length), values());
    let passed = begun.and_then(|()| body::pass(length, &rest, &mut server, &mut masked));
    let (framed, passed) = match passed {
        Ok(()) => masked.finish(),
        Err(error) => (masked.cut(), Err(error)),
    };
    let (client, ended) = framed.end(passed.is_ok());
    let passed = passed.and(ended);
    if passed.is_err_and(|error| error.kind() == io::ErrorKind::QuotaExceeded) {
        let host = format!("{}:{}", request.host, request.port);
        let kind = RefusalKind::TrafficLimit;
        client.shared.refuse(&crate::Refusal { kind, host });
    } else {
        client.finish();
    }
    Ok(())
}

fn kind(error: &io::Error) -> RefusalKind {
    match error.kind() {
        io::ErrorKind::QuotaExceeded => RefusalKind::TrafficLimit,
        _ => RefusalKind::HostUnreachable,
    }
}

/// Connects to the host: by TLS if a secret is sent.
fn reach(
    request: &Forward,
    secrets: &[&SecretHeader],
    client: &Stream,
) -> Result<Box<dyn ReadWrite>, RefusalKind> {
    let Forward { method, host, port, .. } = request;
    if !client.shared.policy.grants(host, *port) {
        return Err(RefusalKind::HostNotGranted);
    }
    if secrets.is_empty() {
        return Ok(Box::new(connect(host, *port, &client.shared)?));
    }
    if ECHOES.iter().any(|echo| method.eq_ignore_ascii_case(echo)) {
        return Err(RefusalKind::RequestInvalid);
    }
    let stream = connect(host, encrypted_port(*port), &client.shared)?;
    Ok(Box::new(encrypted(host, stream)?))
}

fn encrypted(
    host: &str,
    stream: Stream,
) -> Result<StreamOwned<ClientConnection, Stream>, RefusalKind> {
    let name = ServerName::try_from(host.to_owned()).map_err(|_| RefusalKind::HostUnreachable)?;
    let connection = ClientConnection::new(stream.shared.tls()?, name)
        .map_err(|_| RefusalKind::HostUnreachable)?;
    Ok(StreamOwned::new(connection, stream))
}

/// Returns the port of `https` for one of `http`.
fn encrypted_port(port: u16) -> u16 {
    if port == 80 { 443 } else { port }
}

/// Sends the request with its body.
fn send(
    request: &Forward,
    secrets: &[&SecretHeader],
    server: &mut dyn ReadWrite,
    client: &mut Stream,
) -> io::Result<()> {
    server.write_all(&head(request, secrets))?;
    let waits = request.headers.iter().any(|(name, _)| name == "expect");
    if waits && request.length > 0 {
        client.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let length = usize::try_from(request.length).unwrap_or(usize::MAX);
    let begun = &request.rest[..request.rest.len().min(length)];
    server.write_all(begun)?;
    let copied = io::copy(&mut client.take(request.length - begun.len() as u64), server)?;
    server.flush()?;
    if copied + begun.len() as u64 == request.length {
        return Ok(());
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

fn head(request: &Forward, secrets: &[&SecretHeader]) -> Vec<u8> {
    let Forward { method, host, port, path, headers, .. } = request;
    let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
    let port = if *port == 80 { String::new() } else { format!(":{port}") };
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {host}{port}\r\n").into_bytes();
    push(&mut head, headers.iter().filter(|(name, value)| is_passed(name, value, secrets)));
    if !secrets.is_empty() {
        head.extend_from_slice(b"Accept-Encoding: identity\r\n");
    }
    for SecretHeader { header, prefix, value, .. } in secrets {
        head.extend(format!("{header}: {prefix}{}\r\n", value.expose()).into_bytes());
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
    head
}

/// Returns whether a header of the process is passed on.
fn is_passed(name: &str, value: &[u8], secrets: &[&SecretHeader]) -> bool {
    let is_secret = secrets.iter().any(|secret| secret.header.eq_ignore_ascii_case(name));
    // `X-HTTP-Method-Override: TRACE`
    let value = value.trim_ascii();
    let is_echo = ECHOES.iter().any(|echo| value.eq_ignore_ascii_case(echo.as_bytes()));
    let hides_secrets = (is_echo || HIDES_SECRETS.contains(&name)) && !secrets.is_empty();
    !NOT_PASSED.contains(&name) && !is_secret && !hides_secrets
}

fn push<'h>(head: &mut Vec<u8>, headers: impl Iterator<Item = &'h (String, Vec<u8>)>) {
    for (name, value) in headers {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
}

struct AnswerHead {
    status: u16,
    headers: Headers,
}

/// Reads the head of an answer, and the beginning of its body.
fn answer_head(server: &mut dyn ReadWrite) -> io::Result<(AnswerHead, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut chunk = [0; CHUNK];
    loop {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut answer = httparse::Response::new(&mut headers);
        let parsed = answer.parse(&bytes).map_err(io::Error::other)?;
        if let httparse::Status::Complete(end) = parsed {
            let status = answer.code.unwrap_or_default();
            let headers = owned(answer.headers);
            bytes.drain(..end);
            // An answer before the answer.
            if !(100..200).contains(&status) {
                return Ok((AnswerHead { status, headers }, bytes));
            }
            continue;
        }
        let read = server.read(&mut chunk)?;
        if read == 0 || bytes.len() > MOST_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        bytes.extend_from_slice(&chunk[..read]);
    }
}

impl AnswerHead {
    /// Returns the length of the body. Refuses one in which a secret would not be found.
    fn length(&self, request: &Forward, is_plain: bool) -> Result<Length, RefusalKind> {
        let mut encodings = self.headers.iter().filter(|(name, _)| name == "content-encoding");
        let is_identity = encodings.all(|(_, value)| {
            let value = value.trim_ascii();
            value.is_empty() || value.eq_ignore_ascii_case(b"identity")
        });
        if !is_plain && (!is_identity || self.status == PARTIAL) {
            return Err(RefusalKind::AnswerEncoded);
        }
        Length::of(&request.method, self.status, &self.headers)
            .map_err(|_| RefusalKind::HostUnreachable)
    }

    /// Returns the lines of the head that say how to read the answer, which no secret is part of.
    fn framing(&self, length: Length) -> Vec<u8> {
        let length = match length {
            Length::Bytes(bytes) if bytes > 0 => format!("Content-Length: {bytes}\r\n"),
            Length::Chunks => "Transfer-Encoding: chunked\r\n".to_owned(),
            _ => String::new(),
        };
        format!("HTTP/1.1 {} \r\n{length}", self.status).into_bytes()
    }

    /// Returns the other headers for the process.
    fn passed(mut self, request: &Forward, is_plain: bool, length: Length) -> Vec<u8> {
        if !is_plain {
            self.stay_with_the_proxy(request);
        }
        let mut head = Vec::new();
        // The answer to `HEAD` has the length of another one.
        let is_framed = !matches!(length, Length::Bytes(0) | Length::ToTheEnd);
        let is_passed =
            |name: &str| !(NOT_ANSWERED.contains(&name) || is_framed && name == "content-length");
        push(&mut head, self.headers.iter().filter(|(name, _)| is_passed(name)));
        head
    }

    /// Leads a redirect to the same host by `https` back to the proxy, which has the secret.
    fn stay_with_the_proxy(&mut self, request: &Forward) {
        let Forward { host, port, .. } = request;
        let from = format!("https://{host}");
        for (_, value) in self.headers.iter_mut().filter(|(name, _)| name == "location") {
            let Some(rest) = value.strip_prefix(from.as_bytes()) else { continue };
            let port = format!(":{}", encrypted_port(*port));
            let after = rest.strip_prefix(port.as_bytes()).unwrap_or(rest);
            let is_host = after.first().is_none_or(|byte| b"/?#".contains(byte));
            if is_host {
                let rest = if *port == *":443" { after } else { rest };
                *value = [format!("http://{host}").as_bytes(), rest].concat();
            }
        }
    }
}
