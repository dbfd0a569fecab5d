//! Adapts the tools of a plugin's process to the core's traits.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::codes::CANCELLED;
use prowess_core::{
    Cancel, Catalog, Code, SourceErrorKind, Tool, ToolContext, ToolDefinition, ToolProvider,
    ToolResult,
};
use serde_json::Value;

use super::error::{CallError, invalid_answer};
use super::protocol::{Answer, Call, OfferedTool, WireShown};
use super::supervisor::{CallHandlers, Supervisor};
use crate::adapter::named::{self, NamedSkills};
use crate::codes::PLUGIN_FAILED;
use crate::conversation::{self, state_number};
use crate::recent::Recent;

/// Returns the tools that a plugin's process offers.
pub(super) fn tools(
    supervisor: &Arc<Supervisor>,
    offered: Vec<OfferedTool>,
    shows_conversation: bool,
) -> Arc<dyn ToolProvider> {
    let tool = |(index, offered)| {
        let supervisor = Arc::clone(supervisor);
        let described = Recent::default();
        let named = NamedSkills::default();
        Arc::new(RemoteTool { supervisor, index, offered, shows_conversation, described, named })
            as Arc<dyn Tool>
    };
    Arc::new(RemoteTools(offered.into_iter().enumerate().map(tool).collect()))
}

struct RemoteTools(Vec<Arc<dyn Tool>>);

impl ToolProvider for RemoteTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.clone()
    }
}

struct RemoteTool {
    supervisor: Arc<Supervisor>,
    /// The position of the tool in the plugin's offer.
    index: usize,
    /// The tool's description without a catalog.
    offered: OfferedTool,
    shows_conversation: bool,
    /// The tool's descriptions with a catalog, by the catalog's number.
    described: Recent<u64, Arc<DescribedTool>>,
    /// The skills that the arguments of the latest calls name.
    named: NamedSkills,
}

/// A tool as it is described with a catalog.
struct DescribedTool {
    offered: OfferedTool,
    /// Whether it accepts what it accepts without a catalog. Compared once, not for each call.
    accepts_the_same: bool,
}

impl Tool for RemoteTool {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        match self.described_in(catalog) {
            Some(described) => definition(&described.offered),
            None => definition(&self.offered),
        }
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.offered.name)
    }

    fn accepts(&self, catalog: &Catalog) -> Cow<'_, Value> {
        match self.described_in(catalog) {
            Some(described) if !described.accepts_the_same => {
                Cow::Owned(described.offered.accepts.clone())
            }
            _ => Cow::Borrowed(&self.offered.accepts),
        }
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        if !self.shows_conversation {
            return Vec::new();
        }
        let named = self.named.get(arguments, || {
            let call = Call::NamedSkills { tool: self.index, arguments: arguments.clone() };
            match self.call_for(call, &Cancel::default(), None) {
                Ok((Answer::NamedSkills(named), _)) => Some(named),
                // The names are only used by the audit, so an error counts as no names.
                _ => None,
            }
        });
        named::in_arguments(arguments, &named)
    }

    fn is_offered(&self, catalog: &Catalog) -> bool {
        let described = self.described_in(catalog);
        described.map_or(self.offered.is_offered, |described| described.offered.is_offered)
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        let answers = self.supervisor.conversation(context);
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
                if let Some(named) = named {
                    self.named.insert(arguments, named);
                }
                let result = result.into_result(bytes);
                result.unwrap_or_else(|| failed(CallError::Reported(invalid_answer())))
            }
            Ok(_) => failed(CallError::Reported(invalid_answer())),
            Err(error) => failed(error),
        }
    }
}

impl RemoteTool {
    fn call_for(
        &self,
        call: Call,
        cancel: &Cancel,
        answers: Option<&dyn conversation::Answer>,
    ) -> Result<(Answer, Vec<u8>), CallError> {
        let answers = answers.filter(|_| self.shows_conversation);
        let part = &mut |_, _| Err(invalid_answer());
        self.supervisor.call(call, &mut CallHandlers { cancel, part, answers })
    }

    /// Returns the tool's description for a catalog. `None` if the plugin cannot see it or fails to
    /// describe the tool: then the description without a catalog applies.
    fn described_in(&self, catalog: &Catalog) -> Option<Arc<DescribedTool>> {
        if !self.shows_conversation {
            return None;
        }
        self.described.get_or_insert_with(catalog.serial(), || {
            let offered = self.describe(catalog)?;
            let accepts_the_same = offered.accepts == self.offered.accepts;
            Some(Arc::new(DescribedTool { offered, accepts_the_same }))
        })
    }

    fn describe(&self, catalog: &Catalog) -> Option<OfferedTool> {
        let answers = self.supervisor.catalog_only(catalog);
        let call = Call::Describe { tool: self.index, catalog: catalog.serial() };
        match self.call_for(call, &Cancel::default(), Some(&answers)) {
            Ok((Answer::Described(described), _)) if described.name == self.offered.name => {
                Some(*described)
            }
            _ => None,
        }
    }
}

fn definition(offered: &OfferedTool) -> ToolDefinition {
    let OfferedTool { name, description, input_schema, .. } = offered.clone();
    ToolDefinition { name, description, input_schema }
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
