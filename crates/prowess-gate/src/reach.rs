//! The files that a command reaches, as far as its words show them.
//!
//! The list of a skill covers a command only if each word stays in its package and the working
//! directory, and the words show all that it does: a word that has a path of another place
//! anywhere in it counts, whatever option or text it belongs to.

mod unseen;

use prowess_format::tool_pattern::ProgramKind;
use unseen::is_unseen;

use crate::behind::{Runs, base, has, has_any, is_of_project, is_plain, joined, runs_code};
use crate::gap::Gap;
use crate::pattern::Paths;
use crate::{HostFiles, SimpleCommand};

/// Files outside of every directory that hold nothing.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"];

/// Options whose value is a character. `tr` has no files at all.
const DELIMITERS: [(&str, &str); 4] =
    [("awk gawk mawk nawk", "-F"), ("cut paste xargs", "-d"), ("sort", "-t"), ("column", "-s")];

/// The ends of escapes for `/`, `.` and `~` in programs' texts.
const ESCAPES: &str = "x2f x2e x7e u002f u002e u{2f u{2e 57 057 o57 o057 56 056 o56 o056 176 d47 d047 \
    d46 d046 d126";

/// Programs whose texts may have a `/` between blanks. Any other word may be a line.
const TEXTS: &str = "echo printf git grep egrep fgrep rg jq";

const AWK: &str = "awk gawk mawk nawk original-awk";
const SED: &str = "sed gsed ssed";

/// Programs and options of `find` whose words may be patterns: a directory of the root that does
/// not exist is none there.
const PATTERNS: &str = include_str!("reach/patterns.txt");

/// Programs that may make links, by an option with one of the letters, if there are letters. The
/// links of the first ones are in what they move or copy.
const LINKING: [(&str, &str); 5] = [
    ("mv rsync", ""),
    ("cp gcp", "adPRrls"),
    ("ln link unzip bsdtar cpio pax 7z 7za 7zz patch unsquashfs", ""),
    ("tar gtar", "xg"),
    ("git", ""),
];

const LINKING_GIT: &str = include_str!("reach/linking_git.txt");

/// Programs that make no links but as above, and those whose commands are looked at by themselves.
/// A script of the project is free anyway.
const NO_LINKS: &str = "awk gawk mawk nawk original-awk sed gsed ssed find gfind fd fdfind curl ag ack bat \
    env timeout gtimeout nice ionice stdbuf setsid taskset time nohup";

/// Further programs whose words are files that they open.
const OPENING: &str =
    "sed gsed ssed awk gawk mawk nawk original-awk bat rev gpg pandoc openssl xmllint";

/// The most directories in which later words of a line may be.
const MAX_DIRECTORIES: usize = 16;

