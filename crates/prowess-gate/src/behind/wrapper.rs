//! Programs that run the words after their own options.

use super::{Run, Runs, Table};

/// How the options of such programs are read, as by `getopt`.
struct Wrapper<'n> {
    name: &'n str,
    /// The letters of options without a value.
    flags: &'static str,
    /// The letters of options with a value.
    values: &'static str,
    /// The letters of those whose value is a line for a shell.
    lines: &'static str,
    /// The long options with a value.
    long_values: &'static str,
    /// The number of words between the options and the command.
    operands: usize,
}

/// Programs with what [`Wrapper`] has of them. Options of the last ones are not known and may have
/// a value, so both readings count.
static WRAPPERS: Table = Table::new(include_str!("wrapper/wrappers.txt"));

/// Programs whose command may begin at any word, or be a line in one: those with words of their own
/// before it, and options with any number of values.
static ANYWHERE: Table = Table::new(include_str!("wrapper/anywhere.txt"));

/// Programs that start a shell, which reads its input, where they are given no command.
const STARTING: &str = "su runuser sg script scriptlive ssh autossh slogin mosh rsh chroot fakeroot \
    fakechroot linux32 linux64 i386 x86_64 uname26 pkexec";

/// The same of those whose command may begin at any word.
const STARTING_ANYWHERE: &str = "unshare nsenter proot firejail run0 setarch capsh \
    distrobox-enter";

/// Words by which these start a shell.
const SHELL_WORDS: &str = "shell --shell develop enter ssh login console environment";

/// Variables by which no program runs others. Any other one may name a program or a file.
const VARIABLES: &str = include_str!("wrapper/variables.txt");

/// Programs that set variables from a file of the project.
const SETTING: &str = "direnv dotenv dotenvx envdir mise rtx asdf";

/// Programs that join their words to a line for a shell.
const JOINING: &str = "watch ssh autossh mosh slogin rsh parallel sg";

/// Programs that give further words to the command.
const OPEN: &str = "xargs gxargs parallel entr";

/// Adds what a program runs, if it is one of these. Returns whether that is all.
pub(super) fn follow(runs: &mut Runs, name: &str, run: &Run) -> bool {
    if ANYWHERE.has(name) {
        anywhere(runs, name, run);
        return true;
    }
    // The loader of programs, whose name has the system's in it.
    let name = if name.starts_with("ld-") && name.contains(".so") { "ld.so" } else { name };
    let Some(wrapper) = Wrapper::of(name) else { return false };
    let read = wrapper.read(&run.words);
    let sets = |word: &&str| word.split('=').next().is_some_and(|name| !has(VARIABLES, name));
    let is_escaped = |line: &&str| line.contains('\\');
    // The line of `env` is none of a shell: `\_` is a blank.
    if read.variables.iter().any(sets) || name == "env" && read.lines.iter().any(is_escaped) {
        runs.hide(name);
    }
    let is_shell = read.lines.is_empty() && starts_shell(name, &run.words);
    let takes_file = match name {
        "runuser" => !run.words.iter().any(|word| word.starts_with("-u") || word == "--user"),
        _ => has("su script scriptlive", name),
    };
    if is_shell && takes_file {
        // The words are a file of commands, or the file that the output goes to.
        runs.hide(name);
    }
    let inner = Run {
        is_open: run.is_open || has(OPEN, name),
        is_fed: run.is_fed || has(OPEN, name),
        is_guess: run.is_guess,
        placeholder: read.placeholder.or_else(|| run.placeholder.clone()),
        ..Run::default()
    };
    for line in read.lines {
        // `env -S 'timeout 5' rm x`: the words that follow belong to it.
        runs.add_line(&Run { is_open: true, ..inner.clone() }, line);
    }
    for start in read.starts {
        let words = run.words.get(start..).unwrap_or_default();
        match words {
            [] if run.is_open || is_shell || name == "parallel" => runs.hide(name),
            [] => {}
            words if start == read.command => runs.add(&inner, words),
            words => runs.add(&Run { is_guess: true, ..inner.clone() }, words),
        }
        if has(JOINING, name) && !words.is_empty() {
            runs.add_line(&inner, &words.join(" "));
        }
    }
    if name == "parallel" {
        // `parallel ::: 'rm x'`
        let inputs = run.words.iter().skip_while(|word| !word.starts_with(":::")).skip(1);
        inputs.for_each(|line| runs.add_text(&inner, line));
    }
    // The values of options that are not known are none of the command.
    let knows_none = wrapper.flags.is_empty() && wrapper.values.is_empty();
    !knows_none || run.words.get(1).is_none_or(|word| !is_option(word))
}

