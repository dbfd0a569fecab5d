//! Adapts the author's source to the ABI.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi_stable::std_types::{RResult, RSlice, RStr, RString};
use prowess_core::{
    ChangeListener, Coverage, Listing, PreviousScan, ReadLimit, SkillSource, Watch,
};
use prowess_plugin_abi::{
    AbiError, Blob, CallCtx, ListPage, ListRequest, ReadRequest, Resource, ScanSinkMut,
    SkillSourceAbi, SourceInfo, coverage, flags,
};
use serde_json::json;

use super::sink::HostScan;
use crate::guard::{self, Guard};
use crate::{Host, convert};

/// A source behind the ABI.
pub(super) struct SourceAdapter {
    /// `Some` until the adapter is dropped.
    source: Option<Arc<dyn SkillSource>>,
    host: Host,
    guard: Guard,
    watches: Mutex<HashMap<u64, Watch>>,
    next_watch: AtomicU64,
}

impl SourceAdapter {
    pub(super) fn new(source: Arc<dyn SkillSource>, host: &Host) -> Self {
        Self {
            source: Some(source),
            host: host.clone(),
            guard: Guard::default(),
            watches: Mutex::default(),
            next_watch: AtomicU64::new(1),
        }
    }

    fn source(&self) -> &dyn SkillSource {
        &**self.source.as_ref().expect("only `drop` removes the source")
    }

    fn watches(&self) -> MutexGuard<'_, HashMap<u64, Watch>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the listener that forwards changes to the host.
    fn listener(&self, watch_token: u64) -> ChangeListener {
        let host = self.host.clone();
        Arc::new(move |change| {
            convert::with_change(&change, |change| host.changed(watch_token, change));
        })
    }

    fn start_watch(&self, watch_token: u64) -> Result<u64, AbiError> {
        let watch = self.source().watch(self.listener(watch_token));
        let Some(watch) = watch.map_err(|error| convert::source_error(&error))? else {
            return Ok(0);
        };
        let number = self.next_watch.fetch_add(1, Ordering::Relaxed);
        self.watches().insert(number, watch);
        Ok(number)
    }
}

impl SkillSourceAbi for SourceAdapter {
    fn describe(&self) -> RResult<SourceInfo, AbiError> {
        self.guard.run(|| {
            let source = self.source();
            let name = source.name().into();
            let root = source.root().into();
            Ok(SourceInfo { name, root, ext: ext(source.cache_key()) })
        })
    }

    fn scan(&self, ctx: CallCtx<'_>, sink: ScanSinkMut<'_>) -> RResult<(), AbiError> {
        self.guard.run(|| {
            let scan = HostScan::new(sink);
            let cancel = self.host.cancel_of(&ctx);
            let scanned = self.source().scan(&PreviousScan::new(&scan), &mut scan.sink(), &cancel);
            scanned.map(drop).map_err(|error| convert::source_error(&error))
        })
    }

    fn scan_packages(
        &self,
        ctx: CallCtx<'_>,
        packages: RSlice<'_, RStr<'_>>,
        sink: ScanSinkMut<'_>,
    ) -> RResult<u32, AbiError> {
        self.guard.run(|| {
            let packages = packages.iter().map(|path| convert::package(*path));
            let packages = packages.collect::<Result<Vec<_>, _>>()?;
            let cancel = self.host.cancel_of(&ctx);
            let scan = HostScan::new(sink);
            let previous = PreviousScan::new(&scan);
            let scanned =
                self.source().scan_packages(&packages, &previous, &mut scan.sink(), &cancel);
            match scanned.map_err(|error| convert::source_error(&error))? {
                Coverage::Everything(_) => Ok(coverage::EVERYTHING),
                Coverage::Asked => Ok(coverage::ASKED),
            }
        })
    }

    fn list(&self, _: CallCtx<'_>, request: ListRequest<'_>) -> RResult<ListPage, AbiError> {
        self.guard.run(|| {
            let most = usize::try_from(request.most).unwrap_or(usize::MAX);
            let listing = self.source().list(&convert::package(request.package)?, most);
            Ok(page(listing.map_err(|error| convert::source_error(&error))?))
        })
    }

    fn read(&self, _: CallCtx<'_>, request: ReadRequest<'_>) -> RResult<Blob, AbiError> {
        self.guard.run(|| {
            let package = convert::package(request.package)?;
            let resource = convert::resource(request.resource)?;
            let limit = ReadLimit(usize::try_from(request.limit).unwrap_or(usize::MAX));
            let bytes = self.source().read(&package, &resource, limit);
            bytes.map(Blob::of).map_err(|error| convert::source_error(&error))
        })
    }

    fn watch(&self, watch_token: u64) -> RResult<u64, AbiError> {
        self.guard.run(|| self.start_watch(watch_token))
    }

    fn unwatch(&self, watch: u64) {
        // Removed under the lock but dropped without it, since ending a watch may block.
        let watch = self.watches().remove(&watch);
        guard::contain(|| drop(watch));
    }

    fn shutdown(&self, _deadline_ms: u64) -> RResult<(), AbiError> {
        let watches = std::mem::take(&mut *self.watches());
        guard::contain(|| drop(watches));
        RResult::ROk(())
    }
}

/// Returns the `ext` field of a source's description.
fn ext(cache_key: Option<String>) -> RString {
    cache_key.map(|key| json!({ "cache_key": key }).to_string()).unwrap_or_default().into()
}

/// Converts a listing into one page, since the core's sources have it in memory anyway.
fn page(listing: Listing) -> ListPage {
    let resources = listing
        .resources
        .into_iter()
        .map(|resource| Resource { path: resource.path.as_str().into(), bytes: resource.bytes });
    ListPage {
        resources: resources.collect(),
        next: RString::new(),
        flags: if listing.is_complete { 0 } else { flags::CUT },
        ext: RString::new(),
    }
}

impl Drop for SourceAdapter {
    fn drop(&mut self) {
        let watches = std::mem::take(&mut *self.watches());
        let source = self.source.take();
        guard::contain(|| drop(watches));
        guard::contain(|| drop(source));
    }
}
