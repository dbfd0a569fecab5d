//! What was typed.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgGroup, Args as ClapArgs, ColorChoice, Parser, Subcommand, ValueEnum};
use prowess::format::Profile;
use prowess::plugin_host::PluginSettings;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  prowess tour                                  an agent's conversation, played through
  prowess                                       what skills this place has
  prowess new pdf-forms                         begin a skill
  prowess validate ./skills                     check every skill of a folder
  prowess --root project=./skills list          the skills of a folder of your own
  prowess search 'fill in a form'               the skills that suit
  prowess trust                                 offer the skills of this project
  prowess doctor                                everything that is wrong, and what to do
  prowess explain pdf                           where a skill comes from, and what hides it
  prowess prompt --load pdf                     the text that the next model call would carry
  prowess call skills_load '{\"names\":[\"pdf\"]}'  one tool call, as a model makes it
  prowess plugin list                           which plugins there are, and which may run
  prowess plugin new greeter --kind source      begin a plugin; `plugin check` says what it still lacks
  prowess serve                                 MCP on standard input and output";

/// Find, check, show, load and serve Agent Skills.
#[derive(Debug, Parser)]
#[command(name = "prowess", version, after_help = EXAMPLES, subcommand_required = false)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What every command takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct Global {
    /// A folder of skills, in the layer `embedded`, `user` (the default), `project` or one of the
    /// configuration's; repeatable
    ///
    /// Without it: the embedded skills; `~/.prowess/skills`, `~/.agents/skills` and the same below
    /// `~/.config`; and every `.prowess/skills` and `.agents/skills` from the working directory up to
    /// the repository's root, if `prowess trust` trusts it.
    #[arg(long, global = true, value_name = "[LAYER=]DIR")]
    pub(crate) root: Vec<Root>,

    /// A plugin that is trusted, for its skills and tools; repeatable. See `prowess plugin trust`
    ///
    /// LAYER is where its skills go, JSON an object that configures it. What is not said here is taken
    /// from `plugins.settings` of the configuration.
    #[arg(long, global = true, value_name = "[LAYER=]FILE[=JSON]")]
    pub(crate) plugin: Vec<NamedPlugin>,

    /// Take the built-in sources from trusted plugins of this folder, not those that are linked in
    ///
    /// By default it is `$PROWESS_DYNAMIC`, and without that `plugins.built_in` of the configuration.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) dynamic: Option<PathBuf>,

    /// A file of policies, such as `prowess.yaml`: a preset, and what differs from it
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// The policies to begin with: standard, flexigpt, omniforge, boxxy, sandbox or yodoca
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "config")]
    pub(crate) preset: Option<String>,

    /// Read every skill anew, and keep nothing of it for the next start
    #[arg(long, global = true)]
    pub(crate) no_cache: bool,

    /// How results are printed
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// When text is coloured
    #[arg(long, global = true, default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,

    /// Print results only, no remarks
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// A root with its layer.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) layer: String,
    pub(crate) directory: PathBuf,
}

/// Without a layer, a root is the user's own: who names a folder answers for it.
impl From<&str> for Root {
    fn from(text: &str) -> Self {
        let (layer, directory) = match text.split_once('=') {
            Some((layer, directory)) if !layer.contains('/') => (layer, directory),
            _ => ("user", text),
        };
        Self { layer: layer.to_owned(), directory: directory.into() }
    }
}

/// A plugin with what it is told.
#[derive(Clone, Debug)]
pub(crate) struct NamedPlugin {
    pub(crate) file: PathBuf,
    pub(crate) settings: PluginSettings,
}

impl FromStr for NamedPlugin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // An object begins with a brace, which no plugin's file does after an equals sign.
        let (named, config) = match text.find("={") {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let config = config.map(serde_json::from_str).transpose();
        let config = config.map_err(|error| format!("its configuration is no JSON: {error}"))?;
        let (layer, file) = match named.split_once('=') {
            Some((layer, file)) if !layer.contains('/') => (Some(layer.to_owned()), file),
            _ => (None, named),
        };
        Ok(Self { file: file.into(), settings: PluginSettings { config, layer } })
    }
}

/// When a skill suits a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Matching {
    /// It has words of the query in its name, tags or description; the best come first.
    Words,
    /// It has the query as it is in its id, its name or a tag; they come by id.
    Substring,
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(pub(crate) f64);

