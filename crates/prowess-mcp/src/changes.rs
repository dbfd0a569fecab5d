//! Notifications that lists have changed.

use std::sync::{Arc, Mutex, PoisonError};

use prowess::registry::Subscription;
use rmcp::model::SubscriptionFilter;
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::conversation::Conversation;

/// Waits for changes that a client can see.
pub(crate) struct Changes {
    conversation: Arc<Conversation>,
    wake: Arc<Notify>,
    subscription: Subscription,
    /// The digest of the catalog as the client saw it last; `None` if it could not be computed.
    shown: Option<u64>,
}

impl Changes {
    /// Subscribes to changes of the catalog from now on.
    pub(crate) async fn subscribe(conversation: Arc<Conversation>) -> Self {
        let wake = Arc::new(Notify::new());
        let notify = Arc::clone(&wake);
        let subscription = conversation.runtime().subscribe_with(move || notify.notify_one());
        let shown = conversation.digest().await;
        Self { conversation, wake, subscription, shown }
    }

    /// Returns after the next change. Changes that have accumulated count as one, and a reload that
    /// leaves the client's view as it was counts as none.
    pub(crate) async fn next(&mut self) {
        loop {
            self.wake.notified().await;
            while self.subscription.try_recv().is_some() {}
            let now = self.conversation.digest().await;
            if now.is_none() || now != self.shown {
                self.shown = now;
                return;
            }
        }
    }
}

/// Sends notifications per change until the client cannot be reached, one for each kind of list
/// that is offered. Revisions before 2026-07-28 send them unasked.
pub(crate) async fn notify_peer(conversation: Arc<Conversation>, peer: Peer<RoleServer>) {
    let capabilities = conversation.capabilities();
    let mut changes = Changes::subscribe(conversation).await;
    loop {
        changes.next().await;
        let mut is_sent = peer.notify_tool_list_changed().await.is_ok();
        if capabilities.prompts.is_some() {
            is_sent &= peer.notify_prompt_list_changed().await.is_ok();
        }
        if capabilities.resources.is_some() {
            is_sent &= peer.notify_resource_list_changed().await.is_ok();
        }
        if !is_sent {
            return;
        }
    }
}

/// Sends the accepted notifications per change to one subscription until it ends.
pub(crate) async fn notify_subscription(
    conversation: Arc<Conversation>,
    sink: &SubscriptionSink,
    accepted: &SubscriptionFilter,
) {
    let mut changes = Changes::subscribe(conversation).await;
    loop {
        changes.next().await;
        let mut is_sent = true;
        if accepted.tools_list_changed == Some(true) {
            is_sent &= sink.notify_tool_list_changed().await.is_ok();
        }
        if accepted.prompts_list_changed == Some(true) {
            is_sent &= sink.notify_prompt_list_changed().await.is_ok();
        }
        if accepted.resources_list_changed == Some(true) {
            is_sent &= sink.notify_resource_list_changed().await.is_ok();
        }
        if !is_sent {
            return;
        }
    }
}

/// The running task of [`notify_peer`]. Dropping this ends it.
#[derive(Default)]
pub(crate) struct PeerTask(Mutex<Option<AbortHandle>>);

impl PeerTask {
    /// Starts the task, and ends an earlier one.
    pub(crate) fn start(&self, conversation: Arc<Conversation>, peer: Peer<RoleServer>) {
        let task = tokio::spawn(notify_peer(conversation, peer));
        self.replace(Some(task.abort_handle()));
    }

    fn replace(&self, task: Option<AbortHandle>) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(earlier) = std::mem::replace(&mut *current, task) {
            earlier.abort();
        }
    }
}

impl Drop for PeerTask {
    fn drop(&mut self) {
        self.replace(None);
    }
}
