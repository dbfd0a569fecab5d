//! The three skill tools: load, unload and read.

use std::sync::Arc;

use prowess_core::{DeliveryPolicy, Tool, ToolProvider};

use crate::ToolPolicy;

mod active;
mod load;
mod newer;
mod package;
mod problem;
mod read;
mod receipt;
mod reference;
mod unload;
mod wrapper;

pub use newer::newer_versions;

/// Provides `skills.load`, `skills.unload` and `skills.read`.
///
/// No argument names a session: the context of each call has it.
#[derive(Clone, Debug)]
pub struct SkillTools {
    policy: Arc<ToolPolicy>,
    delivery: DeliveryPolicy,
}

impl SkillTools {
    /// The canonical names of the tools.
    pub const NAMES: [&str; 3] = ["skills.load", "skills.unload", "skills.read"];

    /// Creates the tools. `delivery` is the policy that prompts follow too.
    pub fn new(policy: ToolPolicy, delivery: DeliveryPolicy) -> Self {
        Self { policy: Arc::new(policy), delivery }
    }
}

impl ToolProvider for SkillTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            Arc::new(load::Load::new(self.policy.clone(), self.delivery)),
            Arc::new(unload::Unload::new(self.delivery)),
            Arc::new(read::Read::new(self.policy.clone(), self.delivery)),
        ]
    }
}
