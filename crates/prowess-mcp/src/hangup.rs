//! Reloading at the word of whoever runs the server.

use std::io;
use std::sync::Arc;

use prowess::Runtime;
use tokio::signal::unix::{SignalKind, signal};

/// Scans every source at each hangup from now on, beside the connection.
pub(crate) fn reload_at(runtime: Arc<Runtime>) -> io::Result<()> {
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            let runtime = Arc::clone(&runtime);
            // It waits for disks. Who asks again meanwhile is heard after it, also after a panic.
            let _ = tokio::task::spawn_blocking(move || drop(runtime.reload())).await;
        }
    });
    Ok(())
}
