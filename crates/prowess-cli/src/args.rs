//! The command line as clap parses it.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgGroup, Args as ClapArgs, ColorChoice, Parser, Subcommand, ValueEnum};
use prowess::format::Profile;
use prowess::plugin_host::PluginSettings;
use prowess_audit::Head;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  prowess tour                                  play through an agent's conversation
  prowess                                       an overview of the skills that are found
  prowess new pdf-forms                         create a skill
  prowess validate ./skills                     check every skill in a directory
  prowess --root project=./skills list          list the skills in a directory
  prowess search 'fill in a form'               find matching skills
  prowess trust                                 trust this project, so that its skills are offered
  prowess doctor                                report every problem and how to fix it
  prowess explain pdf                           why a skill is offered to a model, or why not
  prowess prompt --load pdf                     the skills section of the next prompt
  prowess prompt --vendor anthropic             the body of the whole request
  prowess call skills_load '{\"names\":[\"pdf\"]}'  make one tool call, as a model does
  prowess run pdf scripts/fill.py -- form.pdf   run a script of a skill in the sandbox
  prowess audit show                            the story of each audited session
  prowess plugin list                           list plugins and whether they may run
  prowess plugin new greeter --kind source      create a plugin
  prowess serve                                 serve MCP on standard input and output";

/// Find, check, show, load and serve Agent Skills.
#[derive(Debug, Parser)]
#[command(name = "prowess", version, after_help = EXAMPLES, subcommand_required = false)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The options of every command.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Directory of skills, optionally with its layer (default: `user`); repeatable
    ///
    /// LAYER is `embedded`, `user`, `project` or a layer of the configuration. Without this option:
    /// the embedded skills; `~/.prowess/skills`, `~/.agents/skills` and the same under `~/.config`;
    /// and every `.prowess/skills` and `.agents/skills` from the working directory up to the
    /// repository's root, if the directory is trusted (see `prowess trust`).
    #[arg(long, global = true, value_name = "[LAYER=]DIR")]
    pub(crate) root: Vec<Root>,

    /// Trusted plugin to load, for its skills and tools; repeatable. See `prowess plugin trust`
    ///
    /// LAYER is the layer of its skills. JSON is an object that configures it. Defaults come from
    /// `plugins.settings` in the configuration.
    #[arg(long, global = true, value_name = "[LAYER=]FILE[=JSON]")]
    pub(crate) plugin: Vec<NamedPlugin>,

    /// Load the built-in skill sources from plugins in this directory instead of the compiled-in
    /// ones
    ///
    /// Defaults to `$PROWESS_DYNAMIC`, then to `plugins.built_in` in the configuration.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) dynamic: Option<PathBuf>,

    /// Configuration file (YAML); starts from a preset and overrides parts of it
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Preset of the configuration: standard, flexigpt, omniforge, boxxy, sandbox or yodoca
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "config")]
    pub(crate) preset: Option<String>,

    /// Ignore and do not write the scan cache
    #[arg(long, global = true)]
    pub(crate) no_cache: bool,

    /// Output format
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// When to use colors
    #[arg(long, global = true, default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,

    /// Print results only, without warnings and remarks
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// A root with its layer.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) layer: String,
    pub(crate) directory: PathBuf,
}

/// Defaults to the layer `user`: a directory that is named on the command line is trusted.
impl From<&str> for Root {
    fn from(text: &str) -> Self {
        let (layer, directory) = match text.split_once('=') {
            Some((layer, directory)) if !layer.contains('/') => (layer, directory),
            _ => ("user", text),
        };
        Self { layer: layer.to_owned(), directory: directory.into() }
    }
}

/// A plugin with its settings.
#[derive(Clone, Debug)]
pub(crate) struct NamedPlugin {
    pub(crate) file: PathBuf,
    pub(crate) settings: PluginSettings,
}

impl FromStr for NamedPlugin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // An object starts with a brace, which no plugin's file does after an equals sign.
        let (named, config) = match text.find("={") {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let config = config.map(serde_json::from_str).transpose();
        let config =
            config.map_err(|error| format!("its configuration is not valid JSON: {error}"))?;
        let (layer, file) = match named.split_once('=') {
            Some((layer, file)) if !layer.contains('/') => (Some(layer.to_owned()), file),
            _ => (None, named),
        };
        Ok(Self {
            file: file.into(),
            settings: PluginSettings { config, layer, ..PluginSettings::default() },
        })
    }
}

/// The condition under which a skill matches a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Matching {
    /// Ranked by the words in name, tags and description
    Words,
    /// Plain substring of id, name or tag, ordered by id
    Substring,
}

/// A share, as a number from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(pub(crate) f64);

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(share @ 0.0..=1.0) => Ok(Self(share)),
            _ => Err("expected a number from 0 to 1"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Text,
    /// One JSON document
    Json,
}

