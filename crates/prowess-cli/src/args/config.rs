//! The arguments of `config`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The commands of `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print the values in effect, each with the place that it comes from
    Show {
        /// Key, such as `prompt` or `prompt.max_tokens`; without it, the keys that people set are
        /// shown
        key: Option<String>,
        /// Show every key, also those of presets and of operators with special needs
        #[arg(long)]
        all: bool,
        /// Show only values that are not the default, of every key
        #[arg(long)]
        changed: bool,
    },
    /// Print the value of a key that is in effect
    ///
    /// On a terminal and as JSON, with the place that it comes from.
    Get {
        /// Key, such as `prompt.max_tokens`
        key: String,
        /// Read the file of this project alone, `.prowess/config.yaml`
        #[arg(long)]
        project: bool,
    },
    /// Set a value in your configuration file, and keep the rest of it
    Set(Change),
    /// Remove a key from your configuration file
    ///
    /// The default, or another place of the configuration, decides again.
    Unset {
        /// Key, such as `discovery.also`
        key: String,
        /// Change the file of this project instead, `.prowess/config.yaml`
        #[arg(long)]
        project: bool,
    },
    /// Open your configuration file in your editor, and check it afterwards
    ///
    /// The editor is `$VISUAL` or `$EDITOR`. What you wrote stays, also if it is not valid.
    Edit {
        /// Open the file of this project instead, `.prowess/config.yaml`
        #[arg(long)]
        project: bool,
    },
    /// Create a file in which keys are explained and commented out; never overwrites a file
    Init(ConfigFile),
    /// Explain how a preset differs from its document
    ///
    /// For each difference, the reason, and the key that has the document's form, if one has.
    ExplainPreset {
        /// Name of a preset, such as `enterprise-layers`
        name: String,
    },
    /// Print the JSON Schema of configuration files, for editors
    Schema,
    /// Check a file, or every place of the configuration; exits with 2 if there is an error
    Check {
        /// File to check; `.prowess/config.yaml` is checked as that of a project
        file: Option<PathBuf>,
    },
}

/// The arguments of `config set`.
#[derive(Debug, Args)]
pub(crate) struct Change {
    /// Key, such as `discovery.also`
    pub(crate) key: String,
    /// Value in YAML, such as `2000` or `[claude, cursor]`
    #[arg(allow_hyphen_values = true)]
    pub(crate) value: String,
    /// Further values to add
    #[arg(value_name = "VALUE", requires = "add")]
    pub(crate) more: Vec<String>,
    /// Add to the list, which keeps what it has, instead of replacing it
    #[arg(long)]
    pub(crate) add: bool,
    /// Change the file of this project instead, `.prowess/config.yaml`
    #[arg(long)]
    pub(crate) project: bool,
}

/// The arguments of `config init`.
#[derive(Debug, Args)]
pub(crate) struct ConfigFile {
    /// File to create; defaults to `prowess/config.yaml` in `$XDG_CONFIG_HOME` (`~/.config`)
    pub(crate) file: Option<PathBuf>,
    /// Explain every key, also those of presets and of operators with special needs
    #[arg(long)]
    pub(crate) all: bool,
    /// Print the text instead
    #[arg(long, conflicts_with = "file")]
    pub(crate) print: bool,
}
