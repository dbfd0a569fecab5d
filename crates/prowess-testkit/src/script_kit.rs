//! The `# Behavior` list of `ScriptRunner` as checks, one for each rule.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use prowess_core::{
    Cancel, Catalog, Digest, MemorySource, OutputStream, Progress, ProgressEvent, ResourcePath,
    ScriptError, ScriptOutcome, ScriptRequest, ScriptRunner,
};

use crate::{KitReport, catalog_over};

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

type Check = fn(&dyn ScriptRunner);

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
/// A runner that panics breaks the rule of that check.
pub fn check_script_runner(runner: &dyn ScriptRunner) -> KitReport {
    KitReport::of(RULES, |_, check| check(runner))
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
    fn outcome(&self, runner: &dyn ScriptRunner) -> ScriptOutcome {
        self.run(runner).unwrap_or_else(|error| panic!("`{}` starts: {error}", self.script))
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

fn arguments_are_unchanged(runner: &dyn ScriptRunner) {
    let arguments = ["a b", "'; $(id)", "*", "", "-n", "\u{e9}\u{1f642}", "two\nlines"];
    let call = Call { arguments: &arguments, ..Call::of("scripts/show.sh") };
    let expected = format!("{}|{}|", arguments.len(), arguments.join("|"));
    assert_eq!(call.outcome(runner).stdout, expected);
}

fn environment_is_unchanged(runner: &dyn ScriptRunner) {
    let value = "$(id) `id` \"quoted\"";
    let call = Call { variable: Some(value), ..Call::of("scripts/variable.sh") };
    assert_eq!(call.outcome(runner).stdout, value);
    let unset = Call::of("scripts/variable.sh").outcome(runner);
    assert_eq!(unset.stdout, "", "a variable of an earlier call is set");
}

fn working_directory_is_used(runner: &dyn ScriptRunner) {
    let call = Call { directory: Some("data"), ..Call::of("scripts/place.sh") };
    assert_eq!(call.outcome(runner).stdout, "the file below");
}

fn input_is_unchanged(runner: &dyn ScriptRunner) {
    // More than a pipe holds.
    let long = "line\n".repeat(40_000);
    for input in ["{\"a\": \"b'\"}", &long, ""] {
        let call = Call { input: input.as_bytes(), ..Call::of("scripts/input.sh") };
        let outcome = call.outcome(runner);
        let is_all = outcome.stdout == input;
        let is_start = outcome.truncated && input.starts_with(&outcome.stdout[..4]);
        assert!(is_all || is_start, "the input does not arrive");
    }
}

fn script_is_that_of_the_catalog(runner: &dyn ScriptRunner) {
    for text in ["one", "two"] {
        let script = format!("printf '%s' {text}\n");
        let catalog = catalog(&[("scripts/fail.sh", &script)]);
        let outcome = Call::of("scripts/fail.sh").run_in(runner, &catalog);
        assert_eq!(outcome.expect("the script starts").stdout, text);
    }
}

fn only_the_approved_package_runs(runner: &dyn ScriptRunner) {
    let catalog = catalog(&[]);
    let kit = catalog.get("kit").expect("the catalog of the kit has it");
    let approved = catalog.package_digest(kit, &Cancel::default());
    let approved = Some(approved.expect("the package can be read"));
    let call = Call { approved, ..Call::of("scripts/show.sh") };
    assert_eq!(call.run_in(runner, &catalog).expect("the script starts").stdout, "0|");
    // Another file of the package than the script is another one.
    let other = self::catalog(&[("scripts/lines.sh", "echo other\n")]);
    let refused = call.run_in(runner, &other);
    assert!(refused.is_err(), "a script runs in another package than the approved one");
}

fn exit_code_is_an_outcome(runner: &dyn ScriptRunner) {
    let outcome = Call::of("scripts/fail.sh").outcome(runner);
    assert_eq!((outcome.exit_code, outcome.timed_out), (Some(3), false));
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("out\n", "err\n"));
}

fn time_limit_ends_a_script(runner: &dyn ScriptRunner) {
    let time_limit = Duration::from_millis(50);
    let call = Call { time_limit, ..Call::of("scripts/endless.sh") };
    let outcome = call.outcome(runner);
    assert_eq!((outcome.exit_code, outcome.timed_out), (None, true));
}

fn error_means_not_started(runner: &dyn ScriptRunner) {
    let error = Call::of("scripts/missing.sh").run(runner);
    let error = error.expect_err("a missing script has no outcome");
    assert!(!error.message.is_empty(), "the error has a message");
}

fn runs_from_any_thread(runner: &dyn ScriptRunner) {
    let run = |number: usize| {
        let argument = number.to_string();
        let arguments = [argument.as_str()];
        let call = Call { arguments: &arguments, ..Call::of("scripts/show.sh") };
        assert_eq!(call.outcome(runner).stdout, format!("1|{number}|"));
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || run(number))).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("it works in any thread"));
    });
}

/// Cancels a call after the runner has looked a few times, so that the script may have started.
fn cancel_ends_a_script(runner: &dyn ScriptRunner) {
    let looks = AtomicUsize::new(0);
    let cancel = Cancel::with_poll(move || looks.fetch_add(1, Ordering::SeqCst) >= 3);
    let call = Call { cancel, time_limit: UNTIL_CANCELLED, ..Call::of("scripts/endless.sh") };
    // It was not started, or it was ended.
    let is_ended = call.run(runner).is_ok_and(|outcome| outcome.timed_out);
    assert!(!is_ended, "only the time limit ends it");
}

/// A runner may report nothing. One that reports lines reports each of them.
fn reported_lines_are_the_output(runner: &dyn ScriptRunner) {
    let lines = Mutex::new(Vec::new());
    let receive = |event: ProgressEvent<'_>| {
        if let ProgressEvent::Output { stream, line } = event {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push((stream, line.to_owned()));
        }
    };
    let progress = Progress::new(&receive);
    Call { progress, ..Call::of("scripts/lines.sh") }.outcome(runner);
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.is_empty() {
        return;
    }
    let of = |wanted: OutputStream| {
        let lines = lines.iter().filter(|(stream, _)| *stream == wanted);
        lines.map(|(_, line)| line.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of(OutputStream::Stdout), ["one\n", "two\n", "three"]);
    assert_eq!(of(OutputStream::Stderr), ["oops\n"]);
}
