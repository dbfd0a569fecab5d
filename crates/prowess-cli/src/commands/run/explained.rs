//! `prowess run --explain`: what a script may do, and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use prowess::sandbox::{Isolation, Limits, Native, Report};
use prowess::script::{SandboxedScripts, ScriptExplanation, ScriptPolicy};
use prowess::{
    Caller, Cancel, Progress, Record, ResourcePath, ScriptError, ScriptRequest, ToolCall, Turn,
};
use prowess_text::{counted, head_and_tail, shell_word};
use serde::Serialize;

use crate::args::Run;
use crate::commands::user_trust::{UserTrust, described};
use crate::failure::Failure;
use crate::output::{HEADING, Output};
use crate::runtime::script_stage;
use crate::terminal::{columns_behind, padded, plain, width, wrapped};

/// The parts of an explanation.
pub(super) struct Explained<'a> {
    pub(super) turn: Turn,
    /// The call that would run the script.
    pub(super) call: &'a ToolCall,
    pub(super) args: &'a Run,
    /// The arguments as the script gets them.
    pub(super) arguments: &'a [String],
    /// The policy with what the command line grants.
    pub(super) scripts: ScriptPolicy,
    /// The policy of the configuration.
    pub(super) configured: &'a ScriptPolicy,
}

/// The number of columns in front of a value.
const MARGIN: usize = 15;

/// The output of `--format json`.
#[derive(Serialize)]
struct Document {
    skill: String,
    layer: String,
    trust: &'static str,
    /// Whether the user trusts the directory of a layer that asks first.
    #[serde(skip_serializing_if = "Option::is_none")]
    trusted_by_user: Option<bool>,
    /// The digest of the package; `null` if it cannot be computed.
    package: Option<String>,
    /// The gate's decision: `allow`, `ask` or `deny`, with its grounds.
    decision: prowess::gating::Decision,
    /// The isolation that this machine offers; `null` if it offers none.
    isolation: Option<Report>,
    seconds: u64,
    #[serde(flatten)]
    script: ScriptExplanation,
}

