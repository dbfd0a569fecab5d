//! Serving one client on standard input and output.

use std::sync::Arc;

use prowess::Runtime;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;

use crate::approval_hint::{ApprovalChannel, ApprovalHint};
use crate::hangup::Hangup;
use crate::{LineTransport, ServeError, SkillServer};

/// A server on standard input and output that is not connected yet.
///
/// Create it before anything that takes time: from then on the signal `SIGHUP` requests a reload
/// and no longer ends the process.
pub struct StdioServer {
    executor: tokio::runtime::Runtime,
    hangup: Hangup,
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
        Ok(Self { executor, hangup, approval_hint: None, approvals: ApprovalChannel::default() })
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

    /// Serves one client until it closes standard input, which it may do before the handshake. Then
    /// calls that are still running get a few seconds to finish and are cancelled.
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
        self.executor.block_on(async {
            self.hangup.reload(runtime);
            let transport = LineTransport::new(tokio::io::stdin(), tokio::io::stdout());
            match server.until(transport.closed()).serve(transport).await {
                Ok(running) => drop(running.waiting().await?),
                Err(ServerInitializeError::ConnectionClosed(_)) => {}
                Err(error) => return Err(ServeError::Handshake(Box::new(error))),
            }
            Ok(())
        })
    }
}
