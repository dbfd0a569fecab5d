//! The thread that polls sources and reloads changes that they report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use prowess_core::{
    ChangeListener, Diagnostic, PackagePath, Severity, SkillSource, SourceError, Watch,
};

use super::RefreshMode;
use super::inbox::{Inbox, add};
use super::schedule::Schedule;
use crate::cause::ReloadCause;
use crate::scope::{OnMissingSkill, Part, Scope};
use crate::{codes, trace};

/// The delay of the second scan that confirms a missing or broken skill. An editor that moves the
/// old version away and then writes the new one takes much less, and no caller waits for a removal.
const GRACE: Duration = Duration::from_millis(50);

/// The thread, and the handle to end it.
pub(super) struct Driver {
    schedule: Arc<Schedule>,
    inbox: Arc<Inbox>,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    pub(super) fn start(schedule: &Arc<Schedule>) -> std::io::Result<Self> {
        let inbox = Arc::new(Inbox::default());
        let driving = Driving {
            schedule: Arc::clone(schedule),
            inbox: Arc::clone(&inbox),
            watches: Vec::new(),
            unconfirmed: BTreeMap::new(),
            confirm_at: None,
        };
        let thread = thread::Builder::new().name("prowess-refresh".to_owned());
        let thread = Some(thread.spawn(|| driving.run())?);
        Ok(Self { schedule: Arc::clone(schedule), inbox, thread })
    }

    /// Schedules a second scan of these packages.
    pub(super) fn confirm_later(&self, unconfirmed: Vec<(usize, PackagePath)>) {
        self.inbox.update(|messages| add_unconfirmed(&mut messages.unconfirmed, unconfirmed));
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.schedule.end();
        self.inbox.update(|messages| messages.is_over = true);
        let thread = self.thread.take();
        // A subscriber may drop the last handle on this thread itself.
        let other = thread.filter(|thread| thread.thread().id() != thread::current().id());
        // The panic of a source has been reported by the panic hook.
        drop(other.map(JoinHandle::join));
    }
}

/// The state of the thread.
struct Driving {
    schedule: Arc<Schedule>,
    inbox: Arc<Inbox>,
    watches: Vec<Watch>,
    /// Packages that were missing or broken, for a second scan.
    unconfirmed: BTreeMap<usize, Part>,
    /// The time of that scan, by the clock.
    confirm_at: Option<Duration>,
}

impl Driving {
    fn run(mut self) {
        if self.schedule.policy().mode() == RefreshMode::Watch {
            self.watch_all();
        }
        loop {
            let poll = self.schedule.next_poll();
            let confirm = self.time_to_confirm();
            let messages = self.inbox.take(poll.into_iter().chain(confirm).min());
            if messages.is_over {
                return;
            }
            let is_to_confirm = messages.is_empty()
                && confirm.is_some_and(|confirm| poll.is_none_or(|poll| confirm <= poll));
            let mut changed = messages.changed;
            for (source, error) in messages.lost {
                self.poll_instead(source, &error);
                add(&mut changed, source, Part::whole(OnMissingSkill::Confirm));
            }
            self.reload(changed, ReloadCause::Watch);
            self.add_to_confirm(messages.unconfirmed);
            self.confirm(is_to_confirm);
            if let Some(outcome) = self.schedule.poll_if_due() {
                self.confirm_later(outcome.unconfirmed);
            }
        }
    }

    /// Returns the time until missing skills are confirmed; `None` if there are none.
    fn time_to_confirm(&self) -> Option<Duration> {
        self.confirm_at.map(|at| at.saturating_sub(self.schedule.now()))
    }

    /// Watches each source. One more scan finds the changes since the first one.
    fn watch_all(&mut self) {
        let mut watched = BTreeMap::new();
        for (number, source) in self.schedule.registry().sources().into_iter().enumerate() {
            match source.watch(self.listener(number, source.name())) {
                Ok(Some(watch)) => {
                    self.watches.push(watch);
                    watched.insert(number, Part::whole(OnMissingSkill::Confirm));
                }
                Ok(None) => self.schedule.poll(number),
                Err(error) => {
                    self.poll_instead(number, &error);
                    watched.insert(number, Part::whole(OnMissingSkill::Confirm));
                }
            }
        }
        self.reload(watched, ReloadCause::Watch);
    }

    fn listener(&self, number: usize, source: &str) -> ChangeListener {
        let inbox = Arc::clone(&self.inbox);
        let source: Box<str> = source.into();
        Arc::new(move |change| {
            trace::watched(&source, &change);
            inbox.add(number, change);
        })
    }

    fn poll_instead(&self, number: usize, error: &SourceError) {
        let registry = self.schedule.registry();
        let remark = not_watched(&*registry.sources()[number], error);
        registry.remark(number, Some(remark));
        self.schedule.poll(number);
    }

    fn reload(&mut self, parts: BTreeMap<usize, Part>, cause: ReloadCause) {
        if !parts.is_empty() {
            let outcome = self.schedule.request(Scope::Sources(parts), cause);
            self.confirm_later(outcome.unconfirmed);
        }
    }

    fn confirm_later(&mut self, unconfirmed: Vec<(usize, PackagePath)>) {
        let mut parts = BTreeMap::new();
        add_unconfirmed(&mut parts, unconfirmed);
        self.add_to_confirm(parts);
    }

    fn add_to_confirm(&mut self, unconfirmed: BTreeMap<usize, Part>) {
        if !unconfirmed.is_empty() {
            let at = self.schedule.now() + GRACE;
            self.confirm_at.get_or_insert(at);
        }
        for (source, part) in unconfirmed {
            add(&mut self.unconfirmed, source, part);
        }
    }

    /// Scans unconfirmed packages again, if that is due, and accepts the result.
    fn confirm(&mut self, has_waited: bool) {
        // With a stopped clock, removed packages must not stay forever.
        let is_due = |at: Duration| has_waited || self.schedule.now() >= at;
        if self.confirm_at.is_some_and(is_due) {
            self.confirm_at = None;
            let unconfirmed = std::mem::take(&mut self.unconfirmed);
            self.reload(unconfirmed, ReloadCause::Confirm);
        }
    }
}

fn add_unconfirmed(parts: &mut BTreeMap<usize, Part>, unconfirmed: Vec<(usize, PackagePath)>) {
    for (source, package) in unconfirmed {
        add(parts, source, Part::packages(BTreeSet::from([package]), OnMissingSkill::Accept));
    }
}

fn not_watched(source: &dyn SkillSource, error: &SourceError) -> Diagnostic {
    let message = format!("source `{}` cannot be watched: {error}", source.name());
    let help = "changes are found by polling; fix the cause and restart to be notified at once";
    Diagnostic::new(codes::SOURCE_NOT_WATCHED, Severity::Warning, message, help)
        .in_file(source.root())
}
