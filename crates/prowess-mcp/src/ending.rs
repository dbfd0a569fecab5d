//! The signals that end a server.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::info;

/// The installed handlers of the signals that ask the process to end. Signals that arrive before
/// [`Ending::asked`] is called are remembered.
#[cfg(unix)]
pub(crate) struct Ending([(Signal, &'static str); 2]);

#[cfg(unix)]
impl Ending {
    /// Installs the handlers. Until then the signals end the process.
    pub(crate) fn install(executor: &tokio::runtime::Runtime) -> io::Result<Self> {
        let _context = executor.enter();
        let interrupt = signal(SignalKind::interrupt())?;
        Ok(Self([(interrupt, "SIGINT"), (signal(SignalKind::terminate())?, "SIGTERM")]))
    }

    /// Returns the name of the signal once one has arrived.
    pub(crate) async fn asked(mut self) -> &'static str {
        let [(one, name), (other, other_name)] = &mut self.0;
        tokio::select! {
            _ = one.recv() => name,
            _ = other.recv() => other_name,
        }
    }
}

/// A stand-in for systems without such signals.
#[cfg(not(unix))]
pub(crate) struct Ending;

#[cfg(not(unix))]
impl Ending {
    /// Does nothing.
    pub(crate) fn install(_executor: &tokio::runtime::Runtime) -> io::Result<Self> {
        Ok(Self)
    }

    /// Returns once the user interrupts the process.
    pub(crate) async fn asked(self) -> &'static str {
        let _ = tokio::signal::ctrl_c().await;
        "interrupt"
    }
}

/// Emits the event of a server that stops accepting work.
pub(crate) fn emit(reason: &str) {
    info!(name: "shutdown", target: "prowess", reason, "shutdown");
}
