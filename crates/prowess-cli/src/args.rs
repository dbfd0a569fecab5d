//! The command line as clap parses it: a module for the arguments of each command that has several.

mod approvals;
mod audit;
mod config;
mod global;
mod help;
mod install;
mod mcp;
mod new;
mod plugin;
mod prompt;
mod run;
mod search;
mod serve;
mod shell;
mod trust;
mod validate;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell as ShellName;
use prowess::format::Profile;

pub(crate) use approvals::{ApprovalGrant, Approvals, GrantScope};
pub(crate) use audit::Audit;
pub(crate) use config::{Config, ConfigFile};
pub(crate) use global::{Format, Global, Setting};
pub(crate) use help::{command, parse};
pub(crate) use install::{
    Add, InstallOptions, LockCommand, Publish, Quarantine, Remove, Rollback, SignerOption, Sync,
    Update,
};
pub(crate) use mcp::{Mcp, McpCall};
pub(crate) use new::New;
pub(crate) use plugin::{Plugin, PluginCheck, PluginKind, PluginNew, PluginReport, PluginTrust};
pub(crate) use prompt::{ModelRequestArgs, PromptArgs, Vendor};
pub(crate) use run::Run;
pub(crate) use search::{Matching, Share};
pub(crate) use serve::{Approvers, Serve};
pub(crate) use shell::Shell;
pub(crate) use trust::Trust;
pub(crate) use validate::Validate;

const EXAMPLES: &str = "\
Examples:
  prowess tour                                  play through an agent's conversation
  prowess                                       an overview of the skills that are found
  prowess new pdf-forms                         create a skill
  prowess validate ./skills                     check every skill in a directory
  prowess --root project=./skills list          list the skills in a directory
  prowess search 'fill in a form'               find matching skills
  prowess trust                                 trust this project, so that its skills are offered
  prowess add https://example.com pdf           install a skill of a site, and lock its version
  prowess sync                                  install exactly the skills of the lock file
  prowess doctor                                report every problem and how to fix it
  prowess explain pdf                           why a skill is offered to a model, or why not
  prowess prompt --load pdf                     the skills section of the next prompt
  prowess prompt --vendor anthropic             the body of the whole request
  prowess call skills_load '{\"names\":[\"pdf\"]}'  make one tool call, as a model does
  prowess run pdf scripts/fill.py -- form.pdf   run a script of a skill in the sandbox
  prowess shell -c 'ls /.sandbox/skills'        run a command over files in memory, with the skills in it
  prowess audit show                            the story of each audited session
  prowess plugin list                           list plugins and whether they may run
  prowess plugin new greeter --kind source      create a plugin
  prowess serve                                 serve MCP on standard input and output
  prowess serve --http 127.0.0.1:8080           serve MCP to many clients
  prowess mcp config --client cursor            the block of a client's configuration that starts the server";

