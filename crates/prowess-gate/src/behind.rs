//! The commands that commands run in their turn: `sudo rm x` runs `rm x`.
//!
//! For denials alone: what is read here is as wide as it may be, and what cannot be read is
//! named. No grant is ever wider by it.

mod language;
mod managers;
mod mention;
mod options;
mod programs;
mod renamed;
mod table;
mod wrapper;

use prowess_format::tool_pattern::ProgramKind;
use prowess_text::quoted;

use crate::{HostFiles, SimpleCommand, shell_commands};

pub(crate) use mention::is_plain;
pub(crate) use options::divided;
pub(crate) use programs::{has_any, runs_code};
pub(crate) use table::Table;
pub(crate) use wrapper::has;

/// The most commands that are followed. Whatever is behind more of them cannot be seen.
const MAX_RUNS: usize = 256;

/// The most directories in which the words of a line are looked for.
const MAX_DIRECTORIES: usize = 32;

/// A command that may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) words: Vec<String>,
    /// The names of the program: the last component of its path and of each file that it is a
    /// link to.
    pub(crate) names: Vec<String>,
    /// Whether words follow that are not known here, as behind `xargs`.
    pub(crate) is_open: bool,
    /// Whether these words come from the input, and may be options.
    pub(crate) is_fed: bool,
    /// Whether it is one of several readings of the same words.
    pub(crate) is_guess: bool,
    /// What stands for such a word, as in `find -exec rm {}`.
    pub(crate) placeholder: Option<String>,
}

impl Run {
    /// Returns whether the word at a position may be this one; `None` behind the last known one.
    /// A program is compared by the last component of its path: `/bin/rm` is `rm`.
    pub(crate) fn may_be(&self, at: usize, expected: &str) -> Option<bool> {
        let word = self.words.get(at)?;
        if at == 0 {
            let expected = base(expected);
            return Some(self.names.iter().any(|name| name.eq_ignore_ascii_case(expected)));
        }
        let is_any = self.placeholder.as_ref().is_some_and(|name| word.contains(name.as_str()));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        let value = |text: &str| text.trim_start_matches('0').to_owned();
        // `0777`
        let is_same = || is_number(word) && is_number(expected) && value(word) == value(expected);
        Some(is_any || word == expected || is_same())
    }

    /// Returns whether every word is known.
    pub(crate) fn is_closed(&self) -> bool {
        !self.is_open && self.placeholder.is_none()
    }

    /// Returns the run under the name of another program, if both are one file.
    pub(crate) fn as_program(&self, other: &str, files: Option<&dyn HostFiles>) -> Option<Self> {
        let names = names(Some(&other.to_owned()), files);
        let is_same = self.names.iter().any(|name| names.contains(name));
        is_same.then(|| Self { names, ..self.clone() })
    }

