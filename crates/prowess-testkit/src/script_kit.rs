//! The `# Behavior` list of `ScriptRunner` as checks, one for each rule.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use prowess_core::{
    Cancel, Catalog, Digest, MemorySource, OutputStream, Progress, ProgressEvent, ResourcePath,
    ScriptError, ScriptOutcome, ScriptRequest, ScriptRunner,
};

use crate::{KitReport, RuleOutcome};

use crate::catalog_over;

/// More time than any script of the kit needs on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The time limit of a script that is cancelled long before.
const UNTIL_CANCELLED: Duration = Duration::from_secs(5);

/// The scripts of the kit, for a POSIX shell.
const SCRIPTS: [(&str, &str); 7] = [
    ("scripts/show.sh", "printf '%s|' \"$#\" \"$@\"\n"),
    ("scripts/variable.sh", "printf '%s' \"$KIT_VARIABLE\"\n"),
    ("scripts/place.sh", "cat below.txt\n"),
    ("scripts/fail.sh", "echo out\necho err >&2\nexit 3\n"),
    ("scripts/lines.sh", "echo one\necho oops >&2\necho two\nprintf three\n"),
    ("scripts/endless.sh", "while :; do :; done\n"),
    ("scripts/input.sh", "cat\n"),
];

/// The result of a check: the reason of a failure.
type Checked = Result<(), String>;

type Check = fn(&dyn ScriptRunner) -> Checked;

/// The rules of [`ScriptRunner`] with their checks.
const RULES: &[(&str, Check)] = &[
    ("arguments-are-unchanged", arguments_are_unchanged),
    ("environment-is-unchanged", environment_is_unchanged),
    ("working-directory-is-used", working_directory_is_used),
    ("input-is-unchanged", input_is_unchanged),
    ("script-is-that-of-the-catalog", script_is_that_of_the_catalog),
    ("only-the-approved-package-runs", only_the_approved_package_runs),
    ("exit-code-is-an-outcome", exit_code_is_an_outcome),
    ("time-limit-ends-a-script", time_limit_ends_a_script),
    ("error-means-not-started", error_means_not_started),
    ("runs-from-any-thread", runs_from_any_thread),
    ("cancel-ends-a-script", cancel_ends_a_script),
    ("reported-lines-are-the-output", reported_lines_are_the_output),
];

/// Checks every rule of [`ScriptRunner`] with scripts for a POSIX shell, whose names end in `.sh`.
///
/// A check that panics has failed, like one that finds a broken rule.
pub fn check_script_runner(runner: &dyn ScriptRunner) -> KitReport {
    let check = |&(rule, check): &(&'static str, Check)| {
        let checked = catch_unwind(AssertUnwindSafe(|| check(runner)));
        RuleOutcome { rule, outcome: checked.unwrap_or_else(|_| Err("it panics".to_owned())) }
    };
    KitReport { rules: RULES.iter().map(check).collect() }
}

/// A call of a runner.
struct Call<'a> {
    script: &'a str,
    arguments: &'a [&'a str],
    variable: Option<&'a str>,
    directory: Option<&'a str>,
    input: &'a [u8],
    time_limit: Duration,
    cancel: Cancel,
    approved: Option<Digest>,
    progress: Progress<'a>,
}

impl<'a> Call<'a> {
    fn of(script: &'a str) -> Self {
        Self {
            script,
            arguments: &[],
            variable: None,
            directory: None,
            input: &[],
            time_limit: PATIENCE,
            cancel: Cancel::default(),
            approved: None,
            progress: Progress::default(),
        }
    }

    /// Runs a script of a catalog whose file `fail.sh` has this text.
    fn run_in(
        &self,
        runner: &dyn ScriptRunner,
        catalog: &Catalog,
    ) -> Result<ScriptOutcome, ScriptError> {
        let arguments: Vec<_> = self.arguments.iter().map(ToString::to_string).collect();
        let variable = self.variable.map(|value| ("KIT_VARIABLE".to_owned(), value.to_owned()));
        let environment: BTreeMap<_, _> = variable.into_iter().collect();
        let request = ScriptRequest {
            catalog,
            record: catalog.get("kit").expect("the catalog of the kit has it"),
            path: &ResourcePath::new(self.script).expect("the paths of the kit are good"),
            arguments: &arguments,
            environment: &environment,
            working_directory: self.directory,
            input: self.input,
            approved: self.approved,
            progress: self.progress,
        };
        runner.run(&request, self.time_limit, &self.cancel)
    }

