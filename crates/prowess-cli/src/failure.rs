//! The failure of a command.

use std::fmt;
use std::io::Write as _;
use std::process::ExitCode;

use prowess::plugin_host::PluginError;
use prowess::{Code, Diagnostic, Severity};
use serde::Serialize;

use crate::terminal::{columns_of, wrapped};

/// A failure of the program itself: a code to branch on, a sentence, and the next step.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Failure {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) help: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<Box<Place>>,
    #[serde(skip)]
    pub(crate) exit: u8,
}

/// The position of a failure in a file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.path)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(formatter, ":{line}:{column}")?;
        }
        Ok(())
    }
}

impl Failure {
    /// Creates a failure of a correct command: exit code 1.
    pub(crate) fn new(
        code: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { code: code.into(), message: message.into(), help: help.into(), place: None, exit: 1 }
    }

    /// Creates a failure of a wrong command line: exit code 2.
    pub(crate) fn usage(
        code: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { exit: 2, ..Self::new(code, message, help) }
    }

    /// Returns the failure with another next step.
    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// Returns the failure with its position in a file.
    pub(crate) fn at(self, place: Option<Place>) -> Self {
        Self { place: place.map(Box::new), ..self }
    }

    /// Returns the finding of a command that goes on.
    pub(crate) fn to_diagnostic(&self) -> Diagnostic {
        let code = Code::from(self.code.clone());
        let found = Diagnostic::new(code, Severity::Error, &*self.message, &*self.help);
        let Some(Place { path, line, column }) = self.place.as_deref() else { return found };
        let number = |number: Option<usize>| number.and_then(|it| u32::try_from(it).ok());
        let (line, column) = (number(*line), number(*column));
        Diagnostic { path: Some(path.as_str().into()), line, column, ..found }
    }

    /// Returns the same finding as a warning.
    pub(crate) fn warning(&self) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..self.to_diagnostic() }
    }

    /// Returns the finding about a part of the configuration that a command goes on without.
    pub(crate) fn left_out(&self) -> Diagnostic {
        let is_file = self.place.is_some() || self.code == "config-unreadable";
        let part = if is_file { "file" } else { "value" };
        let help = format!("{}; until then that {part} is left out", self.help);
        self.clone().with_help(help).to_diagnostic()
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit)
    }
}

impl From<prowess::Error> for Failure {
    fn from(error: prowess::Error) -> Self {
        match error {
            prowess::Error::Registry(_) => {
                let help = "see `prowess help directories` for the layers and their directories";
                Self::usage("layers-invalid", error.to_string(), help)
            }
            prowess::Error::Root(finding) => {
                Self::new(finding.code.as_str(), finding.message, finding.help)
            }
            prowess::Error::Plugin(error) => Self::from(&error),
            prowess::Error::Bind(error) => Self::new(
                "agent-invalid",
                error.to_string(),
                "see `prowess list` for the ids of the skills",
            ),
            _ => Self::new("runtime-failed", error.to_string(), "try again"),
        }
    }
}

impl From<&PluginError> for Failure {
    fn from(error: &PluginError) -> Self {
        Self::new(error.kind.as_str(), error.to_string(), &*error.help)
    }
}

/// Prints a message of the command line parser: help and version are results, everything else is a
/// wrong command line.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let wants_json =
        std::env::args_os().any(|argument| argument == "json" || argument == "--format=json");
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if !wants_json {
        const MARGIN: usize = 2;
        let columns = columns_of(std::io::stderr(), MARGIN);
        let text = error.render().ansi().to_string();
        let lines = text.split_inclusive('\n').map(|line| wrapped(line, columns, MARGIN));
        // A failure to print an error cannot be reported.
        let _ = anstream::stderr().write_all(lines.collect::<String>().as_bytes());
        return ExitCode::from(2);
    }
    let rendered = error.render().to_string();
    let (message, help) = rendered.split_once("\n\n").unwrap_or((&rendered, ""));
    let message = message.trim_start_matches("error: ").trim();
    let failure = Failure::usage("usage", message, help.trim());
    let document = serde_json::json!({ "error": failure });
    let _ = std::io::stderr().write_all(format!("{document:#}\n").as_bytes());
    failure.exit_code()
}
