//! The origin of a call.

use serde::{Deserialize, Serialize};

/// The caller of a tool. Some skills are for one caller alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// The model. The default.
    #[default]
    Model,
    /// The user, by a command of the host.
    User,
}
