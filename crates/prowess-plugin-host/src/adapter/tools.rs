//! A plugin's tools as the core's.

use std::borrow::Cow;
use std::sync::Arc;

use abi_stable::std_types::{RResult, RString};
use prowess_core::{
    Caller, Catalog, Code, Content, Tool, ToolContext, ToolDefinition, ToolProvider, ToolResult,
};
use prowess_plugin_abi::codes;
use prowess_plugin_abi::text::checked_string;
use serde::Deserialize;
use serde_json::Value;

use super::convert::{self, Described};
use super::named::NamedSkills;
use crate::PluginErrorKind;
use crate::conversation::{Answers, Conversation, Shown, state_number};
use crate::failure::Failure;
use crate::generation::{CallContext, Shared};
use crate::instance::Instance;
use crate::recent::Recent;

/// How a provider's tools are described, by the numbers of a catalog and of an instance.
type Definitions = Recent<(u64, u64), Arc<[Described]>>;

/// The tools of one provider.
pub(crate) struct PluginTools {
    tools: Vec<Arc<PluginTool>>,
}

impl PluginTools {
    pub(crate) fn new(shared: &Arc<Shared>, index: usize) -> Self {
        let described = convert::described(&shared.shape.tools[index]);
        let described = described.expect("they were read when the plugin began");
        let definitions = Arc::<Definitions>::default();
        let tool = |(at, described)| {
            let definitions = Arc::clone(&definitions);
            let shared = Arc::clone(shared);
            let named = NamedSkills::default();
            Arc::new(PluginTool { shared, index, at, described, definitions, named })
        };
        Self { tools: described.into_iter().enumerate().map(tool).collect() }
    }

    /// Returns the tools themselves.
    pub(crate) fn of_plugin(&self) -> &[Arc<PluginTool>] {
        &self.tools
    }
}

impl ToolProvider for PluginTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.iter().map(|tool| Arc::clone(tool) as _).collect()
    }
}

/// One tool.
pub(crate) struct PluginTool {
    shared: Arc<Shared>,
    /// The position of its provider.
    index: usize,
    /// Its position among the provider's tools.
    at: usize,
    /// How it is described without a catalog.
    described: Described,
    /// How the provider's tools are described with one.
    definitions: Arc<Definitions>,
    /// The skills that the last calls concerned.
    named: NamedSkills,
}

impl Tool for PluginTool {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        self.with_catalog(catalog, Described::definition)
    }

    fn accepts(&self, catalog: &Catalog) -> Cow<'_, Value> {
        let own = self.described.accepted();
        self.with_catalog(catalog, |described| match described.accepted() {
            same if same == own => Cow::Borrowed(own),
            other => Cow::Owned(other.clone()),
        })
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        super::named::in_arguments(arguments, &self.skills_named(arguments))
    }

    fn is_offered(&self, catalog: &Catalog) -> bool {
        self.with_catalog(catalog, |described| described.is_offered)
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        let answers = Conversation {
            catalog: context.catalog,
            session: Some(context.session),
            caller: context.caller,
            clock: context.clock,
            most_bytes: self.shared.limits.answer_bytes,
        };
        let call = CallContext {
            cancel: Some(context.cancel),
            session: context.session.id().as_str(),
            caller: context.caller,
            shown: self.shared.shows_conversation.then(|| Shown {
                catalog: context.catalog.serial(),
                boundary: context.boundary.as_str(),
                state: state_number(context.session),
                answers: Answers::Caller(&answers),
            }),
            ..CallContext::new("call")
        };
        self.call_in(&call, arguments)
    }
}

impl PluginTool {
    /// Calls the tool. It always answers.
    pub(crate) fn call_in(&self, call: &CallContext<'_>, arguments: &Value) -> ToolResult {
        self.answer(call, arguments).unwrap_or_else(|failure| {
            ToolResult::error(convert::result_code(&failure), failure.message)
        })
    }

    /// Returns how the tool is described without a catalog.
    pub(crate) fn described(&self) -> &Described {
        &self.described
    }

    /// Returns the skills that the tool finds in arguments. A call with them has found out already.
    pub(crate) fn skills_named(&self, arguments: &Value) -> Vec<String> {
        if !self.shared.shows_conversation {
            return Vec::new();
        }
        self.named.get(arguments, || {
            let (index, name, arguments) = self.parts(arguments);
            let text = self.shared.call(
                &CallContext::new("named_skills"),
                move |instance: &Instance, _| {
                    let tools = &instance.objects().tools[index];
                    tools.named_skills(name.as_str().into(), arguments.as_str().into())
                },
            );
            // For the audit alone: a plugin that cannot say names none.
            self.names(text.ok()?)
        })
    }

