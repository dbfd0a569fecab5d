//! Output: data to standard output, everything else to standard error.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use prowess::{Diagnostic, Severity, without_credentials};
use prowess_text::{plural, terminal_json};
use serde::Serialize;
use serde_json::json;
use tracing::Level;

use crate::args::{Format, Global};
use crate::failure::Failure;
use crate::log;
use crate::secrets::redactor;
use crate::terminal::{columns_behind, columns_of, plain, wrapped};

/// The style of headings.
pub(crate) const HEADING: Style = Style::new().bold();
/// The style of ids.
pub(crate) const ID: Style = AnsiColor::Cyan.on_default().bold();
/// The style of remarks.
pub(crate) const DIM: Style = Style::new().dimmed();

/// The two streams, in the format of `--format`.
#[derive(Clone)]
pub(crate) struct Output {
    format: Format,
    is_quiet: bool,
    color: ColorChoice,
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let color = match global.color {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        };
        Self { format: global.format, is_quiet: global.quiet, color }
    }

    /// Returns the format of results.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Returns whether results are printed as text.
    pub(crate) fn is_text(&self) -> bool {
        self.format == Format::Text
    }

    /// Returns whether data is text for a terminal, or is to look like it.
    pub(crate) fn is_for_a_terminal(&self) -> bool {
        self.is_text() && (self.color == ColorChoice::Always || io::stdout().is_terminal())
    }

    /// Prints a result: `text` for people, or one JSON document.
    pub(crate) fn result<T: Serialize>(
        &self,
        value: &T,
        text: impl FnOnce(&T) -> String,
    ) -> Result<(), Failure> {
        if self.is_text() { self.data(&text(value)) } else { self.json(value) }
    }

    /// Prints one JSON document.
    pub(crate) fn json<T: Serialize>(&self, value: &T) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(|error| {
            Failure::new("output-failed", format!("the result is not JSON: {error}"), "report this")
        })?;
        self.data(&(terminal_json(&text).into_owned() + "\n"))
    }

    /// Prints text to standard output.
    pub(crate) fn data(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        let bytes = self.adapted(text, &stdout);
        match stdout.write_all(&bytes).and_then(|()| stdout.flush()) {
            // A closed pipe means that the reader has read enough.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let message = format!("the result could not be written: {error}");
                Err(Failure::new("output-failed", message, "check where the output goes"))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the user wants results only.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Returns whether remarks are printed.
    pub(crate) fn shows_remarks(&self) -> bool {
        !self.is_quiet && self.is_text()
    }

    /// Returns a progress bar, which is drawn on a terminal only.
    pub(crate) fn bar(&self, template: &str) -> ProgressBar {
        let target = if self.shows_remarks() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::with_draw_target(Some(0), target).with_style(style)
    }

    /// Prints a remark to standard error, or to the log if there is one, unless remarks are not
    /// wanted.
    pub(crate) fn remark(&self, text: &str) {
        if let Some(log) = log::active() {
            return log.line(Level::WARN, "remark", text.trim_end(), Vec::new());
        }
        if self.shows_remarks() {
            let columns = columns_of(io::stderr(), 2);
            let text = without_credentials(text);
            let lines = text.split_inclusive('\n').map(|line| wrapped(line, columns, 2));
            self.error_text(&lines.collect::<String>());
        }
    }

    /// Prints to standard error, also with `--quiet`; with `--format json` as one document.
    pub(crate) fn notice(&self, text: &str) {
        if self.shows_remarks() || log::active().is_some() {
            return self.remark(text);
        }
        let document = || format!("{:#}\n", json!({ "warning": text.trim_end() }));
        let shown = if self.is_text() { text.to_owned() } else { document() };
        self.error_text(&terminal_json(&shown));
    }

    /// Prints diagnostics to standard error, unless the result contains them already.
    pub(crate) fn diagnostics<'d>(&self, found: impl IntoIterator<Item = &'d Diagnostic>) {
        if let Some(log) = log::active() {
            return found.into_iter().for_each(|found| log.finding(found));
        }
        let mut text = String::new();
        let columns = columns_of(io::stderr(), 0);
        for diagnostic in found {
            write_diagnostic_in(&mut text, diagnostic, columns);
        }
        if self.shows_remarks() {
            self.error_text(&without_credentials(&text));
        }
    }

    /// Prints the reason of a failure, and returns its exit code.
    pub(crate) fn failure(&self, failure: &Failure) -> ExitCode {
        let redactor = redactor();
        let shown =
            |text: &str| redactor.redact_registered(&without_credentials(text)).into_owned();
        let (message, help) = (shown(&failure.message), shown(&failure.help));
        let failure = &Failure { message, help, ..failure.clone() };
        // With `--format json`, the error is one document in a shape of its own.
        if let Some(log) = log::active().filter(|log| log.is_json() && self.is_text()) {
            let fields = vec![
                ("code", failure.code.as_str().into()),
                ("help", failure.help.as_str().into()),
            ];
            log.line(Level::ERROR, "failure", &failure.message, fields);
            return failure.exit_code();
        }
        let text = match self.format {
            Format::Json | Format::Sarif => {
                let document = format!("{:#}\n", json!({ "error": failure }));
                terminal_json(&document).into_owned()
            }
            Format::Text | Format::Github => {
                let Failure { code, message, help, place, .. } = failure;
                let place = place.as_ref().map(ToString::to_string);
                let columns = columns_of(io::stderr(), 0);
                let mut text = String::new();
                let finding = (Severity::Error, &**code, &**message, place, &**help);
                write_finding(&mut text, finding, columns);
                text
            }
        };
        self.error_text(&text);
        failure.exit_code()
    }

    /// Prints to standard error, also with `--quiet`.
    pub(crate) fn error_text(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let bytes = self.adapted(text, &stderr);
        // A failure to print an error cannot be reported.
        let _ = stderr.write_all(&bytes);
    }

    /// Returns the bytes of a text with the styles that a stream shows, to be written at once: an
    /// adapted stream makes a system call for each line, or for each part between two styles.
    fn adapted<'t, S: RawStream>(&self, text: &'t str, stream: &S) -> Cow<'t, [u8]> {
        if !text.contains('\u{1b}') {
            return Cow::Borrowed(text.as_bytes());
        }
        let mut adapted = AutoStream::new(Vec::with_capacity(text.len()), self.choice(stream));
        adapted.write_all(text.as_bytes()).expect("a vector takes every byte");
        Cow::Owned(adapted.into_inner())
    }

    fn choice<S: RawStream>(&self, stream: &S) -> ColorChoice {
        match self.color {
            ColorChoice::Auto => AutoStream::choice(stream),
            choice => choice,
        }
    }

    /// Returns these styles as standard output shows them: taking them out of a long text again
    /// costs as much as writing it.
    pub(crate) fn styles<const N: usize>(&self, styles: [Style; N]) -> [Style; N] {
        match self.choice(&io::stdout()) {
            ColorChoice::Never => [Style::new(); N],
            _ => styles,
        }
    }
}

