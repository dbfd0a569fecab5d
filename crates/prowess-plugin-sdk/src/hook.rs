//! A panic hook that records the location of a panic and logs it to the host.

use std::cell::RefCell;
use std::panic::{self, PanicHookInfo};
use std::sync::{Mutex, Once, PoisonError};

use crate::{Host, Level};

/// The host that receives panics: that of the newest instance. A plugin in the host's process has
/// its own standard library, so the host's panic hook is not replaced.
static HOST: Mutex<Option<Host>> = Mutex::new(None);

thread_local! {
    static LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Logs each panic to this host, instead of printing it to standard error.
pub(crate) fn install(host: &Host) {
    static ONCE: Once = Once::new();

    *HOST.lock().unwrap_or_else(PoisonError::into_inner) = Some(host.clone());
    ONCE.call_once(|| panic::set_hook(Box::new(report_panic)));
}

fn report_panic(info: &PanicHookInfo<'_>) {
    let location = info.location().map(ToString::to_string).unwrap_or_default();
    LOCATION.with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut() {
            *slot = Some(location.clone());
        }
    });
    let message = info.payload_as_str().unwrap_or("a value that is not a string");
    let host = HOST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // With `panic = "abort"` this line is the only trace of the panic.
    if let Some(host) = host {
        host.log(Level::Error, "panic", &format!("panicked at {location}: {message}"));
    }
}

/// Removes and returns the location of this thread's last panic.
pub(crate) fn take_location() -> Option<String> {
    LOCATION.with(|slot| slot.try_borrow_mut().ok()?.take())
}
