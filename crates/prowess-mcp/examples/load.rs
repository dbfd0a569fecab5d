//! Loads a server over HTTP: concurrent clients call a tool, first as fast as they can and then at
//! a fixed rate, and the answers are checked and timed.
//!
//! ```console
//! $ cargo run --release --package prowess-mcp --features http --example load -- PROWESS 256 100000
//! ```
//!
//! `PROWESS` is the program to test, which serves its built-in skills. The memory of its process is
//! measured after half as many calls and at the end. It fails if that memory grows, if the clients
//! make fewer than 5,000 calls per second together, or if the p99 at that rate is over 50 ms.
//!
//! As fast as they can, the clients find out how many calls the machine has time for, and each call
//! waits for those of the others. At a fixed rate, a call's time counts from when it was due, also
//! if an earlier one was late.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The growth of the server's memory that counts as flat: the allocator's slack, which has nearly
/// all been taken after some 500,000 calls.
const MOST_GROWTH_KIB: u64 = 16 << 10;

/// The calls per second of all clients together: what the server must reach, and what the times at
/// a fixed rate are for.
const RATE: u32 = 5_000;

/// The longest p99 of a call at that rate, in milliseconds.
const MOST_MILLISECONDS: f64 = 50.0;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or("name the program to test")?;
    let clients: u64 = arguments.next().map_or(Ok(256), |count| count.parse())?;
    let calls: u64 = arguments.next().map_or(Ok(100_000), |count| count.parse())?;
    let (server, address) = start(&program).await?;
    let memory = |when: &str| {
        let pid = server.id().ok_or("the server runs")?;
        let kib = resident_kib(pid)?;
        println!("memory {when}: {} MiB", kib >> 10);
        Ok::<_, Error>(kib)
    };
    let warm_up = (calls / 2).max(clients);
    run(&address, clients, warm_up, None).await?;
    let before = memory("after the first calls")?;
    let begun = Instant::now();
    let times = run(&address, clients, calls, None).await?;
    let rate = times.len() as f64 / begun.elapsed().as_secs_f64();
    println!("{clients} clients, {calls} calls: {rate:.0}/s, {}", percentiles(times).0);
    let interval = Duration::from_secs(1) / RATE;
    let times = run(&address, clients, calls / 10, Some(interval)).await?;
    let (times, p99) = percentiles(times);
    println!("{clients} clients, {} calls, {RATE}/s: {times}", calls / 10);
    let after = memory("at the end")?;
    if after > before + MOST_GROWTH_KIB {
        return Err(format!("the memory grew from {before} to {after} KiB").into());
    }
    if rate < f64::from(RATE) {
        return Err(format!("{rate:.0} calls per second are fewer than {RATE}").into());
    }
    if p99 > MOST_MILLISECONDS {
        return Err(
            format!("the p99 at {RATE} calls per second is over {MOST_MILLISECONDS} ms").into()
        );
    }
    Ok(())
}

/// Returns the p50 and the p99 for people, and the p99 in milliseconds.
fn percentiles(mut times: Vec<Duration>) -> (String, f64) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1000.0;
    (format!("p50 {:.1} ms, p99 {:.1} ms", at(50), at(99)), at(99))
}

/// Starts a server on a free port, which it reports on standard error. It ends with its handle.
async fn start(program: &str) -> Result<(Child, String), Error> {
    let mut command = Command::new(program);
    // The built-in skills are about prowess, so a server offers them only if it is asked to.
    let built_in = r#"visibility.skills=[{match: "prowess:*", show: whole}]"#;
    command.args(["--set", built_in, "serve", "--http", "127.0.0.1:0"]);
    let mut server = command.stderr(Stdio::piped()).kill_on_drop(true).spawn()?;
    let stderr = server.stderr.take().ok_or("it is piped")?;
    let mut lines = BufReader::new(stderr).lines();
    while let Some(line) = lines.next_line().await? {
        if let Some((_, url)) = line.split_once("serving at http://") {
            let address = url.split('/').next().unwrap_or_default().to_owned();
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return Ok((server, address));
        }
    }
    Err("the server did not start".into())
}

/// The calls that are left for all clients.
struct Calls {
    begun: Instant,
    next: AtomicU64,
    count: u64,
    /// The time between two calls. Without it, a call follows at once on the last.
    interval: Option<Duration>,
}

impl Calls {
    /// Waits until the next call is due, and returns since when. Returns `None` after the last.
    async fn next(&self) -> Option<Instant> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        if index >= self.count {
            return None;
        }
        let Some(interval) = self.interval else { return Some(Instant::now()) };
        let due = self.begun + interval.mul_f64(index as f64);
        tokio::time::sleep_until(due.into()).await;
        Some(due)
    }
}

/// Makes this many calls, and returns the duration of each.
async fn run(
    address: &str,
    clients: u64,
    count: u64,
    interval: Option<Duration>,
) -> Result<Vec<Duration>, Error> {
    let (begun, next) = (Instant::now(), AtomicU64::new(0));
    let calls = Arc::new(Calls { begun, next, count, interval });
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..clients {
        tasks.spawn(client(address.to_owned(), Arc::clone(&calls)));
    }
    let mut times = Vec::new();
    while let Some(done) = tasks.join_next().await {
        times.extend(done??);
    }
    Ok(times)
}

/// One connection that makes calls until none is left.
async fn client(address: String, calls: Arc<Calls>) -> Result<Vec<Duration>, Error> {
    let request = request(&address);
    let mut stream = BufReader::new(TcpStream::connect(&address).await?);
    let mut times = Vec::new();
    while let Some(due) = calls.next().await {
        stream.get_mut().write_all(request.as_bytes()).await?;
        let (status, body) = answer(&mut stream).await?;
        if !status.starts_with("HTTP/1.1 200") || !body.contains("Writing a skill") {
            return Err(format!("{status}{body}").into());
        }
        times.push(due.elapsed());
    }
    Ok(times)
}

fn request(address: &str) -> String {
    let body = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "skills_load",
            "arguments": { "names": ["skill-writing"] },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "load", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
    .to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: skills_load\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Reads the status line and the body of an answer.
async fn answer(stream: &mut BufReader<TcpStream>) -> Result<(String, String), Error> {
    let mut status = String::new();
    stream.read_line(&mut status).await?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(format!("the connection was closed after {status:?}").into());
        }
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok((status, String::from_utf8(body)?))
}

/// Returns the resident memory of a process in KiB.
fn resident_kib(process: u32) -> Result<u64, Error> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()).ok_or("no VmRSS")?;
    Ok(number.parse()?)
}