impl FromStr for Share {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(share @ 0.0..=1.0) => Ok(Self(share)),
            _ => Err("a share is a number from 0 to 1"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// What `validate` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct Validate {
    /// Packages, `SKILL.md` files or folders of packages
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How strict to be: lenient, extended, spec, strict or skills-ref
    #[arg(long, default_value_t = Profile::Spec)]
    pub(crate) profile: Profile,
    /// Show hints too; for a single package they always are
    #[arg(long)]
    pub(crate) hints: bool,
    /// Show every finding of a tree, not only the first ones
    #[arg(long)]
    pub(crate) all: bool,
    /// Mend what has one right answer, and show each change
    #[arg(long)]
    pub(crate) fix: bool,
    /// Show what `--fix` would change, and change nothing
    #[arg(long, requires = "fix")]
    pub(crate) dry_run: bool,
    /// Show the roles that boxxy derives from the skills' names, and which one is missing
    #[arg(long)]
    pub(crate) roles: bool,
    /// Print findings for another program, whatever `--format` says
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) report: Option<Report>,
}

/// What `trust` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct Trust {
    /// The folder; by default the repository of the working directory, or the working directory
    ///
    /// Trust holds for what lies below the folder too, but not for another repository in it, nor for
    /// what lies in `node_modules`. It ends when another folder takes the folder's place.
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// List the folders that are trusted
    #[arg(long, conflicts_with = "path")]
    pub(crate) list: bool,
    /// Trust a folder no longer; it need not exist any more
    #[arg(long, value_name = "PATH", conflicts_with_all = ["path", "list"])]
    pub(crate) revoke: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    /// A log of SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands that annotate a pull request in a GitHub workflow
    Github,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a package, a SKILL.md or a whole tree; exit code 0 valid, 1 invalid
    Validate(Validate),
    /// Print the frontmatter of a package as JSON
    ReadProperties {
        /// A package or its `SKILL.md`
        path: PathBuf,
        /// How strict to be: lenient, extended, spec, strict or skills-ref
        #[arg(long, default_value_t = Profile::Lenient)]
        profile: Profile,
    },
    /// Begin a skill: write NAME/SKILL.md with a template; never overwrites
    New {
        /// The skill's name: `a` to `z`, `0` to `9` and single hyphens
        name: String,
        /// What the skill does and when to use it
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
        /// The folder of skills to write into
        #[arg(long, default_value = ".", value_name = "DIR")]
        directory: PathBuf,
    },
    /// Print the JSON Schema of a profile's frontmatter, for editors
    Schema {
        /// How strict to be: lenient, extended, spec, strict or skills-ref
        #[arg(long, default_value_t = Profile::Spec)]
        profile: Profile,
    },
    /// Print <available_skills> for some packages
    ToPrompt {
        /// Packages or their `SKILL.md` files
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// How strict to be; skills-ref prints what the reference tool prints
        #[arg(long, default_value_t = Profile::Lenient)]
        profile: Profile,
    },
    /// List the skills
    List,
    /// Show one skill whole: what is known of it, its files and its instructions
    Show {
        /// The skill's id
        id: String,
    },
    /// Find the skills that suit a query, the best first
    Search {
        /// What is wanted, in words; all skills without it
        #[arg(default_value = "")]
        query: String,
        /// How many skills at most
        #[arg(long, default_value_t = 10, value_name = "N")]
        limit: usize,
        /// How a skill suits
        #[arg(long = "match", value_enum, default_value_t = Matching::Words, value_name = "HOW")]
        matching: Matching,
    },
    /// Say which skills are offered for queries with known answers; exit code 1 if too few are found
    ///
    /// FILE is a JSON list of `{"query": "...", "expect": ["ID", ...], "not": ["ID", ...]}`.
    Probe {
        /// The queries
        file: PathBuf,
        /// How many skills are offered for a query
        #[arg(long, default_value_t = 5, value_name = "N")]
        limit: usize,
        /// The least share of the expected skills that must be offered, from 0 to 1
        #[arg(long, value_name = "SHARE")]
        min_recall: Option<Share>,
    },
    /// Say where a skill was found, what shadows it, and what it costs
    Explain {
        /// A skill's id, or a path
        #[arg(value_name = "ID-OR-PATH")]
        query: String,
    },
    /// Say everything that is wrong here, and whether changes are heard of; exit code 1 if there is an error
    Doctor,
    /// Print the text that the next model call would carry, with its token ledger
    Prompt {
        /// Skills to load first
        #[arg(long, value_delimiter = ',', value_name = "ID")]
        load: Vec<String>,
    },
    /// Make one tool call, as a model does
    Call {
        /// The tool's name, such as `skills_read`
        tool: String,
        /// The arguments, a JSON object
        #[arg(default_value = "{}")]
        json: String,
        /// Skills to load first
        #[arg(long, value_delimiter = ',', value_name = "ID")]
        load: Vec<String>,
    },
    /// Say what plugins there are and which may run, check one, begin one; only `check` opens one
    #[command(subcommand)]
    Plugin(Plugin),
    /// Serve skills and tools over the Model Context Protocol on standard input and output
    ///
    /// Changes of skills are heard of. Where they are not, as with `refresh: { mode: manual }`, the signal
    /// `SIGHUP` has it look again.
    Serve,
    /// Trust a folder, so that the skills of its project are offered
    Trust(Trust),
    /// Play an agent's whole conversation on the embedded skills
    Tour,
}