/// Adds each command that may begin at a word.
fn anywhere(runs: &mut Runs, name: &str, run: &Run) {
    let sets = |word: &String| match word.starts_with('-') {
        true => word.contains("env"),
        false => is_assignment(word) && !word.contains(' '),
    };
    if has(SETTING, name)
        || run.words[1..].iter().any(sets)
        || run.is_open && run.words.len() == 1
        || starts_shell_anywhere(name, &run.words)
    {
        runs.hide(name);
    }
    for (at, word) in run.words.iter().enumerate().skip(1) {
        if word.contains(' ') {
            runs.add_text(run, word);
        }
        let value = word.split_once('=').filter(|_| word.starts_with('-'));
        if let Some((_, value)) = value.filter(|(_, value)| !value.is_empty()) {
            runs.add_text(run, value);
        }
        if !word.starts_with('-') {
            runs.add(run, &run.words[at..]);
        }
    }
}

/// Returns whether a program that is given no command starts a shell.
fn starts_shell(name: &str, words: &[String]) -> bool {
    let is_shell_option = |word: &String| match word.strip_prefix("--") {
        Some(long) => long.starts_with('s') || long.starts_with("lo"),
        None => word.starts_with('-') && word.contains(['s', 'i']),
    };
    match name {
        "sudo" | "doas" => words.iter().any(is_shell_option),
        _ => has(STARTING, name) && !is_question(name, &words[1..]),
    }
}

/// Returns whether such a program may start a shell: no word is a command for certain.
fn starts_shell_anywhere(name: &str, words: &[String]) -> bool {
    let is_shell =
        |word: &String| has(SHELL_WORDS, word) || name == "systemd-run" && word.starts_with("-S");
    if words[1..].iter().any(is_shell) {
        return true;
    }
    let has_line = |word: &String| word.starts_with("--run") || word.starts_with("--command");
    let operands = usize::from(has("setarch distrobox-enter", name));
    let is_command =
        |pair: &[String]| !is_option(&pair[1]) && (pair[0] == "--" || !is_option(&pair[0]));
    match name {
        "nix-shell" => !words.iter().any(has_line),
        _ if is_question(name, &words[1..]) => false,
        _ => {
            has(STARTING_ANYWHERE, name)
                && !words.get(operands..).unwrap_or_default().windows(2).any(is_command)
        }
    }
}

/// `python --version` runs nothing. `-v` is verbose for others, and `version` a file or a goal;
/// `yarn` is a file of the project.
pub(super) fn is_question(name: &str, arguments: &[String]) -> bool {
    let [only] = arguments else { return false };
    match only.as_str() {
        "--version" | "--help" => !has("yarn mvn rails", name),
        "-V" => has("python pypy ssh cargo", name),
        "-v" => has("node perl ruby php npm pnpm npx", name),
        _ => false,
    }
}

/// Returns whether a list of words has this one.
pub(crate) fn has(list: &str, word: &str) -> bool {
    // Few names are anywhere in a list, and a search for the text takes a fraction of the time.
    list.contains(word) && list.split_ascii_whitespace().any(|other| other == word)
}

/// The words of a call of such a program.
#[derive(Default)]
struct Read<'w> {
    /// Where the command may begin.
    starts: Vec<usize>,
    /// Where it begins, if all options are known.
    command: usize,
    lines: Vec<&'w str>,
    /// The variables that are set.
    variables: Vec<&'w str>,
    placeholder: Option<String>,
}

