//! Attempts of a plugin to access something outside of its memory.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::{TcpStream, UdpSocket};
use std::process::Command;
use std::sync::mpsc;
use std::thread;

/// Performs the access `what`, with the host's process id and the path in `target`, and returns the
/// result.
pub(crate) fn reach(what: &str, target: &str, path: &str) -> io::Result<Vec<u8>> {
    let of_host = |file: &str| format!("/proc/{target}/{file}");
    match what {
        "environ" => fs::read(of_host("environ")),
        "stdout" => {
            let mut stdout = OpenOptions::new().append(true).open(of_host("fd/1"))?;
            stdout.write_all(b"written by a plugin\n").map(|()| Vec::new())
        }
        "memory" => {
            OpenOptions::new().read(true).write(true).open(of_host("mem")).map(|_| Vec::new())
        }
        "read" => fs::read(path),
        "write" => fs::write(path, "written by a plugin").map(|()| Vec::new()),
        "list" => fs::read_dir(path).map(|entries| format!("{}", entries.count()).into_bytes()),
        "socket" => UdpSocket::bind("127.0.0.1:0").map(|_| Vec::new()),
        "connect" => TcpStream::connect(path).map(|_| Vec::new()),
        "signal" => signal(target).map(|()| Vec::new()),
        "run" => Command::new("/bin/true").status().map(|_| Vec::new()),
        "orphan" => orphan(path),
        "threads" => threads(2_000),
        "limits" => fs::read("/proc/self/limits"),
        "status" => fs::read("/proc/self/status"),
        "environment" => Ok(format!("{:?}", std::env::vars().collect::<Vec<_>>()).into_bytes()),
        "files" => files(),
        _ => Ok(Vec::new()),
    }
}

/// Sends a process the signal 0, which only checks for permission.
fn signal(target: &str) -> io::Result<()> {
    unsafe extern "C" {
        fn kill(pid: i32, signal: i32) -> i32;
    }

    let pid = target.parse().map_err(io::Error::other)?;
    // SAFETY: the arguments are numbers.
    match unsafe { kill(pid, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Starts an orphaned process that sleeps for `seconds`, and returns its process id.
fn orphan(seconds: &str) -> io::Result<Vec<u8>> {
    let script = "setsid sleep \"$0\" >/dev/null 2>&1 & echo $!";
    Command::new("/bin/sh").args(["-p", "-c", script, seconds]).output().map(|output| output.stdout)
}

/// Starts as many threads as possible, and returns their number.
fn threads(count: usize) -> io::Result<Vec<u8>> {
    let mut started = Vec::new();
    for _ in 0..count {
        let (sender, receiver) = mpsc::channel::<()>();
        let wait = move || receiver.recv().is_ok();
        match thread::Builder::new().stack_size(16 << 10).spawn(wait) {
            Ok(thread) => started.push((thread, sender)),
            Err(_) => break,
        }
    }
    let count = started.len();
    for (thread, sender) in started {
        drop(sender);
        let _ = thread.join();
    }
    Ok(count.to_string().into_bytes())
}

/// Returns the targets of the open files of this process.
fn files() -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for file in fs::read_dir("/proc/self/fd")? {
        let file = file?;
        let target = fs::read_link(file.path()).unwrap_or_default();
        lines.push(target.display().to_string());
    }
    Ok(lines.join("\n").into_bytes())
}
