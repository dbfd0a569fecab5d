//! Where a panic happened, and that the host hears of it.

use std::cell::RefCell;
use std::panic::{self, PanicHookInfo};
use std::sync::{Mutex, Once, PoisonError};

use crate::{Host, Level};

/// The host that hears of panics: that of the newest instance. A plugin in the host's process has a
/// standard library of its own, so this hook is not the host's.
static HOST: Mutex<Option<Host>> = Mutex::new(None);

thread_local! {
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Sends place and message of each panic to this host, and no more to standard error.
pub(crate) fn install(host: &Host) {
    static ONCE: Once = Once::new();

    *HOST.lock().unwrap_or_else(PoisonError::into_inner) = Some(host.clone());
    ONCE.call_once(|| panic::set_hook(Box::new(report_panic)));
}

fn report_panic(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    PLACE.with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut() {
            *slot = Some(place.clone());
        }
    });
    let message = info.payload_as_str().unwrap_or("a value that is no text");
    let host = HOST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // With `panic = "abort"` this line is all that is left of the plugin.
    if let Some(host) = host {
        host.log(Level::Error, "panic", &format!("panicked at {place}: {message}"));
    }
}

/// Takes the location of this thread's last panic.
pub(crate) fn take_place() -> Option<String> {
    PLACE.with(|slot| slot.try_borrow_mut().ok()?.take())
}
