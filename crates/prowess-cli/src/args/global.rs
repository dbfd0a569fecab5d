//! The options of every command, and the values that they take.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ColorChoice, ValueEnum};
use prowess::plugin_host::PluginSettings;
use prowess::source_fs::named_skill;

use crate::policies::Found;
use crate::running::Running;
use crate::store::StoreUrl;

/// The options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    #[command(flatten)]
    pub(crate) skills: SkillOptions,

    #[command(flatten)]
    pub(crate) policies: PolicyOptions,

    /// Run as if started in this directory
    #[arg(
        short = 'C',
        global = true,
        value_name = "DIR",
        help_heading = GLOBAL,
        hide_short_help = true
    )]
    pub(crate) start: Option<PathBuf>,

    /// Output format
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t = Format::Text,
        hide_default_value = true,
        help_heading = GLOBAL
    )]
    pub(crate) format: Format,

    /// When to use colors
    #[arg(
        long,
        global = true,
        default_value_t = ColorChoice::Auto,
        help_heading = GLOBAL,
        hide_short_help = true
    )]
    pub(crate) color: ColorChoice,

    /// Print results only, without warnings and remarks
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    pub(crate) quiet: bool,

    /// The database of `--store`, which few commands have.
    #[arg(skip)]
    pub(crate) store: Option<StoreUrl>,

    /// The runtime of a server, which its commands use instead of one of their own.
    #[arg(skip)]
    pub(crate) running: Option<Running>,

    /// The configuration, once it was read
    #[arg(skip)]
    pub(crate) found: OnceCell<Found>,
}

impl Global {
    /// Returns these options with another configuration than that of the files.
    pub(crate) fn with(&self, found: Found) -> Self {
        Self { found: OnceCell::from(found), ..self.clone() }
    }
}

const GLOBAL: &str = "Global options";

/// The options that choose the skills.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Skills")]
pub(crate) struct SkillOptions {
    /// Directory of skills, optionally with its layer (default: `user`); repeatable
    ///
    /// With ` as NAME` behind it, such as `--root 'DIR as NAME'`, the directory is one skill of
    /// this name.
    ///
    /// LAYER is `embedded`, `user`, `project` or a layer of the configuration. Without this option:
    /// the embedded skills; `~/.prowess/skills`, `~/.agents/skills`, the same under `~/.config`
    /// and those of other clients, such as `~/.claude/skills`; and the same of each directory from
    /// the working directory up to the repository's root, if the project is trusted (see `prowess
    /// trust`).
    #[arg(long, global = true, value_name = "[LAYER=]DIR", hide_short_help = true)]
    pub(crate) root: Vec<Root>,

    /// Trusted plugin to load, for its skills and tools; repeatable. See `prowess plugin trust`
    ///
    /// LAYER is the layer of its skills. JSON is an object that configures it. Defaults come from
    /// `plugins.settings` in the configuration.
    #[arg(long, global = true, value_name = "[LAYER=]FILE[=JSON]", hide_short_help = true)]
    pub(crate) plugin: Vec<NamedPlugin>,

    /// Load the built-in skill sources from plugins in this directory instead of the compiled-in
    /// ones
    ///
    /// Defaults to `$PROWESS_DYNAMIC`.
    #[arg(long, global = true, value_name = "DIR", hide_short_help = true)]
    pub(crate) dynamic: Option<PathBuf>,

    /// Ignore and do not write the scan cache
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_cache: bool,
}

/// The options that choose the policies.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Configuration")]
pub(crate) struct PolicyOptions {
    /// Configuration file (YAML) that overrides the files that are found; see `prowess config`
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) config: Option<PathBuf>,

    /// Value of the configuration, such as `prompt.max_tokens=2000`; repeatable
    #[arg(long, global = true, value_name = "KEY=VALUE", hide_short_help = true)]
    pub(crate) set: Vec<Setting>,

    /// Preset of the configuration: standard, few-active, enterprise-layers, spec-law, mounted or
    /// directory-ids
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub(crate) preset: Option<String>,

    /// Ignore the configuration files of the system, the user and the project
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_config: bool,
}

/// A value of the configuration with its key.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) key: String,
    pub(crate) value: String,
}

impl FromStr for Setting {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
        if key.is_empty() || key.split('.').any(str::is_empty) {
            return Err("the key is incomplete");
        }
        Ok(Self { key: key.to_owned(), value: value.to_owned() })
    }
}

/// A root with its layer.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) layer: String,
    pub(crate) directory: PathBuf,
    /// The name of the skill that the directory is, if it is given one.
    pub(crate) name: Option<Box<str>>,
}

/// Defaults to the layer `user`: a directory that is named on the command line is trusted.
impl From<&str> for Root {
    fn from(text: &str) -> Self {
        let (layer, directory) = match text.split_once('=') {
            Some((layer, directory)) if !layer.contains('/') => (layer, directory),
            _ => ("user", text),
        };
        let (named, name) = named_skill(Path::new(directory)).unzip();
        let directory = named.unwrap_or_else(|| directory.into());
        Self { layer: layer.to_owned(), directory, name }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people, by default
    Text,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    #[value(hide = true)]
    Sarif,
    /// Annotations of a pull request in a GitHub workflow
    #[value(hide = true)]
    Github,
}
