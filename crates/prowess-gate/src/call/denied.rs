//! Denied commands and paths that a call may have.

use prowess_core::ToolRule;
use prowess_format::tool_pattern::plain_path;
use prowess_text::quoted;

use super::Call;
use crate::behind::{Run, Runs};
use crate::pattern::{Paths, may_match};
use crate::{CommandPattern, FileReference, PathPattern};

impl Call<'_> {
    /// Returns the rule whose denied command may run, and why that cannot be seen.
    pub(crate) fn may_be_denied<'r>(
        &self,
        rules: &'r [ToolRule],
    ) -> Option<(&'r ToolRule, String)> {
        let is_named = |rule: &&ToolRule| self.is_denied_name(rule);
        let mut named = rules.iter().filter(is_named).peekable();
        // Most hosts deny nothing, and what runs behind the command is of no use then.
        let first = *named.peek()?;
        let runs = self.runs()?;
        if let Some(doubt) = &runs.doubt {
            return Some((first, doubt.clone()));
        }
        named.find_map(|rule| {
            let pattern = rule.pattern.as_deref()?;
            let has_other_names = self.input.files.is_some() || !runs.mentioned.is_empty();
            if !has_other_names && is_of_another(pattern, runs) {
                return None;
            }
            let patterns = CommandPattern::parse(pattern).ok()?;
            let doubt = patterns.iter().find_map(|pattern| self.doubt(pattern, runs))?;
            Some((rule, doubt))
        })
    }

    /// Returns the program that is given the words of a denied command, or is its program under
    /// another name.
    fn doubt(&self, pattern: &CommandPattern<'_>, runs: &Runs) -> Option<String> {
        let mut mentioned = runs.mentioned.iter();
        if let Some((program, _)) = mentioned.find(|(_, run)| may_match(pattern, run, false)) {
            let program = quoted(program);
            return Some(format!("what {program} runs cannot be seen, and may be denied"));
        }
        let has_option = pattern.words().any(|word| {
            word.texts(None).is_none_or(|texts| texts.iter().any(|text| text.starts_with('-')))
        });
        let mut options = runs.commands.iter().chain(&runs.written).filter(|_| has_option);
        if let Some(run) = options.find(|run| self.is_like(pattern, run, false)) {
            let program = quoted(run.words.first()?);
            return Some(format!("an option of {program} may be the denied one"));
        }
        let texts = pattern.words().next()?.texts(None)?;
        let [program] = texts.as_slice() else { return None };
        let is_same = |run: &&Run| {
            let same = run.as_program(program, self.input.files);
            same.is_some_and(|run| may_match(pattern, &run, false))
        };
        let same = runs.commands.iter().find(is_same)?;
        let (same, program) = (quoted(same.words.first()?), quoted(program));
        Some(format!("{same} and {program} are the same program"))
    }

    pub(super) fn has_denied_path(&self, names: &[&str], pattern: &str) -> bool {
        let Ok(denied) = PathPattern::parse(pattern) else { return true };
        let Ok(paths) = self.paths(names) else { return true };
        let Ok(files) = self.files(names) else { return true };
        let list = Paths { files: self.input.files, directory: None };
        // The files are compared below, whatever the paths are.
        let is_comparable = |path: &str| {
            let is_alike = path.starts_with('/') == denied.path().starts_with('/');
            self.input.files.is_some() || is_alike && plain_path(path).is_some()
        };
        let is_denied = |path: &&str| {
            denied.is_of_skill() || !is_comparable(path) || list.covers(&denied, path)
        };
        let may_be = |found: &FileReference| list.may_cover_file(&denied, &found.file);
        // `Read(secret/**)` denies `secret`, too.
        let directory = denied.path().strip_suffix("/**").filter(|_| !denied.is_of_skill());
        let directory = directory.and_then(|path| PathPattern::parse(path).ok());
        let is_directory = |path: &str, file: Option<&FileReference>| {
            directory.as_ref().is_some_and(|it| {
                list.covers(it, path) || file.is_some_and(|f| list.may_cover_file(it, &f.file))
            })
        };
        paths.iter().any(is_denied)
            || files.iter().any(may_be)
            || paths.iter().enumerate().any(|(at, path)| is_directory(path, files.get(at)))
    }
}

/// Returns whether a denial such as `rm:*` or `git push:*` is about a program that does not run, as
/// most are: it is not read any further then.
pub(super) fn is_of_another(denied: &str, runs: &Runs) -> bool {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b" -".contains(&it);
    let words = denied.strip_suffix(":*").filter(|words| words.bytes().all(is_plain));
    let program = words.and_then(|words| words.split(' ').next()).unwrap_or_default();
    let is_other = |run: &Run| run.is_closed() && run.may_be(0, program) == Some(false);
    !runs.is_unreadable
        && !program.is_empty()
        && runs.commands.iter().chain(&runs.written).all(is_other)
}
