//! No panic crosses the boundary.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use abi_stable::std_types::RResult;
use prowess_plugin_abi::{AbiError, codes};

use crate::hook;

/// Stands before one object of the plugin. Once a call has panicked, what the object holds may be
/// half done, so no further call reaches it.
#[derive(Default)]
pub(crate) struct Guard {
    is_poisoned: AtomicBool,
}

impl Guard {
    /// Runs a call of the object.
    pub(crate) fn run<T>(
        &self,
        work: impl FnOnce() -> Result<T, AbiError>,
    ) -> RResult<T, AbiError> {
        if self.is_poisoned.load(Ordering::Acquire) {
            let message = "an earlier call panicked, so this object answers no more";
            return RResult::RErr(AbiError::new(codes::POISONED, message));
        }
        // Whatever a panic leaves half done is not seen again: the guard is poisoned.
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(answer) => answer.into(),
            Err(payload) => {
                self.is_poisoned.store(true, Ordering::Release);
                RResult::RErr(panicked(payload))
            }
        }
    }
}

/// Runs what belongs to no object yet, such as `init`.
pub(crate) fn run_once<T>(work: impl FnOnce() -> Result<T, AbiError>) -> RResult<T, AbiError> {
    Guard::default().run(work)
}

/// Runs what has no way to answer, such as a drop.
pub(crate) fn contain(work: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
        drop_payload(payload);
    }
}

fn panicked(payload: Box<dyn Any + Send>) -> AbiError {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_else(|| "a value that is no text".to_owned());
    drop_payload(payload);
    let place = hook::take_place().map(|place| format!(" ({place})")).unwrap_or_default();
    AbiError::new(codes::PANIC, format!("the plugin panicked: {text}{place}"))
}

/// A payload's own drop may panic, and so may that panic's payload: the second one is forgotten,
/// unless it is a text, whose end is no code of the author's.
fn drop_payload(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        match second.is::<&str>() || second.is::<String>() {
            true => drop(second),
            false => mem::forget(second),
        }
    }
}
