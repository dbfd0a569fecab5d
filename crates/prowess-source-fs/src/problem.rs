//! The faults of a tree as diagnostics.

use std::path::Path;

use prowess_core::{Code, Diagnostic, Severity};
use prowess_dir::{Error, ErrorKind};
use prowess_text::{counted, quoted};

use crate::codes;

const RENAME: &str =
    "rename the directory: letters, digits and hyphens keep every client and system happy";

fn problem(code: Code, severity: Severity, path: &str, message: String, help: &str) -> Diagnostic {
    Diagnostic::new(code, severity, message, help).in_file(path)
}

pub(crate) fn root_missing(root: &str) -> Diagnostic {
    let named = root.rsplit_once(" as ").map(|(_, name)| quoted(name));
    let named = named.map(|name| format!(", and {name} behind ` as ` names no skill"));
    let named = named.unwrap_or_default();
    let message = format!("the directory of skills `{root}` does not exist{named}");
    let help = "create it, or take it out of the configuration";
    problem(codes::ROOT_MISSING, Severity::Warning, root, message, help)
}

pub(crate) fn root_not_a_directory(root: &str) -> Diagnostic {
    let message = format!("the directory of skills `{root}` is not a directory");
    let help = "name the directory that holds the skills' directories";
    problem(codes::ROOT_NOT_A_DIRECTORY, Severity::Error, root, message, help)
}

pub(crate) fn root_outside(root: &str) -> Diagnostic {
    let message = format!(
        "the directory of skills `{root}` is not in its project and is not searched: it is a link \
         out of it, or has come to be in another repository"
    );
    let help = "keep the project's skills inside the project, or name the directory that the link \
                leads to as a root of your own; for those of the other repository, start this \
                program again, which asks for your trust in it";
    problem(codes::ROOT_OUTSIDE, Severity::Warning, root, message, help)
}

pub(crate) fn root_repeated(root: &Path, used: &str, other: &str) -> Diagnostic {
    let root = root.to_string_lossy();
    let message = format!(
        "the directory of skills `{root}` is used in the layer `{used}` and named for `{other}` too"
    );
    let help = "name each directory once in the configuration";
    problem(codes::ROOT_REPEATED, Severity::Warning, &root, message, help)
}

pub(crate) fn root_not_absolute(root: &Path) -> Diagnostic {
    let root = root.to_string_lossy();
    let message =
        format!("the configured directory of skills `{root}` is not absolute and is not used");
    let help = "write a path that begins with `/` or `~/`";
    problem(codes::ROOT_NOT_ABSOLUTE, Severity::Error, &root, message, help)
}

pub(crate) fn file_misnamed(path: &str) -> Diagnostic {
    let name = path.rsplit('/').next().unwrap_or_default();
    let message = format!("the instructions are in `{name}`, which is not found as a skill");
    let help = "rename the file to `SKILL.md`";
    problem(codes::FILE_MISNAMED, Severity::Error, path, message, help)
}

pub(crate) fn misplaced_file(path: &str) -> Diagnostic {
    let directory = path.rsplit_once('/').unwrap_or_default().0;
    let message = format!("`{path}` is not read: a skill is a directory in `{directory}`");
    let help = format!("move it to `{directory}/NAME/SKILL.md`, with the name of the skill");
    problem(codes::FILE_MISPLACED, Severity::Warning, path, message, &help)
}

pub(crate) fn directory_unreadable(path: &str, error: &Error) -> Diagnostic {
    let message = format!("`{path}` cannot be listed: {}", reason(error));
    let help = "fix its permissions so that it can be listed and entered, or remove it";
    problem(codes::DIRECTORY_UNREADABLE, Severity::Error, path, message, help)
}

/// Returns the diagnostic for an existing `SKILL.md` that cannot be reported.
pub(crate) fn skill_file(path: &str, error: &Error) -> Diagnostic {
    let (code, message, help) = match error.kind() {
        ErrorKind::NotRegular => (
            codes::NOT_A_FILE,
            format!("`{path}` is not a regular file"),
            "replace it with a text file, or remove it if it is not a skill",
        ),
        ErrorKind::NotFound => (
            codes::DANGLING_LINK,
            format!("the link `{path}` leads nowhere"),
            "point it at a file of its own directory, or remove it",
        ),
        ErrorKind::Loop => (
            codes::SYMLINK_LOOP,
            format!("the links of `{path}` form a loop"),
            "point it at a file of its own directory, or remove it",
        ),
        ErrorKind::MultipleLinks => (
            codes::MULTIPLE_LINKS,
            format!("`{path}` has more than one name (hard links), so it may belong elsewhere"),
            "copy the file to this location",
        ),
        ErrorKind::OtherMount => (
            codes::CROSS_DEVICE,
            format!("`{path}` is on another mount than the directory of skills"),
            "name the mounted directory as a root",
        ),
        ErrorKind::Escape => (
            codes::PATH_ESCAPE,
            format!("the link `{path}` leads out of its skill's directory"),
            "put the file itself there; to share a skill, link its whole directory",
        ),
        kind => (
            codes::FILE_UNREADABLE,
            format!("`{path}` cannot be read: {}", reason(error)),
            match kind {
                ErrorKind::Denied => "fix its permissions, or remove it if it is not a skill",
                _ => "check the disk that it is on, or remove it if it is not a skill",
            },
        ),
    };
    problem(code, Severity::Error, path, message, help)
}

