//! Adapts the host's sink to the core's trait.

use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use abi_stable::std_types::RSlice;
use prowess_core::{Diagnostic, Found, KnownPackages, ReadFurther, ScanSink, Stamp};
use prowess_plugin_abi::{self as abi, ScanSinkMut, flags};

use serde_json::json;

use crate::convert;

/// The host's sink of one scan, which also has the stamps of the previous scan.
pub(super) struct HostScan<'a>(Mutex<ScanSinkMut<'a>>);

/// The sink of a [`HostScan`].
pub(super) struct HostSink<'s, 'a> {
    scan: &'s HostScan<'a>,
    /// The package whose file size was requested.
    sized: Option<String>,
}

impl<'a> HostScan<'a> {
    pub(super) fn new(host: ScanSinkMut<'a>) -> Self {
        Self(Mutex::new(host))
    }

    pub(super) fn sink(&self) -> HostSink<'_, 'a> {
        HostSink { scan: self, sized: None }
    }

    fn host(&self) -> MutexGuard<'_, ScanSinkMut<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownPackages for HostScan<'_> {
    fn stamp(&self, package: &str) -> Option<Stamp> {
        NonZeroU64::new(self.host().known(package.into())).map(Stamp::from_bits)
    }
}

impl ScanSink for HostSink<'_, '_> {
    fn unchanged(&mut self, package: &str) {
        self.scan.host().unchanged(package.into());
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        // The ABI cannot request the size, so request it here, once for each file.
        let is_unknown = found.size.is_none() && !found.is_whole_file;
        if is_unknown && self.sized.as_deref() != Some(found.package) {
            self.sized = Some(found.package.to_owned());
            return ReadFurther::Size;
        }
        // For a whole file, the host derives the size from the content.
        let size = found.size.filter(|_| !found.is_whole_file);
        let ext = size.map(|size| format!(r#"{{"size":{size}}}"#)).unwrap_or_default();
        let wanted = self.scan.host().found(abi::Found {
            package: found.package.into(),
            file: found.file.into(),
            head: RSlice::from_slice(found.head),
            stamp: found.stamp.map_or(0, |stamp| stamp.to_bits().get()),
            flags: if found.is_whole_file { flags::WHOLE_FILE } else { 0 },
            ext: ext.as_str().into(),
        });
        match usize::try_from(wanted).unwrap_or(usize::MAX) {
            0 => ReadFurther::No,
            bytes => ReadFurther::UpTo(bytes),
        }
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.scan.host().problem(convert::problem(&diagnostic));
    }

    fn unreadable(&mut self, directory: &str, diagnostic: Diagnostic) {
        let ext = json!({ "unseen": directory }).to_string();
        let problem = abi::Problem { ext: ext.as_str().into(), ..convert::problem(&diagnostic) };
        self.scan.host().problem(problem);
    }
}
