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
    program: Program,
    preparation: Preparation,
    origin: Origin,
}

/// A stage that no plan has needed yet.
#[derive(Debug)]
struct Spare {
    wanted: Wanted,
    mounts: Mounts,
    /// `None` once a plan has it.
    stage: Option<Stage>,
}

impl Wanted {
    /// Returns the stage that this thread would start.
    pub(crate) fn by_thread(program: &Program, preparation: &Preparation) -> io::Result<Self> {
        let origin = Origin::of_thread(program)?;
        Ok(Self { program: program.clone(), preparation: preparation.clone(), origin })
    }
}

impl Ready {
    /// Returns whether a stage waits for a plan.
    pub(crate) fn has_one(&self) -> bool {
        lock(&self.slot).is_some()
    }

    /// Takes the stage if it is like the one that is wanted, and still runs.
    pub(crate) fn take(&self, wanted: &Wanted) -> Option<Stage> {
        let mut slot = lock(&self.slot);
        if !slot.as_ref().is_some_and(|spare| spare.fits(wanted)) {
            return None;
        }
        let mut stage = slot.take()?.stage.take()?;
        drop(slot);
        match stage.child.try_wait() {
            Ok(None) => Some(stage),
            _ => None,
        }
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

    fn fits(&self, wanted: &Wanted) -> bool {
        self.wanted == *wanted && !self.mounts.have_changed()
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
