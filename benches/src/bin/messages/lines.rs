//! Messages over lines, whose answers are matched with the requests.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use prowess_mcp::{LineTransport, SkillServer};
use prowess_testkit::Random;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use crate::generate::message;

/// The number of messages after which every answer must have arrived.
const BATCH: u64 = 500;

/// The longest time for the answers to a batch.
const PATIENCE: Duration = Duration::from_secs(120);

/// Sends messages, and returns the number of answers. `at` gets the number of messages so far.
pub(crate) fn send(at: &mut dyn FnMut(u64), count: u64) -> u64 {
    let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    executor.expect("threads start").block_on(async {
        let mut client = Client::connect().await;
        let mut random = Random::new(7, 0);
        let (mut sent, mut answers) = (0, 0);
        while sent < count {
            let batch = BATCH.min(count - sent);
            let exchange = client.exchange(&mut random, sent, batch);
            let exchanged = tokio::time::timeout(PATIENCE, exchange).await;
            answers += exchanged.expect("the server goes on reading and writing");
            sent += batch;
            at(sent);
        }
        answers
    })
}

struct Client {
    write: WriteHalf<DuplexStream>,
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Client {
    /// Starts a server and makes the handshake.
    async fn connect() -> Self {
        let server = SkillServer::new(Arc::new(crate::runtime())).expect("the policies fit");
        let (here, there) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(there);
        let transport = LineTransport::new(reader, writer);
        let server = server.until(transport.closed());
        tokio::spawn(async move {
            let running = rmcp::ServiceExt::serve(server, transport).await.expect("the handshake");
            running.waiting().await.expect("the server does not panic");
        });
        let (read, write) = tokio::io::split(here);
        let mut client = Self { write, read: BufReader::new(read).lines() };
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "soak", "version": "1" },
        });
        let hello =
            json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params });
        let line = format!("{hello}\n");
        client.write.write_all(line.as_bytes()).await.expect("the server reads");
        client.answers_until("hello").await;
        client
    }

    /// Sends a batch and a last request, and waits for the answers to all.
    async fn exchange(&mut self, random: &mut Random, first: u64, count: u64) -> u64 {
        let mut expected = HashSet::new();
        let mut lines = Vec::new();
        for number in first..first + count {
            let line = message(random, number);
            note(&line, &mut expected);
            lines.extend(line);
            lines.push(b'\n');
        }
        let last = format!("last-{first}");
        let ping = json!({ "jsonrpc": "2.0", "id": last, "method": "ping" });
        lines.extend(format!("{ping}\n").into_bytes());
        expected.insert(json!(last).to_string());
        let Self { write, read } = self;
        let writing = async { write.write_all(&lines).await.expect("the server reads") };
        let mut answers = 0;
        let reading = async {
            while !expected.is_empty() {
                let line = read.next_line().await.expect("the server writes");
                let Some(line) = line else { panic!("the server ended before {expected:?}") };
                let answer: Value = serde_json::from_str(&line).expect("each line is JSON");
                if answer.get("method").is_none() {
                    answers += 1;
                    expected.remove(&answer["id"].to_string());
                }
            }
        };
        tokio::join!(writing, reading);
        answers
    }

    async fn answers_until(&mut self, id: &str) {
        loop {
            let line = self.read.next_line().await.expect("the server writes");
            let answer: Value = serde_json::from_str(&line.expect("it lives")).expect("it is JSON");
            if answer["id"] == id {
                return;
            }
        }
    }
}

/// Notes the id of a line if JSON-RPC asks for an answer: it is a request with an id of the
/// protocol. A cancelled one may have none.
fn note(line: &[u8], expected: &mut HashSet<String>) {
    let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
    let id = &message["id"];
    let is_id = id.is_string() || id.is_i64();
    let is_request = message["jsonrpc"] == "2.0" && message["method"].is_string();
    if is_id && is_request {
        expected.insert(id.to_string());
    }
    if message["method"] == "notifications/cancelled" {
        expected.remove(&message["params"]["requestId"].to_string());
    }
}
