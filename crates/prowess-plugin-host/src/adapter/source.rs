//! The source of a plugin in this process.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::sabi_types::RMut;
use abi_stable::std_types::{RResult, RSlice, RStr};
use prowess_core::{
    Cancel, ChangeListener, Coverage, Listing, PackagePath, PreviousScan, ReadLimit, Resource,
    ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError, Watch,
};
use prowess_plugin_abi::{
    AbiError, CallCtx, ListPage, ListRequest, ReadRequest, ScanSinkAbi_TO, ScanSinkMut, SourceBox,
    codes, coverage, flags, text,
};
use prowess_text::clipped;

use super::convert;
use super::lease::{Lease, LentArguments, ScanArguments};
use super::sink::BoundedSink;
use crate::PluginErrorKind;
use crate::failure::Failure;
use crate::generation::{CallContext, Shared};
use crate::guard::lock;
use crate::instance::StampOrigin;

/// The maximum number of pages of a listing. More are a fault of the plugin.
const MAX_PAGES: usize = 10_000;
/// The maximum number of characters of a plugin's path in a message.
const MAX_SHOWN: usize = 200;

/// The packages that a scan covers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanOperation {
    Everything,
    Packages,
}

impl ScanOperation {
    fn name(self) -> &'static str {
        match self {
            Self::Everything => "scan",
            Self::Packages => "scan_packages",
        }
    }
}

/// A source of a plugin in this process.
pub(crate) struct PluginSource {
    shared: Arc<Shared>,
    index: usize,
    /// The origin of the host's stamps: the last complete scan, or an earlier run.
    host_stamps: Arc<Mutex<StampOrigin>>,
}

impl PluginSource {
    pub(crate) fn new(shared: &Arc<Shared>, index: usize) -> Self {
        let host_stamps = match shared.current().stamps(index) {
            // Nothing has been scanned yet.
            StampOrigin::OfInstance(_) => StampOrigin::OfInstance(0),
            of_build => of_build,
        };
        Self { shared: Arc::clone(shared), index, host_stamps: Arc::new(Mutex::new(host_stamps)) }
    }

    fn call<T: Send + 'static>(
        &self,
        call: &CallContext<'_>,
        work: impl FnOnce(&SourceBox, CallCtx<'_>) -> RResult<T, AbiError> + Send + 'static,
    ) -> Result<T, SourceError> {
        let index = self.index;
        let work = move |instance: &crate::instance::Instance, ctx: CallCtx<'_>| {
            work(&instance.objects().sources[index], ctx)
        };
        self.shared.call(call, work).map_err(|failure| convert::source_error(&failure))
    }

    /// Calls the plugin with the sink lent to it.
    fn scan_with<T: Send + 'static>(
        &self,
        mut arguments: ScanArguments<'_>,
        cancel: &Cancel,
        operation: ScanOperation,
        work: impl FnOnce(&SourceBox, CallCtx<'_>, ScanSinkMut<'_>) -> RResult<T, AbiError>
        + Send
        + 'static,
    ) -> Result<T, SourceError> {
        let lease = Lease::new(&mut arguments);
        let lent: Arc<LentArguments> = Arc::clone(lease.lent());
        let max_bytes = self.shared.limits.answer_bytes;
        let call = CallContext {
            cancel: Some(cancel),
            progress: Some(lease.lent().uses()),
            ..CallContext::new(operation.name())
        };
        let index = self.index;
        let host_stamps = Arc::clone(&self.host_stamps);
        let scanned = self.shared.call(&call, move |instance, ctx| {
            let stamps = instance.stamps(index);
            let has_comparable_stamps = *lock(&host_stamps) == stamps;
            let mut sink = BoundedSink::new(lent, max_bytes, has_comparable_stamps);
            let sink = ScanSinkAbi_TO::from_ptr(RMut::new(&mut sink), TD_Opaque);
            let scanned = work(&instance.objects().sources[index], ctx, sink);
            if operation == ScanOperation::Everything && scanned.is_ok() {
                *lock(&host_stamps) = stamps;
            }
            scanned
        });
        lease.end();
        scanned.map_err(|failure| convert::source_error(&failure))
    }

    fn page(
        &self,
        package: &PackagePath,
        most: usize,
        cursor: String,
    ) -> Result<ListPage, SourceError> {
        let package = package.as_str().to_owned();
        self.call(&CallContext::new("list"), move |source, ctx| {
            let package = package.as_str().into();
            let cursor = cursor.as_str().into();
            let request = ListRequest { package, most: most as u64, cursor, ext: RStr::empty() };
            source.list(ctx, request)
        })
    }

    fn fault(&self, code: u32, what: &str) -> SourceError {
        let message = format!("the plugin `{}` {what}", self.shared.name);
        convert::source_error(&Failure::new(PluginErrorKind::Protocol, code, message))
    }
}

