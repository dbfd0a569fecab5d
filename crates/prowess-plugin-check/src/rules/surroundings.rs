//! State of the whole process, which is the host's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::process::WaitOptions;

use crate::probe::{Broken, Checked, Probe, broken};
use crate::serve::printed;

/// Does once what a host does with a plugin.
fn visit(probe: &Probe) -> Result<(), Broken> {
    let life = probe.begin()?;
    for source in life.sources() {
        probe.step(format!("a scan of `{}`", source.name));
        let scan = source.scan()?;
        if let Some(seen) = scan.found.first() {
            probe.step(format!("a read of `{}`", seen.package));
            // Whether it can be read is another check's question.
            let _ = source.read(&seen.package, &seen.file, 2 << 20);
            let _ = source.page(&seen.package, 100, "");
        }
    }
    Ok(())
}

pub(super) fn stdout(probe: &Probe) -> Checked {
    visit(probe)?;
    let text = printed(&probe.stdout);
    let text = text.map_err(|error| broken(format!("it cannot be read: {error}"), "try again"))?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let text: String = text.chars().take(80).collect();
    let reason = format!("it prints {text:?} to standard output");
    let help =
        "write to the host's log instead: standard output is the host's, and may be a protocol";
    Err(broken(reason, help))
}

/// The working directory, the environment and the signals.
#[derive(PartialEq)]
struct Surroundings {
    directory: Option<PathBuf>,
    variables: BTreeMap<OsString, OsString>,
    signals: Vec<u64>,
}

impl Surroundings {
    fn now() -> Self {
        let directory = std::env::current_dir().ok();
        Self { directory, variables: std::env::vars_os().collect(), signals: signals() }
    }
}

pub(super) fn unchanged(probe: &Probe) -> Checked {
    let before = Surroundings::now();
    visit(probe)?;
    let after = Surroundings::now();
    let what = match before {
        _ if before.directory != after.directory => "the working directory",
        _ if before.signals != after.signals => "what this process does on a signal",
        _ if before != after => "the environment",
        _ => return Ok(Vec::new()),
    };
    let help =
        "use absolute paths and values of its own: both are the host's, and of all its threads";
    Err(broken(format!("it changes {what}"), help))
}

/// The signals that the C library keeps for itself: it catches them when the first thread starts.
const OF_THE_C_LIBRARY: u64 = 0b11 << 31;

/// Returns the signals that the process ignores and catches, as the masks of the kernel.
fn signals() -> Vec<u64> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = |line: &str| {
        let mask = line.strip_prefix("SigIgn:").or_else(|| line.strip_prefix("SigCgt:"))?;
        Some(u64::from_str_radix(mask.trim(), 16).ok()? & !OF_THE_C_LIBRARY)
    };
    status.lines().filter_map(mask).collect()
}

pub(super) fn processes(probe: &Probe) -> Checked {
    let own = std::process::id();
    // A process whose parent ends becomes a child of this one, and so it is seen.
    let adopted = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    adopted.map_err(|_| Broken::Nothing("this system does not report orphaned processes"))?;
    visit(probe)?;
    if std::process::id() != own {
        // The copy of this process that the plugin made; the original reports it.
        std::process::abort();
    }
    match rustix::process::wait(WaitOptions::NOHANG) {
        Err(Errno::CHILD) => Ok(Vec::new()),
        _ => {
            let help = "wait for each process that it starts, and do not call `fork`: the copy has the \
                        host's files and none of its threads";
            Err(broken("it leaves a process behind, or a copy of this one", help))
        }
    }
}
