//! `allowed-tools`: which tool calls a skill speaks of.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest `allowed-tools`, in characters.
pub const MAX_ALLOWED_TOOLS_CHARACTERS: usize = 2048;

/// The field's three states. Absent and empty differ: what either means is the gate's policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AllowedTools {
    /// The field is not there.
    #[default]
    Absent,
    /// The field is there and names no tool.
    Empty,
    /// The tools that it names, in order. A field that cannot be read is a list of no rule, which
    /// allows nothing under every policy.
    Rules(Vec<ToolRule>),
}

/// One tool, with a pattern for its argument where one was written: `Bash(git:*)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRule {
    /// The tool's name as it was written.
    pub tool: String,
    /// What stood between the brackets.
    pub pattern: Option<String>,
}

/// Why `allowed-tools` cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllowedToolsError {
    /// A bracket is opened and not closed.
    #[error("the bracket of `{0}` is not closed")]
    Unclosed(String),
    /// A bracket is closed that was not opened.
    #[error("`{0}` closes a bracket that was not opened")]
    Unopened(String),
    /// There is a pattern and no tool before it.
    #[error("the pattern `{0}` has no tool before it")]
    NoTool(String),
    /// Something stands right behind a closing bracket.
    #[error("`{0}` goes on behind its closing bracket")]
    Trailing(String),
    /// The text is longer than [`MAX_ALLOWED_TOOLS_CHARACTERS`].
    #[error("`allowed-tools` has {0} characters, more than 2048")]
    TooLong(usize),
}

impl AllowedTools {
    /// Reads a text of rules with blanks or commas between them. Blanks and commas inside brackets
    /// belong to the pattern.
    ///
    /// ```
    /// use prowess_format::AllowedTools;
    ///
    /// let tools = AllowedTools::parse("Bash(git add:*, git commit:*) Read")?;
    /// assert_eq!(tools.rules().len(), 2);
    /// assert_eq!(tools.rules()[0].pattern.as_deref(), Some("git add:*, git commit:*"));
    /// # Ok::<_, prowess_format::AllowedToolsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first rule that is not of the form `Tool` or `Tool(pattern)`, or too long a text.
    pub fn parse(text: &str) -> Result<Self, AllowedToolsError> {
        Self::parse_all(&[text])
    }

    /// Reads a list, each of whose items is a text of rules.
    ///
    /// # Errors
    ///
    /// Those of [`AllowedTools::parse`]; the items' lengths count together.
    pub fn parse_all(items: &[&str]) -> Result<Self, AllowedToolsError> {
        let characters = items.iter().map(|item| item.chars().count()).sum();
        if characters > MAX_ALLOWED_TOOLS_CHARACTERS {
            return Err(AllowedToolsError::TooLong(characters));
        }
        let mut rules = Vec::new();
        for item in items {
            read_rules(item, &mut rules)?;
        }
        Ok(if rules.is_empty() { Self::Empty } else { Self::Rules(rules) })
    }

    /// The rules; none where the field is absent or empty.
    pub fn rules(&self) -> &[ToolRule] {
        match self {
            Self::Rules(rules) => rules,
            Self::Absent | Self::Empty => &[],
        }
    }
}

/// Writes the rules with blanks between them; [`AllowedTools::parse`] reads them back.
impl fmt::Display for AllowedTools {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, rule) in self.rules().iter().enumerate() {
            if number > 0 {
                formatter.write_str(" ")?;
            }
            write!(formatter, "{rule}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ToolRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.tool)?;
        match &self.pattern {
            Some(pattern) => write!(formatter, "({pattern})"),
            None => Ok(()),
        }
    }
}

fn read_rules(text: &str, rules: &mut Vec<ToolRule>) -> Result<(), AllowedToolsError> {
    let mut rest = text.trim_start_matches(is_separator);
    while !rest.is_empty() {
        let (word, after) = next_word(rest)?;
        rules.push(read_rule(word)?);
        rest = after.trim_start_matches(is_separator);
    }
    Ok(())
}

fn is_separator(character: char) -> bool {
    character == ',' || character.is_whitespace()
}

/// Splits off everything up to the first separator outside brackets.
fn next_word(text: &str) -> Result<(&str, &str), AllowedToolsError> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Err(AllowedToolsError::Unopened(shorten(text))),
            ')' => depth -= 1,
            _ if depth == 0 && is_separator(character) => return Ok(text.split_at(at)),
            _ => {}
        }
    }
    if depth > 0 {
        return Err(AllowedToolsError::Unclosed(shorten(text)));
    }
    Ok((text, ""))
}

fn read_rule(word: &str) -> Result<ToolRule, AllowedToolsError> {
    let Some((tool, pattern)) = word.split_once('(') else {
        return Ok(ToolRule { tool: word.to_owned(), pattern: None });
    };
    if tool.is_empty() {
        return Err(AllowedToolsError::NoTool(shorten(word)));
    }
    match pattern.strip_suffix(')') {
        Some(pattern) if is_one_group(pattern) => {
            Ok(ToolRule { tool: tool.to_owned(), pattern: Some(pattern.to_owned()) })
        }
        _ => Err(AllowedToolsError::Trailing(shorten(word))),
    }
}

/// Whether brackets inside the pattern pair up, so that the last one closed the first: not so in
/// `Bash(a)b(c)`.
fn is_one_group(pattern: &str) -> bool {
    let mut depth = 0_usize;
    for byte in pattern.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return false,
            b')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// Enough of a text to find it by, for a message.
fn shorten(text: &str) -> String {
    crate::shown::shown(text)
}
