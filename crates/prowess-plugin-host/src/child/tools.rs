//! The tools of a plugin's process, as those of the core.

use std::borrow::Cow;
use std::sync::Arc;

use prowess_core::{
    Catalog, Code, SourceErrorKind, Tool, ToolContext, ToolDefinition, ToolProvider, ToolResult,
};
use serde_json::Value;

use super::broken::{Broken, nonsense};
use super::protocol::{Answer, Call, OfferedTool};
use super::supervisor::Supervisor;

/// What a plugin's process offers as tools.
pub(super) fn tools(
    supervisor: &Arc<Supervisor>,
    offered: Vec<OfferedTool>,
) -> Arc<dyn ToolProvider> {
    let tool = |(at, offered)| {
        Arc::new(RemoteTool { supervisor: Arc::clone(supervisor), at, offered }) as Arc<dyn Tool>
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
    offered: OfferedTool,
}

impl Tool for RemoteTool {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        let OfferedTool { name, description, input_schema, .. } = self.offered.clone();
        ToolDefinition { name, description, input_schema }
    }

    fn accepts(&self, _: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(&self.offered.accepts)
    }

    fn is_offered(&self, _: &Catalog) -> bool {
        self.offered.is_offered
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        let session = context.session.id().as_str().to_owned();
        let caller = context.caller;
        let call = Call::Tool { tool: self.at, arguments: arguments.clone(), session, caller };
        match self.supervisor.call(call, context.cancel, &mut |_, _| Err(nonsense())) {
            Ok((Answer::ToolResult(result), _)) => result.into(),
            Ok(_) => failed(Broken::Reported(nonsense())),
            Err(broken) => failed(broken),
        }
    }
}

fn failed(broken: Broken) -> ToolResult {
    let (code, message) = match broken {
        Broken::Process(error) => (error.kind.as_str(), error.to_string()),
        Broken::Reported(error) if error.kind == SourceErrorKind::Cancelled => {
            ("cancelled", error.message)
        }
        Broken::Reported(error) => ("plugin-failed", error.message),
    };
    ToolResult::error(Code::new(code), message)
}
