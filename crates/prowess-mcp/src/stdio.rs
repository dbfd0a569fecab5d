//! Serving one client on standard input and output.

use std::sync::Arc;
use std::time::Duration;

use prowess::Runtime;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::approval_hint::{ApprovalChannel, ApprovalHint};
use crate::ending::Ending;
use crate::hangup::Hangup;
use crate::logged::Logged;
use crate::transport::Closed;
use crate::{LineTransport, ServeError, SkillServer, ending};

/// The time that cancelled calls have to end before the process does.
const GRACE: Duration = Duration::from_secs(1);

/// The time between the handshake and the start of watches, in which a client lists the tools. The
/// first scan after it finds what has changed meanwhile.
const WATCH_AFTER: Duration = Duration::from_millis(200);

/// The reason of a shutdown that the client has requested.
const CLOSED: &str = "the client has closed standard input";

/// A server on standard input and output that is not connected yet.
///
/// Create it before anything that takes time: from then on the signal `SIGHUP` requests a reload
/// and no longer ends the process.
pub struct StdioServer {
    executor: tokio::runtime::Runtime,
    hangup: Hangup,
    ending: Option<Ending>,
    approval_hint: Option<ApprovalHint>,
    approvals: ApprovalChannel,
}

impl StdioServer {
    /// Installs the handler of `SIGHUP`.
    ///
    /// # Errors
    ///
    /// The operating system refuses the handler.
    pub fn new() -> Result<Self, ServeError> {
        let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let hangup = {
            let _context = executor.enter();
            Hangup::install()?
        };
        let approvals = ApprovalChannel::default();
        Ok(Self { executor, hangup, ending: None, approval_hint: None, approvals })
    }

    /// Installs the handlers of `SIGINT` and `SIGTERM`, which [`Self::serve`] does otherwise. From
    /// then on these signals no longer end the process, and end [`Self::serve`] once it is called.
    ///
    /// # Errors
    ///
    /// The operating system refuses a handler.
    pub fn remember_signals(mut self) -> Result<Self, ServeError> {
        self.ending = Some(Ending::install(&self.executor)?);
        Ok(self)
    }

    /// Sets the next step that results name if a person has to approve a call. See
    /// [`SkillServer::approval_hint`].
    #[must_use]
    pub fn approval_hint(self, hint: ApprovalHint) -> Self {
        Self { approval_hint: Some(hint), ..self }
    }

    /// Sets where calls that need an approval are approved. See
    /// [`SkillServer::approvals`].
    #[must_use]
    pub fn approvals(self, approvals: ApprovalChannel) -> Self {
        Self { approvals, ..self }
    }

    /// Serves one client until it closes standard input, which it may do before the handshake, or
    /// until the process is asked to end, by `SIGINT` or `SIGTERM`. Then calls that are still
    /// running get a few seconds to finish and are cancelled. A runtime that is to
    /// [watch later](prowess::RuntimeBuilder::watch_later) begins soon after the handshake.
    ///
    /// # Errors
    ///
    /// The runtime delivers bodies in instructions, no session can be opened, or the client does
    /// not speak the protocol.
    pub fn serve(self, runtime: Runtime) -> Result<(), ServeError> {
        let runtime = Arc::new(runtime);
        let mut server = SkillServer::new(Arc::clone(&runtime))?.approvals(self.approvals);
        if let Some(hint) = self.approval_hint {
            server = server.approval_hint(hint);
        }
        let ending = self.ending.map_or_else(|| Ending::install(&self.executor), Ok)?;
        let ended = self.executor.block_on(async {
            self.hangup.reload(Arc::clone(&runtime));
            let transport = LineTransport::new(tokio::io::stdin(), tokio::io::stdout());
            let closed = transport.closed();
            let server = Logged(server.until(closed.clone()));
            serve(server, transport, closed, ending, runtime).await
        })?;
        if let Ended::BySignal(grace) = ended {
            // A thread may read standard input for ever.
            self.executor.shutdown_timeout(grace);
        }
        Ok(())
    }
}

/// The end of a connection.
enum Ended {
    /// The client has closed it.
    ByClient,
    /// A signal has ended it. What still runs gets this long to end, after it was cancelled.
    BySignal(Duration),
}

async fn serve<R, W>(
    server: Logged,
    transport: LineTransport<R, W>,
    mut closed: Closed,
    ending: Ending,
    runtime: Arc<Runtime>,
) -> Result<Ended, ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let signal = ending.asked();
    tokio::pin!(signal);
    let greeted = tokio::select! {
        greeted = server.serve(transport) => greeted,
        signal = &mut signal => {
            ending::emit(signal);
            return Ok(Ended::BySignal(Duration::ZERO));
        }
    };
    let running = match greeted {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => {
            ending::emit(CLOSED);
            return Ok(Ended::ByClient);
        }
        Err(error) => return Err(ServeError::Handshake(Box::new(error))),
    };
    tokio::spawn(async move {
        tokio::time::sleep(WATCH_AFTER).await;
        if let Err(error) = runtime.begin_watching() {
            tracing::error!("changes of skills are not noticed: {error}");
        }
    });
    let cancel = running.cancellation_token();
    let waiting = running.waiting();
    tokio::pin!(waiting);
    let answered = async {
        closed.wait().await;
        ending::emit(CLOSED);
        waiting.as_mut().await
    };
    let signal = tokio::select! {
        answered = answered => return answered.map(|_| Ended::ByClient).map_err(Into::into),
        signal = signal => signal,
    };
    ending::emit(signal);
    cancel.cancel();
    // With nothing to wait for, there is nothing to cancel.
    let is_idle = tokio::time::timeout(GRACE, waiting.as_mut()).await.is_ok();
    if !is_idle {
        drop(waiting.await?);
    }
    Ok(Ended::BySignal(if is_idle { Duration::ZERO } else { GRACE }))
}
