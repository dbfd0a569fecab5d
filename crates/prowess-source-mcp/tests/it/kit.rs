//! The source keeps the rules of its trait.
//!
//! The kit's files have no frontmatter, so the server lists them as resources.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_core::{
    Cancel, ChangeListener, Clock, Listing, PackageDigest, PackagePath, PreviousScan, ReadLimit,
    ResourcePath, ScanSink, ScanSummary, SkillSource, SourceError, Timestamp, Watch,
};
use prowess_source_mcp::{Label, McpOptions, McpSource};
use prowess_testkit::{Changing, SourceFixture, Unreadable, check_source};

use crate::peer::Peer;
use crate::resources::Files;

/// A source with its server.
struct Served {
    source: McpSource,
    _peer: Peer,
}

struct Running(Instant);

impl Clock for Running {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

struct Fixture;

fn serve(files: &[(&str, &[u8])]) -> Files {
    let served = Files::default();
    for (path, bytes) in files {
        served.serve(&format!("skill://{path}"), bytes);
    }
    served
}

fn served(files: &Files, interval: Duration) -> Arc<Served> {
    let peer = files.peer();
    let options = McpOptions { interval, ..McpOptions::default() };
    let clock = Arc::new(Running(Instant::now()));
    let label = Label::new("team").unwrap();
    let source = McpSource::new(&label, peer.server(), clock, options).unwrap();
    Arc::new(Served { source, _peer: peer })
}

impl SourceFixture for Fixture {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        served(&serve(files), Duration::from_secs(300))
    }

    fn with_unreadable(&self, files: &[(&str, &[u8])]) -> Option<Unreadable> {
        let files = serve(files);
        files.list_unreadable("skill://unreadable/SKILL.md");
        let source = served(&files, Duration::from_secs(300));
        Some(Unreadable { source, path: "mcp://team/unreadable/SKILL.md".to_owned() })
    }

    fn changing(&self, files: &[(&str, &[u8])]) -> Option<Changing> {
        let files = serve(files);
        let source = served(&files, Duration::from_millis(10));
        let write = Box::new(move |path: &str, bytes: &[u8]| {
            files.serve(&format!("skill://{path}"), bytes);
        });
        Some(Changing { source, write })
    }
}

#[test]
fn source_keeps_the_rules() {
    check_source(&Fixture);
}

impl SkillSource for Served {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn root(&self) -> &str {
        self.source.root()
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.source.scan(previous, sink, cancel)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        self.source.watch(listener)
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        self.source.list(package, most)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        self.source.read(package, resource, limit)
    }

    fn package_contents(
        &self,
        package: &PackagePath,
        cancel: &Cancel,
    ) -> Result<PackageDigest, SourceError> {
        self.source.package_contents(package, cancel)
    }
}
