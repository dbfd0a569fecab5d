//! The files that a shell command prints, as far as its words are literal.

use std::path::PathBuf;

/// The tools, programs and words that read files.
const TABLE: &str = include_str!("readers.txt");

/// How deep commands in words are read, as in `sh -c "bash -c '…'"`.
const MOST_DEPTH: usize = 4;

/// Returns whether the table has a word of this kind.
pub(super) fn is_listed(kind: &str, word: &str) -> bool {
    let words = TABLE.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(": "));
    words.is_some_and(|words| words.split(' ').any(|known| known == word))
}

/// Returns the files that a command prints. Those that it runs or writes are none.
pub(super) fn read_files(command: &str) -> Vec<String> {
    let mut files = Vec::new();
    collect(command, MOST_DEPTH, &mut files);
    files
}

fn collect(command: &str, depth: usize, files: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let mut reader = Reader { rest: command, ..Reader::default() };
    reader.read();
    reader.end_command();
    let mut directory = PathBuf::new();
    let is_program =
        |word: &String| ["programs", "shells"].iter().any(|it| is_listed(it, base(word)));
    for Command { words, inputs } in reader.done {
        let is_before = |word: &String| is_listed("before", word) || word.contains('=');
        let begin = if words.first().is_some_and(is_before) {
            words.iter().position(is_program).unwrap_or(words.len())
        } else {
            0
        };
        let (program, arguments) = match words[begin..].split_first() {
            Some((program, arguments)) => (base(program), arguments),
            None => ("", &[][..]),
        };
        let mut read: Vec<&String> = Vec::new();
        match program {
            "cd" => directory.extend(arguments.iter().take(1)),
            "eval" => collect(&arguments.join(" "), depth, files),
            _ if is_listed("programs", program) => read = operands(program, arguments),
            _ if is_listed("shells", program) => {
                let is_option = |word: &String| word.starts_with('-') && word.ends_with('c');
                let text =
                    arguments.iter().position(is_option).and_then(|at| arguments.get(at + 1));
                text.into_iter().for_each(|text| collect(text, depth, files));
            }
            _ => {}
        }
        if !is_listed("runners", program) {
            read.extend(&inputs);
        }
        files.extend(read.into_iter().map(|file| directory.join(file).display().to_string()));
    }
}

/// Returns the words of a program that prints files which may be files.
fn operands<'w>(program: &str, arguments: &'w [String]) -> Vec<&'w String> {
    let has = |option: &str| arguments.iter().any(|word| word.starts_with(option));
    if program == "sed" && (has("-i") || has("--in-place")) {
        return Vec::new();
    }
    let is_pattern = is_listed("patterns", program) && !has("-e") && !has("-f");
    let words = arguments.iter().filter(|word| !word.starts_with('-'));
    words.skip(usize::from(is_pattern)).collect()
}

/// Returns the name of a program, of whatever directory.
fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// A simple command.
#[derive(Default)]
struct Command {
    words: Vec<String>,
    /// The files of its redirections `<`.
    inputs: Vec<String>,
}

/// The meaning of the next word.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Argument,
    Input,
    /// A file that is written, or a text.
    Other,
    /// The end of a here-document, and whether the shell expands that.
    Delimiter(bool),
}

/// The command around a substitution or a subshell, and the character that ends it.
type Outer = (Command, Option<String>, Next, bool, char);

/// Splits a command. It accepts everything, and does not expand.
#[derive(Default)]
struct Reader<'c> {
    rest: &'c str,
    done: Vec<Command>,
    command: Command,
    word: Option<String>,
    next: Next,
    /// Whether it is within double quotes.
    is_quoted: bool,
    outer: Vec<Outer>,
    documents: Vec<(String, bool)>,
}

