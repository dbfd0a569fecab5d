//! Progress of a call: each line that a script prints is a notification, if the client asks for it.

use prowess::ProgressEvent;
use prowess::text::{clipped, one_line};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The number of lines that wait for a slow client. More are left out: the result has them.
const MOST_WAITING: usize = 64;

/// The maximum number of characters of a line that is sent.
const MOST_CHARACTERS: usize = 512;

/// Takes the reports of a call, on the thread of the call.
pub(crate) struct Reporter(Option<Sender<String>>);

/// Sends what a reporter takes.
pub(crate) struct Forwarder(Option<(ProgressToken, Receiver<String>)>);

/// Creates both ends for a request. Without a token of the client, nothing is reported.
pub(crate) fn of(context: &RequestContext<RoleServer>) -> (Reporter, Forwarder) {
    let Some(token) = context.meta.get_progress_token() else {
        return (Reporter(None), Forwarder(None));
    };
    let (sender, receiver) = channel(MOST_WAITING);
    (Reporter(Some(sender)), Forwarder(Some((token, receiver))))
}

impl Reporter {
    /// Returns whether the client asks for reports.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Takes a report. It never waits for the client.
    pub(crate) fn report(&self, event: ProgressEvent<'_>) {
        if let (Some(sender), ProgressEvent::Output { line, .. }) = (&self.0, event) {
            let line = line.strip_suffix('\n').unwrap_or(line);
            // A client that is slow or gone gets the lines with the result.
            let _ = sender.try_send(clipped(&one_line(line), MOST_CHARACTERS));
        }
    }
}

impl Forwarder {
    /// Sends each report, until the call has ended and all are sent or the client is gone.
    pub(crate) async fn run(self, context: &RequestContext<RoleServer>) {
        let Some((token, mut lines)) = self.0 else { return };
        let mut sent = 0.0;
        while let Some(line) = lines.recv().await {
            sent += 1.0;
            let mut progress = ProgressNotificationParam::new(token.clone(), sent);
            progress.message = Some(line);
            if context.peer.notify_progress(progress).await.is_err() {
                return;
            }
        }
    }
}
