//! Builds toolboxes, and rejects names that a model could not distinguish.

use std::sync::Arc;

use prowess_core::{Catalog, CostTracker, RateLimiter, TokenCounter, Tool, ToolProvider};

use super::Toolbox;
use super::limits::{Limits, Tracker};
use super::naming::ToolNaming;
use super::slot::Slot;
use crate::audited::CallAudit;
use crate::error::BuildError;
use crate::gate::{AllowAll, Gate};
use crate::hooks::SkillHooks;

impl Toolbox {
    /// Creates a builder for a toolbox without tools.
    pub fn builder(naming: ToolNaming) -> ToolboxBuilder {
        ToolboxBuilder {
            naming,
            tools: Vec::new(),
            gate: Arc::new(AllowAll),
            limits: Limits::default(),
            audit: CallAudit::default(),
            hooks: None,
        }
    }
}

/// Builds a [`Toolbox`].
pub struct ToolboxBuilder {
    naming: ToolNaming,
    tools: Vec<Arc<dyn Tool>>,
    gate: Arc<dyn Gate>,
    limits: Limits,
    audit: CallAudit,
    hooks: Option<SkillHooks>,
}

impl ToolboxBuilder {
    /// Adds the tools of a provider.
    #[must_use]
    pub fn provider(mut self, provider: &dyn ToolProvider) -> Self {
        self.tools.extend(provider.tools());
        self
    }

    /// Sets the gate, which is called before each run. By default every call may run.
    #[must_use]
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = gate;
        self
    }

    /// Sets the audit, which receives each call. By default there is none. Hooks of skills use a
    /// clone of it.
    #[must_use]
    pub fn audit(mut self, audit: CallAudit) -> Self {
        self.audit = audit;
        self
    }

    /// Sets the hooks of skills, which run around calls. By default, none do.
    #[must_use]
    pub fn hooks(mut self, hooks: SkillHooks) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Sets the limiter, which may refuse a call before the gate. By default there is none.
    #[must_use]
    pub fn rate_limiter(mut self, limiter: Arc<dyn RateLimiter>) -> Self {
        self.limits.limiter = Some(limiter);
        self
    }

    /// Sets the tracker that receives the tokens of each call, and their counter. By default there
    /// is none.
    #[must_use]
    pub fn cost_tracker(
        mut self,
        costs: Arc<dyn CostTracker>,
        counter: Arc<dyn TokenCounter>,
    ) -> Self {
        self.limits.tracker = Some(Tracker { costs, counter });
        self
    }

    /// Builds the toolbox.
    ///
    /// # Errors
    ///
    /// Two tools have one name for a model, a name is not valid, or a tool's schema is not valid.
    pub fn build(self) -> Result<Toolbox, BuildError> {
        let nothing = Catalog::empty();
        let slots = self.tools.into_iter().map(|tool| Slot::new(tool, self.naming, &nothing));
        let tools: Vec<_> = slots.collect::<Result<_, _>>()?;
        let names: Vec<_> = tools.iter().map(|slot| slot.name.clone()).collect();
        let by_name = self.naming.index(&names)?;
        let Self { naming, gate, limits, audit, hooks, .. } = self;
        Ok(Toolbox { naming, tools, by_name, gate, limits, audit, hooks })
    }
}
