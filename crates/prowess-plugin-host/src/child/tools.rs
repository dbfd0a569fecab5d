//! Adapts the tools of a plugin's process to the core's traits.

use std::sync::Arc;

use prowess_core::codes::CANCELLED;
use prowess_core::{
    Cancel, Catalog, Code, SourceErrorKind, Tool, ToolContext, ToolProvider, ToolResult,
};
use serde_json::Value;

use super::error::{CallError, invalid_answer};
use super::protocol::{Answer, Call, WireShown};
use super::supervisor::{Answered as Answers, CallHandlers, Supervisor};
use crate::adapter::{Answered, DescribedTool, PluginTool, ToolDescription, ToolPlugin};
use crate::codes::PLUGIN_FAILED;
use crate::conversation::{self, Conversation, state_number};
use crate::recent::Recent;

/// Returns the tools that a plugin's process offers.
pub(super) fn tools(
    supervisor: &Arc<Supervisor>,
    offered: Vec<ToolDescription>,
    shows_conversation: bool,
) -> Arc<dyn ToolProvider> {
    let tool = |(index, offered)| {
        let supervisor = Arc::clone(supervisor);
        let described = Recent::default();
        let plugin = RemotePlugin { supervisor, index, offered, shows_conversation, described };
        Arc::new(PluginTool::new(plugin)) as Arc<dyn Tool>
    };
    Arc::new(RemoteTools(offered.into_iter().enumerate().map(tool).collect()))
}

struct RemoteTools(Vec<Arc<dyn Tool>>);

impl ToolProvider for RemoteTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.clone()
    }
}

/// A plugin in a separate process, for one of its tools.
struct RemotePlugin {
    supervisor: Arc<Supervisor>,
    /// The position of the tool in the plugin's offer.
    index: usize,
    /// The tool's description without a catalog.
    offered: ToolDescription,
    shows_conversation: bool,
    /// The tool's descriptions with a catalog, by the catalog's number.
    described: Recent<u64, DescribedTool>,
}

impl ToolPlugin for RemotePlugin {
    fn described(&self) -> &ToolDescription {
        &self.offered
    }

    fn shows_conversation(&self) -> bool {
        self.shows_conversation
    }

    fn described_in(&self, catalog: &Catalog) -> Option<DescribedTool> {
        self.described.get_or_insert_with(catalog.serial(), |_| {
            Some(DescribedTool::new(self.describe(catalog)?, &self.offered))
        })
    }

    fn named_skills(&self, arguments: &Value) -> Option<Vec<String>> {
        let call = Call::NamedSkills { tool: self.index, arguments: arguments.clone() };
        match self.call_for(call, &Cancel::default(), None) {
            Ok((Answer::NamedSkills(named), _)) => Some(named),
            _ => None,
        }
    }

    /// The process caches the skills that the arguments name, so it always returns them.
    fn call(&self, context: &ToolContext<'_>, arguments: &Value, _: bool) -> Answered {
        let answers = Conversation::of_call(context, self.supervisor.limits().answer_bytes);
        let shown = self.shows_conversation.then(|| WireShown {
            catalog: context.catalog.serial(),
            boundary: context.boundary.as_str().to_owned(),
            state: state_number(context.session),
        });
        let call = Call::Tool {
            tool: self.index,
            arguments: arguments.clone(),
            session: context.session.id().as_str().to_owned(),
            caller: context.caller,
            shown,
        };
        match self.call_for(call, context.cancel, Some(&answers)) {
            Ok((Answer::ToolResult { result, named }, bytes)) => {
                let result = result.into_result(bytes);
                let invalid = || failed(CallError::Reported(invalid_answer()));
                (result.unwrap_or_else(invalid), named)
            }
            Ok(_) => (failed(CallError::Reported(invalid_answer())), None),
            Err(error) => (failed(error), None),
        }
    }
}

impl RemotePlugin {
    fn call_for(
        &self,
        call: Call,
        cancel: &Cancel,
        answers: Option<&dyn conversation::Answer>,
    ) -> Result<Answers, CallError> {
        let answers = answers.filter(|_| self.shows_conversation);
        let part = &mut |_, _| Err(invalid_answer());
        self.supervisor.call(call, &mut CallHandlers { cancel, part, answers })
    }

    fn describe(&self, catalog: &Catalog) -> Option<ToolDescription> {
        let supervisor = &self.supervisor;
        let max_bytes = supervisor.limits().answer_bytes;
        let answers = Conversation::of_catalog(catalog, supervisor.clock(), max_bytes);
        let call = Call::Describe { tool: self.index, catalog: catalog.serial() };
        match self.call_for(call, &Cancel::default(), Some(&answers)) {
            Ok((Answer::Described(described), _)) if described.name == self.offered.name => {
                Some(*described)
            }
            _ => None,
        }
    }
}

fn failed(error: CallError) -> ToolResult {
    let (code, message) = match error {
        CallError::Process(error) => (Code::new(error.kind.as_str()), error.to_string()),
        CallError::Reported(error) if error.kind == SourceErrorKind::Cancelled => {
            (CANCELLED, error.message)
        }
        CallError::Reported(error) => (PLUGIN_FAILED, error.message),
    };
    ToolResult::error(code, message)
}
