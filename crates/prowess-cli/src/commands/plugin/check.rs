//! `prowess plugin check`: tests a plugin against the rules.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use prowess::format::{self, Profile};
use prowess::plugin_host::PluginPolicy;
use prowess::tools::{SchemaError, check_schema};
use prowess_plugin_host::check::{
    CheckJudges, CheckOutcome, CheckReport, CheckResult, CheckSetup, CheckSummary, check,
    check_names, run_check,
};
use serde::Serialize;
use serde_json::Value;

use super::trusted;
use crate::args::{PluginCheck, PluginReport};
use crate::failure::Failure;
use crate::features::install_step;
use crate::output::{DIM, HEADING, Output, counted};
use crate::paths::absolute;
use crate::plugins::{PluginPaths, this_program};
use crate::terminal::plain;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// The output of `plugin check --format json`.
#[derive(Serialize)]
struct Checked {
    passed: bool,
    #[serde(flatten)]
    report: CheckReport,
    summary: CheckSummary,
}

/// Runs one check, in the process that was started for it.
pub(super) fn run_process() -> ExitCode {
    run_check(CheckJudges { skill, schema })
}

/// Validates the schema of a tool.
fn schema(schema: &Value) -> Result<(), String> {
    check_schema(schema).map_err(|error| match error {
        SchemaError::MissingFeature(_) => format!("{error}; {}", install_step(&["json-schema"])),
        _ => error.to_string(),
    })
}

/// Parses a `SKILL.md` as a host does when it loads the skill.
fn skill(bytes: &[u8]) -> Result<(), String> {
    let parsed = format::parse(bytes, Profile::Lenient);
    let error = parsed.diagnostics.into_iter().find(prowess::Diagnostic::is_error);
    match (error, parsed.document) {
        (None, Some(_)) => Ok(()),
        (Some(error), _) => Err(error.message),
        (None, None) => Err("it is no `SKILL.md`".to_owned()),
    }
}

pub(super) fn run(
    args: &PluginCheck,
    policy: PluginPolicy,
    paths: &PluginPaths,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let setup = CheckSetup {
        policy,
        trust: trusted(paths)?,
        config: settings(args)?,
        staging: paths.staging.clone(),
        program: this_program()?,
        arguments: ["plugin", "check-process"].map(Into::into).into(),
        deadline: Duration::from_secs(args.seconds),
        only: only(args)?,
    };
    let bar = output.bar("  checking {bar:40.cyan} {pos}/{len} {msg}");
    let begun = |name: &str, of: usize| {
        bar.set_length(of as u64);
        bar.inc(1);
        bar.set_message(name.to_owned());
    };
    let file = absolute(&args.file)?;
    let report = check(&file, &setup, &begun).map_err(|error| Failure::from(&error))?;
    bar.finish_and_clear();
    let passed = report.is_passed();
    let summary = report.summary();
    match args.report {
        Some(PluginReport::Junit) => output.data(&report.to_junit())?,
        None => output.result(&Checked { passed, report, summary }, text)?,
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn settings(args: &PluginCheck) -> Result<Option<Value>, Failure> {
    let parsed = args.settings.as_deref().map(serde_json::from_str).transpose();
    parsed.map_err(|error| {
        let message = format!("the plugin's configuration is no JSON: {error}");
        Failure::usage("config-invalid", message, "write `--with '{\"name\": \"value\"}'`")
    })
}

fn only(args: &PluginCheck) -> Result<Vec<String>, Failure> {
    match args.only.iter().find(|name| !check_names().any(|known| known == name.as_str())) {
        None => Ok(args.only.clone()),
        Some(name) => {
            let names = check_names().collect::<Vec<_>>().join(", ");
            let message = format!("there is no check `{name}` of an opened library");
            Err(Failure::usage("check-unknown", message, format!("name some of {names}")))
        }
    }
}

fn text(checked: &Checked) -> String {
    let mut text = String::new();
    let Checked { report, summary, .. } = checked;
    if let Some(manifest) = &report.manifest {
        let name = plain(&manifest.name);
        let version = plain(&manifest.version);
        let _ =
            writeln!(text, "{HEADING}{name}{HEADING:#} {version} {DIM}{}{DIM:#}", report.digest);
    }
    for check in &report.checks {
        write_check(&mut text, check);
    }
    let CheckSummary { passed, failed, skipped } = summary;
    let _ = writeln!(
        text,
        "{}, {failed} failed, {skipped} skipped",
        counted(*passed, "check") + " passed"
    );
    text
}

fn write_check(text: &mut String, check: &CheckResult) {
    let CheckResult { name, rule, outcome, .. } = check;
    match outcome {
        CheckOutcome::Passed { notes } => {
            let notes = notes.join("; ");
            let _ = writeln!(text, "{GOOD}ok{GOOD:#}      {name:12} {DIM}{}{DIM:#}", plain(&notes));
        }
        CheckOutcome::Skipped { reason } => {
            let _ = writeln!(text, "{DIM}skipped {name:12} {}{DIM:#}", plain(reason));
        }
        CheckOutcome::Failed { reason, help } => {
            let _ = writeln!(text, "{BAD}failed{BAD:#}  {name:12} {}", plain(reason));
            let _ = writeln!(text, "  {DIM}rule:{DIM:#} {rule}");
            let _ = writeln!(text, "  {DIM}help:{DIM:#} {}", plain(help));
        }
    }
}
