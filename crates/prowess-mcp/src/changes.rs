//! Word to a client that its list of tools is another one: it names the skills.

use std::sync::{Arc, Mutex, PoisonError};

use prowess::Runtime;
use rmcp::service::{Peer, RoleServer};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// A task that tells of changes of the catalog; dropping this ends it.
#[derive(Default)]
pub(crate) struct Changes(Mutex<Option<AbortHandle>>);

impl Changes {
    /// Begins to tell a client, which must have said that it is ready.
    pub(crate) fn tell(&self, runtime: &Runtime, client: Peer<RoleServer>) {
        let news = Arc::new(Notify::new());
        let wake = Arc::clone(&news);
        let subscription = runtime.subscribe_with(move || wake.notify_one());
        let task = tokio::spawn(async move {
            loop {
                news.notified().await;
                // However many changes wait, the client asks for the list once.
                while subscription.try_recv().is_some() {}
                if client.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        });
        self.replace(Some(task.abort_handle()));
    }

    fn replace(&self, task: Option<AbortHandle>) {
        let earlier = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(earlier) = std::mem::replace(earlier, task) {
            earlier.abort();
        }
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.replace(None);
    }
}
