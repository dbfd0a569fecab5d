//! Attacks on the host's process.

use std::io;
use std::process::Command;
use std::thread;

use rustix::process::{Resource, Rlimit, Signal};

use super::calls::{address, attempt, call, output};
use super::{AS_CAPABLE, Attack, By, CAPABLE, SETUID, Target, contains};

/// `PTRACE_SEIZE`, which traces a process without stopping it.
const SEIZE: u64 = 0x4206;

pub(super) const ATTACKS: &[Attack] = &[
    ("signals the host", By::Anyone, |target| {
        Ok(rustix::process::kill_process(target.pid(), Signal::CONT)?)
    }),
    ("signals a thread of the host", By::Anyone, |target| {
        let host = host(target);
        attempt(libc::SYS_tgkill, &[host, host, signal(libc::SIGCONT)])
    }),
    ("signals a thread by its number", By::Anyone, |target| {
        attempt(libc::SYS_tkill, &[host(target), signal(libc::SIGCONT)])
    }),
    ("limits the host", By::Anyone, |target| {
        let none = Rlimit { current: None, maximum: None };
        Ok(rustix::process::prlimit(Some(target.pid()), Resource::Cpu, none).map(drop)?)
    }),
    ("opens a handle to the host", By::Anyone, |target| {
        let flags = rustix::process::PidfdFlags::empty();
        Ok(rustix::process::pidfd_open(target.pid(), flags).map(drop)?)
    }),
    ("takes a descriptor of the host", By::Anyone, |target| {
        let handle = call(libc::SYS_pidfd_open, &[host(target), 0])?.cast_unsigned();
        attempt(libc::SYS_pidfd_getfd, &[handle, 1, 0])
    }),
    ("signals the host by a handle", By::Anyone, |target| {
        let handle = call(libc::SYS_pidfd_open, &[host(target), 0])?.cast_unsigned();
        attempt(libc::SYS_pidfd_send_signal, &[handle, signal(libc::SIGCONT), 0, 0])
    }),
    ("traces the host", By::Anyone, |target| {
        attempt(libc::SYS_ptrace, &[SEIZE, host(target), 0, 0])
    }),
    ("reads the host's memory by a call", By::Anyone, |target| {
        let mut bytes = *b"nothing-read-yet";
        let here = [output(&mut bytes), 16];
        let there = [target.address, 16];
        let vectors = [host(target), address(&here), 1, address(&there), 1, 0];
        attempt(libc::SYS_process_vm_readv, &vectors)?;
        // The earlier attack may have written to it.
        contains(&bytes, b"hidden-in-memory").or_else(|_| contains(&bytes, b"written-by-other"))
    }),
    ("writes to the host's memory by a call", By::Anyone, |target| {
        let here = [address(b"written-by-other"), 16];
        let there = [target.address, 16];
        let vectors = [host(target), address(&here), 1, address(&there), 1, 0];
        attempt(libc::SYS_process_vm_writev, &vectors)
    }),
    ("compares itself with the host", By::Anyone, |target| {
        let own = u64::from(std::process::id());
        attempt(libc::SYS_kcmp, &[own, host(target), 1, 0, 0])
    }),
    ("changes the host's priority", By::Anyone, |target| {
        attempt(libc::SYS_setpriority, &[0, host(target), 19])
    }),
    ("changes the host's schedule", By::Anyone, |target| {
        let parameters = [0_i32];
        attempt(libc::SYS_sched_setscheduler, &[host(target), 3, address(&parameters)])
    }),
    ("moves the host to a processor", By::Anyone, |target| {
        let all = [u64::MAX; 16];
        attempt(libc::SYS_sched_setaffinity, &[host(target), 128, address(&all)])
    }),
    ("changes the priority of the host's files", By::Anyone, |target| {
        attempt(libc::SYS_ioprio_set, &[1, host(target), 3 << 13])
    }),
    ("outlives the process around it", By::Anyone, |_| {
        attempt(libc::SYS_prctl, &[signal(libc::PR_SET_PDEATHSIG), 0, 0, 0, 0])
    }),
    ("lets any process trace it", By::Anyone, |_| {
        let any = [u64::from(libc::PR_SET_PTRACER.cast_unsigned()), u64::MAX, 0, 0, 0];
        match attempt(libc::SYS_prctl, &any) {
            // Without Yama each process of the user may trace it already.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            attempted => attempted,
        }
    }),
    ("gains the rights of another user", By::Anyone, |target| {
        // `id`, which belongs to another user and runs with that user's rights.
        let id = Command::new(target.directory.join(SETUID)).arg("-u").output()?;
        let user = String::from_utf8_lossy(&id.stdout).trim().to_owned();
        let own = rustix::process::geteuid().to_string();
        match user.parse::<u32>() {
            Ok(_) if user != own => Ok(()),
            gained => Err(io::Error::other(format!("it ran as {gained:?}, as before"))),
        }
    }),
    ("gains the capability of a file", By::Anyone, |target| {
        // This program again, which prints the capabilities that it has.
        let program = Command::new(target.directory.join(CAPABLE))
            .args(["attacker::capable", "--exact", "--nocapture", "--quiet", "--test-threads=1"])
            .arg(AS_CAPABLE)
            .output()?;
        let printed = String::from_utf8_lossy(&program.stdout);
        let line = printed.lines().find(|line| line.starts_with("effective: "));
        match line {
            Some(line) if line.contains("NET_RAW") => Ok(()),
            line => Err(io::Error::other(format!("it ran with {line:?}"))),
        }
    }),
    ("starts a program", By::Anyone, |_| Command::new("/bin/true").status().map(drop)),
    ("starts 2,000 threads", By::Anyone, |_| threads(2_000)),
];

fn host(target: &Target) -> u64 {
    u64::from(target.host.cast_unsigned())
}

fn signal(number: i32) -> u64 {
    u64::from(number.cast_unsigned())
}

/// Starts threads that wait for each other's end.
fn threads(count: usize) -> io::Result<()> {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let receiver = std::sync::Arc::new(std::sync::Mutex::new(receiver));
    let mut started = Vec::new();
    let mut outcome = Ok(());
    for _ in 0..count {
        let receiver = std::sync::Arc::clone(&receiver);
        let wait = move || drop(receiver.lock().map(|receiver| receiver.recv()));
        match thread::Builder::new().stack_size(16 << 10).spawn(wait) {
            Ok(thread) => started.push(thread),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    drop(sender);
    started.into_iter().for_each(|thread| drop(thread.join()));
    outcome
}
