//! Frames: the bytes of a message between a host and a plugin's own process.
//!
//! A frame is two lengths (`u32`, little endian), a JSON document and raw bytes: short structured
//! values go into the document, long texts go next to it. The reader decides how long a frame may
//! be: a plugin's process has a small allowance, its host a large one.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Room for the document next to the bytes of an answer.
pub const DOCUMENT_BYTES: usize = 4 << 20;

/// Returns the longest document of an answer: that of a tool has the whole result in it.
pub(super) fn answer_document_bytes(answer_bytes: usize) -> usize {
    DOCUMENT_BYTES.saturating_add(answer_bytes)
}

/// Room for a document of the host's: a configuration with texts in it, or a stamp for each of very
/// many packages.
pub const REQUEST_BYTES: usize = 1 << 30;

/// The lengths in front of a frame.
const HEAD_BYTES: usize = 8;
/// Bytes up to this many are copied behind the document, to be written by one system call.
const COPIED_BYTES: usize = 256 << 10;
/// How much memory a reader keeps between frames.
const KEPT_BYTES: usize = 64 << 10;

/// Writes a frame.
///
/// # Errors
///
/// The stream fails, or the frame has 4 GiB.
pub fn write<T: Serialize>(to: &mut impl Write, document: &T, bytes: &[u8]) -> io::Result<()> {
    write_within(to, document, bytes, usize::MAX)
}

