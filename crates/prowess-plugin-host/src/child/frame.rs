//! Frames: how what a host and a plugin's own process say is put into bytes.
//!
//! A frame is two lengths (`u32`, little endian), a JSON document and raw bytes: what is short and has a
//! shape goes into the document, what is long goes beside it. Whoever reads says how long a frame may be:
//! what a plugin's process says is kept short, and what its host says is as long as it has to be.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Room for the document beside the bytes of an answer.
pub(crate) const DOCUMENT_BYTES: usize = 4 << 20;

/// Room for a document of the host's: a configuration with texts in it, or a stamp for each of very many
/// packages.
pub(crate) const REQUEST_BYTES: usize = 1 << 30;

/// Writes a frame.
pub(crate) fn write<T: Serialize>(
    to: &mut impl Write,
    document: &T,
    bytes: &[u8],
) -> io::Result<()> {
    let document = serde_json::to_vec(document)?;
    let lengths = [document.len(), bytes.len()].map(u32::try_from);
    let [Ok(of_document), Ok(of_bytes)] = lengths else {
        return Err(io::Error::other("a frame has 4 GiB"));
    };
    let mut head = [of_document.to_le_bytes(), of_bytes.to_le_bytes()].concat();
    head.extend(document);
    to.write_all(&head)?;
    to.write_all(bytes)?;
    to.flush()
}

/// Reads a frame with a document of at most so many bytes, and at most so many beside it; `None` where the
/// other side has gone.
pub(crate) fn read<T: DeserializeOwned>(
    from: &mut impl Read,
    document: usize,
    beside: usize,
) -> io::Result<Option<(T, Vec<u8>)>> {
    let mut head = [0; 8];
    let mut got = 0;
    while got < head.len() {
        match from.read(&mut head[got..])? {
            0 if got == 0 => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => got += count,
        }
    }
    let number = |at: usize| {
        let bytes = [head[at], head[at + 1], head[at + 2], head[at + 3]];
        usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX)
    };
    let (of_document, of_bytes) = (number(0), number(4));
    if of_document > document || of_bytes > beside {
        return Err(io::Error::other(format!("a frame of {of_document} and {of_bytes} bytes")));
    }
    let document = exactly(from, of_document)?;
    let document = serde_json::from_slice(&document)?;
    Ok(Some((document, exactly(from, of_bytes)?)))
}

/// Memory is taken as bytes arrive: a length alone costs nothing.
fn exactly(from: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let wanted = u64::try_from(length).unwrap_or(u64::MAX);
    from.take(wanted).read_to_end(&mut bytes)?;
    match bytes.len() == length {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
