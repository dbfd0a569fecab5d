//! Skills of a server, which are followed while the program runs: a version that the server no
//! longer has, or a server that is away, leaves the last good one. The server is in this program.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use prowess::{Runtime, SystemClock};
use prowess_source_remote::{HttpOptions, HttpRemote};
use prowess_store::{Growth, LiveOptions, LiveSource, LockFile, SignerRules, Store};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || listener.incoming().flatten().map(answer).for_each(drop));
    // An address of a private network, and plain `http`, are for hosts that the operator names.
    let named_hosts = vec![address.to_string()];
    let remote = HttpRemote::new(HttpOptions { named_hosts, ..HttpOptions::default() });
    let place = tempfile::tempdir()?;
    let source = LiveSource::new(
        Store::new(place.path().join("store")),
        LockFile::new(place.path().join("prowess.lock")),
        Arc::new(remote),
        Arc::new(SystemClock::default()),
        LiveOptions {
            sources: vec![format!("http://{address}/tea/SKILL.md")],
            interval: Duration::from_secs(3600),
            growth: Growth::Refuse,
            signers: SignerRules::default(),
        },
    );
    let runtime = Runtime::builder().source("user", Arc::new(source)).build()?;
    skill_sources::lines(&runtime)?.iter().for_each(|line| println!("{line}"));
    // A server that is away or has something else is a finding, not a failure.
    runtime.catalog().diagnostics().for_each(|finding| println!("{finding}"));
    Ok(())
}

/// Answers a request: with the skill at its path, and with nothing at any other one, such as that
/// of a signature.
fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let lines = BufReader::new(stream.try_clone()?).lines();
    let request: Vec<_> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let is_skill = request.first().is_some_and(|line| line.starts_with("GET /tea/SKILL.md "));
    let (status, text) =
        if is_skill { ("200 OK", skill_sources::TEA) } else { ("404 Not Found", "") };
    let length = text.len();
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n")?;
    write!(stream, "connection: close\r\n\r\n{text}")
}
