//! A call with its arguments as patterns see them.

mod denied;

use std::cell::OnceCell;

use prowess_core::ToolRule;
use serde_json::Value;

use prowess_format::tool_pattern::plain_path;

use self::denied::is_of_another;
use crate::arguments::{bare, further_paths, globs, is_file_tool, is_place, other_texts};
use crate::behind::{Run, Runs};
use crate::gap::Gap;
use crate::pattern::{Paths, directory, is_any, is_elsewhere, is_glob, is_own, may_match};
use crate::reach::Reach;
use crate::rules::tools_of;
use crate::{CommandPattern, FileReference, GateInput, GatedSkill, PathPattern, PatternError};
use crate::{SimpleCommand, ToolKind, ToolMatchCase, ToolSemantics, shell_commands};

/// A call whose command is parsed at most once, and only if a pattern needs it.
pub(crate) struct Call<'a> {
    pub(crate) input: &'a GateInput<'a>,
    commands: OnceCell<Result<Vec<SimpleCommand>, Gap>>,
    runs: OnceCell<Runs>,
    files: OnceCell<Result<Vec<FileReference>, Gap>>,
}

/// A list of rules that is compared with a call.
struct List<'a> {
    paths: Paths<'a>,
    /// The number of rules at the front that reach no further than the skill and the working
    /// directory.
    near: usize,
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
        Self { input, commands: OnceCell::new(), runs: OnceCell::new(), files: OnceCell::new() }
    }

    pub(crate) fn is_shell(&self) -> bool {
        matches!(self.input.tool.kind, ToolKind::Shell { .. })
    }

    /// Returns whether a rule names the tool. A name that only looks like the tool's does not.
    pub(crate) fn is_named_by(&self, rule: &ToolRule, case: ToolMatchCase) -> bool {
        self.input.tool.names().any(|name| case.matches(&rule.tool, name))
    }

    /// Returns whether an operator's rule names the tool, or all of them, or those of its server.
    fn is_named_by_operator(&self, rule: &ToolRule, case: ToolMatchCase) -> bool {
        let is_of = |server: &str, name: &str| {
            server.is_empty()
                || name.split_at_checked(server.len()).is_some_and(|(start, rest)| {
                    case.matches(start, server) && rest.starts_with("__")
                })
        };
        let is_among = |server| self.input.tool.names().any(|name| is_of(server, name));
        self.is_named_by(rule, case) || tools_of(rule).is_some_and(is_among)
    }

    /// Returns whether a denying rule names the tool, in whatever style of names.
    fn is_denied_name(&self, rule: &ToolRule) -> bool {
        let plain = |name: &str| name.replace(['.', '-'], "_");
        let rule_name = plain(&rule.tool);
        self.is_named_by_operator(rule, ToolMatchCase::Insensitive)
            || self.input.tool.names().any(|it| plain(it).eq_ignore_ascii_case(&rule_name))
    }

    /// Compares rules with the call: those of a list, and those of the operator that count as its
    /// own. The list of a skill grants no file that is far from it.
    pub(crate) fn coverage(
        &self,
        own: &[ToolRule],
        granted: &[ToolRule],
        skill: Option<&GatedSkill<'_>>,
    ) -> Coverage {
        let case = self.input.policy.tool_match_case;
        let rules = own.iter().chain(granted).enumerate();
        let named = rules.filter(|(at, rule)| match skill {
            Some(_) if *at < own.len() => self.is_named_by(rule, case),
            _ => self.is_named_by_operator(rule, case),
        });
        let Some((first, _)) = named.clone().next() else {
            return Coverage::NotNamed;
        };
        let grants = self.input.policy.tool_semantics == ToolSemantics::Preapprove;
        let list = List {
            paths: Paths { files: self.input.files, directory: skill.and_then(directory) },
            near: if skill.is_some() && grants { own.len() } else { 0 },
        };
        let mut any = named.clone().filter(|(_, rule)| is_any(rule.pattern.as_deref()));
        // The commands of a line are compared one by one with where they reach.
        let is_line = self.is_shell() && self.input.files.is_some();
        let is_far = |at: usize| at < list.near && (is_line || self.far(&list).is_some());
        if let Some((any, _)) = any.clone().find(|(at, _)| !is_far(*at)) {
            return Coverage::Covered(vec![any]);
        }
        let any = any.next().map(|(at, _)| at);
        let patterns = named.filter_map(|(at, rule)| Some((at, rule.pattern.as_deref()?)));
        let covering = match self.input.tool.kind {
            ToolKind::Shell { .. } => self.commands_covered(patterns, any, &list),
            ToolKind::File { paths } => self.paths_covered(paths, patterns, &list),
            ToolKind::SkillOperation | ToolKind::Other => {
                Err(Gap::Pattern(PatternError::NoArgument))
            }
        };
        let far = |gap| self.far(&list).filter(|_| list.near > 0).unwrap_or(gap);
        covering.map_or_else(|gap| Coverage::Not(first, far(gap)), Coverage::Covered)
    }

    /// Returns the first file of the call that the list of a skill does not reach.
    fn far(&self, list: &List<'_>) -> Option<Gap> {
        let paths = match self.input.tool.kind {
            ToolKind::File { paths } if list.paths.files.is_some() => paths,
            ToolKind::Other => return self.far_argument(list),
            _ => return None,
        };
        let files = match self.files(paths) {
            Ok(files) => files,
            Err(gap) => return Some(gap),
        };
        let far = files.iter().find(|found| !list.paths.is_near(&found.file))?;
        Some(Gap::Outside(far.file.clone()))
    }

    /// Returns the same for a tool that has no patterns about its paths, such as `Grep`.
    fn far_argument(&self, list: &List<'_>) -> Option<Gap> {
        let GateInput { arguments, tool, .. } = self.input;
        let is_of_files = tool.names().any(is_file_tool);
        let is_path = |path: &str| {
            let has_root = || list.paths.files.is_some_and(|files| files.has_root(path));
            is_of_files || !path.starts_with('/') || has_root()
        };
        let far = |path: &str| {
            let opened =
                || list.paths.far_glob(path, true).filter(|_| is_of_files && is_glob(path));
            list.paths.far(path).or_else(opened).filter(|_| is_path(path))
        };
        let mut globs = globs(tool.name, arguments).into_iter();
        let named = further_paths(arguments, &[]).into_iter().find_map(far);
        named
            .or_else(|| self.places(list.paths).into_iter().find_map(|it| list.paths.far(bare(it))))
            .or_else(|| {
                globs.find_map(|(place, glob)| match place {
                    Some(place) if !place.is_empty() && far(&place).is_some() => far(&place),
                    Some(_) => list.paths.far_glob(&glob, false),
                    None => list.paths.files.map(|_| Gap::Unknown("..".to_owned())),
                })
            })
    }

    /// Returns the rules that cover every simple command. A rule of the skill without a pattern
    /// covers any that stays near.
    fn commands_covered<'r>(
        &self,
        patterns: impl Iterator<Item = (usize, &'r str)>,
        any: Option<usize>,
        list: &List<'_>,
    ) -> Result<Vec<usize>, Gap> {
        let mut invalid = None;
        let mut alternatives = Vec::new();
        for (at, pattern) in patterns {
            match CommandPattern::parse(pattern) {
                Ok(parsed) => alternatives.extend(parsed.into_iter().map(|one| (at, one))),
                Err(error) => invalid = Some(error),
            }
        }
        if let (Some(error), true) = (invalid, alternatives.is_empty() && any.is_none()) {
            return Err(Gap::Pattern(error));
        }
        let mut reach = Reach::new(list.paths);
        let mut covering = |command: &SimpleCommand| {
            let far = if list.near > 0 { reach.next(command) } else { None };
            let covers = |pattern: &CommandPattern<'_>| {
                pattern.matches(&command.words, list.paths.directory)
                    && (!pattern.names_directory() || is_own(&command.words, &list.paths))
            };
            let covering: Vec<_> =
                alternatives.iter().filter(|(_, pattern)| covers(pattern)).collect();
            let of_operator = covering.iter().find(|(at, _)| *at >= list.near);
            match of_operator.or(covering.first()).map(|(at, _)| *at).or(any) {
                Some(at) if at >= list.near => Ok(at),
                Some(at) => far.map_or(Ok(at), Err),
                None => Err(Gap::Command(command.words.clone())),
            }
        };
        distinct(self.commands()?.iter().map(&mut covering))
    }

    /// Returns the rules that cover every path, and the file that it leads to.
    fn paths_covered<'r>(
        &self,
        names: &[&str],
        patterns: impl Iterator<Item = (usize, &'r str)>,
        list: &List<'_>,
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
        let files = self.files(names)?;
        distinct(paths.into_iter().enumerate().map(|(number, path)| {
            let covers = |pattern| list.paths.covers(pattern, path);
            if !valid.iter().any(|(_, pattern)| covers(pattern)) {
                return Err(Gap::Path(path.to_owned()));
            }
            let file = files.get(number).map(|found| &found.file);
            let found = match file {
                None => valid.iter().find(|(_, pattern)| covers(pattern)),
                Some(file) => valid.iter().find(|(at, pattern)| {
                    list.paths.covers_file(pattern, file)
                        && (*at >= list.near || list.paths.is_near(file))
                }),
            };
            let missing = || Gap::File(path.to_owned(), file.cloned().unwrap_or_default());
            found.map(|(at, _)| *at).ok_or_else(missing)
        }))
    }

    /// Returns the files that the paths of the call lead to; none where the host's files do not
    /// count.
    fn files(&self, names: &[&str]) -> Result<&[FileReference], Gap> {
        let Some(files) = self.input.files else { return Ok(&[]) };
        let found = self.files.get_or_init(|| {
            let reference = |path: &str| match files.resolve(path) {
                Some(file) if !is_elsewhere(path) => {
                    Ok(FileReference { path: path.to_owned(), file })
                }
                _ => Err(Gap::Unknown(path.to_owned())),
            };
            self.paths(names)?.into_iter().map(reference).collect()
        });
        found.as_deref().map_err(Clone::clone)
    }

    /// Returns the files that were looked up for the decision.
    pub(crate) fn references(&self) -> Vec<FileReference> {
        self.files.get().and_then(|files| files.clone().ok()).unwrap_or_default()
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
        if paths.is_empty() {
            return Err(Gap::Pattern(PatternError::NoArgument));
        }
        // A tool may open another path than the one that it is known for.
        paths.extend(further_paths(self.input.arguments, names));
        let places = self.places(Paths { files: self.input.files, directory: None });
        let bare: Vec<_> =
            paths.iter().copied().map(bare).filter(|path| !path.is_empty()).collect();
        for path in bare.into_iter().chain(places) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        Ok(paths)
    }

    /// Returns the arguments of any name that are paths of other places, or lead there.
    fn places(&self, near: Paths<'_>) -> Vec<&'a str> {
        let mut found = other_texts(self.input.arguments);
        let files = self.input.files;
        found.retain(|text| match is_place(text) {
            true => !bare(text).starts_with('/') || files.is_none_or(|it| it.has_root(bare(text))),
            false => matches!(near.far(bare(text)), Some(Gap::Outside(_))),
        });
        found
    }

    /// Returns whether a denying rule applies: it names the tool, and its pattern matches a part of
    /// the arguments, or cannot be compared with them.
    pub(crate) fn is_denied_by(&self, rule: &ToolRule) -> bool {
        if !self.is_denied_name(rule) {
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
        if self.runs().is_some_and(|runs| is_of_another(pattern, runs)) {
            return false;
        }
        let Ok(patterns) = CommandPattern::parse(pattern) else { return true };
        let Some(runs) = self.runs() else { return true };
        let is_denied = |run: &Run| patterns.iter().any(|it| self.is_like(it, run, true));
        runs.is_unreadable || runs.commands.iter().chain(&runs.written).any(is_denied)
    }

    fn is_like(&self, pattern: &CommandPattern<'_>, run: &Run, is_certain: bool) -> bool {
        let is_like = |run: &Run| may_match(pattern, run, is_certain);
        let entered = self.runs().map_or(&[][..], |runs| &runs.entered);
        is_like(run) || run.other_spellings(self.input.files, entered).iter().any(is_like)
    }

    /// Returns the commands that run, with those behind others; `None` if there is no command.
    fn runs(&self) -> Option<&Runs> {
        let ToolKind::Shell { command, .. } = self.input.tool.kind else { return None };
        let text = self.input.arguments.get(command).and_then(Value::as_str)?;
        Some(self.runs.get_or_init(|| match self.commands() {
            Ok(commands) => Runs::of(commands, self.input.files),
            Err(gap) => Runs::of_text(text, &gap.to_string(), self.input.files),
        }))
    }

    /// Returns why the arguments cannot be compared with patterns.
    pub(crate) fn uncertainty(&self) -> Option<Gap> {
        match self.input.tool.kind {
            ToolKind::Shell { .. } => self.commands().err(),
            ToolKind::File { paths } => {
                let unknown = |path: &&str| plain_path(path).is_none();
                let paths_of = || self.paths(paths).ok()?.into_iter().find(unknown);
                let files = self.files(paths).err();
                files.or_else(|| paths_of().map(|path| Gap::Unknown(path.to_owned())))
            }
            ToolKind::SkillOperation | ToolKind::Other => None,
        }
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
