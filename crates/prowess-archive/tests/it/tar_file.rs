//! Writes tar files byte by byte, so that they can be wrong.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A header of a tar file with its content.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) name: Vec<u8>,
    pub(crate) kind: u8,
    pub(crate) mode: u32,
    pub(crate) content: Vec<u8>,
    /// The size in the header, if it is not that of the content.
    pub(crate) size: Option<u64>,
    pub(crate) link: Vec<u8>,
}

pub(crate) fn file(name: impl AsRef<[u8]>) -> Record {
    record(name, b'0', b"text")
}

pub(crate) fn directory(name: impl AsRef<[u8]>) -> Record {
    Record { mode: 0o755, ..record(name, b'5', b"") }
}

pub(crate) fn record(name: impl AsRef<[u8]>, kind: u8, content: &[u8]) -> Record {
    let name = name.as_ref().to_vec();
    Record { name, kind, mode: 0o644, content: content.to_vec(), size: None, link: Vec::new() }
}

pub(crate) fn link(name: &str, kind: u8, target: &str) -> Record {
    Record { link: target.into(), ..record(name, kind, b"") }
}

/// An extended header with these keys.
pub(crate) fn pax(kind: u8, keys: &[(&str, &str)]) -> Record {
    let mut content = Vec::new();
    for (key, value) in keys {
        let rest = key.len() + value.len() + 3;
        let digits = |length: usize| length.to_string().len();
        let length = rest + digits(rest + digits(rest));
        writeln!(content, "{length} {key}={value}").unwrap();
    }
    record("PaxHeader", kind, &content)
}

/// A long name of GNU.
pub(crate) fn long_name(name: &str) -> Record {
    let mut content = name.as_bytes().to_vec();
    content.push(0);
    record("././@LongLink", b'L', &content)
}

impl Record {
    fn bytes(&self) -> Vec<u8> {
        let mut header = [0; 512];
        header[..self.name.len().min(100)].copy_from_slice(&self.name[..self.name.len().min(100)]);
        write!(&mut header[100..], "{:07o}", self.mode).unwrap();
        write!(&mut header[108..], "{:07o}", 0).unwrap();
        write!(&mut header[116..], "{:07o}", 0).unwrap();
        let size = self.size.unwrap_or(self.content.len() as u64);
        write!(&mut header[124..], "{size:011o}").unwrap();
        write!(&mut header[136..], "{:011o}", 0).unwrap();
        header[156] = self.kind;
        header[157..157 + self.link.len()].copy_from_slice(&self.link);
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        write!(&mut header[148..], "{sum:06o}\0").unwrap();
        let mut bytes = header.to_vec();
        bytes.extend(&self.content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes
    }
}

/// A tar file without its end.
pub(crate) fn open_tar(records: &[Record]) -> Vec<u8> {
    records.iter().flat_map(Record::bytes).collect()
}

pub(crate) fn tar(records: &[Record]) -> Vec<u8> {
    let mut bytes = open_tar(records);
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn tar_gz(records: &[Record]) -> Vec<u8> {
    gzip(&tar(records))
}
