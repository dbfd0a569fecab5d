//! A second reader of commands, by the grammar of `brush`.

use std::str::Chars;

use brush_parser::ast::{
    Command, CommandPrefixOrSuffixItem, IoFileRedirectKind as Kind, IoFileRedirectTarget as Target,
    IoRedirect, Pipeline, SeparatorOperator, SimpleCommand, Word,
};
use brush_parser::{Parser, ParserOptions};

/// Returns the words of the simple commands if the command has nothing else, except redirections
/// that lose or join outputs.
pub(crate) fn words(command: &str) -> Option<Vec<Vec<String>>> {
    let program =
        Parser::new(command.as_bytes(), &ParserOptions::default()).parse_program().ok()?;
    let mut commands = Vec::new();
    for item in program.complete_commands.iter().flat_map(|list| &list.0) {
        if !matches!(item.1, SeparatorOperator::Sequence) {
            return None;
        }
        for (_, pipeline) in &item.0 {
            // A redirection alone runs nothing.
            commands.extend(pipeline_words(pipeline)?.into_iter().filter(|it| !it.is_empty()));
        }
    }
    Some(commands)
}

fn pipeline_words(pipeline: &Pipeline) -> Option<Vec<Vec<String>>> {
    let is_plain = pipeline.timed.is_none() && !pipeline.bang;
    let words = |command: &Command| match command {
        Command::Simple(command) => simple_words(command),
        _ => None,
    };
    is_plain.then(|| pipeline.seq.iter().map(words).collect()).flatten()
}

fn simple_words(command: &SimpleCommand) -> Option<Vec<String>> {
    let SimpleCommand { prefix, word_or_name, suffix } = command;
    if !prefix.iter().flat_map(|prefix| &prefix.0).all(is_harmless) {
        return None;
    }
    let mut words: Vec<_> = word_or_name.iter().map(literal).collect();
    for item in suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            CommandPrefixOrSuffixItem::Word(word)
            | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => words.push(literal(word)),
            other if is_harmless(other) => {}
            _ => return None,
        }
    }
    Some(words)
}

/// Returns whether it is a redirection from or to `/dev/null`, or to an output of the command.
fn is_harmless(item: &CommandPrefixOrSuffixItem) -> bool {
    let CommandPrefixOrSuffixItem::IoRedirect(redirect) = item else { return false };
    let is_null = |target: &Word| target.value == "/dev/null";
    match redirect {
        IoRedirect::OutputAndError(target, _) => is_null(target),
        IoRedirect::File(None | Some(0), Kind::Read, Target::Filename(file)) => is_null(file),
        IoRedirect::File(None | Some(1 | 2), kind, target) => match (kind, target) {
            (Kind::Write | Kind::Append | Kind::Clobber, Target::Filename(file)) => is_null(file),
            (Kind::DuplicateOutput, Target::Duplicate(output)) => {
                ["1", "2", "/dev/null"].contains(&&*output.value)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns a word without its quotes, if nothing in it is expanded. The parser removes continued
/// lines outside of quotes.
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

fn double_quoted(characters: &mut Chars<'_>, literal: &mut String) {
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
