//! A source that follows remote sources while it runs.

mod poll;
mod shared;
mod thread;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Cancel, ChangeListener, Clock, PreviousScan, Remote, ScanSink, ScanSummary, SkillSource,
    SourceError, SourceErrorKind, Watch,
};

use crate::lock_file::LockFile;
use crate::signer::SignerRules;
use crate::source::StoreSource;
use crate::store::Store;
use crate::update::Growth;

use shared::Shared;
use thread::PollThread;

/// The options of a [`LiveSource`].
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// The sources, as users write them.
    pub sources: Vec<String>,
    /// The shortest time between two requests for the versions of a source.
    pub interval: Duration,
    /// Whether a version that can do more than the last one replaces it.
    pub growth: Growth,
    /// The signers that are accepted.
    pub signers: SignerRules,
}

/// The skills of remote sources. It asks for new versions in its own interval, and keeps the last
/// good ones while a source cannot be used, with a warning that says how old they are.
///
/// Versions are asked for by a thread as long as the source is watched, and by scans otherwise.
pub struct LiveSource {
    shared: Arc<Shared>,
    stored: StoreSource,
}

impl LiveSource {
    /// Creates a source that keeps its packages in this store, and their versions in this lock
    /// file, which must belong to it alone.
    pub fn new(
        store: Store,
        lock: LockFile,
        remote: Arc<dyn Remote>,
        clock: Arc<dyn Clock>,
        options: LiveOptions,
    ) -> Self {
        let stored = StoreSource::new(store.clone(), lock.clone());
        let shared = Shared::new(store, lock, remote, clock, options);
        Self { shared: Arc::new(shared), stored }
    }
}

impl fmt::Debug for LiveSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LiveSource").field("stored", &self.stored).finish_non_exhaustive()
    }
}

impl SkillSource for LiveSource {
    prowess_core::forward_source! { [stored] root identity list read package_contents }

    fn name(&self) -> &str {
        "remote"
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        self.shared.poll_if_due(cancel);
        let reports = self.shared.reports()?;
        let summary = self.stored.scan(previous, sink, cancel)?;
        for report in reports {
            sink.problem(report.in_file(self.root()));
        }
        Ok(summary)
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        let thread = PollThread::start(&self.shared, listener);
        let thread = thread.map_err(|error| {
            let message = format!("no thread can be started: {error}");
            SourceError::new(SourceErrorKind::Unavailable, message)
        })?;
        Ok(Some(Watch::new(thread)))
    }
}
