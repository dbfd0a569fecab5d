//! `prowess audit show`: the story of each session.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp as Instant, ToSpan as _};
use prowess::{CallOrigin, Clock as _, SystemClock, Timestamp};
use prowess_audit::{LogIndex, SessionStory, Story, StoryFilter, StoryPart};
use prowess_text::quoted;

use super::failure;
use crate::args::{AuditShow, Since};
use crate::failure::Failure;
use crate::output::{DIM, HEADING, Output, counted};
use crate::terminal::{columns_behind, one_line, wrapped};

/// The columns before the text of an event: a margin, the time, and a gap.
const MARGIN: usize = 2 + "2026-11-28 10:04:02.000".len() + 2;

/// The mark of a line that is behind a break of the chain, in the margin.
const UNPROVEN: &str = "? ";

pub(super) fn run(args: &AuditShow, path: &Path, output: &Output) -> Result<ExitCode, Failure> {
    let zone = zone(args);
    if args.last.is_some() {
        let part = part(args, path)?;
        output.result(&part, |part| text(&part.story, &zone))?;
        if let Some(before) = part.before {
            output.remark(&format!("{DIM}`--before {before}` shows earlier ones{DIM:#}\n"));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let (story, read) = Story::read_all(path, &filter(args, &zone)?);
    let read = read.map_err(|error| failure(path, &error));
    print(args, &story, read, &path.display().to_string(), output)
}

/// Prints a story, and then the error that has ended its reading.
pub(super) fn print(
    args: &AuditShow,
    story: &Story,
    read: Result<(), Failure>,
    place: &str,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let zone = zone(args);
    if let Err(failure) = read {
        // An operator needs the story most when a part of it is not proven.
        output.result(story, |story| text(story, &zone))?;
        return Err(failure);
    }
    if let (Some(session), []) = (&args.session, &*story.sessions) {
        let message = format!("`{place}` has no such events of session `{session}`");
        let help = "see `prowess audit show` for all sessions";
        return Err(Failure::new("session-not-found", message, help));
    }
    output.result(story, |story| text(story, &zone))?;
    if story.sessions.is_empty() {
        output.remark("no such events\n");
    }
    if story.reloads > 0 {
        let reloads = counted(story.reloads, "reload");
        output.remark(&format!("{DIM}{reloads} left out; `--all` shows them{DIM:#}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the last events. Those of all sessions are read without the rest of the log.
pub(super) fn part(args: &AuditShow, path: &Path) -> Result<StoryPart, Failure> {
    if args.session.is_some() {
        let mut index = LogIndex::new(path);
        while !index.extend(u64::MAX).map_err(|error| failure(path, &error))? {}
        return of_session(args, path, &index);
    }
    let filter = filter(args, &zone(args))?;
    let part = Story::read_last(path, &filter, args.before, args.last.map_or(1, NonZeroUsize::get));
    part.map_err(|error| failure(path, &error))
}

/// Returns the last events of a session, of which an index has the positions.
pub(super) fn of_session(
    args: &AuditShow,
    path: &Path,
    index: &LogIndex,
) -> Result<StoryPart, Failure> {
    let filter = filter(args, &zone(args))?;
    let most = args.last.map_or(1, NonZeroUsize::get);
    let part = index.last_of_session(&filter, args.before, most);
    part.map_err(|error| failure(path, &error))
}

pub(super) fn zone(args: &AuditShow) -> TimeZone {
    if args.utc { TimeZone::UTC } else { TimeZone::system() }
}

/// Returns the filter of the arguments.
pub(super) fn filter(args: &AuditShow, zone: &TimeZone) -> Result<StoryFilter, Failure> {
    Ok(StoryFilter {
        session: args.session.clone(),
        since: args.since.map(|since| moment(since, zone)).transpose()?,
        tool: args.tool.clone(),
        denied: args.denied,
        all: args.all,
    })
}

/// Returns the moment from which on events are shown.
fn moment(since: Since, zone: &TimeZone) -> Result<Timestamp, Failure> {
    let now = SystemClock::default().now();
    let at = |clock: DateTime| {
        zone.to_timestamp(clock).map_err(|error| {
            let message = format!("`--since {clock}` is no time: {error}");
            Failure::usage("usage", message, "name another time")
        })
    };
    let at = match since {
        Since::Ago(milliseconds) => return Ok(Timestamp(now.0.saturating_sub(milliseconds))),
        Since::Moment(at) => at,
        Since::Clock(clock) => at(clock)?,
        Since::Day(ago, time) => {
            let today = Instant::from(now).to_zoned(zone.clone()).date();
            at(today.saturating_sub(ago.days()).to_datetime(time))?
        }
    };
    Ok(Timestamp(u64::try_from(at.as_millisecond()).unwrap_or_default()))
}

fn text(story: &Story, zone: &TimeZone) -> String {
    let mut text = String::new();
    let columns = columns_behind(MARGIN);
    for session in &story.sessions {
        let heading = heading(session);
        let heading = one_line(&heading, columns_behind(0));
        let _ = writeln!(text, "{HEADING}{heading}{HEADING:#}");
        for line in &session.lines {
            let time = local(&line.timestamp, zone);
            let time = one_line(&time, usize::MAX);
            let event = fitted_lines(&line.text, columns);
            let mark = if line.unproven { UNPROVEN } else { "  " };
            let _ = writeln!(text, "{mark}{DIM}{time}{DIM:#}  {event}");
        }
    }
    text
}

/// Returns the session with the names of those that it works for.
fn heading(session: &SessionStory) -> String {
    let mut heading = match &*session.session {
        "" => "outside of sessions".to_owned(),
        // The name of a random id begins with the word.
        id if id.starts_with("session-") => id.to_owned(),
        id => format!("session {id}"),
    };
    let CallOrigin { agent, task, tenant, model, .. } = &session.origin;
    for (word, name) in [("agent", agent), ("model", model), ("task", task), ("tenant", tenant)] {
        if let Some(name) = name {
            // Clients choose these names.
            let _ = write!(heading, ", {word} {}", quoted(name));
        }
    }
    heading
}

/// Returns a time of the log in a fixed width; one that is no time as it is.
fn local(timestamp: &str, zone: &TimeZone) -> String {
    let Ok(at) = timestamp.parse::<Instant>() else { return timestamp.to_owned() };
    at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S%.3f").to_string()
}

/// Returns a text in lines that are never wider than this: a longer word ends in an ellipsis.
fn fitted_lines(text: &str, columns: usize) -> String {
    let lines = wrapped(&one_line(text, usize::MAX), columns, 0);
    let lines: Vec<_> = lines.lines().map(|line| one_line(line, columns)).collect();
    lines.join(&format!("\n{:MARGIN$}", ""))
}