impl SkillSource for PluginSource {
    fn name(&self) -> &str {
        &self.shared.shape.sources[self.index].0
    }

    fn root(&self) -> &str {
        &self.shared.shape.sources[self.index].1
    }

    fn cache_key(&self) -> Option<String> {
        match self.shared.current().stamps(self.index) {
            StampOrigin::OfBuild(key) => Some(key),
            StampOrigin::OfInstance(_) => None,
        }
    }

    fn patience(&self) -> Option<Duration> {
        Some(self.shared.limits.patience())
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let arguments = ScanArguments { previous: *previous, sink };
        self.scan_with(arguments, cancel, ScanOperation::Everything, SourceBox::scan)?;
        Ok(ScanSummary::default())
    }

    fn scan_packages(
        &self,
        packages: &[PackagePath],
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<Coverage, SourceError> {
        let packages: Vec<_> = packages.iter().map(|path| path.as_str().to_owned()).collect();
        let arguments = ScanArguments { previous: *previous, sink };
        let some = ScanOperation::Packages;
        let covered = self.scan_with(arguments, cancel, some, move |source, ctx, sink| {
            let packages: Vec<RStr<'_>> =
                packages.iter().map(|path| path.as_str().into()).collect();
            source.scan_packages(ctx, RSlice::from_slice(&packages), sink)
        })?;
        Ok(match covered {
            coverage::ASKED => Coverage::Asked,
            _ => Coverage::Everything(ScanSummary::default()),
        })
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let token = self.shared.host.add_listener(listener);
        let guard = WatchGuard { shared: Arc::clone(&self.shared), token };
        let is_watching = self.shared.watch(self.index, token);
        match is_watching.map_err(|failure| convert::source_error(&failure))? {
            true => Ok(Some(Watch::new(guard))),
            false => Ok(None),
        }
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let mut listing = Listing { resources: Vec::new(), is_complete: true };
        let mut cursor = String::new();
        for _ in 0..MAX_PAGES {
            let page = self.page(package, most, cursor)?;
            let was_cut = page.flags & flags::CUT != 0;
            for resource in page.resources {
                let path = self.resource_path(resource.path.as_rstr())?;
                listing.resources.push(Resource { path, bytes: resource.bytes });
            }
            if listing.resources.len() > most {
                listing.resources.truncate(most);
                listing.is_complete = false;
                return self.sorted(listing);
            }
            listing.is_complete = !was_cut;
            if was_cut || page.next.is_empty() {
                return self.sorted(listing);
            }
            cursor = text::checked_string(page.next).map_err(|_| {
                self.fault(codes::INTERNAL, "returns a page cursor that is not UTF-8")
            })?;
        }
        Err(self.fault(codes::INTERNAL, "returns a listing with too many pages"))
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let most = limit.0.min(self.shared.limits.answer_bytes);
        let package = package.as_str().to_owned();
        let name = resource.as_str().to_owned();
        let read = self.call(&CallContext::new("read"), move |source, ctx| {
            let package = package.as_str().into();
            let resource = name.as_str().into();
            let request = ReadRequest { package, resource, limit: most as u64, ext: RStr::empty() };
            // Copied on the thread that has the bytes in its cache.
            source.read(ctx, request).map(|blob| match blob.as_slice() {
                bytes if bytes.len() <= most => Ok(bytes.to_vec()),
                bytes => Err(bytes.len()),
            })
        })?;
        read.map_err(|length| {
            let what = format!("returns {length} bytes of `{resource}`; {most} are allowed");
            self.fault(codes::TOO_LARGE, &what)
        })
    }
}

impl PluginSource {
    /// Checks the path of a file in a listing.
    fn resource_path(&self, path: RStr<'_>) -> Result<ResourcePath, SourceError> {
        let text = text::checked(path).map_err(|error| error.to_string());
        let path = text.and_then(|text| ResourcePath::new(text).map_err(|error| error.to_string()));
        path.map_err(|error| {
            let error = clipped(&error, MAX_SHOWN);
            self.fault(codes::INTERNAL, &format!("lists an invalid path: {error}"))
        })
    }

    /// Checks that a listing is sorted and lists each file once.
    fn sorted(&self, listing: Listing) -> Result<Listing, SourceError> {
        let is_sorted = listing.resources.is_sorted_by(|one, next| one.path < next.path);
        if is_sorted {
            return Ok(listing);
        }
        Err(self.fault(codes::INTERNAL, "lists files twice or out of order"))
    }
}

/// Ends a watch when it is dropped.
struct WatchGuard {
    shared: Arc<Shared>,
    token: u64,
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        self.shared.unwatch(self.token);
    }
}
