//! The log of a server on standard error: one line for each event.
//!
//! While a log is open, remarks and findings are lines of it, too. Texts of skills, clients and
//! models are encoded, so that none of them can begin a line or move the cursor.

mod events;
mod writer;

use std::fmt::Write as _;
use std::sync::OnceLock;

use prowess::state::rfc3339;
use prowess::text::terminal_json;
use prowess::{Clock as _, Diagnostic, Severity, SystemClock, Timestamp, without_credentials};
use serde_json::{Map, Value};
use tracing::Level;

use crate::args::LogFormat;
use crate::terminal::plain;
use writer::Writer;

/// The environment variable with the level.
pub(crate) const LEVEL: &str = "PROWESS_LOG";

/// The longest text of one field, in characters.
const MOST_CHARACTERS: usize = 1_000;

/// The beginning and the end of a server, which the default level shows as well.
const ALWAYS: [&str; 2] = ["start", "shutdown"];

static LOG: OnceLock<Log> = OnceLock::new();

/// The fields of a line, in their order.
pub(crate) type Fields = Vec<(&'static str, Value)>;

/// The open log.
pub(crate) struct Log {
    format: LogFormat,
    /// The least severe level that is written.
    least: Level,
    /// Whether the user has chosen that level.
    is_chosen: bool,
    writer: Writer,
}

/// Opens the log of this process, at the level of the environment or else at this one. No server
/// stays away because of its log, so a level that there is not is a line of it.
pub(crate) fn open(format: LogFormat, default: Level, is_quiet: bool) {
    let (chosen, unknown) = chosen_level();
    let Some(least) = chosen.unwrap_or(Some(default)).filter(|_| !is_quiet) else { return };
    let is_chosen = chosen.is_some();
    let opened = LOG.set(Log { format, least, is_chosen, writer: Writer::start() }).is_ok();
    if opened {
        // An earlier subscriber of this process would receive the events instead.
        let _ = tracing::subscriber::set_global_default(events::Events::default());
    }
    if let (Some(named), Some(log)) = (unknown, active()) {
        let message = format!("`{LEVEL}` is `{named}`: set it to error, warn, info, debug or off");
        log.line(Level::WARN, "log", &message, Fields::new());
    }
}

/// Returns the level of the environment: `None` if it has none, `Some(None)` for no lines. And what
/// it has instead of a level.
fn chosen_level() -> (Option<Option<Level>>, Option<String>) {
    let Some(named) = std::env::var_os(LEVEL).filter(|named| !named.is_empty()) else {
        return (None, None);
    };
    let named = named.to_string_lossy();
    let level = match named.to_ascii_lowercase().as_str() {
        "off" => None,
        "error" => Some(Level::ERROR),
        "warn" | "warning" => Some(Level::WARN),
        "info" => Some(Level::INFO),
        // Nothing is written below it.
        "debug" | "trace" => Some(Level::DEBUG),
        _ => return (None, Some(plain(&named).into_owned())),
    };
    (Some(level), None)
}

/// Returns the log, if one is open.
pub(crate) fn active() -> Option<&'static Log> {
    LOG.get()
}

/// Writes what is left, unless it is not read.
pub(crate) fn finish() {
    if let Some(log) = LOG.get() {
        log.writer.flush();
    }
}

impl Log {
    pub(crate) fn is_json(&self) -> bool {
        self.format == LogFormat::Json
    }

    fn shows(&self, level: Level, event: &str) -> bool {
        level <= self.least || !self.is_chosen && ALWAYS.contains(&event)
    }

    /// Writes a line if its level is shown. The message may be empty.
    pub(crate) fn line(&self, level: Level, event: &str, message: &str, mut fields: Fields) {
        if !self.shows(level, event) {
            return;
        }
        let now = SystemClock::default().now();
        let lost = self.writer.take_lost();
        if lost > 0 {
            fields.push(("lost_lines", lost.into()));
        }
        let line = match self.format {
            LogFormat::Text => text(now, level, event, message, fields),
            LogFormat::Json => json(now, level, event, message, fields),
        };
        self.writer.send(line, lost);
    }

