//! Calls of any tool that would read a script of a skill instead of running it.

use std::path::{Component, Path, PathBuf};

use prowess_core::{Caller, Catalog, ResourcePath, SessionState, parse_virtual_uri};
use serde_json::Value;

use super::user::skill_directories;
use crate::content::script_file::{is_script_file, script_read_refusal};
use crate::gate::Refusal;
use crate::policy::ScriptRead;

/// The names of tools that read files, in lower case and without separators.
const READERS: [&str; 15] = [
    "cat", "fileread", "getfile", "getfilecontents", "open", "openfile", "read", "readfile",
    "readfiles", "readmanyfiles", "readmediafile", "readmultiplefiles", "readtextfile", "view",
    "viewfile",
];

/// How deep arguments are searched for paths.
const MOST_DEPTH: usize = 4;

/// A package of a skill on disk.
struct Package<'a> {
    id: &'a str,
    directory: PathBuf,
}

/// The paths of the host, for [`script_read`].
#[derive(Clone, Copy)]
pub struct HostPaths<'a> {
    /// Returns the working directory of the program, if there is one.
    pub working_directory: &'a dyn Fn() -> Option<PathBuf>,
    /// Returns the path without links of an existing file or directory.
    pub canonical: &'a dyn Fn(&Path) -> Option<PathBuf>,
}

/// A call of any tool, for [`script_read`].
#[derive(Clone, Copy)]
pub struct ReadCall<'a> {
    /// The names of the tool.
    pub names: &'a [&'a str],
    /// The arguments of the call.
    pub arguments: &'a Value,
    /// The catalog of the turn.
    pub catalog: &'a Catalog,
    /// The state of the session.
    pub state: &'a SessionState,
}

/// Returns the refusal of a call of a tool that reads files, if one of its arguments is a script of
/// a skill, whatever the argument is called and however its path is written. Running the script,
/// also by a shell, is another matter.
pub fn script_read(
    call: &ReadCall<'_>,
    policy: ScriptRead,
    paths: &HostPaths<'_>,
) -> Option<Refusal> {
    if policy == ScriptRead::Allow || !is_reader(call.names) {
        return None;
    }
    let packages = packages(call, policy);
    let mut texts = Vec::new();
    collect_texts(call.arguments, MOST_DEPTH, &mut texts);
    texts.into_iter().find_map(|text| {
        let (id, path) = script_at(call, policy, &packages, text, paths)?;
        Some(script_read_refusal(&id, &path))
    })
}

/// Returns the packages whose scripts may not be read.
fn packages<'a>(call: &ReadCall<'a>, policy: ScriptRead) -> Vec<Package<'a>> {
    let directories = skill_directories(call.catalog, call.state);
    let active = directories.into_iter().filter_map(|directory| {
        let skill = call.state.active.iter().find(|skill| skill.root_dir == directory)?;
        Some(Package { id: &skill.id, directory: PathBuf::from(directory) })
    });
    let mut packages: Vec<_> = active.collect();
    if policy == ScriptRead::Block {
        packages.extend(call.catalog.skills().filter_map(|record| {
            let directory = Path::new(&record.location()).parent()?.to_owned();
            directory.is_absolute().then(|| Package { id: record.id(), directory })
        }));
    }
    packages
}

/// Returns the skill and the path of the script that a text means.
fn script_at(
    call: &ReadCall<'_>,
    policy: ScriptRead,
    packages: &[Package<'_>],
    text: &str,
    paths: &HostPaths<'_>,
) -> Option<(String, ResourcePath)> {
    if let Some((id, path)) = parse_virtual_uri(text) {
        let path = ResourcePath::new(&path).ok()?;
        let record = call.catalog.find(&id, Caller::Model).found()?;
        let mut active = call.state.active.iter();
        let is_blocked =
            policy == ScriptRead::Block || active.any(|skill| record.is_at(&skill.location));
        return (is_blocked && is_script_file(&path)).then(|| (record.id().to_owned(), path));
    }
    let text = text.strip_prefix("file://").unwrap_or(text);
    packages.iter().find_map(|package| {
        let path = script_in(&package.directory, Path::new(text), paths)?;
        Some((package.id.to_owned(), path))
    })
}

/// Returns the script of a package that a path means: an absolute one, one relative to the package,
/// or one relative to the working directory of this program.
fn script_in(directory: &Path, path: &Path, paths: &HostPaths<'_>) -> Option<ResourcePath> {
    let below = |directory: &Path, path: &Path| {
        let path = path.strip_prefix(directory).ok()?.to_str()?;
        ResourcePath::new(path).ok().filter(is_script_file)
    };
    let of_program = (paths.working_directory)().map(|directory| directory.join(path));
    let written = [Some(directory.join(path)), of_program];
    let mut plain = written.iter().flatten().map(|path| without_dots(path));
    if let Some(found) = plain.find_map(|path| below(directory, &path)) {
        return Some(found);
    }
    // A link may lead into the package, or the package may be behind one.
    let directory = (paths.canonical)(directory)?;
    written.iter().flatten().find_map(|path| below(&directory, &(paths.canonical)(path)?))
}

/// Returns a path without `.` and `..`.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Returns whether a tool reads files, by the last part of one of its names.
fn is_reader(names: &[&str]) -> bool {
    names.iter().any(|name| {
        let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
        let last = last.rsplit("__").next().unwrap_or(last);
        let letters = last.chars().filter(|letter| !matches!(letter, '_' | '-'));
        let plain: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        READERS.contains(&plain.as_str())
    })
}

fn collect_texts<'v>(value: &'v Value, depth: usize, texts: &mut Vec<&'v str>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, depth, texts)),
        Value::Object(fields) => {
            fields.values().for_each(|field| collect_texts(field, depth, texts));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
