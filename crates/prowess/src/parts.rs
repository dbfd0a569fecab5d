//! The parts of a runtime, which its turns share.

use std::sync::Arc;

use prowess_core::{ApprovalStore, Clock, Ranker, TokenCounter};
use prowess_registry::{Refresher, Registry};
use prowess_session::{Boundaries, Sessions};
use prowess_tools::{SkillHooks, Toolbox};

use crate::Policies;
use crate::conversations::Conversations;
use crate::faces::Faces;
use crate::gate::RuntimeGate;

/// Everything that a runtime and its turns use. The last of them that is dropped ends the threads.
pub(crate) struct Parts {
    pub(crate) policies: Policies,
    pub(crate) faces: Faces,
    pub(crate) conversations: Conversations,
    pub(crate) registry: Arc<Registry>,
    pub(crate) refresher: Refresher,
    pub(crate) sessions: Sessions,
    pub(crate) boundaries: Boundaries,
    pub(crate) toolbox: Toolbox,
    pub(crate) hooks: SkillHooks,
    pub(crate) gate: Arc<RuntimeGate>,
    pub(crate) approvals: Arc<dyn ApprovalStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ranker: Arc<dyn Ranker>,
    pub(crate) counter: Arc<dyn TokenCounter>,
}
