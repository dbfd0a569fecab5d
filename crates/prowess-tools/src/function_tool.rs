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
        let current = &self.tool.definition.name;
        let names = std::iter::once(current).chain(&self.aliases);
        names.map(|name| Arc::new(self.named(name)) as _).collect()
    }
}

impl FunctionTool {
    /// Returns the tool under one of its names.
    fn named(&self, name: &str) -> Named {
        let names = std::iter::once(&self.tool.definition.name).chain(&self.aliases);
        let other_names = names.filter(|other| *other != name).cloned().collect();
        Named { name: name.to_owned(), tool: Arc::clone(&self.tool), other_names }
    }
}

/// A tool under its present name, or under an older one.
struct Named {
    name: String,
    tool: Arc<NamedFunction>,
    other_names: Vec<String>,
}

impl Named {
    /// Returns the note about an older name.
    fn note(&self) -> Option<String> {
        let current = &self.tool.definition.name;
        (self.name != *current).then(|| {
            format!("{} is deprecated; call {} instead.", quoted(&self.name), quoted(current))
        })
    }
}

impl Tool for Named {
    fn definition(&self, _catalog: &Catalog) -> ToolDefinition {
        let definition = self.tool.definition.clone();
        let Some(note) = self.note() else { return definition };
        let description = format!("{note} {}", definition.description);
        ToolDefinition { name: self.name.clone(), description, ..definition }
    }

    fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.name)
    }

    fn accepts(&self, _catalog: &Catalog) -> Cow<'_, Value> {
        Cow::Borrowed(&self.tool.definition.input_schema)
    }

    fn other_names(&self) -> Vec<&str> {
        self.other_names.iter().map(String::as_str).collect()
    }

    fn is_offered(&self, _catalog: &Catalog) -> bool {
        self.name == self.tool.definition.name
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        let note = self.note();
        if note.is_some() {
            trace::deprecated_name(&self.name, &self.tool.definition.name);
        }
        let mut result = (self.tool.function)(context, arguments);
        let note = note.map(|note| Content::Text { text: format!("Note: {note}") });
        result.content.extend(note);
        result
    }
}
