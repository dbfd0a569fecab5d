//! Commands that do not end at their deadlines, because a source does not answer.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::{MemorySource, PackagePath, ReadLimit, ResourcePath, SkillSource, SourceError};
use prowess_shell::{InMemoryShell, ShellLimits, ShellPolicy};
use prowess_testkit::{OverriddenSource, SourceOverrides, catalog_over};

use crate::fixture::{Setup, shell};

/// How long a thread may take to end on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The time of a call is over by then, and that for the report of a process is not.
const LATE: Duration = Duration::from_secs(5);

const READ: &str = "cat /.sandbox/skills/a/slow";

/// A source that returns its file `slow` only once it is open, or after this time.
struct Slow {
    inner: MemorySource,
    most: Duration,
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl SourceOverrides for Slow {
    fn inner(&self) -> &dyn SkillSource {
        &self.inner
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        if resource.as_str() == "slow" {
            let is_open = self.is_open.lock().unwrap();
            let closed = |is_open: &mut bool| !*is_open;
            drop(self.opened.wait_timeout_while(is_open, self.most, closed).unwrap());
        }
        self.inner.read(package, resource, limit)
    }
}

/// Runs commands of a second with a skill of such a source.
fn setup(
    most: Duration,
    shell: impl FnOnce(ShellPolicy) -> InMemoryShell,
) -> (Setup, Arc<OverriddenSource<Slow>>) {
    let skill_md = "---\nname: a\ndescription: Is slow.\n---\n";
    let inner =
        MemorySource::builder("slow").file("a/SKILL.md", skill_md).file("a/slow", "at last");
    let inner = inner.build().unwrap();
    let slow = Slow { inner, most, is_open: Mutex::default(), opened: Condvar::default() };
    let slow = Arc::new(OverriddenSource(slow));
    let limits = ShellLimits { seconds: 1, lost_commands: 2, ..ShellLimits::default() };
    let shell = shell(ShellPolicy { limits, ..Default::default() });
    let catalog = catalog_over(slow.clone(), [("a", "Is slow.", &[][..])]);
    (Setup { shell, catalog, rule: None }, slow)
}

#[test]
fn process_that_reports_late_keeps_its_files() {
    let (setup, _) = setup(LATE, shell);
    setup.run("echo kept > /kept");
    let stopped = setup.run(READ).stopped.unwrap_or_default();
    assert!(stopped.starts_with("the time limit of 1 s was reached"), "{stopped}");
    assert_eq!(setup.run("cat /kept").stdout, "kept\n");
}

#[test]
fn no_command_starts_while_lost_ones_run() {
    let (setup, slow) = setup(Duration::MAX, InMemoryShell::new);
    for session in ["one", "two"] {
        let lost = setup.in_session(session, READ).unwrap_err();
        assert_eq!(lost.code.as_str(), "shell-lost", "the source does not answer: {lost}");
    }
    let refused = setup.in_session("three", "echo on").unwrap_err();
    assert_eq!(refused.code.as_str(), "shell-exhausted", "two threads are left: {refused}");
    *slow.0.is_open.lock().unwrap() = true;
    slow.0.opened.notify_all();
    let begun = Instant::now();
    let outcome = loop {
        match setup.in_session("three", READ) {
            Ok(outcome) => break outcome,
            Err(error) => assert_eq!(error.code.as_str(), "shell-exhausted", "{error}"),
        }
        assert!(begun.elapsed() < PATIENCE, "the threads end once the source answers");
        thread::yield_now();
    };
    assert_eq!(outcome.stdout, "at last", "commands run once the threads have ended");
}
