//! The arguments of `prompt`.

use clap::{Args, ValueEnum};

/// The arguments of `prompt` that are about the request of a model call.
#[derive(Debug, Args)]
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