    /// Writes a line about a finding.
    pub(crate) fn finding(&self, found: &Diagnostic) {
        let level = match found.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARN,
            Severity::Hint => Level::INFO,
        };
        let mut fields = vec![("code", found.code.as_str().into())];
        if let Some(path) = &found.path {
            let place = match (found.line, found.column) {
                (Some(line), Some(column)) => format!("{path}:{line}:{column}"),
                _ => path.to_string(),
            };
            fields.push(("path", place.into()));
        }
        fields.push(("help", found.help.as_str().into()));
        self.line(level, "finding", &found.message, fields);
    }
}

/// Returns a time in UTC with milliseconds, of one width.
fn time(now: Timestamp) -> String {
    let whole = rfc3339(Timestamp(now.0 / 1_000 * 1_000));
    format!("{}.{:03}Z", whole.get(..19).unwrap_or(&whole), now.0 % 1_000)
}

fn text(now: Timestamp, level: Level, event: &str, message: &str, fields: Fields) -> String {
    let mut line = format!("{} {level:5} {}", time(now), plain(event));
    if !message.is_empty() {
        let _ = write!(line, ": {}", plain(cut(message)));
    }
    for (name, value) in fields {
        let value = match value {
            Value::String(text) => word(&text),
            value => plain(&value.to_string()).into_owned(),
        };
        let _ = write!(line, " {name}={value}");
    }
    line.push('\n');
    without_credentials(&line).into_owned()
}

/// Returns the start of a text.
fn cut(text: &str) -> &str {
    text.char_indices().nth(MOST_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

/// Returns a value as one word, in quotation marks if it is several.
fn word(text: &str) -> String {
    let text = cut(text);
    let is_word = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'=' | b'\\');
    if !text.is_empty() && text.bytes().all(is_word) {
        return text.to_owned();
    }
    // Escapes come last, so that a backslash of the text is no escape.
    format!("\"{}\"", plain(&text.replace('\\', "\\\\").replace('"', "\\\"")))
}

fn json(now: Timestamp, level: Level, event: &str, message: &str, fields: Fields) -> String {
    let mut line = Map::new();
    let mut put = |name: &str, value: Value| drop(line.insert(name.to_owned(), value));
    put("time", time(now).into());
    put("level", level.as_str().to_ascii_lowercase().into());
    put("event", event.into());
    if !message.is_empty() {
        put("message", cut(message).into());
    }
    for (name, value) in fields {
        put(
            name,
            match value {
                Value::String(text) => cut(&text).into(),
                value => value,
            },
        );
    }
    let line = Value::Object(line).to_string();
    terminal_json(&without_credentials(&line)).into_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_begins_a_line_or_a_field() {
        let now = Timestamp(1_700_000_000_007);
        let check = |value: &str, expected: &str| {
            let fields = || vec![("client", value.into()), ("n", 3.into())];
            let line = text(now, Level::INFO, "request", "", fields());
            let start = "2023-11-14T22:13:20.007Z INFO  request client=";
            assert_eq!(line, format!("{start}{expected} n=3\n"), "{value:?}");
            let line = json(now, Level::INFO, "request", "", fields());
            assert_eq!(line.lines().count(), 1, "{line}");
            let read: Value = serde_json::from_str(&line).expect("a document");
            assert_eq!(read["client"], value, "a reader gets the text itself: {line}");
        };
        check("Claude-Code/2.1", "Claude-Code/2.1");
        check("Claude Code 2.1", r#""Claude Code 2.1""#);
        check("", r#""""#);
        check("a\n2023 ERROR x", r#""a\u{a}2023 ERROR x""#);
        check("x\r\u{1b}[2J\u{202e}", r#""x\u{d}\u{1b}[2J\u{202e}""#);
        check(r#"x" outcome="done"#, r#""x\" outcome=\"done""#);
        check(r"x\", r#""x\\""#);
        check("a=b", r#""a=b""#);
        check("naïve", "\"naïve\"");
        let fields = || vec![("tool", "ghp_a0B1c2D3e4F5a0B1c2D3e4F5a0B1c2D3e4F5".into())];
        for line in [text, json].map(|form| form(now, Level::WARN, "denied", "", fields())) {
            assert!(line.contains("[REDACTED]") && !line.contains("ghp_"), "{line}");
        }
    }
}
