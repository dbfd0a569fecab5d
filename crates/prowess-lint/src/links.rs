//! Checks the targets of the links in a body.

use std::ops::Range;

use prowess_core::{Code, PathError, ReadLimit, ResourcePath, Severity, SourceErrorKind};
use prowess_format::for_message;
use pulldown_cmark::{Event, Tag};

use crate::codes;
use crate::findings::Findings;
use crate::mention::{before, is_placeholder};
use crate::options::LintOptions;
use crate::package::{Package, place};

/// The most links of a body that are followed.
const MOST_LINKS: usize = 1000;

/// How many parts a path has that is one level deep: a directory and a file.
const ONE_LEVEL: usize = 2;

pub(crate) fn check(package: &Package<'_>, options: &LintOptions<'_>, findings: &mut Findings<'_>) {
    let start = package.body_start();
    let links = package.events.iter().filter_map(|(event, span)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some((dest_url, start + span.start..start + span.end))
        }
        _ => None,
    });
    for (target, span) in links.take(MOST_LINKS) {
        let Some(found) = judge(target, package, options) else {
            continue;
        };
        if found.code == codes::LINK_BROKEN && is_example(target, span.start, package) {
            continue;
        }
        let Wrong { code, most, message, help } = found;
        findings.at_most(most, code, narrowed(package, target, span), message, help);
    }
}

/// The problem of a link.
struct Wrong {
    code: Code,
    /// The highest severity that it may have.
    most: Severity,
    message: String,
    help: &'static str,
}

/// Returns whether the target of a link stands for any file: by its name, by the words before the
/// link, or because it names no file and no directory.
fn is_example(target: &str, at: usize, package: &Package<'_>) -> bool {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    let is_page = !last.is_empty() && !last.contains('.');
    is_page || is_placeholder(path) || before(package.text, at).is_of_another()
}

fn judge(target: &str, package: &Package<'_>, options: &LintOptions<'_>) -> Option<Wrong> {
    let wrong = |code, message, help| Some(Wrong { code, most: Severity::Error, message, help });
    if is_absolute(target) {
        return wrong(
            codes::LINK_ABSOLUTE,
            format!("the link `{}` is absolute", for_message(target)),
            "name the file relative to the skill's directory, such as `references/forms.md`",
        );
    }
    let path = local_path(target)?;
    let resource = match ResourcePath::new(&path) {
        Ok(resource) => resource,
        Err(PathError::Escape(_)) => return Some(leaving(target, &path, package, options)),
        // The package's own directory.
        Err(PathError::NotAFile(_)) => return None,
        Err(error) => {
            return wrong(codes::LINK_BROKEN, error.to_string(), "name a file of the package");
        }
    };
    if !exists(&resource, package) {
        return wrong(
            codes::LINK_BROKEN,
            format!("the target of the link `{}` does not exist", for_message(target)),
            "add the file, or fix or remove the link",
        );
    }
    (resource.as_str().split('/').count() > ONE_LEVEL).then(|| Wrong {
        code: codes::LINK_TOO_DEEP,
        most: Severity::Error,
        message: format!("`{}` is more than one level deep", for_message(target)),
        help: "keep files that the body names directly in `references/`, `scripts/` or `assets/`",
    })
}

/// A link out of the package works where its neighbours are installed with it.
fn leaving(target: &str, path: &str, package: &Package<'_>, options: &LintOptions<'_>) -> Wrong {
    let directory = place(package.source.root(), package.path.as_str());
    let exists = joined(&directory, path).is_some_and(|path| (options.exists_outside)(&path));
    let target = for_message(target);
    let message = if exists {
        format!(
            "the link `{target}` leaves the package; its target is missing where only the package is installed"
        )
    } else {
        format!("the link `{target}` leaves the package, and its target does not exist")
    };
    Wrong {
        code: codes::LINK_LEAVES_PACKAGE,
        most: if exists { Severity::Warning } else { Severity::Error },
        message,
        help: "copy its target into the package, or name the other skill in words",
    }
}

/// Whether a target begins at a root, a drive or a home directory.
fn is_absolute(target: &str) -> bool {
    let has_drive = matches!(target.as_bytes(),
        [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    let is_rooted = target.starts_with('/') && !target.starts_with("//");
    has_drive || is_rooted || target.starts_with("~/") || target.starts_with("file:")
}

/// The path of a target that may be a file of the package. A web address, an anchor and a
/// placeholder such as `{url}` or `link` are none.
fn local_path(target: &str) -> Option<String> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let is_placeholder = path.contains(['{', '}', '<', '>', '$', '*', '…', ' '])
        || path.contains("...")
        || !path.contains(['.', '/']);
    if path.is_empty() || path.starts_with("//") || has_scheme(path) || is_placeholder {
        return None;
    }
    decoded(path)
}

fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// The text with `%20` and its like resolved; nothing where that gives no text.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns whether the package has this file, or a directory of that name.
pub(crate) fn exists(resource: &ResourcePath, package: &Package<'_>) -> bool {
    let path = resource.as_str();
    let is_listed = package.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
    if is_listed || path == package.file {
        return true;
    }
    // A listing omits directories, deep files and files that are not for a model, so the source is
    // asked with a read of no bytes.
    match package.source.read(package.path, resource, ReadLimit(0)) {
        Ok(_) => true,
        Err(error) => error.kind != SourceErrorKind::NotFound,
    }
}

/// The bytes of the target inside the link, where it is written as it is meant.
pub(crate) fn narrowed(package: &Package<'_>, target: &str, span: Range<usize>) -> Range<usize> {
    let link = package.text.get(span.clone()).and_then(|link| std::str::from_utf8(link).ok());
    match link.and_then(|link| link.rfind(target)) {
        Some(at) => span.start + at..span.start + at + target.len(),
        None => span,
    }
}

/// Joins a relative path to an absolute directory or URL by its text. `None` if it leaves the root.
fn joined(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.trim_end_matches('/').split('/').collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
