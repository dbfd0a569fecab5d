//! The arguments of `approvals`.

use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};

/// The commands of `approvals`.
#[derive(Debug, Subcommand)]
pub(crate) enum Approvals {
    /// List the calls that wait for an approval, as `prowess approvals` does
    List {
        /// Also list what was decided, used or has expired
        #[arg(long)]
        all: bool,
    },
    /// Print all arguments of a call, for example into a file
    Show {
        /// Number of the request from `prowess approvals`, its id, or the start of its id
        #[arg(value_name = "NUMBER-OR-ID")]
        id: String,
    },
    /// Allow a call; a skill whose package changes needs another approval
    Grant(ApprovalGrant),
    /// Refuse a call; the same call is not shown again until the request expires
    Deny {
        /// Number of the request from `prowess approvals`, its id, or the start of its id
        #[arg(value_name = "NUMBER-OR-ID")]
        id: String,
    },
    /// Withdraw an approval; the next such call asks again
    Revoke {
        /// Number of the approval from `prowess approvals list --all`, its id, or its start
        #[arg(value_name = "NUMBER-OR-ID")]
        id: String,
    },
    /// Print the calls that wait for an approval as they come, until Ctrl-C
    ///
    /// On a terminal, it asks about each.
    Watch,
}

/// The arguments of `approvals grant`.
#[derive(Debug, Args)]
pub(crate) struct ApprovalGrant {
    /// Number of the request from `prowess approvals`, its id, or the start of its id
    #[arg(value_name = "NUMBER-OR-ID")]
    pub(crate) id: String,
    /// How often the call may be made
    #[arg(long, value_enum, default_value_t = GrantScope::Once)]
    pub(crate) scope: GrantScope,
    /// Time until the approval expires, such as `30m`, `12h` or `7d`; by default it does not expire
    #[arg(long = "for", value_name = "DURATION")]
    pub(crate) lifetime: Option<Lifetime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrantScope {
    /// One call, in the session that asked; of a command, its next run
    Once,
    /// Every call that it covers, in the session that asked
    Session,
    /// Every call that it covers, in every session
    Always,
}

/// A time in milliseconds, written as a number and `s`, `m`, `h` or `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime(pub(crate) u64);

impl FromStr for Lifetime {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let seconds = text.chars().next_back().and_then(|unit| match unit {
            's' => Some(1),
            'm' => Some(60),
            'h' => Some(60 * 60),
            'd' => Some(24 * 60 * 60),
            _ => None,
        });
        let number = text.get(..text.len().saturating_sub(1)).and_then(|text| text.parse().ok());
        let milliseconds = number.zip(seconds).and_then(|(number, seconds): (u64, u64)| {
            number.checked_mul(seconds)?.checked_mul(1_000).filter(|milliseconds| *milliseconds > 0)
        });
        milliseconds.map(Self).ok_or("expected a number and `s`, `m`, `h` or `d`, such as `12h`")
    }
}
