//! Paths of a call, compared with patterns.

use prowess_format::tool_pattern::{PathPattern, plain_path};

use crate::HostFiles;
use crate::arguments::{begins_with_variable, is_file_url};
use crate::gap::Gap;

/// The most directories in which the parts of a pattern are looked for.
const MAX_PLACES: usize = 1_000;

/// The files and directories that patterns of paths depend on.
#[derive(Clone, Copy)]
pub(crate) struct Paths<'a> {
    pub(crate) files: Option<&'a dyn HostFiles>,
    /// The directory of the skill whose rules they are.
    pub(crate) directory: Option<&'a str>,
}

impl Paths<'_> {
    /// Returns whether a pattern covers a path, as it is written. Where the file is compared, too,
    /// `docs/./a` and `docs//a` are `docs/a`.
    pub(crate) fn covers(&self, pattern: &PathPattern<'_>, path: &str) -> bool {
        let normal = self.files.map(|_| without_empty_parts(path));
        let path = normal.as_deref().unwrap_or(path);
        let Some(path) = plain_path(path) else { return false };
        if !pattern.is_of_skill() {
            // Where the file is compared, it alone counts for a path of the other form.
            return match path.starts_with('/') == pattern.path().starts_with('/') {
                true => fast_glob::glob_match(pattern.path(), path),
                false => self
                    .files
                    .and_then(|files| files.resolve(path))
                    .is_some_and(|file| self.covers_file(pattern, &file)),
            };
        }
        let below = self.directory.and_then(|directory| below(path, directory));
        below.is_some_and(|path| fast_glob::glob_match(pattern.path(), path))
    }

    /// Returns whether a pattern covers the file that a path leads to. Only links that the
    /// administrator alone can change are followed in the pattern: the working directory, the
    /// directory of the skill, and those of the root such as `/tmp`.
    pub(crate) fn covers_file(&self, pattern: &PathPattern<'_>, file: &str) -> bool {
        let first = pattern.path().get(1..).and_then(|path| path.split_once('/'));
        let (anchor, rest) = match (pattern.path().strip_prefix('/'), first) {
            _ if pattern.is_of_skill() => (self.directory.unwrap_or("/"), pattern.path()),
            (Some(_), Some((first, rest))) if !first.contains('*') => {
                (&pattern.path()[..=first.len()], rest)
            }
            (Some(rest), _) => ("/", rest),
            (None, _) => ("", pattern.path()),
        };
        self.is_in(anchor, rest, file)
    }

    /// Returns whether a pattern may mean the file that a path leads to, whatever links lead there.
    pub(crate) fn may_cover_file(&self, pattern: &PathPattern<'_>, file: &str) -> bool {
        let path = pattern.path();
        let literal = &path[..path.find('*').unwrap_or(path.len())];
        let (anchor, rest) = match literal.rsplit_once('/') {
            _ if literal.len() == path.len() => (path, ""),
            Some(("", _)) => ("/", &path[1..]),
            Some((anchor, _)) => (anchor, &path[anchor.len() + 1..]),
            None => ("", path),
        };
        self.is_in(anchor, rest, file) || self.covers_file(pattern, file)
    }

    /// Returns whether a skill may reach a file by its own list: in its package, or in the working
    /// directory.
    pub(crate) fn is_near(&self, file: &str) -> bool {
        let anchors = [Some(""), self.directory];
        anchors
            .into_iter()
            .flatten()
            .any(|anchor| self.is_in(anchor, "**", file) || self.is_in(anchor, "", file))
    }

    /// Returns why the list of a skill does not reach a path.
    pub(crate) fn far(&self, path: &str) -> Option<Gap> {
        let files = self.files?;
        match is_elsewhere(path) {
            true => Some(Gap::Unknown(path.to_owned())),
            false => self.far_file(files, path),
        }
    }

    pub(crate) fn far_file(&self, files: &dyn HostFiles, path: &str) -> Option<Gap> {
        match files.resolve(path) {
            None => Some(Gap::Unknown(path.to_owned())),
            Some(file) => (!self.is_near(&file)).then_some(Gap::Outside(file)),
        }
    }

    /// Returns why a pattern of paths may find files that the list of a skill does not reach: one
    /// of its parts stands for a link to them. The last part is compared if what it stands for is
    /// opened. Nothing follows links for `**`, but the part behind it may be one, in any directory.
    pub(crate) fn far_glob(&self, glob: &str, is_opened: bool) -> Option<Gap> {
        let files = self.files?;
        let unknown = || Some(Gap::Unknown(glob.to_owned()));
        let parts = parts(glob);
        let last = parts.last()?;
        if !is_closed(last) {
            return unknown();
        }
        let end = parts.len() - usize::from(!is_opened && !last.contains('/'));
        let root = if glob.starts_with('/') { "/" } else { "" };
        let mut places = vec![root.to_owned()];
        // The parts in front of the first sign are a path.
        let mut is_found = false;
        for (at, part) in parts[..end].iter().enumerate() {
            // Some forms are of some tools alone.
            let is_wide = part.contains(['(', ')', '|', '\\', '/']);
            let is_deep = part.contains("**") || part.contains('/');
            is_found |= is_wide || is_glob(part);
            if is_deep && (part != "**" || at + 1 < end) {
                match below_all(files, places, part != "**") {
                    Some(found) => places = found,
                    None => return unknown(),
                }
            }
            let is_match = |name: &String| is_wide || fast_glob::glob_match(part, name);
            let names = |place: &String| match is_wide || is_glob(part) {
                true => {
                    Some(files.entries(place)?.into_iter().filter(is_match).collect::<Vec<_>>())
                }
                false => Some(vec![part.clone()]),
            };
            if !is_deep {
                let mut found = Vec::new();
                for place in places {
                    let Some(names) = names(&place) else { return unknown() };
                    found.extend(names.into_iter().map(|name| format!("{place}{name}/")));
                }
                places = found;
            }
            if places.len() > MAX_PLACES {
                return unknown();
            }
            let far = |place: &String| self.far_file(files, place);
            if is_found && let Some(far) = places.iter().find_map(far) {
                return Some(far);
            }
        }
        None
    }

    fn is_in(&self, anchor: &str, pattern: &str, file: &str) -> bool {
        let anchor = self.files.and_then(|files| files.resolve(anchor));
        let is_match = |path| pattern == "**" || fast_glob::glob_match(pattern, path);
        match anchor {
            Some(anchor) if pattern.is_empty() => anchor == file,
            Some(anchor) => below(file, &anchor).is_some_and(is_match),
            None => false,
        }
    }
}

