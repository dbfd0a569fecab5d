//! A place that packages come from.

use abi_stable::StableAbi;
use abi_stable::sabi_trait;
use abi_stable::std_types::{RResult, RSlice, RStr, RString, RVec};

use super::{AbiError, Blob, CallCtx, ScanSinkMut};

/// The constant properties of a source.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct SourceInfo {
    /// The name that a user sees as the record's source, such as `filesystem`.
    pub name: RString,
    /// Where the packages' paths begin: an absolute directory, or a URL without a last slash.
    pub root: RString,
    /// Empty, or a JSON object: `cache_key` is what a scan's outcome depends on beside the
    /// packages, if the stamps mean the same in another run.
    pub ext: RString,
}

/// A request for the files of a package.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct ListRequest<'a> {
    /// The package.
    pub package: RStr<'a>,
    /// The most files that the whole listing may name.
    pub most: u64,
    /// The `next` of the page before; empty for the first.
    pub cursor: RStr<'a>,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// One file of a package.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct Resource {
    /// Its path from the package's directory.
    pub path: RString,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Some files of a package, sorted by path.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct ListPage {
    /// The files.
    pub resources: RVec<Resource>,
    /// The cursor of the next page; empty if there is no further page.
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
    /// The file's path in it.
    pub resource: RStr<'a>,
    /// The most bytes that the answer may have.
    pub limit: u64,
    /// Empty, or a JSON object.
    pub ext: RStr<'a>,
}

/// A source. Every method may be called from any thread, several at once; what each has to do is
/// what `SkillSource` of the core says under the same name.
#[sabi_trait]
pub trait SkillSourceAbi: Send + Sync {
    /// Returns the constant properties.
    fn describe(&self) -> RResult<SourceInfo, AbiError>;

    /// Reports every package to `sink`.
    fn scan(&self, ctx: CallCtx<'_>, sink: ScanSinkMut<'_>) -> RResult<(), AbiError>;

    /// Reports these packages to `sink`, and says what it looked at: one of `coverage`.
    fn scan_packages(
        &self,
        ctx: CallCtx<'_>,
        packages: RSlice<'_, RStr<'_>>,
        sink: ScanSinkMut<'_>,
    ) -> RResult<u32, AbiError>;

    /// Names the files of a package other than its `SKILL.md`, a page at a time.
    fn list(&self, ctx: CallCtx<'_>, request: ListRequest<'_>) -> RResult<ListPage, AbiError>;

    /// Reads a file whole.
    fn read(&self, ctx: CallCtx<'_>, request: ReadRequest<'_>) -> RResult<Blob, AbiError>;

    /// Starts to report changes to the host, each with this token. The answer is a number for
    /// `unwatch`, or 0 if the source reports no changes.
    fn watch(&self, watch_token: u64) -> RResult<u64, AbiError>;

    /// Ends a watch: once this has returned, the host hears no more of it.
    fn unwatch(&self, watch: u64);

    /// The host is about to let go. The source ends its threads within so many milliseconds; calls
    /// after this one may fail. Called again, it does nothing.
    #[sabi(last_prefix_field)]
    fn shutdown(&self, deadline_ms: u64) -> RResult<(), AbiError>;
}