    /// Returns the run with its paths relative to the working directory, and with absolute ones,
    /// both without parts that lead nowhere: `cat ./x/../.env` is `cat .env`. Each word may also be
    /// in a directory that the line enters.
    pub(crate) fn other_spellings(
        &self,
        files: Option<&dyn HostFiles>,
        entered: &[String],
    ) -> Vec<Self> {
        let is_plain = |word: &String| !word.contains(['/', '.']) || word.contains("://");
        if entered.is_empty() && self.words.iter().skip(1).all(is_plain) {
            return Vec::new();
        }
        let directory = files.and_then(|files| files.resolve("")).unwrap_or_default();
        let absolute = |word: &str| {
            let path = without_detours(&joined(&format!("{directory}/"), word));
            let own =
                ["/proc/self/", "/proc/thread-self/"].iter().find_map(|it| path.strip_prefix(it));
            match own.map(|own| (own.strip_prefix("cwd"), own.strip_prefix("root"))) {
                Some((Some(below), _)) => format!("{directory}{below}"),
                Some((_, Some(below))) => without_detours(&format!("/{below}")),
                _ => path,
            }
        };
        let relative = |word: &str| {
            let path = absolute(word);
            match path.strip_prefix(&directory).filter(|_| !directory.is_empty()) {
                Some("") => ".".to_owned(),
                Some(below) if below.starts_with('/') => below[1..].to_owned(),
                _ => without_detours(word),
            }
        };
        let is_last = |at: usize, _: &str| at + 1 == self.words.len();
        let is_path = |_: usize, word: &str| word.contains(['/', '.']);
        let kinds = [&is_path as &dyn Fn(usize, &str) -> bool, &is_last, &|_, _| true];
        let mut all = Vec::new();
        for place in std::iter::once("").chain(entered.iter().map(String::as_str)) {
            for is_path in kinds.iter().take(if place.is_empty() { 1 } else { kinds.len() }) {
                for spell in [&relative as &dyn Fn(&str) -> String, &absolute] {
                    let word = |(at, word): (usize, &String)| {
                        let is_path = at > 0 && !word.starts_with('-') && is_path(at, word);
                        if is_path { spell(&joined(place, word)) } else { word.clone() }
                    };
                    all.push(
                        self.with(&self.words.iter().enumerate().map(word).collect::<Vec<_>>()),
                    );
                }
            }
        }
        all
    }

    /// Returns the directory that this command enters, or in which it runs another one.
    fn entered(&self) -> Option<&str> {
        let is_change = self.names.iter().any(|name| ["cd", "pushd", "chdir"].contains(&&**name));
        let is_option = |word: &str| ["-C", "-D", "--chdir", "--directory"].contains(&word);
        let mut pairs = self.words.windows(2);
        match is_change {
            true => self.words[1..].iter().map(String::as_str).find(|word| !word.starts_with('-')),
            false => pairs.find_map(|pair| {
                let long =
                    || pair[1].strip_prefix("--chdir=").or(pair[1].strip_prefix("--directory="));
                if is_option(&pair[0]) { Some(&*pair[1]) } else { long() }
            }),
        }
    }

    fn with(&self, words: &[String]) -> Self {
        Self { words: words.to_vec(), ..self.clone() }
    }
}

/// Returns a path below a directory, which is empty or ends with `/`.
pub(crate) fn joined(directory: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { [directory, path].concat() }
}

/// Returns a path without empty parts, `.`, and `..` behind a name.
fn without_detours(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match parts.last() {
            Some(&last) if part == ".." && last != ".." => drop(parts.pop()),
            None if part == ".." && path.starts_with('/') => {}
            _ => parts.push(part),
        }
    }
    match path.starts_with('/') {
        true => format!("/{}", parts.join("/")),
        false if parts.is_empty() => ".".to_owned(),
        false => parts.join("/"),
    }
}

/// The commands that a list of commands runs.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    pub(crate) commands: Vec<Run>,
    /// The words of lines that cannot be read, from each on.
    pub(crate) written: Vec<Run>,
    /// Why it cannot be seen whether a denied command runs, as behind `python`.
    pub(crate) doubt: Option<String>,
    /// The program of which the words do not show what it reaches. One that runs code of the
    /// project is none.
    pub(crate) obscure: Option<String>,
    /// Programs that are not known, with each command in their words that they may run.
    pub(crate) mentioned: Vec<(String, Run)>,
    /// The directories in which later words may be, each with a `/` behind it.
    pub(crate) entered: Vec<String>,
    /// Whether a line that cannot be read is too long to look for a denied command in it.
    pub(crate) is_unreadable: bool,
    /// The names that programs may get within the line, and the programs.
    renamed: Vec<(String, String)>,
    queue: Vec<Run>,
}

impl Runs {
    /// Follows the commands through every program that runs others.
    pub(crate) fn of(commands: &[SimpleCommand], files: Option<&dyn HostFiles>) -> Self {
        let run = |command: &SimpleCommand| Run { words: command.words.clone(), ..Run::default() };
        let mut runs = Self { queue: commands.iter().map(run).collect(), ..Self::default() };
        runs.follow_all(files);
        runs
    }