impl<'n> Wrapper<'n> {
    fn of(name: &'n str) -> Option<Self> {
        let mut parts = WRAPPERS.row(name)?.split(';').map(str::trim);
        let [flags, values, lines, long_values] =
            [(); 4].map(|()| parts.next().unwrap_or_default());
        let operands = parts.next()?.parse().ok()?;
        Some(Self { name, flags, values, lines, long_values, operands })
    }

    fn read<'w>(&self, words: &'w [String]) -> Read<'w> {
        let mut read = Read::default();
        let mut at = 1;
        while let Some(word) = words.get(at) {
            match word.strip_prefix("--") {
                Some("") => {
                    at += 1;
                    break;
                }
                Some(long) => at += self.long(long, words.get(at + 1), at, &mut read),
                None if is_option(word) => {
                    at += self.short(&word[1..], words.get(at + 1), at, &mut read);
                }
                None if word == "-" || is_assignment(word) => at += 1,
                None => break,
            }
        }
        let is_setting = has("env sudo doas", self.name);
        while is_setting && words.get(at).is_some_and(|word| is_assignment(word)) {
            at += 1;
        }
        if is_setting {
            let before = words[1..words.len().min(at)].iter().filter(|it| is_assignment(it));
            let before = before.filter(|word| !word.starts_with('-'));
            read.variables.extend(before.map(String::as_str));
        }
        if self.lines.contains('c') {
            // `su bob -c LINE`: options may follow.
            let rest = words.get(at..).unwrap_or_default();
            let lines = rest.windows(2).filter(|pair| pair[0] == "-c" || pair[0] == "--command");
            read.lines.extend(lines.map(|pair| pair[1].as_str()));
        }
        read.command = at + self.operands;
        read.starts.push(read.command);
        if self.operands > 0 {
            // `su -c LINE` and `chrt` with an option have one word less.
            read.starts.push(at);
        }
        read
    }

    /// Reads a long option. Returns the number of its words.
    fn long<'w>(
        &self,
        option: &'w str,
        next: Option<&'w String>,
        at: usize,
        read: &mut Read<'w>,
    ) -> usize {
        let (name, value) = option.split_once('=').unzip();
        let name = name.unwrap_or(option);
        // GNU programs take the beginning of an option's name for it.
        let mut known = self.long_values.split_ascii_whitespace();
        let known = known.find(|known| known.starts_with(name));
        if matches!(known, Some("split-string" | "command" | "session-command")) {
            read.lines.extend(value.or(next.map(String::as_str)));
        }
        if name == "replace" {
            read.placeholder = Some(value.unwrap_or("{}").to_owned());
        }
        match (known, value) {
            (_, Some(_)) => 1,
            (Some(_), None) => 2,
            (None, None) => {
                read.starts.extend([at + 2, at + 2 + self.operands]);
                1
            }
        }
    }

    /// Reads a group of short options. Returns the number of its words.
    fn short<'w>(
        &self,
        letters: &'w str,
        next: Option<&'w String>,
        at: usize,
        read: &mut Read<'w>,
    ) -> usize {
        for (position, letter) in letters.char_indices() {
            let rest = &letters[position + letter.len_utf8()..];
            if letter == 'i' && has("xargs gxargs parallel", self.name) {
                read.placeholder = Some(if rest.is_empty() { "{}" } else { rest }.to_owned());
                return 1;
            }
            if self.values.contains(letter) {
                let value = if rest.is_empty() { next.map(String::as_str) } else { Some(rest) };
                if self.lines.contains(letter) {
                    read.lines.extend(value);
                }
                if letter == 'I' {
                    read.placeholder = value.map(str::to_owned);
                }
                return if rest.is_empty() { 2 } else { 1 };
            }
            if !self.flags.contains(letter) && !letter.is_ascii_digit() {
                read.starts.extend([at + 2, at + 2 + self.operands]);
            }
        }
        1
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with(['-', '+'])
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains('/'))
}
