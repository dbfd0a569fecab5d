//! The arguments of `proposals` and `history`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The commands of `proposals`.
#[derive(Debug, Subcommand)]
pub(crate) enum Proposals {
    /// List the proposals that wait for a review, as `prowess proposals` does
    List {
        /// Also list what was accepted, rejected or withdrawn
        #[arg(long)]
        all: bool,
    },
    /// Show a proposal: what it changes, what the skill could do then, and the reasons
    Show {
        /// Name of the proposal, or the start of it
        #[arg(value_name = "PROPOSAL")]
        id: String,
    },
    /// Accept a proposal, which changes the skill
    Accept(Accept),
    /// Reject a proposal
    Reject(Decide),
    /// Withdraw a proposal
    Withdraw(Decide),
    /// Propose a change of a skill, for a review by another person
    Propose(Propose),
    /// Print proposals as they come, until Ctrl-C, or run a command for each
    Watch(Notify),
}

/// The arguments of `proposals accept`.
#[derive(Debug, Args)]
pub(crate) struct Accept {
    #[command(flatten)]
    pub(crate) decide: Decide,
    /// Digest of the proposal that was shown, or its first 12 digits; without a terminal, required
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<String>,
    /// Merge it into a skill that has changed since: the digest of its files that was shown
    #[arg(long, value_name = "DIGEST", requires = "digest")]
    pub(crate) rebase: Option<String>,
    #[command(flatten)]
    pub(crate) commit: Commit,
}

/// A proposal and the reason of a decision.
#[derive(Debug, Args)]
pub(crate) struct Decide {
    /// Name of the proposal, or the start of it
    #[arg(value_name = "PROPOSAL")]
    pub(crate) id: String,
    /// Why, for the audit and the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

/// The choice of a commit.
#[derive(Debug, Args)]
pub(crate) struct Commit {
    /// Commit the changed files with git; no hook runs, and nothing is signed or pushed
    #[arg(long)]
    pub(crate) commit: bool,
}

/// The arguments of `proposals propose`.
#[derive(Debug, Args)]
pub(crate) struct Propose {
    /// The skill's id
    pub(crate) skill: String,
    /// File with the change as a unified diff; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) diff: PathBuf,
    /// Why the skill should change
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Observation that led to it, such as an error message
    #[arg(long, value_name = "TEXT")]
    pub(crate) evidence: Option<String>,
}

/// The arguments of `proposals watch`.
#[derive(Debug, Args)]
pub(crate) struct Notify {
    /// End when nothing is left to deliver now
    #[arg(long)]
    pub(crate) once: bool,
    /// Send each proposal to this URL, signed as standardwebhooks.com has it. Needs a program with
    /// the feature `remotes`
    ///
    /// The secret is in the file of `--secret-file`, or in the environment variable
    /// `PROWESS_WEBHOOK_SECRET`.
    #[arg(long, value_name = "URL", conflicts_with = "run")]
    pub(crate) webhook: Option<String>,
    /// File with the secret that signs what is sent to the URL
    #[arg(long, value_name = "FILE", requires = "webhook")]
    pub(crate) secret_file: Option<PathBuf>,
    /// Host that may be in a private network and may be reached by plain `http`; repeatable
    #[arg(long = "host", value_name = "HOST[:PORT]", hide_short_help = true, requires = "webhook")]
    pub(crate) hosts: Vec<String>,
    /// Run this command for each proposal, with it as JSON on standard input; one that fails is
    /// repeated, and one that succeeds is not, also after a restart
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) run: Vec<String>,
}

/// The arguments of `history`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct History {
    /// The skill's id, or its directory
    #[arg(required = true)]
    pub(crate) id: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Option<HistoryCommand>,
}

/// The commands of `history`.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    /// Print the difference of two versions
    Diff(Diff),
    /// Return a skill to an earlier version
    Restore(Restore),
}

/// The arguments of `history diff`.
#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The skill's id, or its directory
    pub(crate) id: String,
    /// Number of a version from `prowess history`, or the first digits of its digest
    pub(crate) from: String,
    /// The other version; by default, the files as they are now
    pub(crate) to: Option<String>,
}

/// The arguments of `history restore`.
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The skill's id, or its directory
    pub(crate) id: String,
    /// Number of a version from `prowess history`, or the first digits of its digest
    pub(crate) version: String,
    /// Why, for the audit and the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) commit: Commit,
}
