//! The arguments of `audit`.

use std::path::PathBuf;

use clap::Subcommand;
use prowess_audit::Head;

/// The commands of `audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Show the story of each session
    Show {
        /// Session to show; defaults to all
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Audit log; defaults to `prowess/audit.jsonl` in the state directory
        file: Option<PathBuf>,
    },
    /// Check the hash chain; exits with 1 if an entry was changed, removed, inserted or moved
    ///
    /// A log that was rewritten as a whole, or whose end was cut off, has an unbroken chain: this
    /// is found only with the head of an earlier check that was kept elsewhere.
    Verify {
        /// Last entry at an earlier time, as an earlier check printed it
        #[arg(long, value_name = "HEAD")]
        head: Option<Head>,
        /// Audit log; defaults to `prowess/audit.jsonl` in the state directory
        file: Option<PathBuf>,
    },
    /// Sum up the calls and the skills
    Stats {
        /// Audit log; defaults to `prowess/audit.jsonl` in the state directory
        file: Option<PathBuf>,
    },
}
