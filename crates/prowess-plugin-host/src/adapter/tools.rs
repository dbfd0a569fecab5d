//! The tools of a plugin in this process.

use std::sync::Arc;

use abi_stable::std_types::{RResult, RString};
use prowess_core::{
    Catalog, Code, Content, ResultTexts, Tool, ToolContext, ToolProvider, ToolResult,
};
use prowess_plugin_abi::codes;
use prowess_plugin_abi::text::checked;
use serde::Deserialize;
use serde_json::Value;

use super::convert::{self, ToolDescription};
use super::tool::{Answered, DescribedTool, PluginTool, ToolPlugin};
use crate::PluginErrorKind;
use crate::conversation::{Conversation, Shown, state_number};
use crate::failure::Failure;
use crate::generation::{CallContext, Shared};
use crate::instance::Instance;
use crate::recent::Recent;

/// Cached descriptions of a provider's tools, by the numbers of the catalog and of the instance.
type Definitions = Recent<(u64, u64), Arc<[DescribedTool]>>;

/// A tool in this process.
pub(crate) type LocalTool = PluginTool<LocalPlugin>;

/// The tools of one provider.
pub(crate) struct PluginTools {
    tools: Vec<Arc<LocalTool>>,
}

impl PluginTools {
    pub(crate) fn new(shared: &Arc<Shared>, index: usize) -> Self {
        let described = convert::parse_tools(&shared.shape.tools[index]);
        let described = described.expect("the list was parsed when the plugin was loaded");
        let described: Arc<[_]> = described.into();
        let definitions = Arc::<Definitions>::default();
        let tool = |at| {
            let described = Arc::clone(&described);
            let definitions = Arc::clone(&definitions);
            let shared = Arc::clone(shared);
            Arc::new(PluginTool::new(LocalPlugin { shared, index, at, described, definitions }))
        };
        Self { tools: (0..described.len()).map(tool).collect() }
    }

    /// Returns the tools with their concrete type.
    pub(crate) fn of_plugin(&self) -> &[Arc<LocalTool>] {
        &self.tools
    }
}

impl ToolProvider for PluginTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.iter().map(|tool| Arc::clone(tool) as _).collect()
    }
}

/// A plugin in this process, for one of its tools.
pub(crate) struct LocalPlugin {
    shared: Arc<Shared>,
    /// The position of the tool's provider.
    index: usize,
    /// The tool's position among the provider's tools.
    at: usize,
    /// The descriptions of the provider's tools without a catalog.
    described: Arc<[ToolDescription]>,
    /// The descriptions of the provider's tools with a catalog.
    definitions: Arc<Definitions>,
}

impl ToolPlugin for LocalPlugin {
    fn described(&self) -> &ToolDescription {
        &self.described[self.at]
    }

    fn shows_conversation(&self) -> bool {
        self.shared.shows_conversation
    }

    fn described_in(&self, catalog: &Catalog) -> Option<DescribedTool> {
        let max_bytes = self.shared.limits.answer_bytes;
        let answers = Conversation::of_catalog(catalog, self.shared.host.clock(), max_bytes);
        let catalog = catalog.serial();
        self.described_by(Shown { catalog, boundary: "", state: None, answers: &answers })
    }

    fn named_skills(&self, arguments: &Value) -> Option<Vec<String>> {
        let (index, name, arguments) = self.parts(arguments);
        let context = CallContext::new("named_skills");
        let text = self.shared.call(&context, move |instance: &Instance, _| {
            let tools = &instance.objects().tools[index];
            tools.named_skills(name.as_str().into(), arguments.as_str().into())
        });
        self.parse_names(&text.ok()?)
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value, names_skills: bool) -> Answered {
        let answers = Conversation::of_call(context, self.shared.limits.answer_bytes);
        let call = CallContext {
            cancel: Some(context.cancel),
            session: context.session.id().as_str(),
            caller: context.caller,
            shown: self.shared.shows_conversation.then(|| Shown {
                catalog: context.catalog.serial(),
                boundary: context.boundary.as_str(),
                state: state_number(context.session),
                answers: &answers,
            }),
            ..CallContext::new("call")
        };
        self.call_in(&call, arguments, names_skills)
    }
}

