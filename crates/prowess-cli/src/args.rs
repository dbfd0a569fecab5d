//! The command line as clap parses it: a module for the arguments of each command that has several.

mod approvals;
mod audit;
mod catalog;
mod config;
mod global;
mod help;
mod install;
mod list;
mod mcp;
mod new;
mod plugin;
mod prompt;
mod proposals;
pub(crate) mod renamed;
mod run;
mod search;
mod serve;
mod trust;
mod validate;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell as ShellName;
use prowess::format::Profile;

use crate::store::StoreUrl;

pub(crate) use approvals::{ApprovalGrant, Approvals, GrantScope};
pub(crate) use audit::{Audit, AuditShow, KeptHead, Since};
pub(crate) use catalog::Catalog;
#[cfg(feature = "catalog-file")]
pub(crate) use catalog::CatalogBuild;
pub(crate) use config::{Change, Config, ConfigFile};
pub(crate) use global::{Format, Global, PolicyOptions, Root, Setting, SkillOptions};
pub(crate) use help::{LEAST_SIMILARITY, command, parse, shared_options};
pub(crate) use install::{
    Add, InstallOptions, LockWork, Publish, Remove, SignerOption, Sync, Update,
};
pub(crate) use list::{List, SkillOrder};
#[cfg(feature = "mcp-sources")]
pub(crate) use mcp::McpCall;
pub(crate) use mcp::{Mcp, McpScope};
pub(crate) use new::New;
pub(crate) use plugin::{
    Plugin, PluginCheck, PluginKind, PluginNew, PluginReport, PluginTemplate, PluginTrust,
};
pub(crate) use prompt::PromptArgs;
#[cfg(feature = "vendor")]
pub(crate) use prompt::{ModelRequestArgs, Vendor};
#[cfg(feature = "web")]
pub(crate) use proposals::Commit;
pub(crate) use proposals::{
    Accept, Decide, Diff, History, HistoryCommand, Notify, Proposals, Propose, Restore,
};
pub(crate) use run::Run;
pub(crate) use search::{Judging, Matching, Probe, Search};
pub(crate) use serve::{Approvers, LogFormat, Serve};
pub(crate) use trust::Trust;
pub(crate) use validate::Validate;

/// The examples of the manual page.
pub(crate) const EXAMPLES: &str = include_str!("args/examples.txt");

