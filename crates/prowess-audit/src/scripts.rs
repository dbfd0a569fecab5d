//! Scripts whose output has no registered secret.

use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Cancel, Progress, ProgressEvent, ScriptError, ScriptOutcome, ScriptRequest, ScriptRunner,
};

use crate::Redactor;

/// Runs scripts with another runner, and removes the registered secrets of the host from their
/// output and from the reasons why they were not started, before a model or a log receives them.
/// The script itself still has what its runner gave it.
pub struct RedactedScripts {
    runner: Arc<dyn ScriptRunner>,
    redactor: Redactor,
}

impl RedactedScripts {
    /// Creates a runner. `redactor` is that of the log.
    pub fn new(runner: Arc<dyn ScriptRunner>, redactor: Redactor) -> Self {
        Self { runner, redactor }
    }

    fn redact(&self, text: &mut String) {
        *text = self.redactor.redact_registered(text).into_owned();
    }
}

impl ScriptRunner for RedactedScripts {
    fn run(
        &self,
        request: &ScriptRequest<'_>,
        time_limit: Duration,
        cancel: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        let receive = |event: ProgressEvent<'_>| match event {
            ProgressEvent::Output { stream, line } => {
                let line = &*self.redactor.redact_registered(line);
                request.progress.report(ProgressEvent::Output { stream, line });
            }
            event => request.progress.report(event),
        };
        let is_received = request.progress.is_received();
        let progress = if is_received { Progress::new(&receive) } else { Progress::default() };
        let redacted = ScriptRequest { progress, ..*request };
        match self.runner.run(&redacted, time_limit, cancel) {
            Ok(mut outcome) => {
                self.redact(&mut outcome.stdout);
                self.redact(&mut outcome.stderr);
                Ok(outcome)
            }
            Err(mut error) => {
                self.redact(&mut error.message);
                Err(error)
            }
        }
    }
}
