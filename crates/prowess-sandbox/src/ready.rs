//! A stage that is started before a plan needs it.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::Program;
use crate::launch::Stage;
use crate::origin::{Mounts, Origin};
use crate::wire::Preparation;

/// How long the program that has just started has the processors for itself.
const PAUSE: Duration = Duration::from_millis(2);

/// Keeps a stage ready that is like the one that was needed last.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    slot: Slot,
    keeper: OnceLock<Keeper>,
}

/// The thread that starts stages, because the kernel ends a stage with the thread that started it.
#[derive(Debug)]
struct Keeper {
    wanted: Sender<Wanted>,
    thread: Option<JoinHandle<()>>,
}

type Slot = Arc<Mutex<Option<Spare>>>;

/// The stage that a plan needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) program: Program,
    pub(crate) preparation: Preparation,
    pub(crate) origin: Origin,
}

/// A stage that no plan has needed yet.
#[derive(Debug)]
pub(crate) struct Spare {
    wanted: Wanted,
    mounts: Mounts,
    /// `None` once a plan has it.
    stage: Option<Stage>,
}

impl Ready {
    /// Returns whether a stage waits for a plan.
    pub(crate) fn has_one(&self) -> bool {
        lock(&self.slot).is_some()
    }

    /// Takes the stage if it is prepared like this. It may come from elsewhere.
    pub(crate) fn take(
        &self,
        program: &Program,
        preparation: &Preparation,
    ) -> Option<(Stage, Spare)> {
        let mut spare = lock(&self.slot).take_if(|spare| {
            spare.wanted.program == *program && spare.wanted.preparation == *preparation
        })?;
        Some((spare.stage.take()?, spare))
    }

    /// Starts a stage like this one in the background.
    pub(crate) fn start(&self, wanted: Wanted) {
        let keeper = self.keeper.get_or_init(|| Keeper::start(Arc::clone(&self.slot)));
        // Without the thread, each plan starts its stage by itself.
        let _ = keeper.wanted.send(wanted);
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        let Some(Keeper { wanted, thread }) = self.keeper.take() else { return };
        drop(wanted);
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Keeper {
    fn start(slot: Slot) -> Self {
        let (wanted, receiver) = channel();
        let thread = std::thread::Builder::new().name("prowess-stages".into());
        let thread = thread.spawn(move || keep(&slot, &receiver)).ok();
        Self { wanted, thread }
    }
}

impl Spare {
    fn start(wanted: Wanted) -> io::Result<Self> {
        // Each later mount is a change.
        let mounts = Mounts::of_thread()?;
        let stage = Some(Stage::replaced(&wanted.program, &wanted.preparation)?);
        Ok(Self { wanted, mounts, stage })
    }

    /// Returns whether a new stage would be from the same place.
    pub(crate) fn is_from(&self, origin: &Origin) -> bool {
        self.wanted.origin == *origin && !self.mounts.have_changed()
    }

    fn fits(&self, wanted: &Wanted) -> bool {
        self.wanted == *wanted && self.is_from(&wanted.origin)
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        if let Some(stage) = &mut self.stage {
            stage.end();
        }
    }
}

/// Starts stages until the isolation is dropped.
fn keep(slot: &Slot, wanted: &Receiver<Wanted>) {
    while let Ok(first) = wanted.recv() {
        std::thread::sleep(PAUSE);
        let wanted = wanted.try_iter().last().unwrap_or(first);
        let old = lock(slot).take();
        if old.as_ref().is_some_and(|old| old.fits(&wanted)) {
            *lock(slot) = old;
            continue;
        }
        drop(old);
        // This thread may have other rights or limits than the one that needs the stage.
        let own = Origin::of_thread(&wanted.program);
        if own.is_ok_and(|own| own == wanted.origin) {
            *lock(slot) = Spare::start(wanted).ok();
        }
    }
    drop(lock(slot).take());
}

fn lock(slot: &Slot) -> MutexGuard<'_, Option<Spare>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
