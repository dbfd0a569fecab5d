//! `allowed-tools`: which tool calls a skill speaks of.

use crate::error::AllowedToolsError;
use crate::tool_pattern::{Prose, is_evaluating_builtin};
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
    /// The text between the brackets.
    pub pattern: Option<String>,
}

impl AllowedTools {
    /// Reads a text of rules with blanks or commas between them. Blanks and commas inside brackets
    /// belong to the pattern, and those of a quoted rule to the rule: `'Azure MCP/documentation'`.
    /// Square brackets around the whole text are those of a list.
    ///
    /// No rule comes of prose, so that it grants nothing more than its author meant: a comment ends
    /// with its line, nothing behind `not` or `except` is a rule, and `Bash [git:*]` and
    /// `Bash only` are names that no tool has.
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
        check_length(&[text])?;
        let mut rules = Vec::new();
        let list = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        read_rules(list.unwrap_or(text), &mut rules)?;
        Ok(Self::of(rules))
    }

    /// Reads a list, each of whose items is a text of rules. An item such as `Azure MCP/search`,
    /// with a blank and a server's path, is one rule: the list has parted it from the others
    /// already.
    ///
    /// # Errors
    ///
    /// Those of [`AllowedTools::parse`]; the items' lengths count together.
    pub fn parse_all(items: &[&str]) -> Result<Self, AllowedToolsError> {
        check_length(items)?;
        let mut rules = Vec::new();
        for item in items {
            if is_server_path(item) {
                rules.push(ToolRule { tool: item.trim().to_owned(), pattern: None });
            } else {
                read_rules(item, &mut rules)?;
            }
        }
        Ok(Self::of(rules))
    }

    fn of(rules: Vec<ToolRule>) -> Self {
        if rules.is_empty() { Self::Empty } else { Self::Rules(rules) }
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
        let quote = quote_for(self).map(String::from).unwrap_or_default();
        write!(formatter, "{quote}{}", self.tool)?;
        if let Some(pattern) = &self.pattern {
            write!(formatter, "({pattern})")?;
        }
        formatter.write_str(&quote)
    }
}

fn check_length(items: &[&str]) -> Result<(), AllowedToolsError> {
    let characters = items.iter().map(|item| item.chars().count()).sum();
    match characters > MAX_ALLOWED_TOOLS_CHARACTERS {
        true => Err(AllowedToolsError::TooLong(characters)),
        false => Ok(()),
    }
}

/// Whether a text is a server and its tool, with a blank in the server's name.
fn is_server_path(item: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.contains(['(', ')', ',', '\'', '"', ':', '*'])
            && !part.contains('/')
    };
    item.trim().split_once('/').is_some_and(|(server, tool)| {
        let tool_is_word = !tool.contains(char::is_whitespace);
        server.split(char::is_whitespace).count() == 2
            && tool_is_word
            && is_part(server)
            && is_part(tool)
    })
}

/// The characters that begin a comment or a part of the tool before them, and no name.
const MARKS: [char; 4] = ['#', '[', '{', '<'];

/// The quote that a rule needs to read back as one; none where its tool is a word.
fn quote_for(rule: &ToolRule) -> Option<char> {
    let is_prose = Prose::of(&rule.tool).is_some() || rule.tool.starts_with(MARKS);
    if !rule.tool.contains(is_separator) && !is_prose {
        return None;
    }
    let is_free = |quote: &char| {
        !rule.tool.contains(*quote)
            && !rule.pattern.as_ref().is_some_and(|pattern| pattern.contains(*quote))
    };
    ['\'', '"'].into_iter().find(is_free)
}

fn quoted_rule(text: &str, quote: char) -> Result<(ToolRule, &str), AllowedToolsError> {
    let bad = || AllowedToolsError::Quote(shorten(text));
    let (inner, after) = text[1..].split_once(quote).ok_or_else(bad)?;
    let inner = inner.trim();
    let rule = read_rule(inner)?;
    let is_ended = after.is_empty() || after.starts_with(is_separator);
    let is_tool = !rule.tool.is_empty()
        && !rule.tool.contains(')')
        && !rule.tool.starts_with(['\'', '"'])
        && !rule.tool.ends_with(is_separator);
    if is_ended && is_tool { Ok((rule, after)) } else { Err(bad()) }
}

fn read_rules(text: &str, rules: &mut Vec<ToolRule>) -> Result<(), AllowedToolsError> {
    let mut rest = text.trim_start_matches(is_separator);
    let mut is_apart = true;
    while !rest.is_empty() {
        let first = rest.chars().next();
        let (rule, after) = match first {
            Some(quote @ ('\'' | '"')) => quoted_rule(rest, quote)?,
            Some('#') => (ToolRule { tool: "#".to_owned(), pattern: None }, after_line(rest)),
            _ => {
                let (word, after) = next_word(rest)?;
                (read_rule(word)?, after)
            }
        };
        let prose = Prose::of(&rule.tool).filter(|_| rest.starts_with(rule.tool.as_str()));
        let is_limit = prose == Some(Prose::Limit)
            || first.is_some_and(|first| first != '#' && MARKS.contains(&first));
        match rules.last_mut() {
            Some(last) if is_limit && !is_apart && last.pattern.is_none() => {
                last.tool.extend([" ", &rule.tool]);
                last.pattern = rule.pattern;
            }
            _ => rules.push(rule),
        }
        let after = if prose == Some(Prose::Negation) { "" } else { after };
        rest = after.trim_start_matches(is_separator);
        is_apart = after[..after.len() - rest.len()].contains([',', '\n']);
    }
    Ok(())
}

fn after_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, after)| after)
}

/// Whether a text is certainly one of rules, and no pattern has a finding: words of ASCII letters,
/// digits and `_`, each with a plain command pattern behind it or none, and blanks or commas
/// between them. A scan asks it of each skill.
pub(crate) fn is_certain(text: &str) -> bool {
    let mut bytes = text.bytes();
    let mut is_word = false;
    let mut start = 0;
    let has_prose = text.split([' ', ',']).any(|word| Prose::of(word).is_some());
    while let Some(byte) = bytes.next() {
        let at = text.len() - bytes.len();
        match byte {
            b' ' | b',' => (is_word, start) = (false, at),
            b'(' if is_word => {
                let length = bytes.by_ref().position(|byte| byte == b')');
                let pattern = length.map(|length| &text[at..at + length]);
                let is_ended = matches!(bytes.clone().next(), None | Some(b' ' | b','));
                let is_of_shell = &text[start..at - 1] == "Bash";
                if !is_of_shell || !is_ended || !pattern.is_some_and(is_plain) {
                    return false;
                }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => is_word = true,
            _ => return false,
        }
    }
    text.len() <= MAX_ALLOWED_TOOLS_CHARACTERS && !text.contains("mcp__") && !has_prose
}

/// Whether a pattern of commands certainly grants something: plain words, and `:*` or ` *` at the
/// end.
pub(crate) fn is_plain(pattern: &str) -> bool {
    let words = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *"));
    let words = words.unwrap_or(pattern);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_./".contains(&byte);
    let first = words.split(' ').next().unwrap_or_default();
    words.starts_with(|first: char| first.is_ascii_alphanumeric())
        && words.bytes().all(is_plain)
        && !is_evaluating_builtin(first)
        && Prose::of(first).is_none()
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
    crate::for_message(text)
}
