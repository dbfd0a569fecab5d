//! The host's sink, as a source sees it.

use std::num::NonZeroU64;

use abi_stable::std_types::RSlice;
use prowess_core::{Diagnostic, Found, ReadFurther, ScanSink, Stamp};
use prowess_plugin_abi::{self as abi, ScanSinkMut, flags};

use serde_json::json;

use crate::convert;

pub(super) struct HostSink<'a> {
    host: ScanSinkMut<'a>,
    /// What the next problem is to say that could not be looked at.
    unseen: Option<String>,
}

impl<'a> HostSink<'a> {
    pub(super) fn new(host: ScanSinkMut<'a>) -> Self {
        Self { host, unseen: None }
    }
}

impl ScanSink for HostSink<'_> {
    fn known(&self, package: &str) -> Option<Stamp> {
        NonZeroU64::new(self.host.known(package.into())).map(Stamp)
    }

    fn unchanged(&mut self, package: &str) {
        self.host.unchanged(package.into());
    }

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        // Of a whole file, the host sees the size.
        let size = found.size.filter(|_| !found.is_whole_file);
        let ext = size.map(|size| format!(r#"{{"size":{size}}}"#)).unwrap_or_default();
        let wanted = self.host.found(abi::Found {
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

    /// The boundary has no word for this but what a problem may say beside its text.
    fn unseen(&mut self, directory: &str) {
        self.unseen = Some(directory.to_owned());
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        let ext = self.unseen.take().map(|directory| json!({ "unseen": directory }).to_string());
        let ext = ext.unwrap_or_default();
        self.host
            .problem(abi::Problem { ext: ext.as_str().into(), ..convert::problem(&diagnostic) });
    }
}
