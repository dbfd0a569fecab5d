//! Files over the size limit.

use std::sync::Arc;

use prowess_core::{
    Cancel, CatalogProvider, Found, MemorySource, PreviousScan, ReadFurther, ScanSink, ScanSummary,
    SkillSource, SourceError, Stamp, Trust,
};
use prowess_format::MAX_FILE_BYTES;
use prowess_registry::Registry;
use prowess_testkit::{OverriddenSource, SourceOverrides};

use crate::fixture::{files, memory, registry, skill_md};

/// A source of one large file, which reports the size of the file only on request.
struct Remote {
    size: u64,
    inner: Arc<MemorySource>,
}

fn remote(size: usize) -> Arc<OverriddenSource<Remote>> {
    let inner = memory("remote", &[("large", "Large.")]);
    Arc::new(OverriddenSource(Remote { size: size as u64, inner }))
}

impl SourceOverrides for Remote {
    fn inner(&self) -> &dyn SkillSource {
        &*self.inner
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        _cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let stamp = Some(Stamp::exact(self.size));
        if previous.stamp("large") == stamp {
            sink.unchanged("large");
            return Ok(ScanSummary::default());
        }
        let head = skill_md("large", "Large.");
        let found = Found {
            package: "large",
            file: "SKILL.md",
            stamp,
            size: None,
            head: head.as_bytes(),
            is_whole_file: false,
        };
        if sink.found(found) == ReadFurther::Size {
            sink.found(Found { size: Some(self.size), ..found });
        }
        Ok(ScanSummary::default())
    }
}

/// Checks that the first reload and the next one reject the skill, naming the limit.
#[track_caller]
fn check_rejected(registry: &Registry) {
    for reload in ["the first reload", "the next reload"] {
        let catalog = registry.reload().catalog;
        let is_offered = catalog.get("large").is_some();
        assert!(!is_offered, "{reload}: a skill that cannot be loaded is offered");
        let findings: Vec<_> = catalog.diagnostics().collect();
        let [finding] = findings[..] else { panic!("{reload}: one finding: {findings:?}") };
        assert_eq!(finding.code.as_str(), "file-too-large", "{reload}");
        assert!(finding.message.contains("limit of 2097152"), "{reload}: {}", finding.message);
    }
}

#[test]
fn large_file_of_any_source_is_rejected() {
    let text = "x".repeat(MAX_FILE_BYTES);
    for trust in [Trust::Trusted, Trust::Untrusted] {
        check_rejected(&registry(vec![("layer", trust, memory("m", &[("large", &text)]))]));
        check_rejected(&registry(vec![("layer", trust, remote(MAX_FILE_BYTES + 1))]));
    }
}

#[test]
fn file_at_the_limit_is_offered() {
    let registry = registry(vec![("layer", Trust::Trusted, remote(MAX_FILE_BYTES))]);
    registry.reload();
    assert!(registry.catalog().get("large").is_some(), "2 MiB can be loaded");
}

#[test]
fn frontmatter_that_no_load_accepts_is_rejected() {
    let list = "a,".repeat(11_000);
    let text = format!("---\nname: pdf\ndescription: x\nunknown: [{list}]\n---\nBody\n");
    let source = files("m", [("pdf/SKILL.md", text)]);
    let catalog = registry(vec![("user", Trust::Trusted, source)]).reload().catalog;
    let codes: Vec<_> = catalog.diagnostics().map(|found| found.code.as_str()).collect();
    assert_eq!((catalog.len(), &*codes), (0, &["yaml-too-many-nodes"][..]));
}
