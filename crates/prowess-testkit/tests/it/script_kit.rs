//! A good runner of scripts passes, and each rule has a runner that breaks it.

use std::collections::BTreeMap;
use std::thread::{self, ThreadId};
use std::time::Duration;

use prowess_core::{
    Cancel, Code, OutputStream, Progress, ProgressEvent, ScriptError, ScriptOutcome, ScriptRequest,
    ScriptRunner,
};
use prowess_testkit::{RuleOutcome, ShellRunner, check_script_runner};

#[test]
fn good_runner_passes() {
    let report = check_script_runner(&ShellRunner);
    assert!(report.is_passed(), "{report}");
}

/// A runner that breaks the rule with this name.
struct Faulty {
    rule: &'static str,
    thread: ThreadId,
}

fn refused() -> ScriptError {
    ScriptError::new(Code::new("script-not-started"), "it was not started")
}

impl ScriptRunner for Faulty {
    fn run(
        &self,
        request: &ScriptRequest<'_>,
        time_limit: Duration,
        cancel: &Cancel,
    ) -> Result<ScriptOutcome, ScriptError> {
        let is = |rule: &str| self.rule == rule;
        let words: Vec<_> =
            request.arguments.iter().flat_map(|text| text.split(' ')).map(str::to_owned).collect();
        let original = request;
        let mut request = *request;
        let nothing = BTreeMap::new();
        if is("arguments-are-unchanged") {
            request.arguments = &words;
        }
        if is("environment-is-unchanged") {
            request.environment = &nothing;
        }
        if is("only-the-approved-package-runs") {
            request.approved = None;
        }
        if is("input-is-unchanged") {
            request.input = &[];
        }
        if is("working-directory-is-used") {
            request.working_directory = None;
        }
        if is("script-is-that-of-the-catalog") && request.path.as_str() == "scripts/fail.sh" {
            let [stdout, stderr] = ["out\n", "err\n"].map(str::to_owned);
            return Ok(ScriptOutcome { exit_code: Some(3), stdout, stderr, ..Default::default() });
        }
        if is("runs-from-any-thread") && thread::current().id() != self.thread {
            return Err(refused());
        }
        if is("reported-lines-are-the-output") {
            request.progress = Progress::default();
            let line = "one line of three\n";
            let stream = OutputStream::Stdout;
            original.progress.report(ProgressEvent::Output { stream, line });
        }
        let never = Cancel::default();
        let cancel = if is("cancel-ends-a-script") { &never } else { cancel };
        let mut outcome = ShellRunner.run(&request, time_limit, cancel);
        if is("error-means-not-started") && outcome.is_err() && request.approved.is_none() {
            outcome = Ok(ScriptOutcome::default());
        }
        let mut outcome = outcome?;
        if is("exit-code-is-an-outcome") && outcome.exit_code == Some(3) {
            return Err(refused());
        }
        outcome.timed_out &= !is("time-limit-ends-a-script");
        Ok(outcome)
    }
}

#[test]
fn each_rule_finds_a_runner_that_breaks_it() {
    for RuleOutcome { rule, .. } in check_script_runner(&ShellRunner).rules {
        let report = check_script_runner(&Faulty { rule, thread: thread::current().id() });
        assert_eq!(report.failures().collect::<Vec<_>>(), [rule], "{report}");
    }
}
