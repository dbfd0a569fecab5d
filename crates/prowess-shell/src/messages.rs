//! Messages between a host and the process of a sandbox.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

use prowess_core::{ClosedFile, OpenedFile, ResourcePath, SourceError, SourceErrorKind};
use prowess_sandbox::{receive, send};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{ShellLimits, ShellPolicy};

/// The host's first message.
#[derive(Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) policy: ShellPolicy,
    pub(crate) limits: ShellLimits,
}

/// A command. Two sockets come with it: one for what is said about it, and one whose end cancels
/// it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Command {
    pub(crate) text: String,
    /// The ids of the mounted skills, where they are others than before.
    pub(crate) mounted: Option<Vec<String>>,
    /// Whether files may be closed.
    pub(crate) is_ruled: bool,
}

/// The reason why a command has ended without [`Said::Ended`]. It is undone.
#[derive(Serialize, Deserialize)]
pub(crate) enum Undone {
    /// It needed too much memory, or broke the interpreter.
    Broken,
    /// It did not end in time.
    Late,
    /// There is no process for it.
    NotStarted,
}

/// How a command ended.
#[derive(Serialize, Deserialize)]
pub(crate) enum End {
    /// By itself, with this exit code.
    Exit(i32),
    /// By a limit or a cancellation, for this reason.
    Stopped(String),
    /// It does not parse, or the interpreter refuses it.
    Refused(String),
    /// It did not notice its cancellation, so its state is not usable.
    Lost,
}

/// Both streams.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Streams {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) truncated: bool,
}

/// A message of a process while a command runs.
#[derive(Serialize, Deserialize)]
pub(crate) enum Said {
    /// More output.
    Output(Streams),
    /// Asks for the files of a skill: a [`Listing`].
    List(String),
    /// Asks for a file of a skill: a [`Content`], and its bytes.
    Read { skill: String, path: String, most: u64 },
    /// Asks whether a file of a skill is closed: an optional [`ClosedFile`].
    Open { skill: String, path: String, bytes: usize, is_run: bool },
    /// The command has ended, with this output in all and so many bytes of memory.
    Ended { end: End, output: Streams, memory: u64 },
}

/// The paths of files and their sizes, or why they are not mounted.
pub(crate) type Listing = Result<Vec<(String, u64)>, String>;
/// The length of a file, or why it cannot be read, and whether it is too large.
pub(crate) type Content = Result<usize, (bool, String)>;

/// The connection of a process to the host while a command runs.
#[derive(Default)]
pub(crate) struct Line(Mutex<Option<UnixStream>>);

impl Line {
    /// Opens or closes the connection.
    pub(crate) fn set(&self, socket: Option<UnixStream>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = socket;
    }

    pub(crate) fn say(&self, said: &Said) -> io::Result<()> {
        self.with(|socket| send(socket, said, &[]))
    }

    /// Asks for the files of a skill.
    pub(crate) fn list(&self, skill: &str) -> Listing {
        let asked: io::Result<Listing> = self.with(|socket| ask(socket, &Said::List(skill.into())));
        asked.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// Asks for a file of a skill.
    pub(crate) fn read(
        &self,
        skill: &str,
        path: &ResourcePath,
        most: u64,
    ) -> Result<Vec<u8>, SourceError> {
        let question = Said::Read { skill: skill.into(), path: path.as_str().into(), most };
        let asked = self.with(|mut socket| match ask::<Content>(socket, &question)? {
            Ok(length) => {
                let mut bytes = vec![0; length];
                socket.read_exact(&mut bytes)?;
                Ok(Ok(bytes))
            }
            Err((true, message)) => Ok(Err(SourceError::new(SourceErrorKind::TooLarge, message))),
            Err((false, message)) => {
                Ok(Err(SourceError::new(SourceErrorKind::Unavailable, message)))
            }
        });
        asked.unwrap_or_else(|error| {
            Err(SourceError::new(SourceErrorKind::Unavailable, error.to_string()))
        })
    }

    /// Asks whether a file of a skill is closed. Without an answer it is.
    pub(crate) fn rule(&self, file: &OpenedFile<'_>) -> Option<ClosedFile> {
        let OpenedFile { skill, path, bytes, is_run } = *file;
        let (skill, path) = (skill.to_owned(), path.to_string());
        let question = Said::Open { skill, path, bytes, is_run };
        let asked = self.with(|socket| ask(socket, &question));
        asked.unwrap_or_else(|error| Some(ClosedFile { reason: error.to_string(), may_run: false }))
    }

    fn with<T>(&self, use_it: impl FnOnce(&UnixStream) -> io::Result<T>) -> io::Result<T> {
        let socket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        use_it(socket.as_ref().ok_or(io::ErrorKind::NotConnected)?)
    }
}

fn ask<T: DeserializeOwned>(socket: &UnixStream, question: &Said) -> io::Result<T> {
    send(socket, question, &[])?;
    Ok(receive(socket)?.0)
}

/// Answers [`Said::Read`].
pub(crate) fn answer_read(
    mut socket: &UnixStream,
    read: Result<Vec<u8>, SourceError>,
) -> io::Result<()> {
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => {
            let is_too_large = error.kind == SourceErrorKind::TooLarge;
            return send(socket, &Content::Err((is_too_large, error.to_string())), &[]);
        }
    };
    send(socket, &Content::Ok(bytes.len()), &[])?;
    socket.write_all(&bytes)
}
