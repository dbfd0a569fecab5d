//! The host's sink, as a source sees it.

use std::num::NonZeroU64;

use abi_stable::std_types::RSlice;
use prowess_core::{Diagnostic, Found, ReadFurther, ScanSink, Stamp};
use prowess_plugin_abi::{self as abi, ScanSinkMut, flags};

use crate::convert;

pub(super) struct HostSink<'a>(pub(super) ScanSinkMut<'a>);

impl ScanSink for HostSink<'_> {
    fn known(&self, package: &str) -> Option<Stamp> {
        NonZeroU64::new(self.0.known(package.into())).map(Stamp)
    }

    fn unchanged(&mut self, package: &str) {
        self.0.unchanged(package.into());
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        // Of a whole file, the host sees the size.
        let size = found.size.filter(|_| !found.is_whole_file);
        let ext = size.map(|size| format!(r#"{{"size":{size}}}"#)).unwrap_or_default();
        let wanted = self.0.found(abi::Found {
            package: found.package.into(),
            file: found.file.into(),
            head: RSlice::from_slice(found.head),
            stamp: found.stamp.map_or(0, |stamp| stamp.0.get()),
            flags: if found.is_whole_file { flags::WHOLE_FILE } else { 0 },
            ext: ext.as_str().into(),
        });
        match usize::try_from(wanted).unwrap_or(usize::MAX) {
            0 => ReadFurther::No,
            bytes => ReadFurther::UpTo(bytes),
        }
    }

    /// The boundary has no word for this question, and a host that needs the size would go without it.
    fn needs_size(&self) -> bool {
        true
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.0.problem(convert::problem(&diagnostic));
    }
}
