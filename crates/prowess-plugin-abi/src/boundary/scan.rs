//! The reports of a scan.

use abi_stable::StableAbi;
use abi_stable::sabi_trait;
use abi_stable::sabi_types::RMut;
use abi_stable::std_types::{RSlice, RStr};

/// The beginning of the `SKILL.md` of one package.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The path of the package relative to the source's root.
    pub package: RStr<'a>,
    /// `SKILL.md`, or `skill.md` if there is no other.
    pub file: RStr<'a>,
    /// The first bytes of the file.
    pub head: RSlice<'a, u8>,
    /// The source's stamp of this version of the file; 0 if the file may change without a change of
    /// the stamp.
    pub stamp: u64,
    /// [`WHOLE_FILE`](super::flags::WHOLE_FILE) or nothing.
    pub flags: u32,
    /// Empty, or a JSON object: `size` is the size of the whole file in bytes, if it is known.
    pub ext: RStr<'a>,
}

/// A problem with a file or a directory. Unknown strings are empty and unknown numbers 0.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// One of [`severities`](super::severities).
    pub severity: u32,
    /// The line, starting at 1.
    pub line: u32,
    /// The column in characters, starting at 1.
    pub column: u32,
    /// The kind of the problem, such as `unreadable`.
    pub code: RStr<'a>,
    /// The file or directory.
    pub path: RStr<'a>,
    /// A message that names the affected object.
    pub message: RStr<'a>,
    /// How to fix the problem.
    pub help: RStr<'a>,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// Receives the reports of a scan. It is owned by the host, and valid until the call returns.
#[sabi_trait]
pub trait ScanSinkAbi: Send {
    /// Returns the stamp of this package in the previous scan; 0 if there is none.
    fn known(&self, package: RStr<'_>) -> u64;

    /// Reports that the package is the same as in the previous scan.
    fn unchanged(&mut self, package: RStr<'_>);

    /// Reports a new or changed package. Returns 0, or the number of bytes from the start of the
    /// file that the source should report with another call.
    fn found(&mut self, found: Found<'_>) -> u64;

    /// Reports a problem.
    #[sabi(last_prefix_field)]
    fn problem(&mut self, problem: Problem<'_>);
}

/// A sink that is borrowed for one call.
pub type ScanSinkMut<'a> = ScanSinkAbi_TO<'a, RMut<'a, ()>>;
