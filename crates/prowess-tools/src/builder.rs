//! Puts a toolbox together, and refuses what a model could not tell apart.

use std::sync::Arc;

use prowess_core::{AuditSink, Catalog, NoAudit, Tool, ToolProvider};

use crate::slot::Slot;
use crate::surface::MAX_NAME_BYTES;
use crate::{AllowAll, Gate, Surface, Toolbox};

/// Builds a [`Toolbox`].
pub struct ToolboxBuilder {
    surface: Surface,
    tools: Vec<Arc<dyn Tool>>,
    gate: Arc<dyn Gate>,
    audit: Arc<dyn AuditSink>,
}

impl ToolboxBuilder {
    pub(crate) fn new(surface: Surface) -> Self {
        let tools = Vec::new();
        Self { surface, tools, gate: Arc::new(AllowAll), audit: Arc::new(NoAudit) }
    }

    /// Adds the tools of a provider.
    #[must_use]
    pub fn provider(mut self, provider: &dyn ToolProvider) -> Self {
        self.tools.extend(provider.tools());
        self
    }

    /// Asks this gate before each run. By default every call may run.
    #[must_use]
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = gate;
        self
    }

    /// Tells this sink of each call. By default nobody is told.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn AuditSink>) -> Self {
        self.audit = audit;
        self
    }

    /// The finished toolbox.
    ///
    /// # Errors
    ///
    /// Two tools have one name for a model, a name is not legal, or a tool's schema is not one.
    pub fn build(self) -> Result<Toolbox, BuildError> {
        let nothing = Catalog::empty();
        let slots = self.tools.into_iter().map(|tool| Slot::new(tool, &nothing));
        let tools: Vec<_> = slots.collect::<Result<_, _>>()?;
        let names: Vec<_> = tools.iter().map(|slot| slot.name.clone()).collect();
        let by_name = self.surface.index(&names)?;
        let Self { surface, gate, audit, .. } = self;
        Ok(Toolbox { surface, tools, by_name, gate, audit })
    }
}

/// Why a toolbox cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools would have one name for a model.
    #[error("the tools `{first}` and `{second}` would both be `{spelled}` for a model; rename one")]
    Collision {
        /// The first tool's name in the core's spelling.
        first: String,
        /// The second's.
        second: String,
        /// What both would be called.
        spelled: String,
    },
    /// The name is not one that a model can be given.
    #[error(
        "a tool cannot be named `{0}`; use 1 to {MAX_NAME_BYTES} of ASCII letters, digits, `_`, `-` and `.`"
    )]
    IllegalName(String),
    /// The arguments that the tool accepts are not described by a JSON Schema.
    #[error("the JSON Schema of the tool `{tool}` is not one: {reason}")]
    BadSchema {
        /// The tool's name in the core's spelling.
        tool: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The tool panicked when it was asked what it is.
    #[error("a tool panicked when it was asked for its definition; leave its provider out")]
    Panicked,
}