/// What `plugin` takes.
#[derive(Debug, Subcommand)]
pub(crate) enum Plugin {
    /// List the plugins of `~/.prowess/plugins` and of the configured folders
    List,
    /// Say what a plugin's file says of itself, and whether it may run
    Inspect {
        /// The dynamic library
        file: PathBuf,
    },
    /// Check a plugin by the kit, each rule in a process of its own; exit code 0 passed, 1 failed
    ///
    /// It runs the plugin's code, so the plugin has to be trusted: see `prowess plugin trust`.
    Check(PluginCheck),
    /// Begin a plugin: write NAME/ with a package that builds and passes its check; never overwrites
    New(PluginNew),
    /// Be the process of one check; `check` starts it
    #[command(hide = true)]
    CheckProcess,
    /// Be the process of one plugin; a host starts it
    #[command(hide = true)]
    Process,
    /// Let a plugin run with your rights, by what its bytes are; or list that, or take it back
    Trust(PluginTrust),
}

/// What `plugin check` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct PluginCheck {
    /// The dynamic library
    pub(crate) file: PathBuf,
    /// The plugin's configuration, whatever `--config` says of it
    #[arg(long = "with", value_name = "JSON")]
    pub(crate) settings: Option<String>,
    /// How long each check may take
    #[arg(long, default_value_t = 30, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) seconds: u64,
    /// Run these checks of an opened library alone, such as `scan,read`
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Print the report for another program, whatever `--format` says
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) report: Option<PluginReport>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PluginReport {
    /// One suite of JUnit, for build servers
    Junit,
}

/// What `plugin new` takes.
#[derive(Debug, ClapArgs)]
pub(crate) struct PluginNew {
    /// The plugin's name: `a` to `z`, `0` to `9` and single hyphens, a letter first
    pub(crate) name: String,
    /// What it offers
    #[arg(long, value_enum)]
    pub(crate) kind: PluginKind,
    /// A checkout of prowess, for its SDK
    ///
    /// By default the SDK of this version from the package registry, where it is not published yet.
    #[arg(long, value_name = "PATH")]
    pub(crate) sdk: Option<PathBuf>,
    /// The folder to write into
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

/// What `plugin trust` takes.
#[derive(Debug, ClapArgs)]
#[group(skip)]
#[command(group(ArgGroup::new("what").required(true).args(["file", "key", "list", "revoke"])))]
pub(crate) struct PluginTrust {
    /// The dynamic library
    pub(crate) file: Option<PathBuf>,
    /// Trust what the owner of this minisign key signs: a `.pub` file
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Show what is trusted
    #[arg(long)]
    pub(crate) list: bool,
    /// Take back a plugin's name, a digest or a key's number
    #[arg(long, value_name = "WHAT")]
    pub(crate) revoke: Option<String>,
    /// Trust a version before the one that is trusted
    #[arg(long, requires = "file")]
    pub(crate) allow_older: bool,
}
