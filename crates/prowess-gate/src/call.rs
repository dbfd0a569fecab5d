//! A call with its arguments as patterns see them.

use std::cell::OnceCell;

use prowess_core::ToolRule;
use serde_json::Value;

use crate::behind::Runs;
use crate::pattern::{CommandPattern, PathPattern, is_any, plain_path};
use crate::shell_commands;
use crate::{GateInput, PatternError, SimpleCommand, ToolKind, ToolMatchCase, Unreadable};

/// A call whose command is parsed at most once, and only if a pattern needs it.
pub(crate) struct Call<'a> {
    pub(crate) input: &'a GateInput<'a>,
    commands: OnceCell<Result<Vec<SimpleCommand>, Gap>>,
    runs: OnceCell<Runs>,
}

/// The reason why rules that name the tool do not cover a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// A pattern is of no form that is read.
    Pattern(PatternError),
    /// The command is not a list of literal words.
    Unreadable(Unreadable),
    /// No pattern covers this simple command.
    Command(Vec<String>),
    /// No pattern covers this path.
    Path(String),
    /// An argument that patterns are about is missing, or is not a text.
    Missing(String),
    /// An argument may change what the command does.
    Further(String),
}

/// The result of comparing rules with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// The rules at these indices cover it together.
    Covered(Vec<usize>),
    /// No rule names the tool.
    NotNamed,
    /// The rules that name the tool, the first of them at this index, do not cover the arguments.
    Not(usize, Gap),
}

impl<'a> Call<'a> {
    pub(crate) fn new(input: &'a GateInput<'a>) -> Self {
        Self { input, commands: OnceCell::new(), runs: OnceCell::new() }
    }

    /// Returns whether a rule names the tool. A name that only looks like the tool's does not.
    pub(crate) fn is_named_by(&self, rule: &ToolRule, case: ToolMatchCase) -> bool {
        self.input.tool.names().any(|name| case.matches(&rule.tool, name))
    }