    fn run(&self, runner: &dyn ScriptRunner) -> Result<ScriptOutcome, ScriptError> {
        self.run_in(runner, &catalog(&[]))
    }

    /// Runs a script that has to start, and returns its outcome.
    fn outcome(&self, runner: &dyn ScriptRunner) -> Result<ScriptOutcome, String> {
        self.run(runner).map_err(|error| format!("`{}` was not started: {error}", self.script))
    }
}

/// Returns a catalog of one skill with the scripts of the kit; `others` take their places.
fn catalog(others: &[(&str, &str)]) -> Arc<Catalog> {
    let skill_md = "---\nname: kit\ndescription: Runs scripts.\n---\nRun them.\n";
    let mut source = MemorySource::builder("kit").file("kit/SKILL.md", skill_md);
    source = source.file("kit/data/below.txt", "the file below");
    for (path, text) in SCRIPTS {
        let other = others.iter().find(|(other, _)| *other == path);
        source = source.file(&format!("kit/{path}"), other.map_or(text, |(_, text)| text));
    }
    let source = source.build().expect("the files of the kit are good");
    catalog_over(Arc::new(source), [("kit", "Runs scripts.", &[][..])])
}

/// Compares a part of an outcome.
fn same<T: PartialEq + fmt::Debug>(what: &str, found: &T, expected: &T) -> Checked {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what} is {found:?} and should be {expected:?}"))
}

fn arguments_are_unchanged(runner: &dyn ScriptRunner) -> Checked {
    let arguments = ["a b", "'; $(id)", "*", "", "-n", "\u{e9}\u{1f642}", "two\nlines"];
    let call = Call { arguments: &arguments, ..Call::of("scripts/show.sh") };
    let expected = format!("{}|{}|", arguments.len(), arguments.join("|"));
    same("the output", &call.outcome(runner)?.stdout, &expected)
}

fn environment_is_unchanged(runner: &dyn ScriptRunner) -> Checked {
    let value = "$(id) `id` \"quoted\"";
    let call = Call { variable: Some(value), ..Call::of("scripts/variable.sh") };
    same("the variable", &call.outcome(runner)?.stdout, &value.to_owned())?;
    let unset = Call::of("scripts/variable.sh").outcome(runner)?;
    same("a variable of an earlier call", &unset.stdout, &String::new())
}

fn working_directory_is_used(runner: &dyn ScriptRunner) -> Checked {
    let call = Call { directory: Some("data"), ..Call::of("scripts/place.sh") };
    same("the file there", &call.outcome(runner)?.stdout, &"the file below".to_owned())
}

fn input_is_unchanged(runner: &dyn ScriptRunner) -> Checked {
    // More than a pipe holds.
    let long = "line\n".repeat(40_000);
    for input in ["{\"a\": \"b'\"}", &long, ""] {
        let call = Call { input: input.as_bytes(), ..Call::of("scripts/input.sh") };
        let outcome = call.outcome(runner)?;
        let is_all = outcome.stdout == input;
        let is_start = outcome.truncated && input.starts_with(&outcome.stdout[..4]);
        same("whether the input arrives", &(is_all || is_start), &true)?;
    }
    Ok(())
}

fn script_is_that_of_the_catalog(runner: &dyn ScriptRunner) -> Checked {
    for text in ["one", "two"] {
        let script = format!("printf '%s' {text}\n");
        let catalog = catalog(&[("scripts/fail.sh", &script)]);
        let outcome = Call::of("scripts/fail.sh").run_in(runner, &catalog);
        let outcome = outcome.map_err(|error| error.to_string())?;
        same("the output of the catalog's script", &outcome.stdout, &text.to_owned())?;
    }
    Ok(())
}