impl<'c> Reader<'c> {
    fn read(&mut self) {
        while let Some(next) = self.take() {
            let closing = self.outer.last().map(|outer| outer.4);
            match next {
                '\\' => match self.take() {
                    Some('\n') | None => {}
                    Some(escaped) => self.quote(escaped),
                },
                '"' => {
                    self.is_quoted = !self.is_quoted;
                    self.unexpanded();
                }
                '$' if self.skip("(") => self.enter(')'),
                '`' if closing == Some('`') => self.leave(),
                '`' => self.enter('`'),
                _ if self.is_quoted => self.push(next),
                '\'' => {
                    let (text, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
                    self.rest = rest;
                    self.unexpanded().push_str(text);
                }
                ')' if closing == Some(')') => self.leave(),
                '(' => {
                    self.end_command();
                    self.enter(')');
                }
                '#' if self.word.is_none() => {
                    self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
                }
                '<' | '>' => self.redirection(next),
                '&' if self.rest.starts_with('>') => self.end_word(),
                ' ' | '\t' => self.end_word(),
                ';' | '|' | '&' | ')' => self.end_command(),
                '\n' => {
                    self.end_command();
                    self.skip_documents();
                }
                _ => self.push(next),
            }
        }
    }

    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn push(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn quote(&mut self, letter: char) {
        self.unexpanded().push(letter);
    }

    /// Returns the word of which a part is quoted.
    fn unexpanded(&mut self) -> &mut String {
        if let Next::Delimiter(is_expanded) = &mut self.next {
            *is_expanded = false;
        }
        self.word.get_or_insert_default()
    }

    fn enter(&mut self, closing: char) {
        let (command, word) = (std::mem::take(&mut self.command), self.word.take());
        let (next, quoted) = (std::mem::take(&mut self.next), std::mem::take(&mut self.is_quoted));
        self.outer.push((command, word, next, quoted, closing));
    }

    /// Continues the outer command, whose word is no longer literal.
    fn leave(&mut self) {
        self.end_command();
        let Some((command, word, next, is_quoted, _)) = self.outer.pop() else { return };
        (self.command, self.word, self.next, self.is_quoted) = (command, word, next, is_quoted);
        self.push('$');
    }

    fn redirection(&mut self, sign: char) {
        // The number of a stream is no word.
        let is_digit = |byte: u8| byte.is_ascii_digit();
        if self.word.take_if(|word| word.bytes().all(is_digit)).is_none() {
            self.end_word();
        }
        self.next = if sign == '>' {
            self.rest = self.rest.trim_start_matches(['>', '|', '&']);
            Next::Other
        } else if self.skip("<<") || self.skip("&") || self.skip(">") {
            Next::Other
        } else if self.skip("<") {
            self.skip("-");
            Next::Delimiter(true)
        } else if self.skip("(") {
            return self.enter(')');
        } else {
            Next::Input
        };
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::take(&mut self.next) {
            Next::Argument => self.command.words.push(word),
            Next::Input => self.command.inputs.push(word),
            Next::Other => {}
            Next::Delimiter(is_expanded) => self.documents.push((word, is_expanded)),
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.next = Next::Argument;
        let command = std::mem::take(&mut self.command);
        if !command.words.is_empty() || !command.inputs.is_empty() {
            self.done.push(command);
        }
    }

    /// Skips the texts of here-documents, and reads what a shell runs of them.
    fn skip_documents(&mut self) {
        let program = self.done.last().and_then(|command| command.words.first());
        let is_run = program.is_some_and(|program| is_listed("shells", base(program)));
        for (delimiter, is_expanded) in std::mem::take(&mut self.documents) {
            let mut text = String::new();
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if line.trim_start_matches('\t') == delimiter {
                    break;
                }
                text.extend([line, "\n"]);
            }
            if is_run || is_expanded {
                let text = text.replace('"', if is_run { "\"" } else { " " });
                let mut inner = Reader { rest: &text, is_quoted: !is_run, ..Reader::default() };
                inner.read();
                self.done.append(&mut inner.done);
            }
        }
    }
}
