//! The state of the whole process, which belongs to the host.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use rustix::io::Errno;
use rustix::process::WaitOptions;

use crate::check::probe::{NotPassed, Probe, RuleResult, failed};
use crate::check::serve::printed;

/// Uses the plugin as a host does.
fn use_plugin(probe: &Probe) -> Result<(), NotPassed> {
    let life = probe.start()?;
    for source in life.sources() {
        probe.step(format!("a scan of `{}`", source.name));
        let scan = source.scan()?;
        if let Some(seen) = scan.found.first() {
            probe.step(format!("a read of `{}`", seen.package));
            // Errors of reads are reported by another check.
            let _ = source.read(&seen.package, &seen.file, 2 << 20);
            let _ = source.page(&seen.package, 100, "");
        }
    }
    Ok(())
}

pub(super) fn stdout(probe: &Probe) -> RuleResult {
    use_plugin(probe)?;
    let text = printed(&probe.stdout);
    let text = text
        .map_err(|error| failed(format!("standard output cannot be read: {error}"), "try again"))?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let text: String = text.chars().take(80).collect();
    let reason = format!("it prints {text:?} to standard output");
    let help = "write to the host's log instead: the host may use standard output for a protocol";
    Err(failed(reason, help))
}

/// The working directory, the environment and the signal handlers.
#[derive(PartialEq)]
struct ProcessState {
    directory: Option<PathBuf>,
    variables: BTreeMap<OsString, OsString>,
    signals: Vec<u64>,
}

impl ProcessState {
    fn now() -> Self {
        let directory = std::env::current_dir().ok();
        Self { directory, variables: std::env::vars_os().collect(), signals: signals() }
    }
}

pub(super) fn unchanged(probe: &Probe) -> RuleResult {
    let before = ProcessState::now();
    use_plugin(probe)?;
    let after = ProcessState::now();
    let what = match before {
        _ if before.directory != after.directory => "the working directory",
        _ if before.signals != after.signals => "the signal handlers",
        _ if before != after => "the environment",
        _ => return Ok(Vec::new()),
    };
    let help = "use absolute paths and the plugin's own values: this state belongs to the host and all its threads";
    Err(failed(format!("it changes {what}"), help))
}

/// The signals that the C library reserves: it installs their handlers with the first thread.
const OF_THE_C_LIBRARY: u64 = 0b11 << 31;

/// Returns the masks of the ignored and the handled signals.
fn signals() -> Vec<u64> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = |line: &str| {
        let mask = line.strip_prefix("SigIgn:").or_else(|| line.strip_prefix("SigCgt:"))?;
        Some(u64::from_str_radix(mask.trim(), 16).ok()? & !OF_THE_C_LIBRARY)
    };
    status.lines().filter_map(mask).collect()
}

/// Makes orphaned processes children of this one.
#[cfg(target_os = "linux")]
fn adopt_orphans() -> Result<(), Errno> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

pub(super) fn processes(probe: &Probe) -> RuleResult {
    let own = std::process::id();
    // Orphaned processes become children of this one, so they are detected.
    let adopted = adopt_orphans();
    adopted.map_err(|_| NotPassed::Skipped("this system does not report orphaned processes"))?;
    use_plugin(probe)?;
    if std::process::id() != own {
        // This is a fork that the plugin made; the original process reports it.
        std::process::abort();
    }
    match rustix::process::wait(WaitOptions::NOHANG) {
        Err(Errno::CHILD) => Ok(Vec::new()),
        _ => {
            let help = "wait for each process that it starts, and do not call `fork`: the copy has the \
                                               host's files but not its threads";
            Err(failed("it leaves a child process or a fork of this process behind", help))
        }
    }
}