/// Find, check, show, load and serve Agent Skills.
#[derive(Debug, Parser)]
#[command(name = "prowess", version, after_long_help = EXAMPLES, subcommand_required = false)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a skill or a directory of skills; exits with 1 if one is invalid
    Validate(Validate),
    /// Print the frontmatter of a skill as JSON
    ReadProperties {
        /// A skill's directory or its `SKILL.md`
        path: PathBuf,
        /// Rules to check against: lenient, extended, spec, strict or skills-ref
        #[arg(long, default_value_t = Profile::Lenient)]
        profile: Profile,
    },
    /// Create a skill from a template; never overwrites a file
    New(New),
    /// Print the JSON Schema of the frontmatter, for editors
    Schema {
        /// Rules to check against: lenient, extended, spec, strict or skills-ref
        #[arg(long, default_value_t = Profile::Spec)]
        profile: Profile,
    },
    /// Print the `<available_skills>` block for some skills
    ToPrompt {
        /// Skill directories or their `SKILL.md` files
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Rules to check against; skills-ref prints exactly what the reference tool prints
        #[arg(long, default_value_t = Profile::Lenient)]
        profile: Profile,
    },
    /// List all skills
    List,
    /// Show one skill: its metadata, files and instructions
    Show {
        /// The skill's id
        id: String,
    },
    /// Search skills, best match first
    Search {
        /// Words to search for; without them, all skills are listed
        #[arg(default_value = "")]
        query: String,
        /// Maximum number of skills
        #[arg(long, default_value_t = 10, value_name = "N")]
        limit: usize,
        /// How to match: ranked words, or plain substring
        #[arg(long = "match", value_enum, default_value_t = Matching::Words, value_name = "HOW")]
        matching: Matching,
    },
    /// Evaluate the search with queries whose answers are known; exits with 1 if recall is too low
    ///
    /// FILE is a JSON list of `{"query": "...", "expect": ["ID", ...], "not": ["ID", ...]}`. A
    /// skill that is not offered on this machine counts as missed, and its reason is printed.
    Probe {
        /// File of queries (JSON)
        file: PathBuf,
        /// Number of skills to retrieve per query
        #[arg(long, default_value_t = 5, value_name = "N")]
        limit: usize,
        /// Minimum recall, from 0 to 1
        #[arg(long, value_name = "SHARE")]
        min_recall: Option<Share>,
        /// Propose words for the descriptions of skills that others outrank
        #[arg(long)]
        suggest: bool,
    },
    /// Explain why a skill is offered to a model or not, or what a code means
    Explain {
        /// A skill's id, a path, or the code of a finding or an error
        #[arg(value_name = "ID-PATH-OR-CODE")]
        query: String,
    },
    /// Report every problem with this setup, and whether file changes are detected; exits with 1 if
    /// there are errors
    Doctor,
    /// Print the skills section of the next prompt, with its token costs
    ///
    /// With `--vendor`, print the body of the whole request as JSON instead.
    Prompt(PromptArgs),
    /// Make one tool call, as a model does; without a tool, list the tools
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
        /// Show whether the call may run and why, without running it
        #[arg(long)]
        explain: bool,
    },
    /// Show whether a tool call may run and why, without running it
    ///
    /// The tool may also be one that the host runs itself, such as `Bash`. Exit code 0: it may run;
    /// 1: it is refused or a person has to approve it.
    ExplainCall {
        /// Name of the tool
        tool: String,
        /// Arguments as a JSON object
        #[arg(default_value = "{}")]
        json: String,
        /// Skills to load first, separated by commas
        #[arg(long, value_delimiter = ',', value_name = "ID")]
        load: Vec<String>,
    },
    /// Run a script of a skill in the sandbox
    ///
    /// The exit code is that of the script; 124 if its time is over, 125 if it was not started.
    Run(Run),
    /// Run commands in the sandbox of the tool `sandbox_execute`: files in memory, and skills
    ///
    /// The commands come from `-c`, from standard input as one script, or from a person at a
    /// terminal. No file, process or network of this machine is reachable. The exit code is that of
    /// the last command; 124 if a limit ended it, 125 if it did not run.
    Shell(Shell),
    /// List, inspect, check and create plugins. Only `check` executes plugin code
    #[command(subcommand)]
    Plugin(Plugin),
    /// Serve skills and tools over the Model Context Protocol on standard input and output
    ///
    /// Skills are reloaded when they change. With `refresh: { mode: manual }`, send SIGHUP to
    /// reload. Over HTTP, SIGTERM ends the server after the requests that are running.
    Serve(Serve),
    /// Connect clients of the Model Context Protocol
    #[command(subcommand)]
    Mcp(Mcp),
    /// Show, check and create configurations
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
    /// Install skills from a site, an archive or a folder, and lock their versions
    Add(Add),
    /// Remove installed skills
    Remove(Remove),
    /// Install exactly the skills of the lock file; exits with 3 if a source has other bytes
    Sync(Sync),
    /// Install newer versions of installed skills
    Update(Update),
    /// Check that the files of installed skills are those that were installed, without the network
    Verify(InstallOptions),
    /// Return an installed skill to its previous version
    Rollback(Rollback),
    /// List installed skills whose source has another version
    Outdated(InstallOptions),
    /// List and release artifacts that are not the locked ones
    #[command(subcommand)]
    Quarantine(Quarantine),
    /// Merge and repair lock files
    #[command(subcommand)]
    Lock(LockCommand),
    /// Write a folder of skills as a site that `add` installs from
    Publish(Publish),
    /// Show and check the audit log
    ///
    /// `serve`, `call` and `approvals` write it if the configuration has `audit: { log: keep }`.
    /// One program can write it at a time.
    #[command(subcommand)]
    Audit(Audit),
    /// Sum the calls and skills of the audit log
    Stats {
        /// Audit log; defaults to `prowess/audit.jsonl` in the state directory
        file: Option<PathBuf>,
    },
    /// List the tool calls that wait for your approval, and decide on them
    #[command(subcommand)]
    Approvals(Approvals),
    /// Print the completion script of a shell
    ///
    /// For bash: `prowess completions bash > ~/.local/share/bash-completion/completions/prowess`.
    Completions {
        /// The shell
        shell: ShellName,
    },
    /// Print the manual page of this program, or write those of all commands
    Man {
        /// Directory that gets one page for each command
        #[arg(long, value_name = "DIR")]
        directory: Option<PathBuf>,
    },
    /// Play through an agent's conversation with the embedded skills
    Tour,
    /// Print the version, as `--version` does
    Version,
}