/// Returns the parts of a pattern of paths; `{a/b,c}` is one.
fn parts(glob: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in glob.split('/').filter(|part| !part.is_empty()) {
        match parts.last_mut().filter(|last| !is_closed(last)) {
            Some(last) => last.extend(["/", part]),
            None => parts.push(part.to_owned()),
        }
    }
    parts
}

fn is_closed(part: &str) -> bool {
    let count = |sign| part.matches(sign).count();
    count('{') == count('}') && count('(') == count(')')
}

/// Returns all directories at and below some, and the links in them if these count; `None` if they
/// are not known, or too many.
fn below_all(
    files: &dyn HostFiles,
    mut found: Vec<String>,
    with_links: bool,
) -> Option<Vec<String>> {
    let mut links = Vec::new();
    let mut at = 0;
    while let Some(place) = found.get(at).cloned() {
        let file = files.resolve(&place)?;
        for name in files.entries(&place)? {
            let path = format!("{place}{name}");
            let own = [file.trim_end_matches('/'), "/", &name].concat();
            let list = if files.resolve(&path) == Some(own) { &mut found } else { &mut links };
            list.push(path + "/");
        }
        at += 1;
        if found.len() + links.len() > MAX_PLACES {
            return None;
        }
    }
    found.extend(links.into_iter().filter(|_| with_links));
    Some(found)
}

/// Returns whether a path has a sign of patterns.
pub(crate) fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// Returns whether tools may take a path for one that is not relative: `~/x`, `$HOME`, `file:x`.
pub(crate) fn is_elsewhere(path: &str) -> bool {
    let is_home = path.starts_with('~') || begins_with_variable(path);
    path.is_empty() || is_home || path.contains("://") || is_file_url(path)
}

fn without_empty_parts(path: &str) -> String {
    let parts: Vec<_> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    [root, &parts.join("/")].concat()
}

/// Returns the path of a file below a directory.
fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    path.strip_prefix(directory.trim_end_matches('/'))?.strip_prefix('/')
}
