//! The options of a source that follows remotes.

use std::time::Duration;

use crate::signer::SignerRules;
use crate::update::Growth;

/// The options of a [`LiveSource`](crate::LiveSource).
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// The sources, as users write them.
    pub sources: Vec<String>,
    /// The shortest time between two requests for the versions of a source.
    pub interval: Duration,
    /// Whether a version that can do more than the last one replaces it.
    pub growth: Growth,
    /// The signers that are accepted.
    pub signers: SignerRules,
}
