//! The hooks of a skill, as its frontmatter has them.

use prowess_core::{ActiveSkill, HookCommand, ResourcePath};
use prowess_text::shell_word;
use serde_json::Value;

use super::HookedCall;

/// The field of the frontmatter.
const FIELD: &str = "hooks";
const MOST_HOOKS: usize = 64;

/// Returns the hooks of a skill as a person approves them, such as `pre: scripts/pre.sh`; none if
/// they are not valid, since such a skill is not loaded where hooks run.
pub fn declared_hooks(skill: &ActiveSkill) -> Vec<String> {
    let Declared { pre, post, events } = Declared::of(skill).unwrap_or_default();
    let around =
        [("pre", pre), ("post", post)].into_iter().filter_map(|(name, it)| Some((name, it?)));
    let events = events.into_iter().map(|hook| (hook.event.name(), hook.script));
    let line = |(name, HookCommand { path, arguments }): (&str, HookCommand)| {
        let words = std::iter::once(path.as_str()).chain(arguments.iter().map(String::as_str));
        format!("{name}: {}", words.map(shell_word).collect::<Vec<_>>().join(" "))
    };
    around.chain(events).map(line).collect()
}

/// The hooks of one skill.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) pre: Option<HookCommand>,
    pub(super) post: Option<HookCommand>,
    pub(super) events: Vec<EventHook>,
}

/// A script that runs at an event.
#[derive(Debug)]
pub(super) struct EventHook {
    pub(super) event: Event,
    /// The names of the tools that it is about; `None` for every tool.
    tools: Option<Vec<String>>,
    pub(super) script: HookCommand,
    /// The time limit of the author.
    pub(super) seconds: Option<u64>,
    /// Whether it runs once in a session.
    pub(super) once: bool,
    /// Its position among the hooks of the skill.
    pub(super) index: usize,
}

/// An event that hooks run at. Others that a frontmatter names have no meaning here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    PreToolUse,
    PostToolUse,
    Stop,
}

impl Event {
    const ALL: [Self; 3] = [Self::PreToolUse, Self::PostToolUse, Self::Stop];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::Stop => "Stop",
        }
    }
}

impl Declared {
    /// Returns whether the frontmatter of a skill has hooks, valid or not.
    pub(super) fn may_have_hooks(skill: &ActiveSkill) -> bool {
        skill.properties.get(FIELD).is_some_and(|hooks| !hooks.is_null())
    }

    /// Reads the hooks of a skill.
    ///
    /// # Errors
    ///
    /// A hook that would run here is not the path of a script of the package.
    pub(super) fn of(skill: &ActiveSkill) -> Result<Self, String> {
        let Some(hooks) = skill.properties.get(FIELD) else { return Ok(Self::default()) };
        let path = |key: &str| -> Result<Option<HookCommand>, String> {
            let Some(path) = hooks.get(key) else { return Ok(None) };
            let invalid = |reason: &str| format!("its hook `{key}` {reason}");
            let path = path.as_str().ok_or_else(|| invalid("is not a path"))?;
            let path = ResourcePath::new(path).map_err(|error| invalid(&error.to_string()))?;
            Ok(Some(HookCommand { path, arguments: Vec::new() }))
        };
        let mut declared = Self { pre: path("pre")?, post: path("post")?, events: Vec::new() };
        for event in Event::ALL {
            declared.add(event, hooks.get(event.name()))?;
        }
        Ok(declared)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pre.is_none() && self.post.is_none() && self.events.is_empty()
    }

    fn add(&mut self, event: Event, matchers: Option<&Value>) -> Result<(), String> {
        let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned();
        for matcher in list(matchers).unwrap_or_default() {
            let tools = matcher.get("matcher").and_then(Value::as_str);
            let tools = tools.and_then(named_tools);
            for handler in list(matcher.get("hooks")).unwrap_or_default() {
                let hook = self.hook(event, tools.clone(), &handler);
                let hook =
                    hook.map_err(|reason| format!("its hook `{}` {reason}", event.name()))?;
                self.events.push(hook);
            }
        }
        Ok(())
    }

    fn hook(
        &self,
        event: Event,
        tools: Option<Vec<String>>,
        handler: &Value,
    ) -> Result<EventHook, String> {
        let text = |key: &str| handler.get(key).and_then(Value::as_str);
        if self.events.len() >= MOST_HOOKS {
            return Err(format!("is one of more than {MOST_HOOKS}"));
        }
        if text("type") != Some("command") {
            return Err("is not of the type `command`".to_owned());
        }
        let script = HookCommand::parse(text("command").unwrap_or_default())?;
        Ok(EventHook {
            event,
            tools,
            script,
            seconds: number(handler.get("timeout")),
            once: matches!(handler.get("once"), Some(Value::Bool(true)))
                || text("once") == Some("true"),
            index: self.events.len(),
        })
    }
}

impl EventHook {
    pub(super) fn matches(&self, call: &HookedCall<'_>) -> bool {
        let Some(tools) = &self.tools else { return true };
        let mut names = [call.tool, call.canonical].into_iter().chain(call.aliases.iter().copied());
        names.any(|name| tools.iter().any(|tool| is_named(name, tool)))
    }
}

/// Returns the names of a matcher such as `Edit|Write`; `None` if it means every tool. A matcher is
/// no regular expression here: one that is more than names matches every tool, so that its hook
/// runs too often rather than too rarely.
fn named_tools(matcher: &str) -> Option<Vec<String>> {
    let matcher = matcher.trim();
    let is_name = |name: &str| {
        let stem = name.strip_suffix(".*").unwrap_or(name);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:".contains(&byte);
        !stem.is_empty() && stem.bytes().all(is_plain)
    };
    let names: Vec<_> = matcher.split('|').map(str::trim).collect();
    names.iter().all(|name| is_name(name)).then(|| names.iter().map(ToString::to_string).collect())
}

/// Returns whether a name is that of a matcher, which may end with `.*` for any further letters.
fn is_named(name: &str, tool: &str) -> bool {
    match tool.strip_suffix(".*") {
        Some(start) => name.starts_with(start),
        None => name == tool,
    }
}

/// Reads a number, which the frontmatter may have as a text.
fn number(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}
