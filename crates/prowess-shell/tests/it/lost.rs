//! Commands that do not end at their deadlines, because a source does not answer.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use prowess_core::{MemorySource, PackagePath, ReadLimit, ResourcePath, SkillSource, SourceError};
use prowess_shell::{InMemoryShell, ShellLimits, ShellPolicy};
use prowess_testkit::{OverriddenSource, SourceOverrides, catalog_over};

use crate::fixture::Setup;

/// How long a thread may take to end on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A source that returns its file `slow` only once it is open.
struct Slow {
    inner: MemorySource,
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
            drop(self.opened.wait_while(is_open, |is_open| !*is_open).unwrap());
        }
        self.inner.read(package, resource, limit)
    }
}

impl Slow {
    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

#[test]
fn no_command_starts_while_lost_ones_run() {
    let skill_md = "---\nname: a\ndescription: Is slow.\n---\n";
    let inner =
        MemorySource::builder("slow").file("a/SKILL.md", skill_md).file("a/slow", "at last");
    let slow = Slow {
        inner: inner.build().unwrap(),
        is_open: Mutex::default(),
        opened: Condvar::default(),
    };
    let slow = Arc::new(OverriddenSource(slow));
    let limits = ShellLimits { seconds: 1, lost_commands: 2, ..ShellLimits::default() };
    let setup = Setup {
        shell: InMemoryShell::new(ShellPolicy { limits, ..Default::default() }),
        catalog: catalog_over(slow.clone(), [("a", "Is slow.", &[][..])]),
        rule: None,
    };
    let read = "cat /.sandbox/skills/a/slow";
    for session in ["one", "two"] {
        let lost = setup.in_session(session, read).unwrap_err();
        assert_eq!(lost.code.as_str(), "shell-lost", "the source does not answer: {lost}");
    }
    let refused = setup.in_session("three", "echo on").unwrap_err();
    assert_eq!(refused.code.as_str(), "shell-exhausted", "two threads are left: {refused}");
    slow.open();
    let begun = Instant::now();
    let outcome = loop {
        match setup.in_session("three", read) {
            Ok(outcome) => break outcome,
            Err(error) => assert_eq!(error.code.as_str(), "shell-exhausted", "{error}"),
        }
        assert!(begun.elapsed() < PATIENCE, "the threads end once the source answers");
        thread::yield_now();
    };
    assert_eq!(outcome.stdout, "at last", "commands run once the threads have ended");
}
