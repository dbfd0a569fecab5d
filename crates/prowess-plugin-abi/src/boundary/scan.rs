//! The reports of a scan, one call for each package.

use abi_stable::StableAbi;
use abi_stable::sabi_trait;
use abi_stable::sabi_types::RMut;
use abi_stable::std_types::{RSlice, RStr};

/// The `SKILL.md` of one package, as far as it was read.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The package's path from the source's root.
    pub package: RStr<'a>,
    /// `SKILL.md`, or `skill.md` where that is all there is.
    pub file: RStr<'a>,
    /// The first bytes of the file.
    pub head: RSlice<'a, u8>,
    /// The source's word for this version of the file; 0 if it may change without its stamp
    /// changing.
    pub stamp: u64,
    /// [`WHOLE_FILE`](super::flags::WHOLE_FILE) or nothing.
    pub flags: u32,
    /// Empty, or a JSON object: `size` is that of the whole file in bytes, if it is known.
    pub ext: RStr<'a>,
}

/// Something is wrong with a place. Texts may be empty and numbers 0 where they are not known.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// One of [`severities`](super::severities).
    pub severity: u32,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// The kind of the problem, such as `unreadable`.
    pub code: RStr<'a>,
    /// The file or directory.
    pub path: RStr<'a>,
    /// One sentence that names the thing.
    pub message: RStr<'a>,
    /// The next step.
    pub help: RStr<'a>,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// Takes what a scan finds. It is the host's, and lives until the call returns.
#[sabi_trait]
pub trait ScanSinkAbi: Send {
    /// The stamp that the last scan gave for this package; 0 if there is none to rely on.
    fn known(&self, package: RStr<'_>) -> u64;

    /// The package is as the last scan saw it.
    fn unchanged(&mut self, package: RStr<'_>);

    /// The package is new or changed. The answer is 0, or how many bytes from the file's start the
    /// sink wants to see: the source then reads further and calls again.
    fn found(&mut self, found: Found<'_>) -> u64;

    /// Something is wrong with a place.
    #[sabi(last_prefix_field)]
    fn problem(&mut self, problem: Problem<'_>);
}

/// A sink that is lent for one call.
pub type ScanSinkMut<'a> = ScanSinkAbi_TO<'a, RMut<'a, ()>>;
