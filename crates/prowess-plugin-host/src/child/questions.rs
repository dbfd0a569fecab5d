//! Questions of a plugin's process that its host answers.

use std::io;
use std::io::ErrorKind::UnexpectedEof;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prowess_plugin_abi::{AbiError, codes};

use super::frame::{FrameReader, REQUEST_BYTES};
use super::inbox::{CHECK_INTERVAL, Inbox, Slot, SpinReader};
use super::protocol;

/// The host's answer to a question.
pub(super) type HostAnswer = Result<Vec<u8>, AbiError>;

/// The questions that wait for an answer, by number.
pub(super) struct OpenQuestions {
    next: AtomicU64,
    socket: UnixStream,
    answers: Inbox<HostAnswer>,
}

/// A question that waits for an answer; dropping it closes it.
pub(super) struct OpenQuestion<'a> {
    pub(super) number: u64,
    slot: Arc<Slot<HostAnswer>>,
    questions: &'a OpenQuestions,
}

impl OpenQuestions {
    /// Creates a table of questions whose answers arrive on this socket.
    pub(super) fn new(socket: UnixStream) -> io::Result<Self> {
        socket.set_read_timeout(Some(CHECK_INTERVAL))?;
        let reader = FrameReader::new(REQUEST_BYTES, REQUEST_BYTES);
        Ok(Self { next: AtomicU64::new(0), socket, answers: Inbox::new(reader) })
    }

    /// Opens a question with a new number.
    pub(super) fn open(&self) -> OpenQuestion<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        OpenQuestion { number, slot: self.answers.open(number), questions: self }
    }

    fn read_one(&self, reader: &mut FrameReader) -> io::Result<(u64, HostAnswer)> {
        let read = reader.next::<protocol::HostAnswer>(&mut SpinReader(&self.socket))?;
        let (answer, bytes) = read.ok_or(io::Error::from(UnexpectedEof))?;
        let refusal = answer.refusal.map(protocol::WireRefusal::into_error);
        Ok((answer.question, refusal.map_or(Ok(bytes), Err)))
    }
}

impl OpenQuestion<'_> {
    /// Waits for the answer while the call that asks is running.
    pub(super) fn wait(&self, is_running: impl Fn() -> bool) -> HostAnswer {
        let inbox = &self.questions.answers;
        loop {
            match inbox.wait(&self.slot, |reader| self.questions.read_one(reader)) {
                Ok(Some(answer)) => return answer,
                Ok(None) if is_running() => {}
                Ok(None) => return Err(AbiError::new(codes::CANCELLED, "the call has ended")),
                // The host has ended, which also ends this process.
                Err(error) => return Err(AbiError::new(codes::UNAVAILABLE, error.to_string())),
            }
        }
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.questions.answers.remove(self.number);
    }
}
