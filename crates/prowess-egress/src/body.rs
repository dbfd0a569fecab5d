//! The body of an answer: how long it is, and its chunks.

use std::io::{self, BufRead, BufReader, Read, Write};

use crate::request::{Headers, MOST_HEADERS};
use crate::stream::CHUNK;

/// The longest line of a chunk's length, and of a trailer.
const MOST_LINE: u64 = 1024;

/// The length of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Bytes(u64),
    Chunks,
    /// To the end of the connection.
    ToTheEnd,
}

impl Length {
    /// Returns the length of the body of an answer. Fails for one that cannot be read.
    pub(crate) fn of(method: &str, status: u16, headers: &Headers) -> io::Result<Self> {
        if method == "HEAD" || matches!(status, 204 | 304) {
            return Ok(Self::Bytes(0));
        }
        let values = |name: &'static str| {
            let named = headers.iter().filter(move |(other, _)| other == name);
            named.map(|(_, value)| String::from_utf8_lossy(value).trim().to_ascii_lowercase())
        };
        let codings: Vec<_> = values("transfer-encoding").collect();
        if let [coding] = codings.as_slice()
            && coding == "chunked"
        {
            return Ok(Self::Chunks);
        }
        let mut lengths: Vec<_> = values("content-length").collect();
        lengths.dedup();
        match (codings.as_slice(), lengths.as_slice()) {
            ([], []) => Ok(Self::ToTheEnd),
            ([], [length]) if length.bytes().all(|byte| byte.is_ascii_digit()) => {
                length.parse().map(Self::Bytes).map_err(|_| invalid())
            }
            _ => Err(invalid()),
        }
    }
}

fn invalid() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// Passes a body on, without its framing. `begun` is what has been read of it. Fails if it does not
/// come to its end.
pub(crate) fn pass(
    length: Length,
    begun: &[u8],
    server: &mut dyn Read,
    client: &mut impl Write,
) -> io::Result<()> {
    let mut source = BufReader::with_capacity(CHUNK, begun.chain(server));
    match length {
        Length::Bytes(bytes) => copy(&mut source, bytes, client),
        Length::ToTheEnd => io::copy(&mut source, client).map(drop),
        Length::Chunks => loop {
            let line = line(&mut source)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let is_number = size.bytes().all(|byte| byte.is_ascii_hexdigit());
            match u64::from_str_radix(size, 16).ok().filter(|_| is_number).ok_or_else(invalid)? {
                0 => return skip_trailers(&mut source),
                bytes => copy(&mut source, bytes, client)?,
            }
            if !self::line(&mut source)?.is_empty() {
                return Err(invalid());
            }
        },
    }
}

fn copy(source: &mut impl Read, bytes: u64, client: &mut impl Write) -> io::Result<()> {
    let copied = io::copy(&mut source.take(bytes), client)?;
    if copied == bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn line(source: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    source.take(MOST_LINE).read_line(&mut line)?;
    line.strip_suffix("\r\n").map(str::to_owned).ok_or_else(invalid)
}

fn skip_trailers(source: &mut impl BufRead) -> io::Result<()> {
    for _ in 0..MOST_HEADERS {
        if line(source)?.is_empty() {
            return Ok(());
        }
    }
    Err(invalid())
}

/// Writes a body as chunks, or as it is.
pub(crate) struct Framed<W> {
    inner: W,
    is_chunked: bool,
}

impl<W: Write> Framed<W> {
    pub(crate) fn new(inner: W, length: Length) -> Self {
        Self { inner, is_chunked: length == Length::Chunks }
    }

    /// Returns the writer. Without the last chunk, a client sees that the body was cut.
    pub(crate) fn end(mut self, is_whole: bool) -> (W, io::Result<()>) {
        let end: &[u8] = if self.is_chunked && is_whole { b"0\r\n\r\n" } else { b"" };
        let ended = self.inner.write_all(end);
        (self.inner, ended)
    }
}

impl<W: Write> Write for Framed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_chunked && !bytes.is_empty() {
            write!(self.inner, "{:x}\r\n", bytes.len())?;
            self.inner.write_all(bytes)?;
            self.inner.write_all(b"\r\n")?;
        } else {
            self.inner.write_all(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_without_its_end_is_cut() {
        let cases =
            [(Length::Bytes(9), "abc"), (Length::Chunks, "3\r\nabc\r\n"), (Length::Chunks, "")];
        for (length, sent) in cases {
            let passed = pass(length, b"", &mut sent.as_bytes(), &mut Vec::new());
            assert!(passed.is_err(), "{length:?}: the server has closed the connection early");
        }
        let mut body = Vec::new();
        let passed = pass(Length::Chunks, b"3\r\nab", &mut &b"c\r\n0\r\n\r\n"[..], &mut body);
        assert!(passed.is_ok() && body == b"abc", "{body:?}");
    }
}
