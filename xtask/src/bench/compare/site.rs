//! A server of files on loopback, which keeps its connections.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

/// A server that runs until the program ends.
pub(super) struct Site {
    host: String,
}

impl Site {
    /// Serves the files of a folder.
    pub(super) fn new(folder: PathBuf) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let host = listener.local_addr()?.to_string();
        let folder = Arc::new(folder);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let folder = Arc::clone(&folder);
                // A client that goes away ends its connection.
                thread::spawn(move || while answer(&folder, &stream).is_some() {});
            }
        });
        Ok(Self { host })
    }

    /// Returns the address with the port.
    pub(super) fn host(&self) -> &str {
        &self.host
    }
}

/// Answers one request. The client sends the next one after the answer, so nothing of it is lost
/// with the buffer.
fn answer(folder: &Path, mut stream: &TcpStream) -> Option<()> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next()?;
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = first.split(' ').nth(1)?.trim_start_matches('/');
    let content = std::fs::read(folder.join(path)).ok();
    let status = if content.is_some() { "200 OK" } else { "404 Not Found" };
    let content = content.unwrap_or_default();
    let mut answer =
        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", content.len()).into_bytes();
    answer.extend(content);
    stream.write_all(&answer).ok()
}
