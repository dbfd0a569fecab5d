//! The body of an answer: how long it is, and its chunks.

use std::io::{self, Read, Write};

use crate::request::{Headers, MOST_HEAD};
use crate::stream::CHUNK;

/// The longest line of a chunk's length.
const MOST_LINE: usize = 1024;

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
            ([], [length]) => length.parse().map(Self::Bytes).map_err(|_| invalid()),
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
    begun: Vec<u8>,
    server: &mut (impl Read + ?Sized),
    client: &mut impl Write,
) -> io::Result<()> {
    let mut source = Source { begun, at: 0, server };
    match length {
        Length::Bytes(bytes) => source.pass(bytes, client),
        Length::ToTheEnd => loop {
            if source.fill()? == 0 {
                return Ok(());
            }
            source.pass(source.left(), client)?;
        },
        Length::Chunks => loop {
            let line = source.line()?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let is_number = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_hexdigit());
            let bytes = u64::from_str_radix(size, 16).ok().filter(|_| is_number);
            match bytes.ok_or_else(invalid)? {
                0 => return source.skip_trailers(),
                bytes => source.pass(bytes, client)?,
            }
            if !source.line()?.is_empty() {
                return Err(invalid());
            }
        },
    }
}

/// The bytes of a server, some of which have been read.
struct Source<'s, S: ?Sized> {
    begun: Vec<u8>,
    at: usize,
    server: &'s mut S,
}

impl<S: Read + ?Sized> Source<'_, S> {
    fn left(&self) -> u64 {
        (self.begun.len() - self.at) as u64
    }

    /// Reads more if nothing is left, and returns how much is there; 0 at the end.
    fn fill(&mut self) -> io::Result<u64> {
        if self.left() == 0 {
            self.begun.resize(CHUNK, 0);
            self.at = 0;
            let read = self.server.read(&mut self.begun);
            self.begun.truncate(*read.as_ref().unwrap_or(&0));
            read?;
        }
        Ok(self.left())
    }

    fn pass(&mut self, mut bytes: u64, client: &mut impl Write) -> io::Result<()> {
        while bytes > 0 {
            let some = self.fill()?.min(bytes);
            if some == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let end = self.at + usize::try_from(some).unwrap_or(usize::MAX);
            client.write_all(&self.begun[self.at..end])?;
            self.at = end;
            bytes -= some;
        }
        Ok(())
    }

    /// Reads a line.
    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        while line.len() < MOST_LINE {
            if self.fill()? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            line.push(self.begun[self.at]);
            self.at += 1;
            if line.ends_with(b"\r\n") {
                line.truncate(line.len() - 2);
                return String::from_utf8(line).map_err(|_| invalid());
            }
        }
        Err(invalid())
    }

    fn skip_trailers(&mut self) -> io::Result<()> {
        let mut bytes = 0;
        while bytes < MOST_HEAD {
            match self.line()?.len() {
                0 => return Ok(()),
                length => bytes += length,
            }
        }
        Err(invalid())
    }
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

    /// Ends the body: without its last chunk, a client sees that it was cut.
    pub(crate) fn finish(mut self) -> (W, io::Result<()>) {
        let end: &[u8] = if self.is_chunked { b"0\r\n\r\n" } else { b"" };
        let finished = self.inner.write_all(end);
        (self.inner, finished)
    }

    pub(crate) fn cut(self) -> W {
        self.inner
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
