//! Shows what is in an archive that nothing installs, by every way to read it.

use std::io::Read;

use flate2::bufread::{DeflateDecoder, GzDecoder};

use crate::zip_headers::{Common, Cursor, LOCAL};
use crate::{Limits, gzip, tar_reader, zip_reader};

/// How deep archives are read that are in others. A `.tar.gz` is two of them.
const DEEPEST: usize = 6;

/// The longest name of an entry, and the methods of compression that there are for a zip file.
const LONGEST_NAME: usize = 4096;
const METHODS: [u16; 14] = [0, 1, 6, 8, 9, 10, 12, 14, 93, 94, 95, 96, 97, 99];

/// The first bytes of what is packed in ways that this crate does not read: xz, zstd, 7z, RAR,
/// lzip, lz4, `compress`, lzma, cabinets, xar, bundles and packs of git; and those of bzip2 behind
/// its level.
const OTHER_FORMATS: &[u8] =
    b"\xfd7zXZ\0|\x28\xb5\x2f\xfd|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|LZIP\x01|\
    \x04\x22\x4d\x18|\x1f\x9d|\x1f\xa0|]\0\0\x80\0|MSCF\0\0\0\0|xar!\0\x1c|# v2 git bundle\n|\
    # v3 git bundle\n|PACK\0\0\0\x02";
const BZIP2: &[u8] = b"1AY&SY";

/// Shows the name and the content of each file that is in an archive, and in archives in it,
/// however damaged it is and whatever its names are. Returns whether all of it was read: formats
/// that this crate does not read, what is encrypted, and more than the limits, are not.
///
/// ```
/// use prowess_archive::{Archive, File, Limits, look};
///
/// let bytes = Archive::new(vec![File::new("a/.env", b"A=b".to_vec())])?.to_tar_gz();
/// let mut names = Vec::new();
/// assert!(look(&bytes, &Limits::default(), &mut |name, _| names.push(name.to_owned())));
/// assert_eq!(names, ["", "a/.env"]);
/// assert!(!look(b"BZh91AY&SY", &Limits::default(), &mut |_, _| ()));
/// # Ok::<(), prowess_archive::Refusal>(())
/// ```
///
/// The content of a compressed file without a name, such as the tar file in a `.tar.gz`, is shown
/// with an empty one.
pub fn look(bytes: &[u8], limits: &Limits, shown: &mut dyn FnMut(&str, &[u8])) -> bool {
    let left = limits.unpacked(bytes.len());
    let mut look = Look { shown, left, entries: limits.entries, is_whole: true };
    look.at(bytes, DEEPEST);
    look.is_whole
}

struct Look<'s> {
    shown: &'s mut dyn FnMut(&str, &[u8]),
    /// How many bytes may still be unpacked, and how many files shown.
    left: usize,
    entries: usize,
    is_whole: bool,
}

