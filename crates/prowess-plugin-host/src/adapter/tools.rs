//! The tools of a plugin in this process.

use std::borrow::Cow;
use std::sync::Arc;

use abi_stable::std_types::{RResult, RString};
use prowess_core::{
    Caller, Catalog, Code, Content, ResultTexts, Tool, ToolContext, ToolDefinition, ToolProvider,
    ToolResult,
};
use prowess_plugin_abi::codes;
use prowess_plugin_abi::text::checked_string;
use serde::Deserialize;
use serde_json::Value;

use super::convert::{self, ToolDescription};
use super::named::NamedSkills;
use crate::PluginErrorKind;
use crate::conversation::{Conversation, Shown, state_number};
use crate::failure::Failure;
use crate::generation::{CallContext, Shared};
use crate::instance::Instance;
use crate::recent::Recent;

/// Cached descriptions of a provider's tools, by the numbers of the catalog and of the instance.
type Definitions = Recent<(u64, u64), Arc<[DescribedTool]>>;

/// A tool as it is described with a catalog.
pub(crate) struct DescribedTool {
    description: ToolDescription,
    /// Whether it accepts what it accepts without a catalog. Compared once, not for each call.
    accepts_the_same: bool,
}

/// The tools of one provider.
pub(crate) struct PluginTools {
    tools: Vec<Arc<PluginTool>>,
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
            let named = NamedSkills::default();
            Arc::new(PluginTool { shared, index, at, described, definitions, named })
        };
        Self { tools: (0..described.len()).map(tool).collect() }
    }

    /// Returns the tools with their concrete type.
    pub(crate) fn of_plugin(&self) -> &[Arc<PluginTool>] {
        &self.tools
    }
}

impl ToolProvider for PluginTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.iter().map(|tool| Arc::clone(tool) as _).collect()
    }
}

/// A tool of a plugin in this process.
pub(crate) struct PluginTool {
    shared: Arc<Shared>,
    /// The position of the tool's provider.
    index: usize,
    /// The tool's position among the provider's tools.
    at: usize,
    /// The descriptions of the provider's tools without a catalog.
    described: Arc<[ToolDescription]>,
    /// The descriptions of the provider's tools with a catalog.
    definitions: Arc<Definitions>,
    /// The skills that the arguments of the latest calls name.
    named: NamedSkills,
}

impl Tool for PluginTool {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        self.own(&self.in_catalog(catalog)).definition()
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.described().name)
    }

    fn accepts(&self, catalog: &Catalog) -> Cow<'_, Value> {
        match self.in_catalog(catalog).get(self.at) {
            Some(described) if !described.accepts_the_same => {
                Cow::Owned(described.description.accepted().clone())
            }
            _ => Cow::Borrowed(self.described().accepted()),
        }
    }

    fn named_skills<'a>(&self, arguments: &'a Value) -> Vec<&'a str> {
        super::named::in_arguments(arguments, &self.skills_named(arguments))
    }

    fn is_offered(&self, catalog: &Catalog) -> bool {
        self.own(&self.in_catalog(catalog)).is_offered
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        let answers = Conversation {
            catalog: context.catalog,
            session: Some(context.session),
            caller: context.caller,
            clock: context.clock,
            max_bytes: self.shared.limits.answer_bytes,
        };
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
        self.call_in(&call, arguments)
    }
}

impl PluginTool {
    /// Calls the tool. A failed call is a result with an error.
    pub(crate) fn call_in(&self, call: &CallContext<'_>, arguments: &Value) -> ToolResult {
        self.answer(call, arguments).unwrap_or_else(|failure| {
            ToolResult::error(convert::result_code(&failure), failure.message)
        })
    }

    /// Returns the tool's description without a catalog.
    pub(crate) fn described(&self) -> &ToolDescription {
        &self.described[self.at]
    }

