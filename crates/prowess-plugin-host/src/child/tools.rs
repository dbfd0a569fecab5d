//! The tools of a plugin's process, as those of the core.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::codes::CANCELLED;
use prowess_core::{
    Cancel, Catalog, Code, SourceErrorKind, Tool, ToolContext, ToolDefinition, ToolProvider,
    ToolResult,
};
use serde_json::Value;

use super::broken::{Broken, nonsense};
use super::protocol::{Answer, Call, OfferedTool, WireShown};
use super::supervisor::{Caller, Supervisor};
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
    let tool = |(at, offered)| {
        let supervisor = Arc::clone(supervisor);
        let described = Recent::default();
        let named = NamedSkills::default();
        Arc::new(RemoteTool { supervisor, at, offered, shows_conversation, described, named })
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
    at: usize,
    /// How it is described without a catalog.
    offered: OfferedTool,
    shows_conversation: bool,
    /// How it is described with one, by the catalog's number.
    described: Recent<u64, Arc<OfferedTool>>,
    /// The skills that the last calls concerned.
    named: NamedSkills,
}

impl Tool for RemoteTool {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        let OfferedTool { name, description, input_schema, .. } =
            (*self.offered_in(catalog)).clone();
        ToolDefinition { name, description, input_schema }
    }

    fn accepts(&self, catalog: &Catalog) -> Cow<'_, Value> {
        match self.offered_in(catalog) {
            Cow::Borrowed(offered) => Cow::Borrowed(&offered.accepts),
            Cow::Owned(offered) => Cow::Owned(offered.accepts),
        }
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        if !self.shows_conversation {
            return Vec::new();
        }
        let named = self.named.get(arguments, || {
            let call = Call::NamedSkills { tool: self.at, arguments: arguments.clone() };
            match self.call_for(call, &Cancel::default(), None) {
                Ok(Answer::NamedSkills(named)) => Some(named),
                // For the audit alone: a plugin that cannot say names none.
                _ => None,
            }
        });
        named::in_arguments(arguments, &named)
    }

    fn is_offered(&self, catalog: &Catalog) -> bool {
        self.offered_in(catalog).is_offered
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        let answers = self.supervisor.conversation(context);
        let shown = self.shows_conversation.then(|| WireShown {
            catalog: context.catalog.serial(),
            boundary: context.boundary.as_str().to_owned(),
            state: state_number(context.session),
        });
        let call = Call::Tool {
            tool: self.at,
            arguments: arguments.clone(),
            session: context.session.id().as_str().to_owned(),
            caller: context.caller,
            shown,
        };
        match self.call_for(call, context.cancel, Some(&answers)) {
            Ok(Answer::ToolResult { result, named }) => {
                if let Some(named) = named {
                    self.named.keep(arguments, named);
                }
                result.into()
            }
            Ok(_) => failed(Broken::Reported(nonsense())),
            Err(broken) => failed(broken),
        }
    }
}

impl RemoteTool {
    fn call_for(
        &self,
        call: Call,
        cancel: &Cancel,
        answers: Option<&dyn conversation::Answer>,
    ) -> Result<Answer, Broken> {
        let answers = answers.filter(|_| self.shows_conversation);
        let part = &mut |_, _| Err(nonsense());
        let (answer, _) = self.supervisor.call(call, &mut Caller { cancel, part, answers })?;
        Ok(answer)
    }

    /// Returns how the tool is described while a catalog is pinned. A plugin that cannot say so
    /// describes it as without one.
    fn offered_in(&self, catalog: &Catalog) -> Cow<'_, OfferedTool> {
        if !self.shows_conversation {
            return Cow::Borrowed(&self.offered);
        }
        let described =
            self.described.get(catalog.serial(), || self.describe(catalog).map(Arc::new));
        match described {
            Some(described) if *described != self.offered => Cow::Owned((*described).clone()),
            _ => Cow::Borrowed(&self.offered),
        }
    }

    fn describe(&self, catalog: &Catalog) -> Option<OfferedTool> {
        let answers = self.supervisor.catalog_alone(catalog);
        let call = Call::Describe { tool: self.at, catalog: catalog.serial() };
        match self.call_for(call, &Cancel::default(), Some(&answers)) {
            Ok(Answer::Described(described)) if described.name == self.offered.name => {
                Some(*described)
            }
            _ => None,
        }
    }
}

fn failed(broken: Broken) -> ToolResult {
    let (code, message) = match broken {
        Broken::Process(error) => (Code::new(error.kind.as_str()), error.to_string()),
        Broken::Reported(error) if error.kind == SourceErrorKind::Cancelled => {
            (CANCELLED, error.message)
        }
        Broken::Reported(error) => (PLUGIN_FAILED, error.message),
    };
    ToolResult::error(code, message)
}