/// Follows the commands of a line.
pub(crate) struct Reach<'a> {
    paths: Paths<'a>,
    /// The first directory, and those that earlier commands may have changed to.
    directories: Vec<String>,
    /// The number of those in front of the directories among the words of the command.
    entered: usize,
    /// Whether a command changed to a directory that is not known.
    is_lost: bool,
    /// The files that earlier commands may have made, and below which there may be links.
    made: Vec<String>,
    /// Whether such links may be anywhere.
    is_made: bool,
    /// Whether a command is not known to make none, so that there may be one where nothing was.
    may_make: bool,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(paths: Paths<'a>) -> Self {
        let directories = vec![String::new()];
        let (is_lost, is_made, may_make) = Default::default();
        Self { paths, directories, entered: 1, is_lost, made: Vec::new(), is_made, may_make }
    }

    /// Returns why the next command may reach files that the list of a skill does not.
    pub(crate) fn next(&mut self, command: &SimpleCommand) -> Option<Gap> {
        let files = self.paths.files?;
        let program = command.words.first()?;
        let runs = Runs::of(std::slice::from_ref(command), Some(files));
        let known = self.directories.len();
        self.entered = known;
        self.enter(files, &command.words);
        // The end of these words was looked at with them.
        let is_new = |words: &[String]| words == command.words || !command.words.ends_with(words);
        let mut inner = runs.commands.iter().filter(|run| is_new(&run.words));
        let outside = inner.find_map(|run| self.far_command(files, &run.words));
        let outside = outside.or_else(|| self.far_below(files, &command.words, known));
        self.directories.truncate(known);
        let certain = runs.commands.iter().filter(|run| !run.is_guess);
        certain.for_each(|run| self.make(files, &run.words));
        self.change(program, &command.words[1..]);
        let obscure = match self.is_lost {
            true => Some("cd".to_owned()),
            false => runs.obscure.or_else(|| {
                let mut runs = runs.commands.iter();
                runs.find(|run| is_unseen(&run.words)).map(|run| run.words[0].clone())
            }),
        };
        outside.or_else(|| Some(Gap::Obscure(base(&obscure?).to_owned())))
    }

    /// Adds the directories among the words: others may be relative to them, as with `-C`.
    fn enter(&mut self, files: &dyn HostFiles, words: &[String]) {
        let mut entered = Vec::new();
        for place in words[1..].iter().flat_map(|word| values(word)) {
            let is_place = |path: &String| path != "./" && files.is_directory(path);
            let place = place.trim_end_matches('/');
            let paths = self.directories.iter().map(|it| joined(it, place) + "/");
            entered.extend(paths.filter(|path| !place.is_empty() && is_place(path)));
        }
        self.is_lost |= entered.len() > 4 * MAX_DIRECTORIES;
        self.directories.extend(entered);
    }

    /// Returns why a file that a command puts into one of its directories, from the known ones on,
    /// may lead out: `cp a/key docs` writes `docs/key`.
    fn far_below(&self, files: &dyn HostFiles, words: &[String], known: usize) -> Option<Gap> {
        let mut words = words[1..].iter().map(|word| word.trim_end_matches('/'));
        words.find_map(|word| {
            let name = base(word);
            // `curl -O https://h/key`
            let known = if word.contains("://") { 0 } else { known };
            let mut paths = self.directories[known..].iter().map(|place| joined(place, name));
            let is_name = !name.is_empty() && name != word;
            paths.find_map(|path| is_name.then(|| self.paths.far_file(files, &path)).flatten())
        })
    }

    /// Adds what a command makes.
    fn make(&mut self, files: &dyn HostFiles, words: &[String]) {
        let name = words.first().map_or("", |program| base(program));
        let Some(at) = LINKING.iter().position(|(names, _)| has(names, name)) else {
            self.may_make |= !makes_no_links(name, words);
            return;
        };
        let letters = LINKING[at].1;
        let is_option = |(at, word): (usize, &String)| {
            (at == 0 && letters == "xg" || word.starts_with('-'))
                && word.contains(|it| letters.contains(it))
        };
        let makes = match name {
            "git" => words.iter().any(|word| has(LINKING_GIT, word)),
            _ => letters.is_empty() || words[1..].iter().enumerate().any(is_option),
        };
        self.is_made |= makes && at > 1;
        if makes && at <= 1 {
            let places = words[1..].iter().flat_map(|word| values(word));
            let paths = places.flat_map(|it| self.directories.iter().map(move |d| joined(d, it)));
            let made: Vec<_> = paths.filter_map(|path| files.resolve(&path)).collect();
            self.made.extend(made);
        }
    }

    /// Follows `cd`. Without a directory it goes home, and `-` is one that is not known.
    fn change(&mut self, program: &str, words: &[String]) {
        if !["cd", "pushd", "popd"].contains(&program) {
            return;
        }
        let place = words.iter().find(|word| !word.is_empty() && !word.starts_with(['-', '+']));
        let is_many = self.directories.len() > MAX_DIRECTORIES;
        let is_earlier = words.iter().any(|word| word == "-");
        let Some(place) = place.filter(|_| !is_many && !is_earlier) else {
            self.is_lost = true;
            return;
        };
        let below = |directory: &String| match place.starts_with('/') {
            true => format!("{place}/"),
            false => format!("{directory}{place}/"),
        };
        self.directories.extend(self.directories.iter().map(below).collect::<Vec<_>>());
    }

    /// Returns why a path leads out, from one of the directories.
    fn far(&self, files: &dyn HostFiles, path: &str) -> Option<Gap> {
        let directories = if path.starts_with('/') { &[][..] } else { &self.directories[1..] };
        let is_made = |file: &str| {
            let mut below = self.made.iter().filter_map(|made| file.strip_prefix(made.as_str()));
            below.any(|rest| rest.starts_with('/'))
        };
        let far = |path: &str| match files.resolve(path).filter(|_| !self.made.is_empty()) {
            Some(file) if is_made(&file) => Some(Gap::Unknown(path.to_owned())),
            _ => self.paths.far_file(files, path),
        };
        far(path).or_else(|| directories.iter().find_map(|it| far(&joined(it, path))))
    }

    fn far_command(&self, files: &dyn HostFiles, words: &[String]) -> Option<Gap> {
        let program = words.first()?;
        if let Some(far) = is_of_project(program).then(|| self.far(files, program)).flatten() {
            return Some(far);
        }
        // A runner of code of the project is free anyway, and git stays in its tree.
        let name = base(program);
        let is_read = self.is_made && !runs_code(name) && !has("git echo printf", name);
        if let Some(word) = words[1..].iter().find(|it| is_read && !it.starts_with('-')) {
            return Some(Gap::Unknown(word.clone()));
        }
        let directory = self.directories[..self.entered].last().map_or("", String::as_str);
        let is_new = |word: &&str| !files.exists(&joined(directory, word));
        if let Some(word) = opened(name, words).find(|it| self.may_make && is_new(it)) {
            return Some(Gap::Unknown(word.to_owned()));
        }
        words.windows(2).find_map(|pair| self.far_word(files, program, pair))
    }

    fn far_word(&self, files: &dyn HostFiles, program: &str, pair: &[String]) -> Option<Gap> {
        let (before, word) = (pair[0].as_str(), pair[1].as_str());
        // A program of the project may have any name.
        let program = if is_of_project(program) { "" } else { base(program) };
        let is_delimiter = |(names, option): &(&str, &str)| {
            let value = if before == *option { Some(word) } else { word.strip_prefix(option) };
            names.split(' ').any(|name| name == program) && value.is_some_and(|it| it.len() == 1)
        };
        if program == "tr" || DEVICES.contains(&word) || DELIMITERS.iter().any(is_delimiter) {
            return None;
        }
        // These open no file that a text of theirs has in parts.
        let is_awk = has(AWK, program);
        let text = without_urls(word).filter(|_| !has_escape(word) && (is_awk || !has_home(word)));
        let Some(text) = text else { return Some(Gap::Unknown(word.to_owned())) };
        let is_sign = |start: usize, token: &str| {
            let (before, after) = (&text[..start], &text[start + token.len()..]);
            let is_apart = before.ends_with(' ') && after.starts_with(' ');
            match token {
                "/" => is_apart && has(TEXTS, program) || is_awk || program == "jq",
                // `HEAD^..`
                ".." => before.ends_with(['^', '}', '~']),
                _ => false,
            }
        };
        let is_option = word.starts_with(['-', '+']);
        let is_pattern =
            has(PATTERNS, program) || has(PATTERNS, before) || is_option && word.contains("clude");
        let is_root = |path: &&str| !path.starts_with('/') || !is_pattern || files.has_root(path);
        let found = tokens(&text).filter(|(start, token)| !is_sign(*start, token));
        let is_sed = has(SED, program);
        let found =
            found.flat_map(|(start, token)| paths_in(token, is_option && start == 0, is_sed));
        let found = found.filter(|path| !path.starts_with('/') || files.has_root(path));
        let mut paths = values(&text)
            .filter(is_root)
            .chain(found)
            .filter(|path| !path.is_empty() && !DEVICES.contains(path));
        paths.find_map(|path| self.far(files, path))
    }
}

