//! Where a call comes from.

use serde::{Deserialize, Serialize};

/// Who makes a call. Some skills are for one of them alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// The model. The default.
    #[default]
    Model,
    /// The user, by a command of the host's.
    User,
}