/// The arguments of `prompt` that are about the request of a model call.
#[derive(Debug, ClapArgs)]
pub(crate) struct ModelRequestArgs {
    /// Print the body of a request to this API
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) vendor: Option<Vendor>,
    /// Name of the model in that body
    #[arg(long, requires = "vendor", value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Rules of the host, in front of the skills
    #[arg(long, requires = "vendor", value_name = "TEXT")]
    pub(crate) rules: Option<String>,
    /// Message of the user
    #[arg(long, requires = "vendor", value_name = "TEXT")]
    pub(crate) message: Option<String>,
}

/// The format of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Vendor {
    /// OpenAI's Responses
    OpenaiResponses,
    /// OpenAI's Chat Completions, and the many APIs that follow it
    OpenaiChat,
    /// Anthropic's Messages
    Anthropic,
    /// Gemini's `generateContent`
    Gemini,
    /// No vendor's: instructions, tools and messages
    Neutral,
}

/// The arguments of `validate`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Validate {
    /// Skill directories, `SKILL.md` files, or directories of skills
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Rules to check against: lenient, extended, spec, strict or skills-ref
    #[arg(long, default_value_t = Profile::Spec)]
    pub(crate) profile: Profile,
    /// Show hints too; for a single skill they are always shown
    #[arg(long)]
    pub(crate) hints: bool,
    /// Show every finding, not only the first ones
    #[arg(long)]
    pub(crate) all: bool,
    /// Fix findings that have exactly one right answer, and show each change
    #[arg(long)]
    pub(crate) fix: bool,
    /// Show what `--fix` would change without changing it
    #[arg(long, requires = "fix")]
    pub(crate) dry_run: bool,
    /// Show the roles that boxxy derives from the skills' names, and which one is missing
    #[arg(long)]
    pub(crate) roles: bool,
    /// Print findings for another program; overrides `--format`
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) report: Option<Report>,
}

/// The arguments of `trust`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Trust {
    /// Directory to trust; defaults to the enclosing repository, else the working directory
    ///
    /// Trust covers everything below the directory except other repositories and `node_modules`. It
    /// is tied to that directory itself: if it is replaced by another one, trust ends.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// List the trusted directories
    #[arg(long, conflicts_with = "path")]
    pub(crate) list: bool,
    /// Revoke the trust in a directory, which may no longer exist
    #[arg(long, value_name = "PATH", conflicts_with_all = ["path", "list"])]
    pub(crate) revoke: Option<PathBuf>,
}

/// The arguments of `run`.
#[derive(Debug, ClapArgs)]
pub(crate) struct Run {
    /// Id of the skill
    pub(crate) id: String,
    /// Path of the script in the skill, such as `scripts/fill.py`
    pub(crate) script: String,
    /// Arguments of the script
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    /// File or directory that the script may read, besides the skill and the system; repeatable
    #[arg(long, value_name = "PATH")]
    pub(crate) read: Vec<PathBuf>,
    /// Directory that the script may change; repeatable
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Vec<PathBuf>,
    /// Let the script use the network
    #[arg(long)]
    pub(crate) network: bool,
    /// Seconds after which the script is ended, at most 600
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub(crate) seconds: u64,
}

/// The commands of `approvals`.
#[derive(Debug, Subcommand)]
pub(crate) enum Approvals {
    /// List the calls that wait for an approval, and the decisions
    List,
    /// Allow a call; a skill whose package changes needs another approval
    Grant(ApprovalGrant),
    /// Refuse a call; the same call is not shown again until the request expires
    Deny {
        /// Id of the request, from `prowess approvals list`
        id: String,
    },
    /// Withdraw an approval; the next such call asks again
    Revoke {
        /// Id of the approval, from `prowess approvals list`
        id: String,
    },
}

