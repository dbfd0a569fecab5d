//! The rules of the interface, and a fault for each of them.

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};

use prowess_core::{
    Cancel, Catalog, Code, Record, SessionId, ShellError, ShellOutcome, ShellRequest, VirtualShell,
};
use prowess_shell::{InMemoryShell, ShellLimits, ShellPolicy};
use prowess_testkit::{RuleOutcome, check_virtual_shell};

use crate::fixture;

/// Limits that are reached soon.
fn policy() -> ShellPolicy {
    let limits = ShellLimits { steps: 2000, seconds: 20, ..ShellLimits::default() };
    ShellPolicy { limits, ..ShellPolicy::default() }
}

/// The faults are those of a shell in this process.
fn shell() -> InMemoryShell {
    InMemoryShell::new(policy())
}

#[test]
fn shell_passes_the_kit() {
    for shell in [shell(), fixture::shell(policy())] {
        let report = check_virtual_shell(&shell);
        assert!(report.is_passed(), "{report}");
    }
}

/// A shell that breaks the rule with this name.
struct Faulty {
    rule: &'static str,
    thread: ThreadId,
    inner: InMemoryShell,
    commands: AtomicUsize,
    has_changed: AtomicBool,
}

impl Faulty {
    fn is(&self, rule: &str) -> bool {
        self.rule == rule
    }

    /// Runs a command on the host.
    fn on_host(command: &str) -> ShellOutcome {
        let output = Command::new("bash").args(["-c", command]).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        ShellOutcome { stdout, ..ShellOutcome::default() }
    }
}

fn refused() -> ShellError {
    ShellError::new(Code::new("shell-lost"), "it did not run")
}

impl VirtualShell for Faulty {
    fn mount_path(&self, catalog: &Catalog, record: Record<'_>) -> Result<String, ShellError> {
        match self.inner.mount_path(catalog, record) {
            Err(_) if self.is("skill-that-is-not-mounted-is-an-error") => Ok("/skills/..".into()),
            Ok(path) if self.is("skills-are-mounted") => Ok(path + "-elsewhere"),
            path => path,
        }
    }

    fn execute(
        &self,
        request: &ShellRequest<'_>,
        cancel: &Cancel,
    ) -> Result<ShellOutcome, ShellError> {
        let number = self.commands.fetch_add(1, Ordering::Relaxed);
        let command = request.command;
        let other = SessionId::new(format!("other-{number}")).unwrap();
        let one = SessionId::new("one").unwrap();
        let session = match self.rule {
            // The kit leaves this for the next command.
            "session-keeps-its-state" if command.contains("kept") => &other,
            "sessions-are-separate" if command.contains("private") => &one,
            _ => request.session,
        };
        let never = Cancel::default();
        let cancel = if self.is("cancel-ends-a-command") { &never } else { cancel };
        if self.is("host-is-not-reached") && command.contains("canary") {
            return Ok(Self::on_host(command));
        }
        if self.is("runs-from-any-thread") && thread::current().id() != self.thread {
            return Err(refused());
        }
        let request = ShellRequest { session, ..*request };
        let mut outcome = self.inner.execute(&request, cancel)?;
        if self.is("exit-code-is-an-outcome") && outcome.exit_code == 3 {
            return Err(refused());
        }
        if self.is("limit-is-an-outcome") && command.contains("while") {
            return Err(refused());
        }
        if self.is("packages-do-not-change") {
            let has_changed = self.has_changed.swap(command.contains("changed"), Ordering::Relaxed);
            if has_changed {
                outcome.stdout = "changed\n".into();
            }
        }
        Ok(outcome)
    }
}

#[test]
fn each_rule_finds_a_shell_that_breaks_it() {
    for RuleOutcome { rule, .. } in check_virtual_shell(&shell()).rules {
        let faulty = Faulty {
            rule,
            thread: thread::current().id(),
            inner: shell(),
            commands: AtomicUsize::new(0),
            has_changed: AtomicBool::new(false),
        };
        let report = check_virtual_shell(&faulty);
        assert_eq!(report.failures().collect::<Vec<_>>(), [rule], "{report}");
    }
}