    fn follow_all(&mut self, files: Option<&dyn HostFiles>) {
        let runs = self;
        while let Some(mut run) = runs.queue.pop() {
            if runs.commands.len() == MAX_RUNS {
                runs.hide(&run.words.concat());
                break;
            }
            run.names = names(run.words.first(), files);
            let is_elsewhere =
                |name: &String| ProgramKind::of(name) == Some(ProgramKind::Elsewhere);
            if run.is_fed || run.names.iter().any(is_elsewhere) {
                runs.obscure(run.words.first().map_or("", String::as_str));
            }
            runs.follow(&run, files);
            renamed::follow(runs, &run);
            runs.commands.push(run);
        }
        // The last command was followed first.
        for place in runs.commands.iter().rev().filter_map(Run::entered) {
            let below = runs.entered.iter().map(|it| joined(it, place) + "/");
            let below: Vec<_> = below.chain([format!("{place}/")]).collect();
            runs.entered.extend(below);
            if runs.entered.len() > MAX_DIRECTORIES {
                runs.entered.truncate(MAX_DIRECTORIES);
                return runs.doubt_of("it changes its directory often");
            }
        }
    }

    /// Follows what is there of a line that was not read as a whole, and why.
    pub(crate) fn of_text(text: &str, reason: &str, files: Option<&dyn HostFiles>) -> Self {
        let mut runs = Self::default();
        runs.doubt_of(reason);
        runs.add_line(&Run::default(), text);
        runs.follow_all(files);
        runs
    }

    fn follow(&mut self, run: &Run, files: Option<&dyn HostFiles>) {
        let Some(first) = run.words.first() else { return };
        let is_unknown = run.placeholder.as_ref().is_some_and(|name| first.contains(name.as_str()));
        if is_unknown {
            return self.hide(first);
        }
        if is_of_project(first) || writes_code(base(first), run) {
            self.hide_code(first);
        }
        for name in &run.names {
            // `git-push` is `git push`.
            let divided = name.split_once('-');
            if let Some((program, command)) =
                divided.filter(|(program, _)| WITH_COMMANDS.contains(program))
            {
                let words = [program.to_owned(), command.to_owned()];
                self.add(run, &[&words[..], &run.words[1..]].concat());
            }
            let is_program = programs::follow(self, name, run);
            let is_wrapper = wrapper::follow(self, name, run);
            if !is_program && !is_wrapper {
                mention::follow(self, name, run, files);
            }
        }
    }

    /// A program runs these words.
    fn add(&mut self, run: &Run, words: &[String]) {
        self.queue.push(run.with(words));
    }

    /// A shell runs this line.
    fn add_line(&mut self, run: &Run, line: &str) {
        // The words for it may have a command of their own.
        if run.placeholder.as_ref().is_some_and(|name| line.contains(name.as_str())) {
            self.hide(line);
        }
        match shell_commands(line) {
            Ok(commands) => {
                self.queue.extend(commands.iter().map(|command| run.with(&command.words)));
            }
            Err(unreadable) => {
                self.obscure(line);
                self.doubt_of(&unreadable.to_string());
                match mention::runs(run, std::iter::once(line), None) {
                    Some(runs) => self.written.extend(runs),
                    None => self.is_unreadable = true,
                }
            }
        }
    }

    fn doubt_of(&mut self, reason: &str) {
        self.doubt.get_or_insert_with(|| format!("{reason}, so it may run what is denied"));
    }

    /// A program may run this text as a line, if it is one.
    fn add_text(&mut self, run: &Run, text: &str) {
        match shell_commands(text) {
            Ok(_) => self.add_line(run, text),
            Err(_) => self.hide(text),
        }
    }

    /// A program runs something that cannot be read.
    fn hide(&mut self, program: &str) {
        self.obscure(program);
        self.hide_code(program);
    }