fn only_the_approved_package_runs(runner: &dyn ScriptRunner) -> Checked {
    let catalog = catalog(&[]);
    let kit = catalog.get("kit").expect("the catalog of the kit has it");
    let approved = catalog.package_digest(kit, &Cancel::default()).map_err(|e| e.to_string())?;
    let call = Call { approved: Some(approved), ..Call::of("scripts/show.sh") };
    let outcome = call.run_in(runner, &catalog).map_err(|error| error.to_string())?;
    same("the output", &outcome.stdout, &"0|".to_owned())?;
    // Another file of the package than the script is another one.
    let other = self::catalog(&[("scripts/lines.sh", "echo other\n")]);
    match call.run_in(runner, &other) {
        Err(_) => Ok(()),
        Ok(_) => Err("a script runs in another package than the approved one".to_owned()),
    }
}

fn exit_code_is_an_outcome(runner: &dyn ScriptRunner) -> Checked {
    let outcome = Call::of("scripts/fail.sh").outcome(runner)?;
    same("the exit code", &outcome.exit_code, &Some(3))?;
    same("the output", &outcome.stdout, &"out\n".to_owned())?;
    same("the standard error", &outcome.stderr, &"err\n".to_owned())?;
    same("whether the limit ended it", &outcome.timed_out, &false)
}

fn time_limit_ends_a_script(runner: &dyn ScriptRunner) -> Checked {
    let time_limit = Duration::from_millis(50);
    let call = Call { time_limit, ..Call::of("scripts/endless.sh") };
    let outcome = call.outcome(runner)?;
    same("whether the limit ended it", &outcome.timed_out, &true)?;
    same("the exit code", &outcome.exit_code, &None)
}

fn error_means_not_started(runner: &dyn ScriptRunner) -> Checked {
    match Call::of("scripts/missing.sh").run(runner) {
        Err(error) if error.message.is_empty() => Err("the error has no message".to_owned()),
        Err(_) => Ok(()),
        Ok(outcome) => Err(format!("a missing script has the outcome {outcome:?}")),
    }
}

fn runs_from_any_thread(runner: &dyn ScriptRunner) -> Checked {
    let run = |number: usize| {
        let argument = number.to_string();
        let arguments = [argument.as_str()];
        let call = Call { arguments: &arguments, ..Call::of("scripts/show.sh") };
        same("the output", &call.outcome(runner)?.stdout, &format!("1|{number}|"))
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || run(number))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("it panics".to_owned())))
    })
}

/// Cancels a call after the runner has looked a few times, so that the script may have started.
fn cancel_ends_a_script(runner: &dyn ScriptRunner) -> Checked {
    let looks = AtomicUsize::new(0);
    let cancel = Cancel::with_poll(move || looks.fetch_add(1, Ordering::SeqCst) >= 3);
    let call = Call { cancel, time_limit: UNTIL_CANCELLED, ..Call::of("scripts/endless.sh") };
    match call.run(runner) {
        Ok(outcome) if outcome.timed_out => Err("only the time limit ends it".to_owned()),
        // It was not started, or it was ended.
        _ => Ok(()),
    }
}

/// A runner may report nothing. One that reports lines reports each of them.
fn reported_lines_are_the_output(runner: &dyn ScriptRunner) -> Checked {
    let lines = Mutex::new(Vec::new());
    let receive = |event: ProgressEvent<'_>| {
        if let ProgressEvent::Output { stream, line } = event {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push((stream, line.to_owned()));
        }
    };
    let progress = Progress::new(&receive);
    Call { progress, ..Call::of("scripts/lines.sh") }.outcome(runner)?;
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.is_empty() {
        return Ok(());
    }
    let of = |wanted: OutputStream| {
        let lines = lines.iter().filter(move |(stream, _)| *stream == wanted);
        lines.map(|(_, line)| line.clone()).collect::<Vec<_>>()
    };
    let expected = ["one\n", "two\n", "three"].map(str::to_owned).to_vec();
    same("the lines of the output", &of(OutputStream::Stdout), &expected)?;
    same("the lines of standard error", &of(OutputStream::Stderr), &vec!["oops\n".to_owned()])
}
