//! The only user of the shell parser.

use brush_parser::ast::{
    Command, CommandPrefixOrSuffixItem, Pipeline, Program, SeparatorOperator,
    SimpleCommand as ParsedCommand, Word,
};
use brush_parser::{Parser, ParserOptions};
use tracing::dispatcher::{Dispatch, with_default};

use super::{SimpleCommand, Unreadable, UnreadableKind};

/// Parses a command that the filter accepted.
pub(super) fn commands(command: &str) -> Result<Vec<SimpleCommand>, Unreadable> {
    let commands = parse(command).and_then(|program| simple_commands(&program));
    match commands {
        Ok(commands) if commands.is_empty() => Err(Unreadable::of(UnreadableKind::Empty)),
        Ok(commands) => Ok(commands),
        Err(kind) => Err(Unreadable::of(kind)),
    }
}

/// Parses without a subscriber for traces: the parser emits events with the text of the command,
/// which may hold secrets.
fn parse(command: &str) -> Result<Program, UnreadableKind> {
    let mut parser = Parser::new(command.as_bytes(), &ParserOptions::default());
    let program = with_default(&Dispatch::none(), || parser.parse_program());
    program.map_err(|_| UnreadableKind::Syntax)
}

fn simple_commands(program: &Program) -> Result<Vec<SimpleCommand>, UnreadableKind> {
    let mut commands = Vec::new();
    for item in program.complete_commands.iter().flat_map(|list| &list.0) {
        if !matches!(item.1, SeparatorOperator::Sequence) {
            return Err(UnreadableKind::Background);
        }
        for (_, pipeline) in &item.0 {
            for command in plain_pipeline(pipeline)? {
                commands.push(simple_command(command)?);
            }
        }
    }
    Ok(commands)
}

fn plain_pipeline(pipeline: &Pipeline) -> Result<&[Command], UnreadableKind> {
    let is_plain = pipeline.timed.is_none() && !pipeline.bang;
    if is_plain { Ok(&pipeline.seq) } else { Err(UnreadableKind::Compound) }
}

fn simple_command(command: &Command) -> Result<SimpleCommand, UnreadableKind> {
    let Command::Simple(ParsedCommand { prefix, word_or_name, suffix }) = command else {
        return Err(UnreadableKind::Compound);
    };
    let Some(name) = word_or_name.as_ref().filter(|_| prefix.is_none()) else {
        return Err(UnreadableKind::Assignment);
    };
    let mut words = vec![literal(name)];
    for item in suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            CommandPrefixOrSuffixItem::Word(word)
            | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => words.push(literal(word)),
            CommandPrefixOrSuffixItem::IoRedirect(_) => return Err(UnreadableKind::Redirection),
            CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {
                return Err(UnreadableKind::Expansion);
            }
        }
    }
    Ok(SimpleCommand { words })
}

/// Returns a word without its quotes. The filter has refused everything that is expanded, and the
/// parser removes continued lines outside of quotes.
fn literal(word: &Word) -> String {
    let mut literal = String::with_capacity(word.value.len());
    let mut characters = word.value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => literal.extend(characters.by_ref().take_while(|next| *next != '\'')),
            '"' => double_quoted(&mut characters, &mut literal),
            '\\' => literal.extend(characters.next()),
            _ => literal.push(character),
        }
    }
    literal
}

fn double_quoted(characters: &mut std::str::Chars<'_>, literal: &mut String) {
    while let Some(character) = characters.next() {
        match character {
            '"' => return,
            '\\' => match characters.next() {
                Some('\n') | None => {}
                Some(next @ ('$' | '`' | '"' | '\\')) => literal.push(next),
                Some(next) => literal.extend(['\\', next]),
            },
            _ => literal.push(character),
        }
    }
}