impl LocalTool {
    pub(crate) fn call_in(&self, call: &CallContext<'_>, arguments: &Value) -> ToolResult {
        self.call_by(arguments, |plugin, names_skills| {
            plugin.call_in(call, arguments, names_skills)
        })
    }

    /// Returns the tool's description for the catalog of a conversation.
    pub(crate) fn described_by(&self, shown: Shown<'_>) -> Option<DescribedTool> {
        self.plugin.described_by(shown)
    }
}

impl LocalPlugin {
    fn call_in(&self, call: &CallContext<'_>, arguments: &Value, names_skills: bool) -> Answered {
        self.answer(call, arguments, names_skills).unwrap_or_else(|failure| {
            (ToolResult::error(convert::result_code(&failure), failure.message), None)
        })
    }

    fn parse_names(&self, text: &RString) -> Option<Vec<String>> {
        serde_json::from_str(self.text(text).ok()?).ok()
    }

    fn described_by(&self, shown: Shown<'_>) -> Option<DescribedTool> {
        let instance = self.shared.current().number();
        let described = self
            .definitions
            .get_or_insert_with((shown.catalog, instance), |_| self.describe_all(shown).ok());
        described?.get(self.at).cloned()
    }

    fn describe_all(&self, shown: Shown<'_>) -> Result<Arc<[DescribedTool]>, Failure> {
        let index = self.index;
        let call = CallContext { shown: Some(shown), ..CallContext::new("tools") };
        let text = self.shared.call(&call, move |instance: &Instance, ctx| {
            instance.objects().tools[index].tools_for(ctx)
        })?;
        let described = convert::parse_tools(self.text(&text)?);
        let described = described.map_err(|reason| self.fault(&reason))?;
        described_as(&self.described, described)
            .ok_or_else(|| self.fault("without a description of each tool"))
    }

    fn parts(&self, arguments: &Value) -> (usize, String, String) {
        let arguments = serde_json::to_string(arguments).unwrap_or_default();
        (self.index, self.described().name.clone(), arguments)
    }

    fn answer(
        &self,
        call: &CallContext<'_>,
        arguments: &Value,
        names_skills: bool,
    ) -> Result<Answered, Failure> {
        let (index, name, text) = self.parts(arguments);
        let (text, named) = self.shared.call(call, move |instance: &Instance, ctx| {
            let tools = &instance.objects().tools[index];
            let name = name.as_str().into();
            let arguments = text.as_str().into();
            tools.call(ctx, name, arguments).map(|answer| {
                // In the same job, so that the audit costs no second hand-over between threads.
                (answer, names_skills.then(|| tools.named_skills(name, arguments)))
            })
        })?;
        let named = match named {
            Some(RResult::ROk(named)) => self.parse_names(&named),
            _ => None,
        };
        let result = result(self.text(&text)?);
        let result =
            result.map_err(|error| self.fault(&format!("with an invalid result: {error}")))?;
        Ok((result, named))
    }

    /// Checks the size and the encoding of an answer.
    fn text<'t>(&self, text: &'t RString) -> Result<&'t str, Failure> {
        let most = self.shared.limits.answer_bytes;
        if text.len() > most {
            return Err(self.fault(&format!("with {} bytes; {most} are allowed", text.len())));
        }
        checked(text.as_rstr())
            .map_err(|error| self.fault(&format!("with text that is not UTF-8: {error}")))
    }

    fn fault(&self, how: &str) -> Failure {
        let plugin = &self.shared.name;
        let tool = &self.described().name;
        let message = format!("the plugin `{plugin}` answers a call of `{tool}` {how}");
        Failure::new(PluginErrorKind::Protocol, codes::INTERNAL, message)
    }
}

