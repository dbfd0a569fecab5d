//! The head of a request.

use std::io::{self, Read};

use crate::host::{host_name, parse_port, split};
use crate::refusal::RefusalKind;
use crate::stream::CHUNK;

/// The longest head of a request or an answer.
pub(crate) const MOST_HEAD: usize = 64 * 1024;
/// The most headers of a request or an answer.
pub(crate) const MOST_HEADERS: usize = 128;

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Tunnel(Tunnel),
    Forward(Forward),
}

/// A request for a connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tunnel {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The bytes that the process has sent after the head.
    pub(crate) rest: Vec<u8>,
}

/// A request for a resource.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    pub(crate) method: String,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) path: String,
    /// The headers, with their names in lower case.
    pub(crate) headers: Headers,
    /// The length of the body.
    pub(crate) length: u64,
    /// The beginning of the body.
    pub(crate) rest: Vec<u8>,
}

pub(crate) type Headers = Vec<(String, Vec<u8>)>;

impl Request {
    /// Returns the host and the port.
    pub(crate) fn authority(&self) -> String {
        let (Self::Tunnel(Tunnel { host, port, .. }) | Self::Forward(Forward { host, port, .. })) =
            self;
        format!("{host}:{port}")
    }
}

/// Reads the head of a request. The error is `None` if the connection has ended.
pub(crate) fn read(stream: &mut impl Read) -> Result<Request, Option<RefusalKind>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; CHUNK];
    loop {
        if let Some(request) = parse(&bytes)? {
            return Ok(request);
        }
        if bytes.len() >= MOST_HEAD {
            return Err(Some(RefusalKind::RequestInvalid));
        }
        match stream.read(&mut chunk) {
            Ok(0) => return Err(None),
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
            Err(error) if error.kind() == io::ErrorKind::QuotaExceeded => {
                return Err(Some(RefusalKind::TrafficLimit));
            }
            Err(_) => return Err(None),
        }
    }
}

/// Returns the request, or `None` if its head has not ended.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Request>, RefusalKind> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let end = match request.parse(bytes) {
        Ok(httparse::Status::Complete(end)) => end,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(RefusalKind::RequestInvalid),
    };
    let rest = bytes[end..].to_vec();
    let method = request.method.unwrap_or_default();
    let target = request.path.unwrap_or_default();
    let headers = owned(request.headers);
    let read = if method == "CONNECT" {
        tunnel(target, rest).map(Request::Tunnel)
    } else {
        forward(method, target, headers, rest).map(Request::Forward)
    };
    read.map(Some).ok_or(RefusalKind::RequestInvalid)
}

pub(crate) fn owned(headers: &[httparse::Header<'_>]) -> Headers {
    headers.iter().map(|it| (it.name.to_ascii_lowercase(), it.value.to_vec())).collect()
}

fn tunnel(target: &str, rest: Vec<u8>) -> Option<Tunnel> {
    let (host, port) = split(target)?;
    Some(Tunnel { host: host_name(host)?, port: parse_port(port?)?, rest })
}

fn forward(method: &str, target: &str, headers: Headers, rest: Vec<u8>) -> Option<Forward> {
    let scheme = target.get(..7)?;
    let after = target.get(7..).filter(|_| scheme.eq_ignore_ascii_case("http://"))?;
    let (authority, path) = after.split_at(after.find(['/', '?', '#']).unwrap_or(after.len()));
    let (host, port) = split(authority)?;
    let port = port.map_or(Some(80), parse_port)?;
    let path = match path.as_bytes().first() {
        Some(b'/') => path.to_owned(),
        None => "/".to_owned(),
        Some(b'?') => format!("/{path}"),
        _ => return None,
    };
    let length = length(&headers)?;
    let host = host_name(host)?;
    Some(Forward { method: method.to_owned(), host, port, path, headers, length, rest })
}

/// Returns the length of the body. A body in chunks has none, and two lengths would be read in two
/// ways.
fn length(headers: &Headers) -> Option<u64> {
    let values = |name: &'static str| headers.iter().filter(move |(other, _)| other == name);
    if values("transfer-encoding").next().is_some() {
        return None;
    }
    let mut lengths = values("content-length");
    let Some((_, length)) = lengths.next() else { return Some(0) };
    let is_number = !length.is_empty() && length.iter().all(u8::is_ascii_digit);
    let length = std::str::from_utf8(length).ok()?.parse().ok();
    length.filter(|_| is_number && lengths.next().is_none())
}
