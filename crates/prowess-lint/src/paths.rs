//! Files that a body names without a link: in code, or plainly in its text.

use std::collections::HashSet;
use std::ops::Range;

use prowess_core::ResourcePath;
use prowess_format::for_message;
use pulldown_cmark::{Event, Tag, TagEnd};

use crate::codes;
use crate::findings::Findings;
use crate::links::{exists, narrowed};
use crate::mention::{before, is_placeholder};
use crate::options::LintOptions;
use crate::package::{Package, place};

/// The folders that the specification names. A path below another is more often one of the user's
/// project than one of the package.
const FOLDERS: [&str; 3] = ["assets/", "references/", "scripts/"];

/// The most paths of a body that are looked for.
const MOST_PATHS: usize = 1000;

/// The longest end of a file's name, in characters.
const LONGEST_END: usize = 5;

pub(crate) fn check(package: &Package<'_>, options: &LintOptions<'_>, findings: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (text, span) in texts(package) {
        for path in text.split_whitespace().filter_map(path_of) {
            if seen.len() == MOST_PATHS || !seen.insert(path.to_owned()) {
                continue;
            }
            let span = narrowed(package, path, span.clone());
            if is_missing(path, span.start, package, options) {
                let message =
                    format!("the body names `{}`, which does not exist", for_message(path));
                let help = "add the file, or fix or remove its name";
                findings.at(codes::PATH_MISSING, span, message, help);
            }
        }
    }
}

/// Returns the files of the repository that a body names and that are not there, each once, with
/// their bytes in the instructions.
pub(crate) fn of_repository<'p>(
    package: &'p Package<'p>,
    options: &'p LintOptions<'p>,
) -> impl Iterator<Item = (&'p str, Range<usize>)> + use<'p> {
    let words = texts(package).flat_map(|(text, span)| {
        text.split_whitespace().filter_map(file_of).map(move |path| (path, span.clone()))
    });
    let mut seen = HashSet::new();
    let new = words.take(MOST_PATHS).filter(move |(path, _)| seen.insert(*path));
    let named = new.map(|(path, span)| (path, narrowed(package, path, span)));
    named.filter(|(path, span)| {
        // The name of a host is no directory.
        let is_directory = path
            .split('/')
            .next()
            .is_some_and(|first| !first.trim_start_matches('.').contains('.'));
        is_directory && !is_inside(path) && is_missing(path, span.start, package, options)
    })
}

/// Returns whether the path at a byte of the instructions is meant as a file of the package, and
/// there is none. A placeholder, an example, a file that is yet to be written, another skill's and
/// one of the repository are not meant so.
fn is_missing(path: &str, at: usize, package: &Package<'_>, options: &LintOptions<'_>) -> bool {
    ResourcePath::new(path).is_ok_and(|resource| !exists(&resource, package))
        && !is_placeholder(path)
        && !before(package.text, at).is_of_another()
        && !is_in_a_directory_above(path, package, options)
}

fn is_in_a_directory_above(path: &str, package: &Package<'_>, options: &LintOptions<'_>) -> bool {
    let directory = place(package.source.root(), package.path.as_str());
    above(&directory).any(|above| (options.exists_outside)(&format!("{above}/{path}")))
}

/// The texts and the pieces of code between them. What a link shows is the link's matter, and a
/// block of code is often an example of something else.
fn texts<'p>(package: &Package<'p>) -> impl Iterator<Item = (&'p str, Range<usize>)> + use<'p> {
    let start = package.body_start();
    let mut inside = 0_usize;
    package.events.iter().filter_map(move |(event, span)| {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::Link { .. } | Tag::Image { .. }) => inside += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::Link | TagEnd::Image) => {
                inside = inside.saturating_sub(1);
            }
            Event::Text(text) | Event::Code(text) if inside == 0 => {
                return Some((&**text, start + span.start..start + span.end));
            }
            _ => {}
        }
        None
    })
}

/// The path that a word is, if it is one of a file in a folder of the package.
fn path_of(word: &str) -> Option<&str> {
    file_of(word).filter(|path| is_inside(path))
}

fn is_inside(path: &str) -> bool {
    FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// The path that a word is, if it is one of a file in a folder.
fn file_of(word: &str) -> Option<&str> {
    let word =
        word.trim_matches(|edge: char| !edge.is_alphanumeric() && !matches!(edge, '.' | '/'));
    let word = word.trim_end_matches('.');
    let path = word.strip_prefix("./").unwrap_or(word);
    let is_plain = |character: char| character.is_alphanumeric() || "-_./+".contains(character);
    let (_, name) = path.rsplit_once('/')?;
    let (stem, end) = name.rsplit_once('.')?;
    let is_file = !stem.is_empty()
        && (1..=LONGEST_END).contains(&end.len())
        && end.chars().all(char::is_alphanumeric);
    (is_file && path.chars().all(is_plain) && !path.contains("..")).then_some(path)
}

/// Returns the directories above a directory, the nearest first.
fn above(directory: &str) -> impl Iterator<Item = &str> {
    let directory = directory.trim_end_matches('/');
    let slashes = directory.rmatch_indices('/').map(|(at, _)| at);
    slashes.filter(|at| *at > 0).map(|at| &directory[..at])
}