/// Returns the description of each own tool among those for a catalog, which may be in another
/// order. If one is missing, there is no result.
fn described_as(
    own: &[ToolDescription],
    mut described: Vec<ToolDescription>,
) -> Option<Arc<[DescribedTool]>> {
    let in_order = own.iter().map(|own| {
        let at = described.iter().position(|tool| tool.name == own.name)?;
        Some(DescribedTool::new(described.swap_remove(at), own))
    });
    in_order.collect()
}

/// The result of a tool call as the plugin returns it.
#[derive(Deserialize)]
struct Answer {
    is_error: bool,
    #[serde(default)]
    code: Option<Code>,
    content: Vec<Content>,
    #[serde(default)]
    structured: Option<Value>,
    /// The lengths of the texts that follow it.
    #[serde(default)]
    texts: Option<Vec<usize>>,
}

/// Checks that the text is a valid result of a tool call. Returns the reason if it is not.
#[cfg(feature = "check")]
pub(crate) fn check_result(text: &str) -> Result<(), String> {
    result(text).map(drop)
}

/// Reads the result of a tool call.
fn result(text: &str) -> Result<ToolResult, String> {
    let mut documents = serde_json::Deserializer::from_str(text).into_iter::<Answer>();
    let answer = documents.next().unwrap_or_else(|| serde_json::from_str(""));
    let answer = answer.map_err(|error| error.to_string())?;
    let after = text.get(documents.byte_offset()..).unwrap_or_default();
    let Answer { is_error, code, content, structured, texts } = answer;
    let mut result = ToolResult { is_error, code, content, structured, ..ToolResult::text("") };
    match (texts, after.strip_prefix('\n')) {
        (Some(lengths), Some(texts)) => {
            ResultTexts::put(&mut result, &lengths, texts).map_err(|error| error.to_string())?;
        }
        (None, _) if after.trim_ascii().is_empty() => {}
        _ => return Err("unexpected text after the document".to_owned()),
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn described(tools: &Value) -> Vec<ToolDescription> {
        convert::parse_tools(&tools.to_string()).expect("the tools have names and schemas")
    }

    #[test]
    fn descriptions_for_a_catalog_are_matched_by_name() {
        let schema = json!({"type": "object"});
        let own = described(&json!([
            {"name": "a", "input_schema": schema}, {"name": "b", "input_schema": schema}
        ]));
        let narrower = json!({"type": "object", "required": ["skill"]});
        let in_catalog = described(&json!([
            {"name": "c", "input_schema": schema},
            {"name": "b", "input_schema": narrower, "description": "for b"},
            {"name": "a", "input_schema": schema, "description": "for a"},
        ]));
        let matched = described_as(&own, in_catalog).expect("each tool is described");
        let texts = matched.iter().map(|it| (&*it.description.description, it.accepts_the_same));
        assert_eq!(texts.collect::<Vec<_>>(), [("for a", true), ("for b", false)]);

        let one = described(&json!([{"name": "b", "input_schema": schema}]));
        assert!(described_as(&own, one).is_none(), "`a` is not described");
    }

    #[test]
    fn texts_may_follow_the_document() {
        let document = r#"{"is_error":false,"content":[{"type":"text","text":""}],"texts":[5]}"#;
        let with_texts = format!("{document}\n\"a\nb\"");
        assert_eq!(result(&with_texts), Ok(ToolResult::text("\"a\nb\"")));
        let plain = r#" {"is_error": false, "content": [{"type": "text", "text": "a"}]} "#;
        assert_eq!(result(plain), Ok(ToolResult::text("a")), "space around it is JSON");
    }

    #[test]
    fn broken_results_are_errors() {
        let document = r#"{"is_error":false,"content":[{"type":"text","text":""}],"texts":[5]}"#;
        let without = r#"{"is_error":false,"content":[]}"#;
        let broken = [
            String::new(),
            "{".to_owned(),
            document.to_owned(),
            format!("{document}12345"),
            format!("{document}\n1234"),
            format!("{document}\n123456"),
            format!("{document}\n1234ä"),
            format!("{without}\n{without}"),
        ];
        for text in broken {
            assert!(result(&text).is_err(), "{text}");
        }
    }
}