/// Returns a word, and what may be the value of the option that it is.
fn values(word: &str) -> impl Iterator<Item = &str> {
    let is_name = |name: &str| name.chars().all(|it| it.is_ascii_alphanumeric() || it == '-');
    let value = word.split_once('=').filter(|(name, _)| is_name(name)).map(|(_, value)| value);
    let is_short = word.starts_with(['-', '+']) && !word.starts_with("--");
    [Some(word), value, word.get(2..).filter(|_| is_short)].into_iter().flatten()
}

/// Returns whether a program is known to make no links.
fn makes_no_links(name: &str, words: &[String]) -> bool {
    let is_script = match ProgramKind::of(name) {
        Some(ProgramKind::Shell) => true,
        Some(ProgramKind::Language) => words.get(1).is_some_and(|word| word.contains(['/', '.'])),
        _ => words.first().is_some_and(|program| is_of_project(program)),
    };
    let is_copy = |word: &String| word.contains("ftp") || word.starts_with("--re");
    let copies_links = name == "wget" && words.iter().any(is_copy);
    is_script || has(NO_LINKS, name) || is_plain(name) && !copies_links
}

/// Returns the words of a command that may be files that it opens. A word of a program that
/// is not known may be anything, unless it looks like a path.
fn opened<'w>(name: &'w str, words: &'w [String]) -> impl Iterator<Item = &'w str> {
    let is_text = has("git echo printf true false exit test [", name) || runs_code(name);
    let is_open = (is_plain(name) || has(OPENING, name)) && !has("mkdir rm rmdir", name);
    let takes_value = has("head tail cut sort", name) || has(AWK, name);
    let is_value = move |option: &str| {
        let is_letter = option.len() == 2 && option.ends_with(char::is_alphabetic);
        takes_value && is_letter && option.starts_with('-')
    };
    // The first word is the pattern, unless an option has it.
    let has_pattern =
        has(PATTERNS, name) && !has_any(&words[1..], "-e -f --regexp --file --from-file");
    let is_first = |pair: &[String]| !pair[1].starts_with('-') && !is_value(&pair[0]);
    let pattern = words.windows(2).position(is_first).filter(|_| has_pattern);
    words.windows(2).enumerate().filter(move |_| !is_text).filter_map(move |(at, pair)| {
        let word = pair[1].as_str();
        let (word, is_text) = match word.strip_prefix('-') {
            Some(_) => {
                word.split_once('=').map(|(name, value)| (value, !name.ends_with("file")))?
            }
            None => (word, is_value(&pair[0])),
        };
        let is_path = is_open && !is_text || word.contains(['/', '.']);
        (is_path && pattern != Some(at) && !word.contains("://") && !DEVICES.contains(&word))
            .then_some(word)
    })
}