    fn names(&self, text: RString) -> Option<Vec<String>> {
        serde_json::from_str(&self.text(text).ok()?).ok()
    }

    /// Returns how the tool is described while a catalog is pinned. A plugin that cannot say so
    /// describes it as without one.
    pub(crate) fn described_in(&self, shown: Shown<'_>) -> Arc<[Described]> {
        let instance = self.shared.current().number();
        let described = self.definitions.get((shown.catalog, instance), || {
            let described = self.describe_all(shown).ok();
            let own = &self.described.name;
            described.filter(|all| all.get(self.at).is_some_and(|found| found.name == *own))
        });
        described.unwrap_or_default()
    }

    /// Returns this tool's description among those of the provider's tools.
    pub(crate) fn own<'d>(&'d self, all: &'d [Described]) -> &'d Described {
        all.get(self.at).unwrap_or(&self.described)
    }

    fn describe_all(&self, shown: Shown<'_>) -> Result<Arc<[Described]>, Failure> {
        let index = self.index;
        let call = CallContext { shown: Some(shown), ..CallContext::new("tools") };
        let text = self.shared.call(&call, move |instance: &Instance, ctx| {
            instance.objects().tools[index].tools_for(ctx)
        })?;
        let described = convert::described(&self.text(text)?);
        described.map(Into::into).map_err(|reason| self.fault(&reason))
    }

    fn with_catalog<T>(&self, catalog: &Catalog, work: impl FnOnce(&Described) -> T) -> T {
        if !self.shared.shows_conversation {
            return work(&self.described);
        }
        let answers = Conversation {
            catalog,
            session: None,
            caller: Caller::Model,
            clock: self.shared.host.clock(),
            most_bytes: self.shared.limits.answer_bytes,
        };
        let answers = Answers::Caller(&answers);
        let shown = Shown { catalog: catalog.serial(), boundary: "", state: None, answers };
        work(self.own(&self.described_in(shown)))
    }

    fn parts(&self, arguments: &Value) -> (usize, String, String) {
        (self.index, self.described.name.clone(), arguments.to_string())
    }

    fn answer(&self, call: &CallContext<'_>, arguments: &Value) -> Result<ToolResult, Failure> {
        let (index, name, text) = self.parts(arguments);
        let names_skills = self.shared.shows_conversation && !self.named.knows(arguments);
        let (text, named) = self.shared.call(call, move |instance: &Instance, ctx| {
            let tools = &instance.objects().tools[index];
            let name = name.as_str().into();
            let arguments = text.as_str().into();
            tools.call(ctx, name, arguments).map(|answer| {
                // On the way back, so that the audit costs no second hand-over.
                (answer, names_skills.then(|| tools.named_skills(name, arguments)))
            })
        })?;
        if let Some(RResult::ROk(named)) = named
            && let Some(named) = self.names(named)
        {
            self.named.keep(arguments, named);
        }
        let text = self.text(text)?;
        let answer: Answer = serde_json::from_str(&text)
            .map_err(|error| self.fault(&format!("with what is no result: {error}")))?;
        Ok(answer.into_result())
    }

    /// Returns the text of an answer, which is bounded and UTF-8.
    fn text(&self, text: RString) -> Result<String, Failure> {
        let most = self.shared.limits.answer_bytes;
        if text.len() > most {
            return Err(self.fault(&format!("with {} bytes; {most} are allowed", text.len())));
        }
        checked_string(text)
            .map_err(|error| self.fault(&format!("with what is not UTF-8 text: {error}")))
    }

    fn fault(&self, how: &str) -> Failure {
        let plugin = &self.shared.name;
        let tool = &self.described.name;
        let message = format!("the plugin `{plugin}` answers a call of `{tool}` {how}");
        Failure::of(PluginErrorKind::Protocol, codes::INTERNAL, message)
    }
}

/// A result as a plugin writes it.
#[derive(Deserialize)]
struct Answer {
    is_error: bool,
    #[serde(default)]
    code: Option<Code>,
    content: Vec<Content>,
    #[serde(default)]
    structured: Option<Value>,
}

/// Checks that this is a result as a plugin has to write it.
///
/// # Errors
///
/// It is not; the text says why.
pub fn is_answer(text: &str) -> Result<(), String> {
    serde_json::from_str::<Answer>(text).map(drop).map_err(|error| error.to_string())
}

impl Answer {
    fn into_result(self) -> ToolResult {
        let Self { is_error, code, content, structured } = self;
        ToolResult { is_error, code, content, structured, error: None }
    }
}