pub(crate) fn broken_link(path: &str, code: Code) -> Diagnostic {
    let message = if code == codes::SYMLINK_LOOP {
        format!("the links of `{path}` form a loop")
    } else {
        format!("the link `{path}` leads nowhere")
    };
    let help = "point it at a skill's directory, or remove it";
    problem(code, Severity::Warning, path, message, help)
}

pub(crate) fn root_is_symlink(path: &str, target: &str) -> Diagnostic {
    let message = format!("`{path}` is a link to `{target}` and is not followed");
    let help = "copy the skill to this place, name the directory of one in another repository of \
                the project in `discovery.also`, which asks for your trust in that, or set \
                `discovery.links` to `follow` if you trust everybody who can write to your projects";
    problem(codes::ROOT_IS_SYMLINK, Severity::Warning, path, message, help)
}

pub(crate) fn link_not_searched(path: &str, target: &str) -> Diagnostic {
    let message = format!("the link `{path}` leads to `{target}`, where no skill was found");
    let help = "remove the link, or add the directory with the skills to `discovery.roots`";
    problem(codes::LINK_NOT_SEARCHED, Severity::Hint, path, message, help)
}

/// Returns the diagnostic for a directory whose name cannot be part of a package's path; `path` is
/// its `SKILL.md` if it has one.
pub(crate) fn unusable_name(code: Code, path: &str, has_skill: bool) -> Diagnostic {
    let reason = if code == codes::PATH_NOT_UTF8 {
        "its name is not UTF-8"
    } else {
        "its path holds a backslash, starts like a drive or is longer than 1024 bytes"
    };
    let (severity, message) = if has_skill {
        let message = format!("the skill `{path:?}` cannot be used: {reason}");
        (Severity::Error, message)
    } else {
        let message = format!("the directory {path:?} is not searched: {reason}");
        (Severity::Warning, message)
    };
    problem(code, severity, path, message, RENAME)
}

pub(crate) fn collision(path: &str, other: &str) -> Diagnostic {
    let message = format!("{path:?} and {other:?} look the same and are two names");
    let help = "rename one: letters, digits and hyphens work with every client and system";
    problem(codes::NORMALISATION_COLLISION, Severity::Warning, path, message, help)
}

pub(crate) fn left_out(path: &str, count: usize) -> Diagnostic {
    let others = match count {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let message = format!("`{path}`{others} is not searched: a `.gitignore` leaves it out");
    let help = "take it out of the `.gitignore`, or turn `gitignore` off";
    problem(codes::LEFT_OUT_BY_GITIGNORE, Severity::Hint, path, message, help)
}

/// Packages that the depth limit hides.
#[derive(Clone, Copy)]
pub(crate) struct TooDeep {
    pub(crate) packages: usize,
    /// Whether there may be more.
    pub(crate) is_incomplete: bool,
    pub(crate) limit: usize,
}

pub(crate) fn too_deep(path: &str, lost: TooDeep) -> Diagnostic {
    let TooDeep { packages, is_incomplete, limit } = lost;
    let below = format!("more than {} below the root", counted(limit, "directory"));
    let at_least = if is_incomplete { "at least " } else { "" };
    let message = match packages {
        0 => format!("`{path}` has directories {below}, which are not searched"),
        1 => format!("{at_least}1 skill in `{path}` lies {below} and is not found"),
        _ => format!(
            "{at_least}{packages} skills, the first in `{path}`, lie {below} and are not found"
        ),
    };
    let help = "name the directory of the skills itself as the root, or raise `max_depth`";
    problem(codes::SCAN_TRUNCATED, Severity::Warning, path, message, help)
}

pub(crate) fn second_file(path: &str) -> Diagnostic {
    let message = format!("`{path}` is not used, because the directory has a `SKILL.md` too");
    let help = "keep one of the two files";
    problem(codes::SKILL_MD_REPEATED, Severity::Warning, path, message, help)
}

/// Files of packages that no listing names.
pub(crate) fn files_not_utf8(path: &str, count: usize) -> Diagnostic {
    let others = match count {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let message =
        format!("the file {path:?}{others} cannot be listed or read: its name is not UTF-8");
    let help = "rename the file: letters, digits and hyphens work with every client and system";
    problem(codes::PATH_NOT_UTF8, Severity::Warning, path, message, help)
}

pub(crate) fn truncated(path: &str, bound: &str) -> Diagnostic {
    let message = format!("the search ended at `{path}`, {bound}; skills beyond are not found");
    let help = "name the directory of the skills itself as the root";
    problem(codes::SCAN_TRUNCATED, Severity::Warning, path, message, help)
}

fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Denied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
