//! The skill tools: surfaces over one set of operations.

use std::sync::Arc;

use prowess_core::{DeliveryPolicy, Ranker, ScriptRunner, TokenCounter, Tool, ToolProvider};

use crate::ToolPolicy;

mod active;
mod describe;
mod file_content;
mod file_error;
mod list;
mod load;
mod newer;
mod operations;
mod package;
mod page;
mod problem;
mod read;
mod receipt;
mod reference;
mod run;
mod search;
mod skill_tool;
mod unload;
mod wrapper;

use operations::Operations;
use skill_tool::bind;

pub use newer::newer_versions;

/// Provides the tools for skills, such as `skills.load` and `skills.read`.
///
/// No argument names a session: the context of each call has it.
#[derive(Clone)]
pub struct SkillTools(Operations);

impl SkillTools {
    /// The canonical names of the tools.
    pub const NAMES: [&str; 7] = [
        "skills.load",
        "skills.unload",
        "skills.read",
        "skills.list",
        "skills.search",
        "skills.describe",
        "skills.run",
    ];

    /// Creates the tools. `delivery` is the policy that prompts follow too.
    ///
    /// Searches filter by words, tokens are estimated, and no script can be run.
    pub fn new(policy: ToolPolicy, delivery: DeliveryPolicy) -> Self {
        Self(Operations::new(policy, delivery))
    }

    /// Sets the ranker of searches.
    #[must_use]
    pub fn ranker(mut self, ranker: Arc<dyn Ranker>) -> Self {
        self.0.ranker = ranker;
        self
    }

    /// Sets the counter of tokens in results.
    #[must_use]
    pub fn token_counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.0.counter = counter;
        self
    }

    /// Sets the runner of scripts. Without one, `skills.run` is not offered and refuses calls.
    #[must_use]
    pub fn script_runner(mut self, runner: Arc<dyn ScriptRunner>) -> Self {
        self.0.runner = Some(runner);
        self
    }
}

impl ToolProvider for SkillTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let operations = Arc::new(self.0.clone());
        vec![
            bind(load::Load, &operations),
            bind(unload::Unload, &operations),
            bind(read::Read, &operations),
            bind(list::List, &operations),
            bind(search::Search, &operations),
            bind(describe::Describe, &operations),
            bind(run::Run, &operations),
        ]
    }
}
