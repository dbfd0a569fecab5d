//! A plugin in a process of its own.
//!
//! In the host's process nothing holds back a plugin that aborts, exits, overflows its stack, hangs
//! or takes all memory. In its own process, which is confined by `prowess-sandbox`, it ends only
//! that process: the host gets an error with the reason, starts the plugin again after a while, and
//! leaves it alone if that happens too often. Its sources and tools implement the core's traits, as
//! linked ones do.

mod asking;
mod batch;
mod broken;
mod clock;
mod connection;
mod eager;
pub mod frame;
mod inbox;
mod launch;
mod listeners;
mod output;
mod plugin;
mod process;
mod protocol;
mod remote;
mod restarts;
mod run;
mod scan;
mod serve;
mod server;
mod slots;
mod supervisor;
mod tools;
mod watches;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use clock::ProcessClock;
pub use launch::Launch;
pub use process::{died, probe_sandbox};
pub use remote::{ProcessPlugin, start_process, start_process_with};
pub use run::{open_library, run_process, run_process_with};

/// Locks a mutex. The values behind these locks are consistent at each moment, also after a panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