/// The arguments of `approvals grant`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ApprovalGrant {
    /// Id of the request, from `prowess approvals list`
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
    /// One call, in the session that asked
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a pull request in a GitHub workflow
    Github,
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
    /// Create a skill: NAME/SKILL.md from a template; never overwrites a file
    New {
        /// The skill's name: `a` to `z`, `0` to `9` and single hyphens
        name: String,
        /// What the skill does and when to use it
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
        /// Directory in which the skill is created
        #[arg(long, default_value = ".", value_name = "DIR")]
        directory: PathBuf,
    },
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
    /// FILE is a JSON list of `{"query": "...", "expect": ["ID", ...], "not": ["ID", ...]}`.
    Probe {
        /// File of queries (JSON)
        file: PathBuf,
        /// Number of skills to retrieve per query
        #[arg(long, default_value_t = 5, value_name = "N")]
        limit: usize,
        /// Minimum recall, from 0 to 1
        #[arg(long, value_name = "SHARE")]
        min_recall: Option<Share>,
    },
    /// Explain why a skill is offered to a model or not, and what it costs
    Explain {
        /// A skill's id, or a path
        #[arg(value_name = "ID-OR-PATH")]
        query: String,
    },
    /// Report every problem with this setup, and whether file changes are detected; exits with 1 if
    /// there are errors
    Doctor,
    /// Print the skills section of the next prompt, with its token costs
    ///
    /// With `--vendor`, print the body of the whole request as JSON instead.
    Prompt {
        /// Skills to load first, separated by commas
        #[arg(long, value_delimiter = ',', value_name = "ID")]
        load: Vec<String>,
        #[command(flatten)]
        request: ModelRequestArgs,
    },
    /// Make one tool call, as a model does
    Call {
        /// Name of the tool, such as `skills_read`
        tool: String,
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
    /// Starts one confined program; started by a host
    #[command(hide = true)]
    SandboxStage,
    /// List, inspect, check and create plugins. Only `check` executes plugin code
    #[command(subcommand)]
    Plugin(Plugin),
    /// Serve skills and tools over the Model Context Protocol on standard input and output
    ///
    /// Skills are reloaded when they change. With `refresh: { mode: manual }`, send SIGHUP to
    /// reload.
    Serve,
    /// Trust a directory, so that the skills of its project are offered
    Trust(Trust),
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
    /// Play through an agent's conversation with the embedded skills
    Tour,
}

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
}

/// The commands of `plugin`.
#[derive(Debug, Subcommand)]
pub(crate) enum Plugin {
    /// List the plugins in `~/.prowess/plugins` and in the configured directories
    List,
    /// Show a plugin's manifest and whether it may run, without executing it
    Inspect {
        /// Dynamic library of the plugin
        file: PathBuf,
    },
    /// Test a plugin against the rules, each in its own process; exits with 1 if one fails
    ///
    /// This executes the plugin's code, so the plugin must be trusted: see `prowess plugin trust`.
    Check(PluginCheck),
    /// Create a plugin: NAME/ with a package that builds and passes its check; never overwrites a
    /// file
    New(PluginNew),
    /// Runs one check; started by `check`
    #[command(hide = true)]
    CheckProcess,
    /// Runs one plugin; started by a host
    #[command(hide = true)]
    Process,
    /// Allow a plugin, identified by its digest, to run with your rights; list or revoke
    Trust(PluginTrust),
}

/// The arguments of `plugin check`.
#[derive(Debug, ClapArgs)]
pub(crate) struct PluginCheck {
    /// Dynamic library of the plugin
    pub(crate) file: PathBuf,
    /// Configuration of the plugin; overrides `--config`
    #[arg(long = "with", value_name = "JSON")]
    pub(crate) settings: Option<String>,
    /// Time limit per check, in seconds
    #[arg(long, default_value_t = 30, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) seconds: u64,
    /// Run only these checks, such as `scan,read`
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Print the report for another program; overrides `--format`
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) report: Option<PluginReport>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PluginReport {
    /// JUnit XML, for build servers
    Junit,
}

/// The arguments of `plugin new`.
#[derive(Debug, ClapArgs)]
pub(crate) struct PluginNew {
    /// The plugin's name: `a` to `z`, `0` to `9` and single hyphens, a letter first
    pub(crate) name: String,
    /// What the plugin provides
    #[arg(long, value_enum)]
    pub(crate) kind: PluginKind,
    /// Checkout of prowess that holds the SDK
    ///
    /// Defaults to the checkout that the working directory is in. Elsewhere the path is required,
    /// since the SDK is on no package registry yet.
    #[arg(long, value_name = "PATH")]
    pub(crate) sdk: Option<PathBuf>,
    /// Directory in which the plugin is created
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PluginKind {
    /// Skills
    Source,
    /// Tools
    Tools,
}

/// The arguments of `plugin trust`.
#[derive(Debug, ClapArgs)]
#[group(skip)]
#[command(group(ArgGroup::new("what").required(true).args(["file", "key", "list", "revoke"])))]
pub(crate) struct PluginTrust {
    /// Dynamic library of the plugin
    pub(crate) file: Option<PathBuf>,
    /// Trust plugins that are signed with this minisign key (a `.pub` file)
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// List trusted plugins and keys
    #[arg(long)]
    pub(crate) list: bool,
    /// Revoke trust, by plugin name, digest or key id
    #[arg(long, value_name = "WHAT")]
    pub(crate) revoke: Option<String>,
    /// Allow a version older than the trusted one
    #[arg(long, requires = "file")]
    pub(crate) allow_older: bool,
}