/// Returns the parts of a word that may be paths, and where each begins.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |it: char| it.is_alphanumeric() || "._-+%/".contains(it);
    let parts = text.split(move |it: char| !is_part(it)).filter(|token| !token.is_empty());
    parts.map(move |token| (token.as_ptr().addr() - text.as_ptr().addr(), token))
}

/// Returns the paths of a part: the whole, and those behind the letters of an option or of a
/// command, as in `-rf/etc/x` and `1w/etc/x`.
fn paths_in(token: &str, is_option: bool, is_sed: bool) -> Vec<&str> {
    let mut paths = vec![token];
    if is_sed {
        // `/a/r/etc/x`, `s/a/b/gw/etc/x`, `rout`: the file of a command ends its line.
        let letters = token.match_indices(['r', 'R', 'w', 'W']).map(|(at, _)| at);
        paths.extend(letters.map(|at| (&token[..at], &token[at + 1..])).filter_map(
            |(before, it)| {
                let is_command =
                    !before.ends_with(|it: char| it.is_alphabetic() && !"gpiImMe".contains(it));
                (is_command || !it.starts_with('/')).then_some(it)
            },
        ));
    }
    if token.starts_with('/') {
        return paths;
    }
    if is_option {
        paths.extend(["/", ".."].iter().filter_map(|it| token.find(it)).map(|at| &token[at..]));
    }
    let climbing = token.match_indices("../").map(|(at, _)| at);
    paths.extend(climbing.filter(|at| !token[..*at].ends_with(['/', '.'])).map(|at| &token[at..]));
    let is_command = |at: &usize| {
        let head = token[..*at].rsplit('/').next().unwrap_or_default();
        let letter = head.trim_start_matches(|it: char| it.is_ascii_digit());
        letter.ends_with('_') || letter.len() == 1 && "rRwWe".contains(letter)
    };
    let slashes = token.match_indices('/').map(|(at, _)| at);
    paths.extend(slashes.filter(is_command).map(|at| &token[at..]));
    paths
}

/// Returns whether a word has a `~` that a program may take for a home directory, unlike `HEAD~1`.
fn has_home(word: &str) -> bool {
    word.match_indices('~').any(|(at, _)| {
        let before = word[..at].chars().next_back();
        let is_start = before.is_none_or(|it| !it.is_alphanumeric() && !"^)}]@/.~".contains(it));
        let is_name = match word[at + 1..].chars().next() {
            None => before.is_none_or(|it| "=:,".contains(it)),
            Some(next) => next == '/' || next.is_alphabetic(),
        };
        is_start && is_name
    })
}

/// Returns whether a word spells a `/`, a `.` or a `~` by its number.
fn has_escape(word: &str) -> bool {
    let is_escape = |(at, _): (usize, &str)| {
        let rest = word[at + 1..].to_ascii_lowercase();
        ESCAPES.split_ascii_whitespace().any(|escape| rest.starts_with(escape))
    };
    word.contains('\\') && word.match_indices('\\').any(is_escape)
}

/// Returns a word without its addresses of the network; `None` if one may be of a file.
fn without_urls(word: &str) -> Option<String> {
    let lower = word.to_ascii_lowercase();
    let mut files = lower.match_indices("file:");
    if files.any(|(at, _)| lower[at + 5..].starts_with(['/', '\\', '%', '[', '{'])) {
        return None;
    }
    let (mut text, mut rest) = (String::new(), word);
    while let Some((before, after)) = rest.split_once("://") {
        let is_edge = |it: char| it == ' ' || "\"'=,(<>|;".contains(it);
        let scheme = before.rsplit(is_edge).next().unwrap_or_default();
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "+.-_".contains(it);
        let end = after.find(|it: char| it.is_whitespace() || "\"'<>,;)}`|".contains(it));
        let (address, following) = after.split_at(end.unwrap_or(after.len()));
        let is_of_network = !scheme.is_empty()
            && scheme.chars().all(is_plain)
            && !scheme.to_ascii_lowercase().contains("file")
            && !address.starts_with('/')
            && !address.split('/').any(|part| part == "..");
        if !is_of_network {
            return None;
        }
        text.push_str(&before[..before.len() - scheme.len()]);
        rest = following;
    }
    Some(text + rest)
}
