//! Tools from functions.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;

use prowess_core::{Catalog, Content, Tool, ToolContext, ToolDefinition, ToolProvider, ToolResult};
use prowess_text::{clipped, quoted};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::gate::MAX_MESSAGE_CHARS;
use crate::{codes, trace};

/// A function with a name, a description and the schema of its arguments.
type Function = dyn Fn(&ToolContext<'_>, &Value) -> ToolResult + Send + Sync;

/// A tool that calls a function of the host.
///
/// ```
/// use prowess_tools::{FunctionTool, ToolNaming, Toolbox};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Place {
///     /// The name of a city.
///     city: String,
/// }
///
/// let weather = FunctionTool::new(
///     "weather",
///     "Returns the weather of a city. Use it when the user asks for the weather.",
///     |place: Place| Ok::<_, String>(format!("It is sunny in {}.", place.city)),
/// );
/// Toolbox::builder(ToolNaming::default()).provider(&weather.alias("get_weather")).build()?;
/// # Ok::<(), prowess_tools::BuildError>(())
/// ```
///
/// The arguments have to be a struct, whose schema is derived. A result that is a text is returned
/// as text, and any other as JSON. An error is a result with the code
/// [`FUNCTION_FAILED`](codes::FUNCTION_FAILED) and the message of the error, which the model reads.
#[derive(Clone)]
pub struct FunctionTool {
    tool: Arc<NamedFunction>,
    aliases: Vec<String>,
}

struct NamedFunction {
    definition: ToolDefinition,
    function: Box<Function>,
}

impl FunctionTool {
    /// Creates a tool that calls `function`. The description says what it does and when to use it.
    pub fn new<A, R, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        function: impl Fn(A) -> Result<R, E> + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize,
        E: Display,
    {
        Self::with_context(name, description, move |_, arguments| function(arguments))
    }

    /// Creates a tool whose function also gets the context of the call: its catalog, session, clock
    /// and cancellation.
    pub fn with_context<A, R, E>(
        name: impl Into<String>,
        description: impl Into<String>,
        function: impl Fn(&ToolContext<'_>, A) -> Result<R, E> + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize,
        E: Display,
    {
        let name = name.into();
        let shown = quoted(&name);
        let function = move |context: &ToolContext<'_>, arguments: &Value| {
            let arguments = match A::deserialize(arguments) {
                Ok(arguments) => arguments,
                Err(error) => {
                    let message = format!("{shown}: {error}. Correct this and call again");
                    let message = clipped(&message, MAX_MESSAGE_CHARS);
                    return ToolResult::error(codes::INVALID_ARGUMENTS, message);
                }
            };
            match function(context, arguments) {
                Ok(result) => serialized(&shown, &result),
                Err(error) => failed(&shown, &error),
            }
        };
        let definition =
            ToolDefinition { name, description: description.into(), input_schema: schema::<A>() };
        let tool = NamedFunction { definition, function: Box::new(function) };
        Self { tool: Arc::new(tool), aliases: Vec::new() }
    }

    /// Adds an older name, which still works but is not offered. A call by it emits the event
    /// `deprecated_tool`, and its result has a note with the present name.
    #[must_use]
    pub fn alias(mut self, name: impl Into<String>) -> Self {
        self.aliases.push(name.into());
        self
    }
}

/// Returns the schema of a type, without references where possible.
fn schema<A: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    // The name of a type means nothing to a model.
    schema.remove("title");
    schema.to_value()
}

fn serialized<R: Serialize>(tool: &str, result: &R) -> ToolResult {
    match serde_json::to_value(result) {
        Ok(Value::String(text)) => ToolResult::text(text),
        Ok(value) => ToolResult::data(value),
        Err(error) => failed(tool, &error),
    }
}

fn failed(tool: &str, error: &dyn Display) -> ToolResult {
    let message = clipped(&format!("{tool} failed: {error}"), MAX_MESSAGE_CHARS);
    ToolResult::error(codes::FUNCTION_FAILED, message)
}

impl ToolProvider for FunctionTool {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tool = || Arc::clone(&self.tool);
        let current = Current { tool: tool(), aliases: self.aliases.clone() };
        let aliases = self.aliases.iter().map(|name| {
            let name = name.clone();
            Arc::new(Alias { name, tool: tool(), aliases: self.aliases.clone() }) as _
        });
        std::iter::once(Arc::new(current) as _).chain(aliases).collect()
    }
}

/// A tool under its present name.
struct Current {
    tool: Arc<NamedFunction>,
    aliases: Vec<String>,
}

impl Tool for Current {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        self.tool.definition.clone()
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.tool.definition.name)
    }

    fn accepts(&self, _catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(&self.tool.definition.input_schema)
    }

    fn other_names(&self) -> Vec<&str> {
        self.aliases.iter().map(String::as_str).collect()
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        (self.tool.function)(context, arguments)
    }
}

/// An older name of a tool.
struct Alias {
    name: String,
    tool: Arc<NamedFunction>,
    /// Every older name, this one included.
    aliases: Vec<String>,
}

impl Alias {
    fn note(&self) -> String {
        let current = quoted(&self.tool.definition.name);
        format!("{} is deprecated; call {current} instead.", quoted(&self.name))
    }
}

impl Tool for Alias {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        let definition = self.tool.definition.clone();
        let description = format!("{} {}", self.note(), definition.description);
        ToolDefinition { name: self.name.clone(), description, ..definition }
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    fn accepts(&self, _catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(&self.tool.definition.input_schema)
    }

    fn other_names(&self) -> Vec<&str> {
        let aliases = self.aliases.iter().filter(|alias| **alias != self.name);
        std::iter::once(&self.tool.definition.name).chain(aliases).map(String::as_str).collect()
    }

    fn is_offered(&self, _catalog: &Catalog) -> bool {
        false
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        trace::deprecated_name(&self.name, &self.tool.definition.name);
        let mut result = (self.tool.function)(context, arguments);
        result.content.push(Content::Text { text: format!("Note: {}", self.note()) });
        result
    }
}
