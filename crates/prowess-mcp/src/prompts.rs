//! Prompts: one for each skill that a user may load.

use prowess::format::substitute::{Arguments, Parameter, parameters, substitute};
use prowess::format::{Directory, Mapping, Value, parse_in};
use prowess::text::quoted;
use prowess::tools::Surface;
use prowess::{Caller, Catalog, ForkedSession, ReadLimit, Record, ResourcePath, Turn};
use rmcp::ErrorData;
use rmcp::model::{
    ArgumentInfo, CompletionInfo, GetPromptResult, JsonObject, Prompt, PromptArgument,
    PromptMessage, Reference, Role,
};

use crate::convert::{coded, fork_meta};
use crate::page::{Page, page};

/// The name of the argument that stands for everything behind the skill's name.
const WHOLE: &str = "arguments";

/// Returns a page of the prompts.
pub(crate) fn list(
    turn: &Turn,
    cursor: Option<&str>,
    size: usize,
) -> Result<Page<Prompt>, ErrorData> {
    let records = turn.completions("", usize::MAX);
    let Page { items, next } = page(records, |record| record.id(), cursor, size)?;
    let items = items.into_iter().map(|record| prompt(turn.catalog(), record)).collect();
    Ok(Page { items, next })
}

fn prompt(catalog: &Catalog, record: Record<'_>) -> Prompt {
    let fields = fields(catalog, record).unwrap_or_default();
    let declared = parameters(&fields);
    let arguments = declared.iter().map(argument).chain([whole_argument(&fields)]);
    Prompt::new(record.id(), Some(record.description()), Some(arguments.collect()))
}

fn argument(parameter: &Parameter<'_>) -> PromptArgument {
    PromptArgument::new(parameter.name).with_required(parameter.default.is_none())
}

fn whole_argument(fields: &Mapping) -> PromptArgument {
    let hint = match fields.get("argument-hint").map(|field| &field.value) {
        Some(Value::Text(hint)) => hint.clone(),
        _ => "What the skill is to be used for".to_owned(),
    };
    PromptArgument::new(WHOLE).with_description(hint).with_required(false)
}

/// Returns the frontmatter of a skill.
fn fields(catalog: &Catalog, record: Record<'_>) -> Option<Mapping> {
    let path = ResourcePath::new(record.file()).ok()?;
    let text = catalog.read(record, &path, ReadLimit::default()).ok()?;
    let directory = Directory { name: record.directory(), is_compared: false };
    Some(parse_in(&text, Some(directory), record.rules()).document?.frontmatter.fields)
}

/// Loads a skill for the user, and returns its instructions with the arguments in place, and the
/// session that was forked for it, if it asks for one.
pub(crate) fn get(
    turn: &Turn,
    name: &str,
    arguments: &JsonObject,
) -> Result<(GetPromptResult, Option<Box<ForkedSession>>), ErrorData> {
    let record = turn.catalog().find(name, Caller::User).found().ok_or_else(|| unknown(name))?;
    let mut load = turn.load_call(name).ok_or_else(|| unknown(name))?;
    let fields = fields(turn.catalog(), record).unwrap_or_default();
    let values = texts(arguments)?;
    let text = values.iter().find(|(name, _)| *name == WHOLE).map_or("", |(_, value)| value);
    let has_field = load.name == Surface::Skill.load_tool().unwrap_or_default();
    if has_field {
        load.arguments["args"] = text.into();
    }
    let dispatched = turn.call_as_user(&load);
    if let Some(message) = dispatched.result.message() {
        let data = dispatched.result.code.as_ref().map(|code| coded(code.as_str()));
        return Err(ErrorData::invalid_params(message.to_owned(), data));
    }
    let body = dispatched.result.texts().last().unwrap_or_default();
    // Where the result has the arguments, they are not behind the instructions, too.
    let text = if has_field && !body.contains("$ARGUMENTS") { "" } else { text };
    let values: Vec<_> = values.iter().copied().filter(|(name, _)| *name != WHOLE).collect();
    let parameters = parameters(&fields);
    let arguments = Arguments { parameters: &parameters, values: &values, text };
    let message = substitute(body, &arguments).text.into_owned();
    let message = PromptMessage::new_text(Role::User, message);
    let mut result = GetPromptResult::new(vec![message]).with_description(record.description());
    result.meta = dispatched.result.fork.as_deref().map(fork_meta);
    Ok((result, dispatched.result.fork))
}

/// Returns the arguments, which the protocol requires to be texts.
fn texts(arguments: &JsonObject) -> Result<Vec<(&str, &str)>, ErrorData> {
    let text = |(name, value): (&'_ String, &'_ serde_json::Value)| match value.as_str() {
        Some(_) => Ok(()),
        None => Err(ErrorData::invalid_params(format!("{} is not a text", quoted(name)), None)),
    };
    arguments.iter().try_for_each(text)?;
    let pairs = arguments.iter().filter_map(|(name, value)| Some((&**name, value.as_str()?)));
    Ok(pairs.collect())
}

/// Completes the name of a skill in a URI. The arguments of a prompt have no known values.
pub(crate) fn complete(
    turn: &Turn,
    reference: &Reference,
    argument: &ArgumentInfo,
) -> Result<CompletionInfo, ErrorData> {
    let is_known = match reference {
        Reference::Prompt(prompt) => {
            turn.catalog().find(&prompt.name, Caller::User).found().is_some()
        }
        Reference::Resource(template) => {
            crate::resources::templates().iter().any(|known| known.uri_template == template.uri)
        }
        _ => false,
    };
    if !is_known {
        return Err(ErrorData::invalid_params("unknown reference: nothing to complete", None));
    }
    let most = CompletionInfo::MAX_VALUES;
    let is_skill = matches!(reference, Reference::Resource(_)) && argument.name == "skill";
    let found = if is_skill { turn.completions(&argument.value, most + 1) } else { Vec::new() };
    let has_more = found.len() > most;
    let values = found.into_iter().take(most).map(|record| record.id().to_owned()).collect();
    CompletionInfo::with_pagination(values, None, has_more)
        .map_err(|error| ErrorData::internal_error(error, None))
}

fn unknown(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("no prompt named {}", quoted(name)), None)
}
