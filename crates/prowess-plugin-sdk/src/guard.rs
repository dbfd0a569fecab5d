//! Stops panics of the plugin at the boundary.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use abi_stable::std_types::RResult;
pub(crate) use prowess_plugin_abi::contain;
use prowess_plugin_abi::{AbiError, codes};

use crate::hook;

/// Guards an object of the plugin. After a call has panicked, the object may be in an inconsistent
/// state, so it is not called any more.
#[derive(Default)]
pub(crate) struct Guard {
    is_poisoned: AtomicBool,
}

impl Guard {
    /// Runs a call of the object. A panic is an error, and later calls fail.
    pub(crate) fn run<T>(
        &self,
        work: impl FnOnce() -> Result<T, AbiError>,
    ) -> RResult<T, AbiError> {
        if self.is_poisoned.load(Ordering::Acquire) {
            let message = "an earlier call panicked, so this object is no longer used";
            return RResult::RErr(AbiError::new(codes::POISONED, message));
        }
        // An inconsistent state is not used again, since the guard is poisoned.
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(answer) => answer.into(),
            Err(payload) => {
                self.is_poisoned.store(true, Ordering::Release);
                RResult::RErr(panicked(payload))
            }
        }
    }
}

/// Runs a function without an object, such as `init`. A panic is an error.
pub(crate) fn run_once<T>(work: impl FnOnce() -> Result<T, AbiError>) -> RResult<T, AbiError> {
    Guard::default().run(work)
}

fn panicked(payload: Box<dyn Any + Send>) -> AbiError {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_else(|| "a value that is not a string".to_owned());
    contain(|| drop(payload));
    let location =
        hook::take_location().map(|location| format!(" ({location})")).unwrap_or_default();
    AbiError::new(codes::PANIC, format!("the plugin panicked: {text}{location}"))
}
