//! The arguments of `prompt`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Whether the options of requests are left out of the help, because this build refuses them.
const WITHOUT_VENDOR: bool = !cfg!(feature = "vendor");

/// The arguments of `prompt`.
#[derive(Debug, Args)]
pub(crate) struct PromptArgs {
    /// Skills to load first, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "ID")]
    pub(crate) load: Vec<String>,
    /// File to read first, for its tokens: a path in the skill loaded last, or `skill://ID/PATH`;
    /// repeatable
    #[arg(long, value_name = "PATH")]
    pub(crate) read: Vec<String>,
    /// Manifest of the agent that the prompt is for (YAML); its skills are bound first
    #[arg(long, value_name = "FILE")]
    pub(crate) agent: Option<PathBuf>,
    /// Print the difference from another prompt: `last` for the one that this command printed last
    /// for the same directory and options, or a configuration file for that of other policies
    #[arg(long, conflicts_with = "vendor", value_name = "last|FILE")]
    pub(crate) diff: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) request: ModelRequestArgs,
}

/// The arguments of `prompt` that are about the request of a model call.
#[derive(Debug, Args)]
pub(crate) struct ModelRequestArgs {
    /// Print the body of a request to this API
    #[arg(long, value_enum, value_name = "NAME", hide = WITHOUT_VENDOR)]
    pub(crate) vendor: Option<Vendor>,
    /// Name of the model in that body
    #[arg(long, requires = "vendor", value_name = "NAME", hide = WITHOUT_VENDOR)]
    pub(crate) model: Option<String>,
    /// Rules of the host, in front of the skills
    #[arg(long, requires = "vendor", value_name = "TEXT", hide_short_help = true, hide = WITHOUT_VENDOR)]
    pub(crate) rules: Option<String>,
    /// Message of the user: where not every skill fits, those that it is about stay
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
}

/// The format of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Vendor {
    /// OpenAI's Responses; `openai` is short for it
    #[value(alias = "openai")]
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
