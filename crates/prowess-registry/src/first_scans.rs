//! The first scans of all sources, of which the host does not wait for the slow ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use prowess_core::{Cancel, RecordSet, SkillSource, SourceError, SourceErrorKind};

use crate::collect::{Collected, RecordOptions, collect_traced};
use crate::scope::{OnMissingSkill, Part};
use crate::sync::{Condvar, Mutex, lock, wait_while_for};

/// How long a source may take until the others are scanned next to it, on a further thread.
const STALL: Duration = Duration::from_millis(20);

/// How long a source is waited for that has no patience of its own and gives no sign of life: it is
/// not even asked whether the scan is cancelled, as on a mount that does not answer.
const SILENCE: Duration = Duration::from_secs(5);

/// How long a source without a patience of its own is waited for once the host waits for no other,
/// if it goes on: many clients show a model only what was there at the start.
const LIFE: Duration = Duration::from_secs(5);

/// The time without a sign of life after which such a source does not go on.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a registry that is dropped waits for scans to end what they have started, such as the
/// program of a source: the host may be the next to end.
const GRACE: Duration = Duration::from_secs(1);

/// The first scan of each source, on threads that end once their sources have answered.
pub(crate) struct FirstScans {
    inputs: Vec<FirstScan>,
    cancel: Cancel,
    /// How often each scan has asked whether it is cancelled.
    signs: Vec<Arc<AtomicU64>>,
    /// Adds a source, by its number, that the first catalog is without.
    add: Box<dyn Fn(usize) + Send + Sync>,
    progress: Mutex<Progress>,
    advanced: Condvar,
}

/// A source, and its records of an earlier run of the program.
pub(crate) struct FirstScan {
    pub(crate) source: Arc<dyn SkillSource>,
    pub(crate) restored: Arc<RecordSet>,
    pub(crate) options: RecordOptions,
}

struct Progress {
    states: Vec<State>,
    /// The number of scans that have started, which they do in order.
    started: usize,
    ended: usize,
}

pub(crate) enum State {
    Running,
    /// The catalog is without the source.
    Late,
    Ended(Result<Collected, SourceError>),
    /// A reload has the result. Later scans are those of any source.
    Used,
}

impl FirstScans {
    pub(crate) fn new(
        inputs: Vec<FirstScan>,
        cancel: Cancel,
        add: impl Fn(usize) + Send + Sync + 'static,
    ) -> Arc<Self> {
        let states = inputs.iter().map(|_| State::Running).collect();
        let progress = Mutex::new(Progress { states, started: 0, ended: 0 });
        let signs = inputs.iter().map(|_| Arc::default()).collect();
        let (add, advanced) = (Box::new(add), Condvar::new());
        Arc::new(Self { inputs, cancel, signs, add, progress, advanced })
    }

    /// Scans the sources until all have answered, or the patience for the rest is over, which this
    /// shortens when it is cancelled. The other ones go on.
    pub(crate) fn run(self: &Arc<Self>, until: &Cancel) {
        let (mut last, mut waited, mut over) = (None, Duration::ZERO, None);
        let mut signs = vec![(0, waited); self.inputs.len()];
        loop {
            let progress = lock(&self.progress);
            let ended = progress.ended;
            if ended == self.inputs.len() {
                return;
            }
            let left = self.inputs.len() - progress.started;
            if over.is_none() && until.is_cancelled() {
                over = Some(waited);
            }
            let is_over = self.is_patience_over(&progress, waited, over, &mut signs);
            drop(progress);
            let threads = if is_over { left } else { left.min(1) };
            if is_over || last == Some(ended) || last.is_none() {
                (0..threads).for_each(|_| self.start());
            }
            if is_over {
                return;
            }
            waited += if last == Some(ended) { STALL } else { Duration::ZERO };
            last = Some(ended);
            let has_not_advanced = |progress: &mut Progress| progress.ended == ended;
            let progress = lock(&self.progress);
            drop(wait_while_for(&self.advanced, progress, STALL, has_not_advanced));
        }
    }

    /// Returns whether only such sources are left that nothing waits for longer. `over` is when the
    /// host's own time was over; `signs` has the last sign of life of each, and when it was seen.
    fn is_patience_over(
        &self,
        progress: &Progress,
        waited: Duration,
        over: Option<Duration>,
        signs: &mut [(u64, Duration)],
    ) -> bool {
        let scans = self.inputs.iter().zip(&self.signs).zip(signs).zip(&progress.states);
        let left = scans.filter(|(_, state)| matches!(state, State::Running));
        left.fold(true, |is_over, (((input, sign), seen), _)| {
            let sign = sign.load(Ordering::Relaxed);
            if seen.0 != sign {
                *seen = (sign, waited);
            }
            let silent = waited - seen.1;
            let is_late = match (input.source.patience(), over) {
                (Some(most), None) => most <= waited,
                (Some(_), Some(_)) => true,
                (None, None) => silent >= SILENCE,
                (None, Some(over)) => silent >= PAUSE || waited - over >= LIFE,
            };
            is_over && is_late
        })
    }

    /// Waits a short time until no scan runs.
    pub(crate) fn wait(&self) {
        let is_running = |progress: &mut Progress| progress.ended < progress.started;
        drop(wait_while_for(&self.advanced, lock(&self.progress), GRACE, is_running));
    }

    /// Scans further sources on a thread; on this one if there is none.
    fn start(self: &Arc<Self>) {
        let scans = Arc::clone(self);
        let thread = thread::Builder::new().name("prowess-first-scan".to_owned());
        if thread.spawn(move || scans.scan_further()).is_err() {
            self.scan_further();
        }
    }

    fn scan_further(&self) {
        let part = Part::whole(OnMissingSkill::Accept);
        while let Some(number) = self.next() {
            let FirstScan { source, restored, options } = &self.inputs[number];
            let (all, sign) = (self.cancel.clone(), Arc::clone(&self.signs[number]));
            let cancel = Cancel::with_poll(move || {
                sign.fetch_add(1, Ordering::Relaxed);
                all.is_cancelled()
            });
            let scan = || collect_traced(&**source, restored, &part, *options, &cancel);
            let ended = catch_unwind(AssertUnwindSafe(scan)).unwrap_or_else(|_| {
                Err(SourceError::new(SourceErrorKind::Unavailable, "its scan broke down"))
            });
            if self.end(number, ended) {
                (self.add)(number);
            }
        }
    }

    fn next(&self) -> Option<usize> {
        let mut progress = lock(&self.progress);
        let number = progress.started;
        // Threads that find nothing more do not count.
        let is_left = number < self.inputs.len();
        progress.started += usize::from(is_left);
        is_left.then_some(number)
    }

    /// Keeps a result. Returns whether a reload has gone without it.
    fn end(&self, number: usize, result: Result<Collected, SourceError>) -> bool {
        let mut progress = lock(&self.progress);
        progress.ended += 1;
        let state = std::mem::replace(&mut progress.states[number], State::Ended(result));
        self.advanced.notify_all();
        matches!(state, State::Late)
    }

    /// Returns the result of a source's first scan, once, or that it is late.
    pub(crate) fn take(&self, number: usize) -> State {
        let mut progress = lock(&self.progress);
        let state = &mut progress.states[number];
        match state {
            State::Running | State::Late => {
                *state = State::Late;
                State::Late
            }
            State::Ended(_) | State::Used => std::mem::replace(state, State::Used),
        }
    }
}
