//! What belongs to the whole process, and so to the host.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::check::probe::{Broken, Checked, Probe, broken};
use crate::check::serve::printed;

/// What a host does with a plugin, once.
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

/// The working directory and the environment.
#[derive(PartialEq)]
struct Surroundings {
    directory: Option<PathBuf>,
    variables: BTreeMap<OsString, OsString>,
}

impl Surroundings {
    fn now() -> Self {
        let directory = std::env::current_dir().ok();
        Self { directory, variables: std::env::vars_os().collect() }
    }
}

pub(super) fn unchanged(probe: &Probe) -> Checked {
    let before = Surroundings::now();
    visit(probe)?;
    let after = Surroundings::now();
    let what = match before {
        _ if before.directory != after.directory => "the working directory",
        _ if before != after => "the environment",
        _ => return Ok(Vec::new()),
    };
    let help =
        "use absolute paths and values of its own: both are the host's, and of all its threads";
    Err(broken(format!("it changes {what}"), help))
}
