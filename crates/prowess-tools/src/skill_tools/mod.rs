//! Load, unload and read: the three operations on skills.

use std::sync::Arc;

use prowess_core::{Tool, ToolProvider};

use crate::ToolPolicy;

mod active;
mod load;
mod newer;
mod package;
mod problem;
mod read;
mod unload;
mod wrapper;

pub use newer::newer_versions;

/// Offers `skills.load`, `skills.unload` and `skills.read`.
///
/// No signature has a session in it: the host binds one by the context of each call.
#[derive(Clone, Debug)]
pub struct SkillTools {
    policy: Arc<ToolPolicy>,
}

impl SkillTools {
    /// The tools under this policy.
    pub fn new(policy: ToolPolicy) -> Self {
        Self { policy: Arc::new(policy) }
    }
}

impl ToolProvider for SkillTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            Arc::new(load::Load::new(self.policy.clone())),
            Arc::new(unload::Unload::new()),
            Arc::new(read::Read::new(self.policy.clone())),
        ]
    }
}