impl Explained<'_> {
    /// Prints the explanation. A script that may not run now has exit code 1.
    pub(super) fn print(self, output: &Output) -> Result<ExitCode, Failure> {
        let document = self.document()?;
        output.result(&document, |document| self.text(document))?;
        Ok(ExitCode::from(u8::from(!document.decision.is_allowed())))
    }

    /// Returns the explanation for a person.
    pub(super) fn shown(&self) -> Result<String, Failure> {
        Ok(self.text(&self.document()?))
    }

    fn document(&self) -> Result<Document, Failure> {
        let catalog = self.turn.catalog();
        let record = catalog.find(self.args.id(), Caller::User).found().ok_or_else(|| {
            let message = format!("no skill named `{}`", plain(self.args.id()));
            Failure::new("skill-not-found", message, "see `prowess list` for the ids of the skills")
        })?;
        let isolation = Native::new(script_stage()?);
        let digest = catalog.package_digest(record, &Cancel::default()).ok();
        Ok(Document {
            skill: record.id().to_owned(),
            layer: record.layer().name.to_string(),
            trust: record.trust().as_str(),
            trusted_by_user: UserTrust::of(catalog)?.in_record(record),
            package: digest.map(|digest| digest.to_string()),
            decision: self.turn.decide(&self.call.name, &self.call.arguments)?,
            isolation: isolation.probe().ok(),
            seconds: self.args.seconds,
            script: self.script(record, isolation)?,
        })
    }

    fn script(&self, record: Record<'_>, isolation: Native) -> Result<ScriptExplanation, Failure> {
        let failed = |error: ScriptError| {
            let help = "see `prowess show` for the files of the skill";
            Failure::new(error.code.as_str(), error.message, help)
        };
        let path = ResourcePath::new(self.args.script()).map_err(|error| {
            let help = "name a file of the skill, such as `scripts/fill.py`";
            Failure::new("path-invalid", error.to_string(), help)
        })?;
        let policy = self.scripts.clone();
        let runner = SandboxedScripts::new(
            Arc::new(isolation),
            script_stage()?,
            std::env::temp_dir(),
            policy,
        );
        let request = ScriptRequest {
            catalog: self.turn.catalog(),
            record,
            path: &path,
            arguments: self.arguments,
            environment: &BTreeMap::new(),
            working_directory: None,
            input: &[],
            approved: None,
            progress: Progress::default(),
        };
        runner.explain(&request).map_err(failed)
    }

    fn text(&self, document: &Document) -> String {
        let Document { skill, layer, trust, package, decision, isolation, seconds, script, .. } =
            document;
        let mut text = format!("{HEADING}{}{HEADING:#} {}\n", plain(skill), self.args.script());
        let mut line = |name: &str, value: &str| {
            let value = head_and_tail(value, usize::MAX);
            // A digest is copied as a whole.
            let is_long = !value.contains(' ') && width(&value) > columns_behind(MARGIN);
            let gap = if is_long { format!("\n{:4}", "") } else { " ".to_owned() };
            let value = wrapped(&value, columns_behind(MARGIN), MARGIN);
            let _ = writeln!(text, "  {}{gap}{value}", padded(name, if is_long { 0 } else { 12 }));
        };
        let trust = described(trust, document.trusted_by_user);
        line("skill", &format!("of layer `{layer}` ({trust})"));
        line("package", package.as_deref().unwrap_or("has no digest"));
        let word = |word: &String| match word.strip_prefix("<package>/") {
            Some(path) => format!("<package>/{}", shell_word(path)),
            None => shell_word(word).into_owned(),
        };
        line("command", &script.command.iter().map(word).collect::<Vec<_>>().join(" "));
        line("starts in", &script.directory.display().to_string());
        match isolation {
            Some(Report { level, layers, .. }) => {
                // The limits of this script have a line of their own.
                let layers = layers.iter().filter(|layer| !layer.starts_with("limits"));
                let layers = layers.map(String::as_str).collect::<Vec<_>>().join(", ");
                line("isolation", &format!("{} ({layers})", level.as_str()));
            }
            None => line("isolation", "not available: nothing runs, see `prowess doctor`"),
        }
        for path in &script.read {
            line("reads", &self.with_reason(path, &self.args.read, &self.configured.read));
        }
        for path in &script.write {
            line("changes", &self.with_reason(path, &self.args.write, &self.configured.write));
        }
        for path in script.keep.iter().take(4) {
            line(
                "keeps",
                &format!(
                    "{} (programs take orders from it, and it is not granted by name)",
                    path.display()
                ),
            );
        }
        for path in &script.execute {
            line("starts", &path.display().to_string());
        }
        for host in &script.network {
            line("reaches", &self.host_with_reason(host));
        }
        if script.network.is_empty() {
            line("reaches", "no host");
        }
        for usage in &script.secrets {
            line("secret", &format!("{usage} (by the configuration)"));
        }
        line("environment", &script.environment.join(", "));
        line("limits", &limits(&script.limits, *seconds, script.output_bytes));
        let verdict = match isolation {
            None => "deny: nothing is isolated on this machine; see `prowess doctor`".to_owned(),
            // What grants the tool to a model says nothing of a person who starts it.
            Some(_) if decision.is_allowed() => "allow: it runs when you start it".to_owned(),
            Some(_) => decision.to_string(),
        };
        for line in verdict.lines() {
            let _ = writeln!(text, "{}", wrapped(line, columns_behind(4), 4));
        }
        text
    }

    /// Returns a path and the reason why it is granted.
    fn with_reason(&self, path: &Path, of_command: &[PathBuf], of_policy: &[PathBuf]) -> String {
        let is_of_command = of_command.iter().any(|granted| path.ends_with(granted));
        let reason = if of_policy.iter().any(|granted| granted == path) {
            " (by the configuration)"
        } else if is_of_command {
            " (by the command line)"
        } else {
            ""
        };
        let real = path.canonicalize().ok().filter(|real| real != path);
        let leads = real.map(|real| format!(", which leads to {}", real.display()));
        format!("{}{}{reason}", path.display(), leads.unwrap_or_default())
    }

    /// Returns a granted host and the reason why it is granted.
    fn host_with_reason(&self, host: &str) -> String {
        let is_configured = self.configured.network.iter().any(|granted| granted.as_str() == host);
        let reason = if is_configured { "configuration" } else { "command line" };
        let is_private = self.scripts.private_hosts.iter().any(|granted| granted.as_str() == host);
        let addresses = if is_private { "also at private addresses, " } else { "" };
        let host = if host == "*" { "every public host" } else { host };
        format!("{host} ({addresses}by the {reason})")
    }
}

fn limits(limits: &Limits, seconds: u64, output_bytes: usize) -> String {
    let Limits { processes, file_bytes, cpu_seconds, memory_bytes, .. } = limits;
    let Limits { address_space, open_files, demanded, .. } = limits;
    let demanded = if demanded.is_empty() { "" } else { ", with a control group or not at all" };
    let processes = counted(*processes, "process");
    let open_files = counted(*open_files, "open file");
    let [memory, of_process] = [*memory_bytes, *address_space].map(bytes);
    let [file, output] = [*file_bytes, output_bytes as u64].map(bytes);
    format!(
        "{seconds} s, {cpu_seconds} s of CPU, {processes}, {memory} of memory ({of_process} of a \
         process), {file} of a file, {open_files}, {output} of each output{demanded}"
    )
}

/// Returns a size in the largest unit that gives a whole number.
fn bytes(size: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.into_iter().find(|(_, bits)| size > 0 && size.is_multiple_of(1 << bits));
    unit.map_or_else(|| format!("{size} bytes"), |(name, bits)| format!("{} {name}", size >> bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_of_one_is_singular() {
        let one = Limits { processes: 1, open_files: 1, ..Limits::default() };
        let text = limits(&one, 1, 1);
        assert!(text.contains(" 1 process, ") && text.contains(" 1 open file, "), "{text}");
    }
}
