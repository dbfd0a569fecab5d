//! The thread that receives the reports of a server over HTTP.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use prowess_core::Cancel;
use prowess_source_remote::HttpEndpoint;

use crate::listening::StreamEnd;
use crate::shared::Shared;

/// The longest time that a stream may stay open. Then another one is requested.
const LONGEST_STREAM: Duration = Duration::from_secs(60 * 60);

/// The shortest time between two streams.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

/// The longest time between two streams, of which the first ones reported nothing.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A thread that receives reports of changes until this is dropped.
pub(crate) struct EventThread {
    endpoint: Arc<HttpEndpoint>,
    cancel: Cancel,
}

impl EventThread {
    /// Starts the thread; `None` if reports come with the other messages.
    pub(crate) fn start(shared: &Arc<Shared>, cancel: &Cancel) -> io::Result<Option<Self>> {
        let Some(endpoint) = shared.link.endpoint() else { return Ok(None) };
        let endpoint = Arc::new(endpoint.separate(LONGEST_STREAM));
        let thread = Thread {
            shared: Arc::clone(shared),
            endpoint: Arc::clone(&endpoint),
            cancel: cancel.clone(),
        };
        thread::Builder::new().name("prowess-mcp-events".to_owned()).spawn(move || thread.run())?;
        Ok(Some(Self { endpoint, cancel: cancel.clone() }))
    }
}

impl Drop for EventThread {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.endpoint.shut_down();
    }
}

struct Thread {
    shared: Arc<Shared>,
    endpoint: Arc<HttpEndpoint>,
    cancel: Cancel,
}

impl Thread {
    fn run(&self) {
        let changes = &self.shared.changes;
        let mut pause = SHORTEST_PAUSE;
        while !self.cancel.is_cancelled() {
            let end = match self.shared.listening(&self.cancel) {
                Ok(Some(listening)) => {
                    listening.follow(&self.endpoint, || changes.report(), &self.cancel)
                }
                Ok(None) => StreamEnd::Unsupported,
                Err(_) => StreamEnd::Idle,
            };
            match end {
                StreamEnd::Unsupported => return,
                StreamEnd::Useful => pause = SHORTEST_PAUSE,
                // The next listing begins another session.
                StreamEnd::SessionEnded => changes.report(),
                StreamEnd::Idle => {}
            }
            changes.rest(pause, || self.cancel.is_cancelled());
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }
}
