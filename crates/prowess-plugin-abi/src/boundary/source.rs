//! The interface of sources.

use abi_stable::StableAbi;
use abi_stable::sabi_trait;
use abi_stable::std_types::{RResult, RSlice, RStr, RString, RVec};

use super::{AbiError, Blob, CallCtx, ScanSinkMut};

/// The constant properties of a source.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct SourceInfo {
    /// The name of the source for users, such as `filesystem`.
    pub name: RString,
    /// The root to which package paths are relative: an absolute directory, or a URL without a
    /// trailing slash.
    pub root: RString,
    /// Empty, or a JSON object: `cache_key` identifies the configuration on which scans depend, if
    /// stamps are valid across runs.
    pub ext: RString,
}

/// A request for the files of a package.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct ListRequest<'a> {
    /// The package.
    pub package: RStr<'a>,
    /// The maximum number of files of the whole listing.
    pub most: u64,
    /// The `next` of the previous page; empty for the first page.
    pub cursor: RStr<'a>,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// One file of a package.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct Resource {
    /// The path relative to the package's directory.
    pub path: RString,
    /// The size in bytes.
    pub bytes: u64,
}

/// Some files of a package, sorted by path.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct ListPage {
    /// The files.
    pub resources: RVec<Resource>,
    /// The cursor of the next page; empty if there is none.
    pub next: RString,
    /// [`CUT`](super::flags::CUT) or nothing.
    pub flags: u32,
    /// Empty, or a JSON object.
    pub ext: RString,
}

/// A request for one file.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct ReadRequest<'a> {
    /// The package.
    pub package: RStr<'a>,
    /// The path of the file in the package.
    pub resource: RStr<'a>,
    /// The maximum size of the file in bytes.
    pub limit: u64,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// A source. Every method may be called from several threads concurrently, and has the behavior of
/// the method of the same name of the core's `SkillSource`.
#[sabi_trait]
pub trait SkillSourceAbi: Send + Sync {
    /// Returns the constant properties.
    fn describe(&self) -> RResult<SourceInfo, AbiError>;

    /// Reports every package to `sink`.
    fn scan(&self, ctx: CallCtx<'_>, sink: ScanSinkMut<'_>) -> RResult<(), AbiError>;

    /// Reports these packages to `sink`. Returns what was scanned: one of `coverage`.
    fn scan_packages(
        &self,
        ctx: CallCtx<'_>,
        packages: RSlice<'_, RStr<'_>>,
        sink: ScanSinkMut<'_>,
    ) -> RResult<u32, AbiError>;

    /// Returns one page of the files of a package without its `SKILL.md`.
    fn list(&self, ctx: CallCtx<'_>, request: ListRequest<'_>) -> RResult<ListPage, AbiError>;

    /// Reads a whole file.
    fn read(&self, ctx: CallCtx<'_>, request: ReadRequest<'_>) -> RResult<Blob, AbiError>;

    /// Starts to report changes to the host with this token. Returns a number for `unwatch`, or 0
    /// if the source does not report changes.
    fn watch(&self, watch_token: u64) -> RResult<u64, AbiError>;

    /// Ends a watch. After this returns, no change is reported.
    fn unwatch(&self, watch: u64);

    /// Shuts the source down: it ends its threads within `deadline_ms`. Later calls may fail;
    /// another `shutdown` has no effect.
    #[sabi(last_prefix_field)]
    fn shutdown(&self, deadline_ms: u64) -> RResult<(), AbiError>;
}
