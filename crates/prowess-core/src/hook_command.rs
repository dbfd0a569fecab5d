//! The command of a hook: the path of a script and literal arguments. No shell reads it.

use prowess_text::quoted;

use crate::ResourcePath;

/// A script of a package with literal arguments, as the command of a hook names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCommand {
    /// The script.
    pub path: ResourcePath,
    /// The arguments, without the quotes of the command.
    pub arguments: Vec<String>,
}

/// Interpreters that a command may name in front of its script, which the runner chooses itself.
const INTERPRETERS: [&str; 8] =
    ["bash", "node", "perl", "python", "python3", "ruby", "sh", "/bin/sh"];
/// The variable for the directory of the skill, at the beginning of a path.
const DIRECTORIES: [&str; 2] = ["${CLAUDE_SKILL_DIR}/", "$CLAUDE_SKILL_DIR/"];
/// Characters that a shell would act upon, outside of quotes.
const OPERATORS: &str = ";&|<>()`$*?[]{}~#!\\\n\r";

impl HookCommand {
    /// Reads a command such as `python3 scripts/check.py --strict`. An interpreter in front of the
    /// script is left out, because the runner chooses it, and `$CLAUDE_SKILL_DIR` in front of the
    /// path is the directory of the skill.
    ///
    /// # Errors
    ///
    /// The command is more than that, and only a shell could run it; or its path is not one of the
    /// package. The text is a predicate, such as "has no command".
    pub fn parse(command: &str) -> Result<Self, String> {
        let mut words = words(command)?.into_iter().peekable();
        if words.peek().is_some_and(|first| INTERPRETERS.contains(&first.text.as_str())) {
            words.next();
        }
        let Word { text, directory } = words.next().ok_or("has no command")?;
        let path = ResourcePath::new(&text[directory..])
            .map_err(|error| format!("is not the path of a script of the package: {error}"))?;
        Ok(Self { path, arguments: words.map(|word| word.text).collect() })
    }
}

/// A word of a command, without its quotes.
#[derive(Default)]
struct Word {
    text: String,
    /// The length of a name of the directory at its beginning that a shell would replace: one in
    /// single quotes is text.
    directory: usize,
}

/// Splits a command at its spaces and removes its quotes.
fn words(command: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    let mut rest = command.trim();
    while let Some(character) = rest.chars().next() {
        // Only the name of the directory is known, and only where a word begins.
        let is_start = word.as_ref().is_none_or(|word| word.text.is_empty()) && quote != Some('\'');
        let directory = DIRECTORIES.iter().find(|name| is_start && rest.starts_with(**name));
        if let Some(directory) = directory {
            *word.get_or_insert_default() =
                Word { text: (*directory).to_owned(), directory: directory.len() };
            rest = &rest[directory.len()..];
            continue;
        }
        rest = &rest[character.len_utf8()..];
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, other) if OPERATORS.contains(other) => return Err(not_literal(other)),
            (Some('"'), other @ ('$' | '`' | '\\')) => return Err(not_literal(other)),
            (_, other) => word.get_or_insert_default().text.push(other),
        }
    }
    if quote.is_some() {
        return Err("has a quote without an end".to_owned());
    }
    words.extend(word);
    Ok(words)
}

fn not_literal(character: char) -> String {
    let character = quoted(&character.to_string());
    format!("is a command with {character}, which only a shell could run")
}