/// As [`write`], with a document of at most `most` bytes.
///
/// # Errors
///
/// As for [`write`]. If the document is longer, nothing is written, and the error is of the kind
/// [`FileTooLarge`](io::ErrorKind::FileTooLarge).
pub(super) fn write_within<T: Serialize>(
    to: &mut impl Write,
    document: &T,
    bytes: &[u8],
    most: usize,
) -> io::Result<()> {
    let mut frame = vec![0; HEAD_BYTES];
    serde_json::to_writer(&mut frame, document)?;
    let length = frame.len() - HEAD_BYTES;
    if length > most {
        let reason = format!("a message of {length} bytes, of which {most} are allowed");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    let too_long = |_| io::Error::other("a frame has 4 GiB");
    let document_length = u32::try_from(length).map_err(too_long)?;
    let bytes_length = u32::try_from(bytes.len()).map_err(too_long)?;
    frame[..4].copy_from_slice(&document_length.to_le_bytes());
    frame[4..HEAD_BYTES].copy_from_slice(&bytes_length.to_le_bytes());
    if bytes.len() <= COPIED_BYTES {
        frame.extend_from_slice(bytes);
        return to.write_all(&frame);
    }
    to.write_all(&frame)?;
    to.write_all(bytes)
}

/// Reads a frame with a document of at most so many bytes, and at most so many bytes next to it.
/// Returns `None` where the other side has ended.
///
/// Nothing behind the frame is read; a `FrameReader` reads ahead.
///
/// # Errors
///
/// The stream fails or ends, or the frame is longer than allowed.
pub fn read<T: DeserializeOwned>(
    from: &mut impl Read,
    document: usize,
    beside: usize,
) -> io::Result<Option<(T, Vec<u8>)>> {
    let mut head = [0; HEAD_BYTES];
    let mut got = 0;
    while got < head.len() {
        match from.read(&mut head[got..])? {
            0 if got == 0 => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => got += count,
        }
    }
    let lengths = Lengths::of(&head);
    lengths.check(document, beside)?;
    let document = exactly(from, lengths.document)?;
    let document = serde_json::from_slice(&document)?;
    Ok(Some((document, exactly(from, lengths.bytes)?)))
}

/// Memory is taken as bytes arrive: a length alone costs nothing.
fn exactly(from: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let wanted = u64::try_from(length).unwrap_or(u64::MAX);
    from.take(wanted).read_to_end(&mut bytes)?;
    if bytes.len() == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// The lengths of a frame's parts.
#[derive(Clone, Copy)]
struct Lengths {
    document: usize,
    bytes: usize,
}

impl Lengths {
    fn of(head: &[u8; HEAD_BYTES]) -> Self {
        let number = |at: usize| {
            let bytes = [head[at], head[at + 1], head[at + 2], head[at + 3]];
            usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX)
        };
        Self { document: number(0), bytes: number(4) }
    }

    fn check(self, document: usize, beside: usize) -> io::Result<()> {
        if self.document <= document && self.bytes <= beside {
            return Ok(());
        }
        let Self { document: has, bytes } = self;
        Err(io::Error::other(format!(
            "a frame of {has} and {bytes} bytes, of which {document} and {beside} are allowed"
        )))
    }

    fn total(self) -> usize {
        HEAD_BYTES.saturating_add(self.document).saturating_add(self.bytes)
    }
}

/// Reads frames ahead, so that a short one costs one system call. A read that times out loses
/// nothing.
pub(super) struct FrameReader {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    document: usize,
    beside: usize,
}

impl FrameReader {
    /// Creates a reader of frames with documents of at most so many bytes, and so many next to
    /// them.
    pub(super) fn new(document: usize, beside: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, end: 0, document, beside }
    }

    /// Reads the next frame; `None` where the other side has ended.
    pub(super) fn next<T: DeserializeOwned>(
        &mut self,
        from: &mut impl Read,
    ) -> io::Result<Option<(T, Vec<u8>)>> {
        loop {
            if let Some(frame) = self.take()? {
                return Ok(Some(frame));
            }
            if self.fill(from)? == 0 {
                let is_between = self.start == self.end;
                return if is_between {
                    Ok(None)
                } else {
                    Err(io::ErrorKind::UnexpectedEof.into())
                };
            }
        }
    }

    /// Takes a frame that has arrived as a whole.
    fn take<T: DeserializeOwned>(&mut self) -> io::Result<Option<(T, Vec<u8>)>> {
        let arrived = &self.buffer[self.start..self.end];
        let Some((head, rest)) = arrived.split_first_chunk() else { return Ok(None) };
        let lengths = Lengths::of(head);
        lengths.check(self.document, self.beside)?;
        if arrived.len() < lengths.total() {
            return Ok(None);
        }
        let (document, rest) = rest.split_at(lengths.document);
        let frame = (serde_json::from_slice(document)?, rest[..lengths.bytes].to_vec());
        self.start += lengths.total();
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.buffer.truncate(KEPT_BYTES);
            self.buffer.shrink_to(KEPT_BYTES);
        }
        Ok(Some(frame))
    }

    /// Reads what has arrived. The buffer doubles while a long frame arrives, so a length alone
    /// costs nothing.
    fn fill(&mut self, from: &mut impl Read) -> io::Result<usize> {
        if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if self.end * 2 > self.buffer.len() || self.buffer.is_empty() {
                self.buffer.resize((self.buffer.len() * 2).max(KEPT_BYTES), 0);
            }
        }
        let count = from.read(&mut self.buffer[self.end..])?;
        self.end += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time, and nothing in between.
    struct Slow(Vec<u8>, usize, bool);

    impl Read for Slow {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.2 = !self.2;
            if self.2 {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let count = self.0.len().min(self.1).min(to.len());
            to[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn frames(texts: &[(&str, usize)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (text, length) in texts {
            write(&mut bytes, text, &vec![7; *length]).expect("a vector takes everything");
        }
        bytes
    }

    #[test]
    fn timeouts_between_pieces_lose_nothing() {
        let texts = [("one", 0), ("two", 200_000), ("", 3), ("four", 1)];
        for piece in [1, 3, 8, 1000, 1 << 20] {
            let mut from = Slow(frames(&texts), piece, false);
            let mut reader = FrameReader::new(100, 1 << 20);
            let mut seen = Vec::new();
            loop {
                match reader.next::<String>(&mut from) {
                    Ok(Some((text, bytes))) => seen.push((text, bytes.len())),
                    Ok(None) => break,
                    Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock, "{error}"),
                }
            }
            let expected = texts.map(|(text, length)| (text.to_owned(), length));
            assert_eq!(seen, expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn long_frame_is_refused_before_it_arrives() {
        let mut head = u32::MAX.to_le_bytes().to_vec();
        head.extend([0; 4]);
        let mut reader = FrameReader::new(100, 100);
        let error = reader.next::<String>(&mut &*head).expect_err("it is refused");
        assert!(error.to_string().contains("4294967295 and 0 bytes"), "{error}");
        assert!(reader.buffer.len() <= KEPT_BYTES, "it took no memory");
    }

    #[test]
    fn half_a_frame_is_an_end() {
        let bytes = frames(&[("text", 5)]);
        for cut in 1..bytes.len() {
            let mut reader = FrameReader::new(100, 100);
            let error = reader.next::<String>(&mut &bytes[..cut]).expect_err("it is cut");
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "after {cut} bytes");
        }
    }
}
