//! Writes zip files byte by byte, so that they can be wrong.

use std::io::Write as _;

use flate2::Compression;
use flate2::Crc;
use flate2::write::DeflateEncoder;

/// The fields of one header.
#[derive(Clone)]
pub(crate) struct Header {
    pub(crate) name: Vec<u8>,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) checksum: u32,
    pub(crate) packed: u32,
    pub(crate) unpacked: u32,
    pub(crate) extra: Vec<u8>,
}

/// An entry, whose two headers are equal at first.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) local: Header,
    pub(crate) central: Header,
    pub(crate) mode: u32,
    pub(crate) content: Vec<u8>,
    /// Bytes between this entry and the next one.
    pub(crate) after: Vec<u8>,
    /// The position of the local header, if it is not the real one.
    pub(crate) offset: Option<u32>,
}

pub(crate) fn stored(name: impl AsRef<[u8]>, content: &[u8]) -> Entry {
    entry(name, 0, content.to_vec(), content)
}

pub(crate) fn deflated(name: &str, content: &[u8]) -> Entry {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    entry(name, 8, encoder.finish().unwrap(), content)
}

fn entry(name: impl AsRef<[u8]>, method: u16, packed: Vec<u8>, content: &[u8]) -> Entry {
    let mut checksum = Crc::new();
    checksum.update(content);
    let header = Header {
        name: name.as_ref().to_vec(),
        flags: 0,
        method,
        checksum: checksum.sum(),
        packed: u32::try_from(packed.len()).unwrap(),
        unpacked: u32::try_from(content.len()).unwrap(),
        extra: Vec::new(),
    };
    let local = header.clone();
    Entry {
        local,
        central: header,
        mode: 0o100_644,
        content: packed,
        after: Vec::new(),
        offset: None,
    }
}

impl Entry {
    /// Changes both headers.
    pub(crate) fn both(mut self, change: impl Fn(&mut Header)) -> Self {
        change(&mut self.local);
        change(&mut self.central);
        self
    }

    pub(crate) fn local(mut self, change: impl FnOnce(&mut Header)) -> Self {
        change(&mut self.local);
        self
    }

    pub(crate) fn with_mode(self, mode: u32) -> Self {
        Self { mode, ..self }
    }

    /// Moves the sizes behind the content.
    pub(crate) fn with_descriptor(mut self) -> Self {
        self.after = b"PK\x07\x08".to_vec();
        for number in [self.central.checksum, self.central.packed, self.central.unpacked] {
            self.after.extend(number.to_le_bytes());
        }
        self.central.flags |= 8;
        self.local = Header { checksum: 0, packed: 0, unpacked: 0, ..self.central.clone() };
        self
    }
}

impl Header {
    fn push(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend(self.method.to_le_bytes());
        bytes.extend([0; 4]);
        for number in [self.checksum, self.packed, self.unpacked] {
            bytes.extend(number.to_le_bytes());
        }
        for length in [self.name.len(), self.extra.len()] {
            bytes.extend(u16::try_from(length).unwrap().to_le_bytes());
        }
    }
}

pub(crate) fn zip(entries: &[Entry]) -> Vec<u8> {
    zip_with(&[], entries, b"")
}

/// A zip file with bytes before its first entry, and with a comment.
pub(crate) fn zip_with(before: &[u8], entries: &[Entry], comment: &[u8]) -> Vec<u8> {
    let mut bytes = before.to_vec();
    let mut central = Vec::new();
    for entry in entries {
        let offset = entry.offset.unwrap_or(u32::try_from(bytes.len()).unwrap());
        bytes.extend(b"PK\x03\x04\x14\0");
        entry.local.push(&mut bytes);
        bytes.extend(entry.local.name.iter().chain(&entry.local.extra).chain(&entry.content));
        bytes.extend(&entry.after);
        central.extend(b"PK\x01\x02\x14\x03\x14\0");
        entry.central.push(&mut central);
        central.extend([0; 6]);
        central.extend((entry.mode << 16).to_le_bytes());
        central.extend(offset.to_le_bytes());
        central.extend(entry.central.name.iter().chain(&entry.central.extra));
    }
    let start = u32::try_from(bytes.len()).unwrap();
    bytes.extend(&central);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    bytes.extend(count.iter().chain(&count));
    bytes.extend(u32::try_from(central.len()).unwrap().to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend(u16::try_from(comment.len()).unwrap().to_le_bytes());
    bytes.extend(comment);
    bytes
}