    /// A program runs code of the project, or what is in a file of it.
    fn hide_code(&mut self, program: &str) {
        let text = || format!("what {} runs cannot be seen, and may be denied", quoted(program));
        self.doubt.get_or_insert_with(text);
    }

    /// The words of a program do not show what it reaches.
    fn obscure(&mut self, program: &str) {
        self.obscure.get_or_insert_with(|| program.to_owned());
    }
}

/// Directories and files of which a later command runs something, and the hooks of git, wherever
/// they are.
static CODE: Table = Table::new(include_str!("behind/code.txt"));

/// Programs that write no file that they are given, or that remove it.
static READERS: Table = Table::new(include_str!("behind/readers.txt"));

/// Returns whether a command may write what a later one runs. A directory of it that is entered
/// counts, and words that are not known for a program that writes.
fn writes_code(program: &str, run: &Run) -> bool {
    let is_action = |word: &String| {
        ["-exec", "-ok", "-fls", "-fprint"].iter().any(|start| word.starts_with(start))
    };
    if READERS.has(program) && !(program == "find" && run.words.iter().any(is_action)) {
        return false;
    }
    if run.is_fed && has("cp mv ln tee install rsync dd touch", program) {
        return true;
    }
    let is_code = |word: &String| {
        let lower = word.to_ascii_lowercase();
        let mut parts = lower.split(['/', '=', ':', ' ', ',']);
        let is_named = parts.any(|part| !part.is_empty() && CODE.has(part));
        is_named || lower.contains(".git/") || lower.starts_with('-') && lower.ends_with(".git")
    };
    let is_word = |pair: &&[String]| {
        let is_data = ["exclude", "://", "@", "--git-dir", "--work-tree"];
        let is_other = is_data.iter().any(|it| pair[1].contains(it))
            || pair[0].contains("exclude")
            || has("-path -ipath -name -iname -wholename", &pair[0]);
        // `git` writes into its directory by itself.
        let is_git = program == "git" && !pair[1].contains(".git/");
        !is_other && !is_git && pair[1].contains(['.', '-'])
    };
    run.words.windows(2).filter(is_word).any(|pair| is_code(&pair[1]))
}

/// Programs whose commands are programs of their own, too.
const WITH_COMMANDS: [&str; 5] = ["git", "cargo", "docker", "podman", "kubectl"];

/// Programs that do what the name says by which they are called.
const MULTIPLE: [&str; 4] = ["busybox", "toybox", "coreutils", "rustup"];

/// Returns the names of a program. A link to a program of many names has its own.
fn names(program: Option<&String>, files: Option<&dyn HostFiles>) -> Vec<String> {
    let Some(program) = program else { return Vec::new() };
    // Some file systems ignore case.
    let mut names = vec![base(program).to_ascii_lowercase()];
    for path in files.map(|files| files.program(program)).unwrap_or_default() {
        let name = base(&path);
        if !MULTIPLE.contains(&name) && !names.iter().any(|other| other == name) {
            names.push(name.to_ascii_lowercase());
        }
    }
    names
}

/// Returns whether a program is a file of the project or of the user, such as a script: what it
/// runs cannot be seen.
pub(crate) fn is_of_project(program: &str) -> bool {
    const SYSTEM: [&str; 5] = ["/bin/", "/sbin/", "/nix/", "/snap/", "/gnu/"];
    // `/usr/src/app` may be the project.
    const INSTALLED: [&str; 5] = ["bin/", "sbin/", "lib", "games/", "local/"];
    let is_installed = |rest: &str| INSTALLED.iter().any(|directory| rest.starts_with(directory));
    let is_system = SYSTEM.iter().any(|directory| program.starts_with(directory))
        || program.strip_prefix("/usr/").is_some_and(is_installed)
        || program.starts_with("/opt/") && program.contains("/bin/");
    program.contains('/') && (!is_system || program.contains("/../"))
}

/// Returns the last component of a program's path.
pub(crate) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