/// Returns a result as the value that [`Output::json`] prints.
#[cfg(feature = "web")]
pub(crate) fn value<T: Serialize>(result: &T) -> Result<serde_json::Value, Failure> {
    serde_json::to_value(result).map_err(|error| {
        Failure::new("output-failed", format!("the result is not JSON: {error}"), "report this")
    })
}

/// Returns the style of a severity.
pub(crate) fn severity_style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Hint => AnsiColor::Blue,
    };
    color.on_default().bold()
}

/// The number of columns before a help.
const HELP_MARGIN: usize = 8;

/// Appends a diagnostic for standard output: message, location, help.
pub(crate) fn write_diagnostic(text: &mut String, diagnostic: &Diagnostic) {
    write_diagnostic_in(text, diagnostic, columns_behind(0));
}

/// Like [`write_diagnostic`], in this number of columns.
fn write_diagnostic_in(text: &mut String, diagnostic: &Diagnostic, columns: usize) {
    let Diagnostic { code, severity, path, line, column, message, help, .. } = diagnostic;
    let place = path.as_ref().map(|path| match (line, column) {
        (Some(line), Some(column)) => format!("{path}:{line}:{column}"),
        _ => path.to_string(),
    });
    write_finding(text, (*severity, code.as_str(), message, place, help), columns);
}

/// A finding: its severity, code, message, place and help.
type Finding<'f> = (Severity, &'f str, &'f str, Option<String>, &'f str);

fn write_finding(text: &mut String, finding: Finding<'_>, columns: usize) {
    let (severity, code, message, place, help) = finding;
    let style = severity_style(severity);
    let label = format!("{severity}[{code}]");
    let message = wrapped(&plain(message), columns.saturating_sub(label.len() + 2), 2);
    let _ = writeln!(text, "{style}{label}{style:#}: {message}");
    if let Some(place) = place {
        let _ = writeln!(text, "  {DIM}-->{DIM:#} {}", plain(&place));
    }
    let help = wrapped(&plain(help), columns.saturating_sub(HELP_MARGIN), HELP_MARGIN);
    let _ = writeln!(text, "  {DIM}help:{DIM:#} {help}");
}

/// Returns a number with thousands separators and its noun.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{} {}", grouped(number), plural(noun)),
    }
}

/// Returns a number with thousands separators.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
