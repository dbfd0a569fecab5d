//! The errors of this crate.

use prowess_core::{ApprovalStoreError, Diagnostic, SessionError, SessionIdError};
use prowess_registry::RegistryError;
use prowess_session::{ImportError, OpenError};
use prowess_tools::BuildError;

/// The errors of the crates below, each with its own sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Layers and sources do not fit together.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The policies need a feature that this build lacks.
    #[error("`{setting}` needs the feature `{feature}`, which this build lacks")]
    MissingFeature {
        /// The key, with its value where only that needs the feature.
        setting: &'static str,
        /// The feature of this crate.
        feature: &'static str,
    },
    /// A client has a surface that the tool policy does not have.
    #[error("`clients.{client}.surfaces` has {surface}, which `tools.surfaces` lacks")]
    ClientSurface {
        /// The name of the client.
        client: String,
        /// The surface, as JSON.
        surface: String,
    },
    /// A root that the host names is missing or cannot be read, by this finding of the first scan.
    #[error("{}", .0.message)]
    Root(Box<Diagnostic>),
    /// The policy of refreshing wants a thread, and the operating system has none left.
    #[error("the catalog cannot be kept fresh: {0}")]
    Refresh(std::io::Error),
    /// The operating system has no randomness for the boundaries around loaded bodies.
    #[error("the operating system has no random bytes: {0}")]
    Randomness(String),
    /// Tools do not fit together.
    #[error(transparent)]
    Toolbox(#[from] BuildError),
    /// A built-in source is configured as a plugin that cannot be loaded.
    #[cfg(feature = "plugins")]
    #[error(transparent)]
    Plugin(#[from] prowess_plugin_host::PluginError),
    /// A text is no session id.
    #[error(transparent)]
    SessionId(#[from] SessionIdError),
    /// A conversation could not begin.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A session could not be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A skill that an agent uses cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The approvals could not be read.
    #[error(transparent)]
    Approvals(#[from] ApprovalStoreError),
    /// A conversation could not go on.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// The reason why a skill that an agent uses cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("agent `{agent}` uses the skill `{skill}`, {reason}")]
pub struct BindError {
    /// The id of the agent.
    pub agent: String,
    /// The id of the skill, as the manifest has it.
    pub skill: String,
    /// The reason.
    pub reason: String,
}
