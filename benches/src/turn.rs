//! A conversation over a catalog, as a host has it.

use std::sync::Arc;

use prowess_core::{
    Boundary, Cancel, Catalog, DeliveryPolicy, EstimatedTokens, ToolCall, ToolContext,
    ToolProvider, ToolResult,
};
use prowess_prompt::{PromptInput, PromptPolicy, compose};
use prowess_session::{MemoryStore, SessionHandle, SessionPolicy, Sessions};
use prowess_testkit::ManualClock;
use prowess_tools::{NameStyle, SkillTools, ToolNaming, ToolPolicy, Toolbox};
use serde_json::{Value, json};

/// Every so many ids of a catalog that there are `count` of them.
pub fn some_ids(catalog: &Catalog, count: usize) -> Vec<String> {
    let step = (catalog.len() / count).max(1);
    catalog.skills().step_by(step).take(count).map(|skill| skill.id().to_owned()).collect()
}

/// One open conversation.
pub struct Conversation {
    catalog: Arc<Catalog>,
    session: SessionHandle,
    toolbox: Toolbox,
    clock: ManualClock,
    boundary: Boundary,
}

impl Conversation {
    /// A conversation whose every turn pins this catalog.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        let tools = SkillTools::new(ToolPolicy::default(), DeliveryPolicy::default());
        Self::with_tools(catalog, &tools)
    }

    /// As [`Self::new`], with the tools of skills from elsewhere.
    pub fn with_tools(catalog: Arc<Catalog>, tools: &dyn ToolProvider) -> Self {
        let store = Arc::new(MemoryStore::new());
        let clock = Arc::new(ManualClock::default());
        let sessions = Sessions::new(store, clock, SessionPolicy::default());
        let toolbox = Toolbox::builder(ToolNaming::new(NameStyle::Underscore))
            .provider(tools)
            .build()
            .expect("the tools of skills have different names");
        let session = sessions.open().expect("memory takes another session");
        let boundary = Boundary::new("5f3a9c1e77b04d28");
        Self { catalog, session, toolbox, clock: ManualClock::default(), boundary }
    }

    /// Every so many ids that there are `count` of them.
    pub fn some_ids(&self, count: usize) -> Vec<String> {
        some_ids(&self.catalog, count)
    }

    /// Loads one skill by the tool, in place of those before; gives the length of the answer.
    pub fn load(&self, id: &str) -> usize {
        let answer = self.call("skills_load", json!({ "names": [id] }));
        assert!(!answer.is_error, "{answer:?}");
        answer.content.len()
    }

    /// Calls a tool.
    pub fn call(&self, name: &str, arguments: Value) -> ToolResult {
        let context = ToolContext {
            catalog: &self.catalog,
            session: &self.session,
            caller: prowess_core::Caller::Model,
            origin: &Arc::default(),
            clock: &self.clock,
            cancel: &Cancel::default(),
            approved: None,
            progress: prowess_core::Progress::default(),
            boundary: &self.boundary,
            result_bytes: None,
            keeps_results: false,
        };
        let call = ToolCall { name: name.into(), arguments };
        self.toolbox.dispatch(&context, &call).result
    }

    /// The text of a prompt with this budget for the catalog.
    pub fn prompt(&self, max_tokens: Option<usize>) -> String {
        let policy = PromptPolicy { max_tokens, ..PromptPolicy::default() };
        let input = PromptInput {
            catalog: &self.catalog,
            active: &[],
            changed: &[],
            preferred: &[],
            baseline: None,
            policy: &policy,
            delivery: &DeliveryPolicy::default(),
            boundary: &self.boundary,
            counter: &EstimatedTokens,
        };
        compose(&input).text
    }
}