    /// Compares rules with the call.
    pub(crate) fn coverage<'r>(
        &self,
        rules: impl Iterator<Item = &'r ToolRule> + Clone,
    ) -> Coverage {
        let case = self.input.policy.tool_match_case;
        let named = rules.enumerate().filter(|(_, rule)| self.is_named_by(rule, case));
        let Some((first, _)) = named.clone().next() else {
            return Coverage::NotNamed;
        };
        if let Some((any, _)) = named.clone().find(|(_, rule)| is_any(rule.pattern.as_deref())) {
            return Coverage::Covered(vec![any]);
        }
        let patterns = named.filter_map(|(at, rule)| Some((at, rule.pattern.as_deref()?)));
        let covering = match self.input.tool.kind {
            ToolKind::Shell { .. } => self.commands_covered(patterns),
            ToolKind::File { paths } => self.paths_covered(paths, patterns),
            ToolKind::SkillOperation | ToolKind::Other => {
                Err(Gap::Pattern(PatternError::NoArgument))
            }
        };
        covering.map_or_else(|gap| Coverage::Not(first, gap), Coverage::Covered)
    }

    /// Returns the rules that cover every simple command.
    fn commands_covered<'r>(
        &self,
        patterns: impl Iterator<Item = (usize, &'r str)>,
    ) -> Result<Vec<usize>, Gap> {
        let mut invalid = None;
        let mut alternatives = Vec::new();
        for (at, pattern) in patterns {
            match CommandPattern::parse(pattern) {
                Ok(parsed) => alternatives.extend(parsed.into_iter().map(|one| (at, one))),
                Err(error) => invalid = Some(error),
            }
        }
        if let (Some(error), true) = (invalid, alternatives.is_empty()) {
            return Err(Gap::Pattern(error));
        }
        let covering = |command: &SimpleCommand| {
            let mut alternatives = alternatives.iter();
            let found = alternatives.find(|(_, pattern)| pattern.matches(&command.words));
            found.map(|(at, _)| *at).ok_or_else(|| Gap::Command(command.words.clone()))
        };
        distinct(self.commands()?.iter().map(covering))
    }

    /// Returns the rules that cover every path.
    fn paths_covered<'r>(
        &self,
        names: &[&str],
        patterns: impl Iterator<Item = (usize, &'r str)>,
    ) -> Result<Vec<usize>, Gap> {
        let mut invalid = None;
        let mut valid = Vec::new();
        for (at, pattern) in patterns {
            match PathPattern::parse(pattern) {
                Ok(pattern) => valid.push((at, pattern)),
                Err(error) => invalid = Some(error),
            }
        }
        if let (Some(error), true) = (invalid, valid.is_empty()) {
            return Err(Gap::Pattern(error));
        }
        let paths = self.paths(names)?;
        distinct(paths.into_iter().map(|path| {
            let found = valid.iter().find(|(_, pattern)| pattern.matches(path));
            found.map(|(at, _)| *at).ok_or_else(|| Gap::Path(path.to_owned()))
        }))
    }

    /// Returns the simple commands of a shell tool's call.
    pub(crate) fn commands(&self) -> Result<&[SimpleCommand], Gap> {
        let commands = self.commands.get_or_init(|| self.read_commands());
        commands.as_deref().map_err(Clone::clone)
    }

    fn read_commands(&self) -> Result<Vec<SimpleCommand>, Gap> {
        let ToolKind::Shell { command, harmless } = self.input.tool.kind else {
            return Err(Gap::Pattern(PatternError::NoArgument));
        };
        let missing = || Gap::Missing(command.to_owned());
        let arguments = self.input.arguments.as_object().ok_or_else(missing)?;
        for name in arguments.keys() {
            if name != command && !harmless.contains(&name.as_str()) {
                return Err(Gap::Further(name.clone()));
            }
        }
        let text = arguments.get(command).and_then(Value::as_str).ok_or_else(missing)?;
        shell_commands(text).map_err(Gap::Unreadable)
    }

    /// Returns the paths of a file tool's call.
    fn paths(&self, names: &[&str]) -> Result<Vec<&'a str>, Gap> {
        let mut paths = Vec::new();
        for name in names {
            let missing = || Gap::Missing((*name).to_owned());
            match self.input.arguments.get(name) {
                Some(Value::String(path)) => paths.push(path.as_str()),
                Some(Value::Array(list)) => {
                    let texts: Option<Vec<_>> = list.iter().map(Value::as_str).collect();
                    paths.extend(texts.filter(|texts| !texts.is_empty()).ok_or_else(missing)?);
                }
                _ => return Err(missing()),
            }
        }
        if paths.is_empty() { Err(Gap::Pattern(PatternError::NoArgument)) } else { Ok(paths) }
    }

    /// Returns whether a denying rule applies: it names the tool, and its pattern matches a part of
    /// the arguments, or cannot be compared with them.
    pub(crate) fn is_denied_by(&self, rule: &ToolRule) -> bool {
        if !self.is_named_by(rule, ToolMatchCase::Insensitive) {
            return false;
        }
        let Some(pattern) = rule.pattern.as_deref().filter(|pattern| *pattern != "*") else {
            return true;
        };
        match self.input.tool.kind {
            ToolKind::Shell { .. } => self.has_denied_command(pattern),
            ToolKind::File { paths } => self.has_denied_path(paths, pattern),
            ToolKind::SkillOperation | ToolKind::Other => true,
        }
    }

    fn has_denied_command(&self, pattern: &str) -> bool {
        let Ok(patterns) = CommandPattern::parse(pattern) else { return true };
        let Ok(runs) = self.runs() else { return true };
        let is_denied = |run| patterns.iter().any(|pattern| pattern.may_match(run));
        runs.is_unreadable || runs.commands.iter().any(is_denied)
    }

    /// Returns the commands that run, with those behind others.
    fn runs(&self) -> Result<&Runs, Gap> {
        let commands = self.commands()?;
        Ok(self.runs.get_or_init(|| Runs::of(commands)))
    }

    /// Returns the program of the call that may run a denied command, which cannot be seen, and the
    /// rule that denies it.
    pub(crate) fn may_be_denied<'r>(&self, rules: &'r [ToolRule]) -> Option<(&'r ToolRule, &str)> {
        if !matches!(self.input.tool.kind, ToolKind::Shell { .. }) {
            return None;
        }
        let is_named = |rule: &&ToolRule| self.is_named_by(rule, ToolMatchCase::Insensitive);
        let rule = rules.iter().find(is_named)?;
        Some((rule, self.runs().ok()?.opaque.as_deref()?))
    }

    fn has_denied_path(&self, names: &[&str], pattern: &str) -> bool {
        let Ok(denied) = PathPattern::parse(pattern) else { return true };
        let Ok(paths) = self.paths(names) else { return true };
        let is_absolute = |path: &str| path.starts_with('/');
        let is_comparable = |path: &str| {
            plain_path(path).is_some() && is_absolute(path) == is_absolute(pattern.trim())
        };
        paths.iter().any(|path| !is_comparable(path) || denied.matches(path))
    }
}

/// Returns the distinct values in their order, or the first error.
fn distinct(values: impl Iterator<Item = Result<usize, Gap>>) -> Result<Vec<usize>, Gap> {
    let mut distinct = Vec::new();
    for value in values {
        let value = value?;
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    Ok(distinct)
}