impl Look<'_> {
    fn at(&mut self, bytes: &[u8], depth: usize) {
        let is_zip = next_entry(bytes, 0).is_some();
        let [is_gzip, is_tar] = [gzip::is_gzip(bytes), tar_reader::is_tar(bytes)];
        let mut others = OTHER_FORMATS.split(|&byte| byte == b'|');
        let is_other =
            others.any(|start| bytes.starts_with(start)) || bytes.get(4..10) == Some(BZIP2);
        if is_other || (depth == 0 && (is_gzip || is_tar || is_zip)) {
            self.is_whole = false;
        } else if is_gzip {
            self.gzip(bytes, depth);
        } else if is_tar {
            self.tar(bytes, depth);
        } else if is_zip {
            self.zip(bytes, depth);
        }
    }

    /// Shows a file, and what is in it.
    fn show(&mut self, name: &[u8], content: &[u8], depth: usize) {
        let Some(entries) = self.entries.checked_sub(1) else {
            self.is_whole = false;
            return;
        };
        self.entries = entries;
        // However a path is written, its parts are those of a file.
        let name = String::from_utf8_lossy(name).replace('\\', "/");
        let parts = name.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
        (self.shown)(&parts.collect::<Vec<_>>().join("/"), content);
        self.at(content, depth - 1);
    }

    /// Unpacks as much as can be.
    fn unpack(&mut self, from: impl Read) -> Vec<u8> {
        let mut unpacked = Vec::new();
        // One byte more shows that there are more than may be.
        let read = from.take(self.left as u64 + 1).read_to_end(&mut unpacked);
        self.is_whole &= read.is_ok() && unpacked.len() <= self.left;
        self.left = self.left.saturating_sub(unpacked.len());
        unpacked
    }

    fn gzip(&mut self, bytes: &[u8], depth: usize) {
        let (mut rest, mut unpacked) = (bytes, Vec::new());
        while self.is_whole && gzip::is_gzip(rest) {
            let mut decoder = GzDecoder::new(rest);
            unpacked.extend(self.unpack(&mut decoder));
            rest = decoder.into_inner();
        }
        // Zeros pad the last block of a tape.
        self.is_whole &= rest.iter().all(|&byte| byte == 0);
        self.show(b"", &unpacked, depth);
    }

    fn tar(&mut self, bytes: &[u8], depth: usize) {
        let mut archive = tar::Archive::new(bytes);
        // Others may follow behind the end.
        archive.set_ignore_zeros(true);
        let entries = archive.entries().map(|entries| entries.map(Result::ok));
        for entry in entries.into_iter().flatten() {
            let Some(entry) = entry else {
                self.is_whole = false;
                return;
            };
            let [start, size] = [entry.raw_file_position(), entry.size()]
                .map(|it| usize::try_from(it).unwrap_or(usize::MAX));
            let rest = bytes.get(start..).unwrap_or_default();
            self.is_whole &= size <= rest.len();
            self.show(&entry.path_bytes(), &rest[..size.min(rest.len())], depth);
        }
    }

    /// Shows the entries of a zip file by their own headers, wherever they are in it.
    fn zip(&mut self, bytes: &[u8], depth: usize) {
        let mut next = next_entry(bytes, 0);
        while let Some(Entry { start, header, .. }) = next {
            // Without its length, an entry ends before the next one.
            let is_counted = !header.has_descriptor() && header.packed < u32::MAX as usize;
            let end = if is_counted { start.saturating_add(header.packed) } else { bytes.len() };
            self.is_whole &= end <= bytes.len();
            next = next_entry(bytes, if is_counted { end } else { start });
            let until = next.as_ref().map_or(bytes.len(), |next| next.at);
            let packed = &bytes[start..end.min(until)];
            let name = header.name;
            match header.method {
                zip_reader::DEFLATED if !header.is_encrypted() && !packed.is_empty() => {
                    let content = self.unpack(DeflateDecoder::new(packed));
                    self.show(name, &content, depth);
                }
                method => {
                    let is_stored = method == zip_reader::STORED && !header.is_encrypted();
                    self.is_whole &= is_stored || packed.is_empty();
                    self.show(name, if is_stored { packed } else { &[] }, depth);
                }
            }
        }
    }
}

/// An entry of a zip file: where its header is, and its content.
struct Entry<'b> {
    at: usize,
    start: usize,
    header: Common<'b>,
}

/// Returns the next entry of a zip file, whatever is before it.
fn next_entry(bytes: &[u8], from: usize) -> Option<Entry<'_>> {
    let rest = bytes.get(from..)?;
    memchr::memmem::find_iter(rest, &LOCAL).find_map(|found| {
        let at = from + found;
        let mut cursor = Cursor::new(bytes, at);
        let (header, _) = Common::read_unchecked(&mut cursor).ok()?;
        let is_name = (1..=LONGEST_NAME).contains(&header.name.len());
        let is_entry = is_name && METHODS.contains(&header.method);
        is_entry.then(|| Entry { at, start: cursor.at(), header })
    })
}
