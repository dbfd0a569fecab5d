//! The arguments of `audit`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use jiff::civil::{DateTime, Time};
use jiff::{SignedDuration, Timestamp};
use prowess_audit::{Head, HeadError};

use super::approvals::Lifetime;
use super::serve::WITHOUT_STORE;
use crate::store::StoreUrl;

/// The commands of `audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Show what happened in each session
    ///
    /// Each session has a heading with its id and the names of its agent, model, task and tenant,
    /// and below it a line for each event, in the order of the log: the time, and what happened.
    /// A call is its tool, with its skills or script and the outcome: `done in 3 ms`, `failed with`
    /// a code, `refused` with a code, or `waits for approval`. `loaded` and `ended` are about
    /// skills, `approval` about a person's decisions. `prowess explain CODE` explains a code.
    Show(AuditShow),
    /// Check the hash chain; exits with 1 if an entry was changed, removed, inserted or moved
    ///
    /// A log that was rewritten as a whole, or whose end was cut off, has an unbroken chain: this
    /// is found only with the head of an earlier check that was kept elsewhere.
    Verify {
        /// Last entry at an earlier time, as an earlier check printed it
        ///
        /// With `--store`, one for each host, as `HOST=HEAD`; a host without a chain is then found.
        #[arg(long, value_name = "HEAD")]
        head: Vec<KeptHead>,
        /// Check the chains of all hosts in a database instead, as for `serve --store`
        #[arg(long, value_name = "URL", conflicts_with = "file", hide = WITHOUT_STORE)]
        store: Option<StoreUrl>,
        /// Audit log; defaults to `prowess/audit.jsonl` in the state directory
        file: Option<PathBuf>,
    },
    /// Sum up the calls and the skills
    Stats {
        /// Sum up the chains of all hosts in a database instead, as for `serve --store`
        #[arg(long, value_name = "URL", conflicts_with = "file", hide = WITHOUT_STORE)]
        store: Option<StoreUrl>,
        /// Audit log; defaults to `prowess/audit.jsonl` in the state directory
        file: Option<PathBuf>,
    },
    /// List the sessions in a database, with their last use and expiry, or end one
    #[command(hide = WITHOUT_STORE)]
    Sessions {
        /// Database, as for `serve --store`
        #[arg(long, value_name = "URL")]
        store: StoreUrl,
        /// Session to end; its skills are no longer loaded, and the audit has that
        #[arg(long, value_name = "ID")]
        end: Option<String>,
    },
}

impl Audit {
    /// Returns the database that a command is about.
    pub(crate) fn store(&self) -> Option<&StoreUrl> {
        match self {
            Self::Show(AuditShow { store, .. })
            | Self::Verify { store, .. }
            | Self::Stats { store, .. } => store.as_ref(),
            Self::Sessions { store, .. } => Some(store),
        }
    }
}

/// The last entry of a log at an earlier time, with the host whose log it is in a database.
#[derive(Clone, Debug)]
pub(crate) struct KeptHead {
    pub(crate) host: Option<String>,
    pub(crate) head: Head,
}

impl FromStr for KeptHead {
    type Err = HeadError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A head has no `=`, and the name of a host might.
        Ok(match text.rsplit_once('=') {
            Some((host, head)) => Self { host: Some(host.to_owned()), head: head.parse()? },
            None => Self { host: None, head: text.parse()? },
        })
    }
}

/// The arguments of `audit show`.
#[derive(Debug, Default, Args)]
pub(crate) struct AuditShow {
    /// Session to show, or the beginning of its id; defaults to all
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Show only what is not older than `7d` or `2026-11-28`
    ///
    /// A time is how long ago it was, such as `30m`, `1h30m` or `7d`, or a date, `yesterday`, or
    /// today's `11:51`.
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<Since>,
    /// Show only events of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Show only refused calls, connections of scripts and approvals
    #[arg(long)]
    pub(crate) denied: bool,
    /// Show reloads, too
    #[arg(long)]
    pub(crate) all: bool,
    /// Show only the last events, so many, without reading the rest of the log, unless they are
    /// those of one session
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<NonZeroUsize>,
    /// Show the last events before the entry with this number
    #[arg(long, value_name = "NUMBER", requires = "last")]
    pub(crate) before: Option<u64>,
    /// Show times in UTC, as JSON has them; defaults to local time
    #[arg(long)]
    pub(crate) utc: bool,
    /// Show the chains of all hosts in a database instead, as for `serve --store`
    #[arg(long, value_name = "URL", conflicts_with_all = ["file", "last"], hide = WITHOUT_STORE)]
    pub(crate) store: Option<StoreUrl>,
    /// Audit log; defaults to `prowess/audit.jsonl` in the state directory
    pub(crate) file: Option<PathBuf>,
}

/// The time from which on events are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// So many milliseconds ago.
    Ago(u64),
    /// A date, with or without a time, of the clock that is shown.
    Clock(DateTime),
    /// A time of that clock so many days ago.
    Day(i64, Time),
    /// A moment.
    Moment(Timestamp),
}

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ago = text.parse().map(|Lifetime(milliseconds)| Self::Ago(milliseconds)).ok();
        let parts = || {
            let ago: SignedDuration = text.parse().ok()?;
            u64::try_from(ago.as_millis()).ok().map(Self::Ago)
        };
        let day = || match text {
            "today" => Some(Self::Day(0, Time::midnight())),
            "yesterday" => Some(Self::Day(1, Time::midnight())),
            time => time.parse().map(|time| Self::Day(0, time)).ok(),
        };
        let moment = || text.parse().map(Self::Moment).ok();
        let clock = || text.parse().map(Self::Clock).ok();
        ago.or_else(moment)
            .or_else(clock)
            .or_else(day)
            .or_else(parts)
            .ok_or("expected a time such as `1h30m`, `7d`, `11:51`, `yesterday` or `2026-11-28`")
    }
}
