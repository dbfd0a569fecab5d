//! Notifications that lists have changed.

use std::sync::{Arc, Mutex, PoisonError};

use prowess::Diagnostic;
use prowess::registry::Subscription;
use rmcp::model::{ResourceUpdatedNotificationParam, ServerCapabilities, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::conversation::Conversation;
use crate::hidden;
use crate::log::Log;
use crate::watched::Watched;

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

    /// Returns after the next change of the catalog. Changes that have accumulated count as one.
    pub(crate) async fn next(&mut self) {
        self.wake.notified().await;
        while self.subscription.try_recv().is_some() {}
    }

    /// Returns whether the client's view differs since the last call. A reload that leaves it as it
    /// was is no news.
    pub(crate) async fn are_visible(&mut self) -> bool {
        let now = self.conversation.digest().await;
        let is_visible = now.is_none() || now != self.shown;
        self.shown = now;
        is_visible
    }
}

/// The log and the watched files of a connection.
#[derive(Default)]
pub(crate) struct News {
    pub(crate) log: Log,
    pub(crate) watched: Watched,
}

/// Sends notifications per change until the client cannot be reached: findings, watched files, and
/// one for each kind of list that is offered. Revisions before 2026-07-28 send them unasked.
pub(crate) async fn notify_peer(
    conversation: Arc<Conversation>,
    news: Arc<News>,
    peer: Peer<RoleServer>,
) {
    let mut findings = Findings::of(&conversation);
    let mut changes = Changes::subscribe(Arc::clone(&conversation)).await;
    loop {
        changes.next().await;
        for finding in findings.take_new(&conversation) {
            news.log.finding(&finding, &peer).await;
        }
        let mut is_sent = true;
        for uri in news.watched.changed(&conversation).await {
            let params = ResourceUpdatedNotificationParam::new(uri);
            is_sent &= peer.notify_resource_updated(params).await.is_ok();
        }
        if changes.are_visible().await {
            is_sent &= notify_lists(&conversation.capabilities(), &peer).await;
        }
        if !is_sent {
            return;
        }
    }
}

/// Returns whether the client could be reached.
async fn notify_lists(capabilities: &ServerCapabilities, peer: &Peer<RoleServer>) -> bool {
    let mut is_sent = peer.notify_tool_list_changed().await.is_ok();
    if capabilities.prompts.is_some() {
        is_sent &= peer.notify_prompt_list_changed().await.is_ok();
    }
    if capabilities.resources.is_some() {
        is_sent &= peer.notify_resource_list_changed().await.is_ok();
    }
    is_sent
}

/// The findings that a client knows. Paths of this machine are shown only if the policies show
/// locations, so findings are not logged otherwise.
struct Findings(Option<Vec<Diagnostic>>);

impl Findings {
    fn of(conversation: &Conversation) -> Self {
        let runtime = conversation.runtime();
        let is_shown = hidden::shows_paths(runtime);
        Self(is_shown.then(|| runtime.catalog().diagnostics().cloned().collect()))
    }

    /// Returns those that are new since the last call.
    fn take_new(&mut self, conversation: &Conversation) -> Vec<Diagnostic> {
        let Some(known) = &mut self.0 else { return Vec::new() };
        let now: Vec<_> = conversation.runtime().catalog().diagnostics().cloned().collect();
        let new = now.iter().filter(|finding| !known.contains(finding)).cloned().collect();
        *known = now;
        new
    }
}

/// Sends the accepted notifications per change to one subscription until it ends.
pub(crate) async fn notify_subscription(
    conversation: Arc<Conversation>,
    sink: &SubscriptionSink,
    accepted: &SubscriptionFilter,
) {
    let uris = accepted.resource_subscriptions.clone().unwrap_or_default();
    let watched = Watched::of(uris, &conversation).await;
    let mut changes = Changes::subscribe(Arc::clone(&conversation)).await;
    loop {
        changes.next().await;
        let mut is_sent = true;
        for uri in watched.changed(&conversation).await {
            is_sent &= sink.notify_resource_updated(uri).await.is_ok();
        }
        let is_visible = changes.are_visible().await;
        if is_visible && accepted.tools_list_changed == Some(true) {
            is_sent &= sink.notify_tool_list_changed().await.is_ok();
        }
        if is_visible && accepted.prompts_list_changed == Some(true) {
            is_sent &= sink.notify_prompt_list_changed().await.is_ok();
        }
        if is_visible && accepted.resources_list_changed == Some(true) {
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
    pub(crate) fn start(
        &self,
        conversation: Arc<Conversation>,
        news: Arc<News>,
        peer: Peer<RoleServer>,
    ) {
        let task = tokio::spawn(notify_peer(conversation, news, peer));
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