/// Find, check, show, load and serve Agent Skills.
#[derive(Debug, Parser)]
#[command(name = "prowess", version, subcommand_required = false, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a skill, or every skill in a directory
    ///
    /// The exit code is 1 if a skill is invalid.
    Validate(Validate),
    /// Print the frontmatter of a skill as JSON
    #[command(hide = true)]
    ReadProperties {
        /// A skill's directory or its `SKILL.md`
        path: PathBuf,
        /// Rules to check against: lenient, extended, spec, strict, skills-ref or claude-code
        #[arg(long, default_value_t = Profile::Lenient)]
        profile: Profile,
    },
    /// Create a skill from a template; never overwrites a file
    New(New),
    /// Print the `<available_skills>` block for some skills
    #[command(hide = true)]
    ToPrompt {
        /// Skill directories or their `SKILL.md` files
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Rules to check against; skills-ref prints exactly what the reference tool prints
        #[arg(long, default_value_t = Profile::Lenient)]
        profile: Profile,
    },
    /// List all skills, and why some are not offered
    List(List),
    /// Show one skill: its metadata, files and instructions
    Show {
        /// The skill's id
        id: String,
    },
    /// Search skills, best match first
    ///
    /// Skills are ranked by the words that they share with the query (BM25); no model is asked.
    /// With `--probe`, evaluate the search instead, with queries whose answers are known.
    Search(Search),
    /// Rank skills for messages by their words (BM25), without a model: is SKILL found?
    ///
    /// For each message, shows the skills that a search finds, and where SKILL is among them. A
    /// model decides by meaning; a skill that the words find first is one that it finds, too.
    #[command(hide = true)]
    Probe(Probe),
    /// Explain why a skill is offered or not, or what a code means
    Explain {
        /// A skill's id, a path, or the code of a finding or an error
        #[arg(value_name = "ID-PATH-OR-CODE")]
        query: String,
    },
    /// Report every problem with this setup, and how to fix it
    ///
    /// It also says whether changes of files are detected, and what the sandbox offers. The exit
    /// code is 1 if there are errors.
    Doctor,
    /// Print the skills section of the next prompt, with its token costs
    ///
    /// With `--vendor`, print the body of the whole request as JSON instead.
    Prompt(PromptArgs),
    /// Make one tool call, as a model does; alone, list the tools
    ///
    /// With `--explain`, the tool may also be one that the host runs itself, such as `Bash`, and
    /// the exit code is 0 if the call may run, and 1 if it is refused or a person has to approve
    /// it.
    Call {
        /// Name of the tool, such as `skills_read`
        #[arg(required_if_eq("explain", "true"))]
        tool: Option<String>,
        /// Arguments as a JSON object
        #[arg(default_value = "{}")]
        json: String,
        /// Skills to load first, separated by commas
        #[arg(long, value_delimiter = ',', value_name = "ID")]
        load: Vec<String>,
        /// Message of the user, whose skills `auto_load` loads first
        #[arg(long, value_name = "TEXT")]
        message: Option<String>,
        /// Show whether the call may run and why, without running it
        #[arg(long)]
        explain: bool,
    },
    /// Run a script of a skill in the sandbox
    ///
    /// The script reads its package and the system's programs and libraries, and writes to a
    /// directory that is removed afterwards. It has no network, no standard input, and none of your
    /// files and environment variables. `--explain` shows what is granted; the options below grant
    /// more.
    ///
    /// The exit code is that of the script; 124 if a limit ended it, 125 if it was not started.
    ///
    /// With `--shell`, run commands in the sandbox of the tool `sandbox_execute` instead: files in
    /// memory, and skills. The commands come from `-c`, or from standard input as one script. No
    /// file, process or network of this machine is reachable.
    Run(Run),
    /// List, inspect, check and create plugins
    ///
    /// Only `check` executes the code of a plugin.
    #[command(subcommand)]
    Plugin(Plugin),
    /// Serve skills and tools over the Model Context Protocol (MCP)
    ///
    /// It uses standard input and output, or HTTP.
    ///
    /// Skills are reloaded when they change. With `refresh: { mode: manual }`, send SIGHUP to
    /// reload. Changes of the configuration, a client that is new on this machine, and a directory
    /// that is new for a `*` in `discovery.also` take effect at the next start. Over HTTP, SIGTERM
    /// ends the server after the requests that are running.
    Serve(Serve),
    /// Connect clients of MCP
    #[command(subcommand)]
    Mcp(Mcp),
    /// Show, check and change configurations
    ///
    /// A value comes from the last of these places that sets it: the preset, which `--preset` or
    /// the key `preset` names; `/etc/prowess/config.yaml`; `prowess/config.yaml` in
    /// `$XDG_CONFIG_HOME` (`~/.config`); `.prowess/config.yaml` of the project, if its directory is
    /// trusted; the file in `$PROWESS_CONFIG`; variables such as `PROWESS_PROMPT__MAX_TOKENS`;
    /// `--config`; `--set`.
    #[command(subcommand)]
    Config(Config),
    /// Trust a directory, so that the skills of its project are offered
    Trust(Trust),
    /// Install skills, and lock their versions
    ///
    /// The source is a repository, a site, an archive or a folder. A skill that cannot be installed
    /// is named with the reason, and costs no other one; the exit code is 3 then.
    Add(Add),
    /// Remove installed skills
    Remove(Remove),
    /// Install exactly the skills of the lock file
    ///
    /// The exit code is 3 if a source has other bytes, or some skills cannot be installed. Other
    /// options read and write the lock files of other tools, and list and release what a sync has
    /// put into quarantine because it was not the locked artifact.
    Sync(Sync),
    /// Install newer versions, list them, or return to the previous ones
    Update(Update),
    /// Check that installed skills are unchanged, without the network
    #[command(hide = true)]
    Verify(InstallOptions),
    /// Write a folder of skills as a site that `add` installs from
    #[command(hide = true)]
    Publish(Publish),
    /// Publish the catalog of many hosts as one file
    #[command(subcommand, hide = true)]
    Catalog(Catalog),
    /// Show, check and sum up the audit log
    ///
    /// `serve`, `call`, `run`, `restore` and decisions by `approvals`, `proposals` and `trust` write
    /// it if the configuration has `audit: { log: keep }`, several of them at once.
    #[command(subcommand)]
    Audit(Audit),
    /// List the tool calls that wait for you, and decide on them
    Approvals {
        /// Database of many servers, as for `serve --store`
        #[arg(long, global = true, value_name = "URL", hide_short_help = true, hide = serve::WITHOUT_STORE)]
        store: Option<StoreUrl>,
        #[command(subcommand)]
        command: Option<Approvals>,
    },
    /// List the changes of skills that agents propose, and decide on them
    Proposals {
        #[command(subcommand)]
        command: Option<Proposals>,
    },
    /// Propose a change of a skill, for a review by another person
    #[command(hide = true)]
    Propose(Propose),
    /// List the versions of a skill, compare them, and return to one
    ///
    /// Every change that this program makes is a version: an accepted proposal, an install, an
    /// update, a removal and a return to an earlier one.
    History(History),
    /// Print the difference of two versions of a skill
    #[command(hide = true)]
    Diff(Diff),
    /// Return a skill to an earlier version
    #[command(hide = true)]
    Restore(Restore),
    /// Print the completion script of a shell
    ///
    /// For bash: `prowess completions bash > ~/.local/share/bash-completion/completions/prowess`.
    /// In bash, zsh and fish, names of skills, clients, approvals and keys are completed, too.
    #[command(hide = true)]
    Completions {
        /// The shell
        #[arg(required_unless_present = "words")]
        shell: Option<ShellName>,
        /// Names for the last of these words of a command line, as the scripts ask for them
        #[arg(long, hide = true, num_args = 0.., allow_hyphen_values = true)]
        words: Option<Vec<String>>,
    },
    /// Print the manual page of this program, or write those of all commands
    #[command(hide = true)]
    Man {
        /// Directory that gets one page for each command
        #[arg(long, value_name = "DIR")]
        directory: Option<PathBuf>,
    },
    /// Play through an agent's conversation with the embedded skills
    Tour,
    /// Print a page about a topic, or the help of a command; without words, list the topics
    #[command(hide = true)]
    Help {
        /// A topic such as `trust`, or a command such as `config show`
        #[arg(value_name = "TOPIC-OR-COMMAND")]
        words: Vec<String>,
    },
    /// Print the version, as `--version` does
    #[command(hide = true)]
    Version {
        /// List the features, and which of them this program has
        #[arg(long)]
        features: bool,
    },
}
