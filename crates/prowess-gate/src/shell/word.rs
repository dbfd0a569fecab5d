//! A word of a command: plain characters, quotes and escapes.

use prowess_format::name_skeleton;

use super::UnreadableKind::{
    self, Assignment, Braces, Compound, Expansion, FileNames, LookAlike, Redirection, Tilde,
};
use super::characters::Characters;
use super::set::Set;
use crate::behind::Table;

/// The characters that are literal at each position of a word, except for `=` in the first.
static PLAIN: Set = Set::ALPHANUMERIC.with(b"-_./:,@%+=");

/// The characters that are literal between single quotes.
static SINGLE_QUOTED: Set = Set::VISIBLE.without(b"'");

/// The characters that are literal between double quotes.
static DOUBLE_QUOTED: Set = Set::VISIBLE.without(b"\"$`\\");

/// The characters that are literal between braces.
static NAME: Set = Set::ALPHANUMERIC;

/// A word of which a part was read.
#[derive(Default)]
struct Word {
    /// What was read, as the program receives it.
    literal: String,
    is_quoted: bool,
    /// Whether there is a `[` outside of quotes.
    has_bracket: bool,
    /// Whether the last character is `=` or `:` outside of quotes, after which `~` is expanded.
    is_prefix: bool,
}

/// Takes a word, of which at least one character follows. The first of a simple command must
/// neither set a variable nor be reserved.
pub(super) fn take(
    characters: &mut Characters<'_>,
    is_first: bool,
) -> Result<String, UnreadableKind> {
    let mut word = Word::default();
    // In runs, so that a plain word costs little more than its copy.
    while !matches!(characters.peek(), None | Some(b' ' | b'\t' | b';' | b'\n' | b'|' | b'&')) {
        let plain = characters.run(&PLAIN);
        if plain.is_empty() {
            word.special(characters)?;
        } else if is_first && plain.contains('=') {
            return Err(Assignment);
        } else {
            word.literal.push_str(plain);
            word.is_prefix = plain.ends_with(['=', ':']);
        }
    }
    if is_first && !word.is_quoted && RESERVED.has(&word.literal) {
        return Err(Compound);
    }
    if word.has_bracket && (word.is_quoted || word.literal != "[") {
        return Err(FileNames);
    }
    Ok(word.literal)
}

/// The words with which a compound command begins, or goes on.
static RESERVED: Table = Table::new(
    "! [[ ]] case coproc do done elif else esac fi for function if in select then \
    time until while { }",
);

/// Returns whether a sign of another script looks like an operator or an expansion.
fn is_look_alike(sign: char) -> bool {
    // An apostrophe looks like a backtick, too, and is none by any form.
    let is_backtick = matches!(sign, '\u{1fef}' | '\u{ff40}');
    let mut operators = ";|&<>$".chars().map(|it| name_skeleton(&it.to_string()));
    let is_sign = !sign.is_ascii() && !sign.is_alphanumeric();
    is_sign && (is_backtick || operators.any(|it| it == name_skeleton(&sign.to_string())))
}

impl Word {
    /// Takes a character that is not plain, with what belongs to it.
    fn special(&mut self, characters: &mut Characters<'_>) -> Result<(), UnreadableKind> {
        let is_begin = self.literal.is_empty() && !self.is_quoted;
        match characters.next_in_word()? {
            '\'' => self.single_quoted(characters)?,
            '"' => self.double_quoted(characters)?,
            // A continued line leaves the word as it is.
            '\\' if characters.skip("\n") => return Ok(()),
            '\\' => self.quote(characters.next_in_word()?),
            '{' => self.braces(characters)?,
            '$' | '`' => return Err(Expansion),
            '<' | '>' => return Err(Redirection),
            '*' | '?' => return Err(FileNames),
            '(' | ')' | '}' => return Err(Compound),
            '~' if is_begin || self.is_prefix => return Err(Tilde),
            sign if is_look_alike(sign) => return Err(LookAlike),
            character => {
                self.has_bracket |= character == '[';
                self.literal.push(character);
            }
        }
        self.is_prefix = false;
        Ok(())
    }

    fn quote(&mut self, character: char) {
        self.is_quoted = true;
        self.literal.push(character);
    }

    fn single_quoted(&mut self, characters: &mut Characters<'_>) -> Result<(), UnreadableKind> {
        self.is_quoted = true;
        loop {
            self.literal.push_str(characters.run(&SINGLE_QUOTED));
            match characters.next_in_word()? {
                '\'' => return Ok(()),
                character => self.literal.push(character),
            }
        }
    }

    fn double_quoted(&mut self, characters: &mut Characters<'_>) -> Result<(), UnreadableKind> {
        self.is_quoted = true;
        loop {
            self.literal.push_str(characters.run(&DOUBLE_QUOTED));
            match characters.next_in_word()? {
                '"' => return Ok(()),
                '$' | '`' => return Err(Expansion),
                '\\' => match characters.next_in_word()? {
                    '\n' => {}
                    escaped @ ('$' | '`' | '"' | '\\') => self.literal.push(escaped),
                    other => self.literal.extend(['\\', other]),
                },
                character => self.literal.push(character),
            }
        }
    }

    /// Accepts `{}` and `{name}`, which no shell expands.
    fn braces(&mut self, characters: &mut Characters<'_>) -> Result<(), UnreadableKind> {
        let name = characters.run(&NAME);
        if characters.next()? != Some('}') {
            return Err(Braces);
        }
        self.literal.extend(["{", name, "}"]);
        Ok(())
    }
}
