//! The files that a command reaches, as far as its words show them.
//!
//! The list of a skill covers a command only if each word stays in its package and the working
//! directory, and the words show all that it does: a word that has a path of another place
//! anywhere in it counts, whatever option or text it belongs to.

use crate::behind::{Runs, base, is_of_project};
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

/// The most directories in which later words of a line may be.
const MAX_DIRECTORIES: usize = 16;

/// Follows the commands of a line.
pub(crate) struct Reach<'a> {
    paths: Paths<'a>,
    /// The first directory, and those that earlier commands may have changed to.
    directories: Vec<String>,
    /// Whether a command changed to a directory that is not known.
    is_lost: bool,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(paths: Paths<'a>) -> Self {
        Self { paths, directories: vec![String::new()], is_lost: false }
    }

    /// Returns why the next command may reach files that the list of a skill does not.
    pub(crate) fn next(&mut self, command: &SimpleCommand) -> Option<Gap> {
        let files = self.paths.files?;
        let words = command.words.as_slice();
        let program = words.first()?;
        let outside = match is_of_project(program).then(|| self.far(files, program)).flatten() {
            None => words.windows(2).find_map(|pair| self.far_word(files, program, pair)),
            far => far,
        };
        self.change(program, &words[1..]);
        let obscure = || match self.is_lost {
            true => Some("cd".to_owned()),
            false => Runs::of(std::slice::from_ref(command), Some(files)).obscure,
        };
        outside.or_else(|| Some(Gap::Obscure(base(&obscure()?).to_owned())))
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
        if path.starts_with('/') {
            return self.paths.far_file(files, path);
        }
        self.directories.iter().find_map(|it| self.paths.far_file(files, &[it, path].concat()))
    }

    fn far_word(&self, files: &dyn HostFiles, program: &str, pair: &[String]) -> Option<Gap> {
        let (before, word) = (pair[0].as_str(), pair[1].as_str());
        let program = base(program);
        let is_delimiter = |(names, option): &(&str, &str)| {
            let value = if before == *option { Some(word) } else { word.strip_prefix(option) };
            names.split(' ').any(|name| name == program) && value.is_some_and(|it| it.len() == 1)
        };
        if program == "tr" || DEVICES.contains(&word) || DELIMITERS.iter().any(is_delimiter) {
            return None;
        }
        // These open no file that a text of theirs has in parts.
        let is_awk = program.contains("awk");
        let text = without_urls(word).filter(|_| !has_escape(word) && (is_awk || !has_home(word)));
        let Some(text) = text else { return Some(Gap::Unknown(word.to_owned())) };
        let is_sign = |start: usize, token: &str| {
            let (before, after) = (&text[..start], &text[start + token.len()..]);
            let is_apart = before.ends_with(' ') && after.starts_with(' ');
            match token {
                "/" => is_apart || is_awk || program == "jq",
                // `HEAD^..`
                ".." => before.ends_with(['^', '}', '~']),
                _ => false,
            }
        };
        let is_option = word.starts_with(['-', '+']);
        let attached = text.get(2..).filter(|_| is_option);
        let found = tokens(&text).filter(|(start, token)| !is_sign(*start, token));
        let found = found.flat_map(|(start, token)| paths_in(token, is_option && start == 0));
        let whole = [Some(text.as_str()), attached].into_iter().flatten();
        let mut paths = whole.chain(found).filter(|path| {
            !path.is_empty()
                && !DEVICES.contains(path)
                && (!path.starts_with('/') || files.has_root(path))
        });
        paths.find_map(|path| self.far(files, path))
    }
}

/// Returns the parts of a word that may be paths, and where each begins.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |it: char| it.is_alphanumeric() || "._-+%/".contains(it);
    let parts = text.split(move |it: char| !is_part(it)).filter(|token| !token.is_empty());
    parts.map(move |token| (token.as_ptr().addr() - text.as_ptr().addr(), token))
}

/// Returns the paths of a part: the whole, and those behind the letters of an option or of a
/// command, as in `-rf/etc/x` and `1w/etc/x`.
fn paths_in(token: &str, is_option: bool) -> Vec<&str> {
    let mut paths = vec![token];
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
        letter.len() == 1 && "rRwWe".contains(letter)
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
