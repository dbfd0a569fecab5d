//! A server on this machine that answers as a test wants, also wrongly.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// Writes an answer to a request, whose lines it gets.
pub(crate) type Answer = Arc<dyn Fn(&[String], &mut TcpStream) + Send + Sync>;

type Answers = Arc<Mutex<BTreeMap<String, Answer>>>;

/// A server, which ends when it is dropped.
pub(crate) struct Server {
    pub(crate) host: String,
    answers: Answers,
    /// The lines of each request.
    requests: Arc<Mutex<Vec<Vec<String>>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let answers = Answers::default();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let thread = {
            let answers = Arc::clone(&answers);
            let requests = Arc::clone(&requests);
            std::thread::spawn(move || serve(&listener, &answers, &requests))
        };
        Self { host, answers, requests, thread: Some(thread) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// Answers requests of a path.
    pub(crate) fn on(
        &self,
        path: &str,
        answer: impl Fn(&[String], &mut TcpStream) + Send + Sync + 'static,
    ) {
        self.answers.lock().unwrap().insert(path.to_owned(), Arc::new(answer));
    }

    /// Answers with these bytes.
    pub(crate) fn on_get(&self, path: &str, body: impl Into<Vec<u8>>) {
        let body = body.into();
        self.on(path, move |_, stream| {
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
            );
            let _ = stream.write_all(&body);
        });
    }

    /// Answers with these bytes, the header included.
    pub(crate) fn on_raw(&self, path: &str, answer: impl Into<Vec<u8>>) {
        let answer = answer.into();
        self.on(path, move |_, stream| drop(stream.write_all(&answer)));
    }

    pub(crate) fn redirect(&self, path: &str, to: &str) {
        self.on_raw(
            path,
            format!("HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"),
        );
    }

    pub(crate) fn requests(&self) -> Vec<Vec<String>> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An empty request ends the server.
        drop(TcpStream::connect(&self.host));
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn serve(listener: &TcpListener, answers: &Answers, requests: &Mutex<Vec<Vec<String>>>) {
    std::thread::scope(|scope| {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let request: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
            let Some(first) = request.first() else { return };
            let path = first.split(' ').nth(1).unwrap_or_default();
            let answer = answers.lock().unwrap().get(path).cloned();
            requests.lock().unwrap().push(request.clone());
            scope.spawn(move || {
                match answer {
                    Some(answer) => answer(&request, &mut stream),
                    None => drop(stream.write_all(
                        b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                    )),
                }
                let _ = stream.shutdown(Shutdown::Both);
            });
        }
    });
}