    /// Returns the skills that the arguments name. After a call with these arguments they are
    /// cached.
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
            // The names are only used by the audit, so an error counts as no names.
            self.parse_names(text.ok()?)
        })
    }

    fn parse_names(&self, text: RString) -> Option<Vec<String>> {
        serde_json::from_str(&self.text(text).ok()?).ok()
    }

    /// Returns the descriptions of the provider's tools for a catalog. If the plugin fails to
    /// describe them, the result is empty, and the description without a catalog applies.
    pub(crate) fn described_in(&self, shown: Shown<'_>) -> Arc<[DescribedTool]> {
        let instance = self.shared.current().number();
        let described = self
            .definitions
            .get_or_insert_with((shown.catalog, instance), || self.describe_all(shown).ok());
        described.unwrap_or_default()
    }

    /// Returns this tool's description among those of its provider.
    pub(crate) fn own<'d>(&'d self, all: &'d [DescribedTool]) -> &'d ToolDescription {
        all.get(self.at).map_or_else(|| self.described(), |described| &described.description)
    }

    fn describe_all(&self, shown: Shown<'_>) -> Result<Arc<[DescribedTool]>, Failure> {
        let index = self.index;
        let call = CallContext { shown: Some(shown), ..CallContext::new("tools") };
        let text = self.shared.call(&call, move |instance: &Instance, ctx| {
            instance.objects().tools[index].tools_for(ctx)
        })?;
        let described = convert::parse_tools(&self.text(text)?);
        let described = described.map_err(|reason| self.fault(&reason))?;
        described_as(&self.described, described)
            .ok_or_else(|| self.fault("without a description of each tool"))
    }

    /// Returns the descriptions of the provider's tools for a catalog; none if the plugin cannot
    /// see it.
    fn in_catalog(&self, catalog: &Catalog) -> Arc<[DescribedTool]> {
        if !self.shared.shows_conversation {
            return Arc::default();
        }
        let answers = Conversation {
            catalog,
            session: None,
            caller: Caller::Model,
            clock: self.shared.host.clock(),
            max_bytes: self.shared.limits.answer_bytes,
        };
        let shown =
            Shown { catalog: catalog.serial(), boundary: "", state: None, answers: &answers };
        self.described_in(shown)
    }

    fn parts(&self, arguments: &Value) -> (usize, String, String) {
        (self.index, self.described().name.clone(), arguments.to_string())
    }

    fn answer(&self, call: &CallContext<'_>, arguments: &Value) -> Result<ToolResult, Failure> {
        let (index, name, text) = self.parts(arguments);
        let names_skills = self.shared.shows_conversation && !self.named.contains(arguments);
        let (text, named) = self.shared.call(call, move |instance: &Instance, ctx| {
            let tools = &instance.objects().tools[index];
            let name = name.as_str().into();
            let arguments = text.as_str().into();
            tools.call(ctx, name, arguments).map(|answer| {
                // In the same job, so that the audit costs no second hand-over between threads.
                (answer, names_skills.then(|| tools.named_skills(name, arguments)))
            })
        })?;
        if let Some(RResult::ROk(named)) = named
            && let Some(named) = self.parse_names(named)
        {
            self.named.insert(arguments, named);
        }
        let text = self.text(text)?;
        result(&text).map_err(|error| self.fault(&format!("with an invalid result: {error}")))
    }

    /// Checks the size and the encoding of an answer.
    fn text(&self, text: RString) -> Result<String, Failure> {
        let most = self.shared.limits.answer_bytes;
        if text.len() > most {
            return Err(self.fault(&format!("with {} bytes; {most} are allowed", text.len())));
        }
        checked_string(text)
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
        let description = described.swap_remove(at);
        let accepts_the_same = own.accepted() == description.accepted();
        Some(DescribedTool { description, accepts_the_same })
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

/// Checks that the text is a valid result of a tool call.
///
/// # Errors
///
/// Returns the reason if it is not.
pub fn check_result(text: &str) -> Result<(), String> {
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
