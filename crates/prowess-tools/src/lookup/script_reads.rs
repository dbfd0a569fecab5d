//! Calls of any tool that would read a script of a skill instead of running it.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Caller, Catalog, Record, ResourcePath, SessionState, ShowLocation,
    parse_virtual_uri,
};
use serde_json::Value;

use super::reference::used_file;
use crate::SkillTools;
use crate::content::script_file::SkillFile;
use crate::gate::Refusal;
use crate::policy::{ScriptRead, ToolPolicy};

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

/// A script that a call means.
struct Script {
    id: String,
    path: ResourcePath,
    directory: String,
    is_active: bool,
}

/// The policy and the paths by which a path is that of a script.
type Place<'a> = (&'a ToolPolicy, &'a HostPaths<'a>);

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
    /// Which directories of skills a refusal may show.
    pub show: ShowLocation,
    /// The directory of the mounted skills, if a tool runs commands there.
    pub mount: Option<&'a str>,
}

impl ReadCall<'_> {
    /// Returns the file of a skill that a call of a tool of [`SkillTools::READERS`] means; `None`
    /// if the call is of another tool.
    fn own_file(&self) -> Option<Option<Script>> {
        self.names.iter().find(|name| SkillTools::READERS.contains(name))?;
        let file = || {
            let (skill, path) = used_file(self.catalog, self.state, self.arguments)?;
            self.script(&skill, ResourcePath::new(&path).ok()?)
        };
        Some(file())
    }

    /// Returns a file of a skill with this id.
    fn script(&self, id: &str, path: ResourcePath) -> Option<Script> {
        let record = self.catalog.find(id, Caller::Model).found()?;
        let is_active = limits(self.state, record);
        let directory = record.root_directory();
        Some(Script { id: record.id().to_owned(), path, directory, is_active })
    }
}

/// Returns the refusal of a call that reads a script of a skill: one of the tools of
/// [`SkillTools::READERS`], or one of another tool that reads files, whatever its argument is
/// and however its path is written. Running the script, also by a shell, is another matter.
pub fn script_read(
    call: &ReadCall<'_>,
    policy: &ToolPolicy,
    paths: &HostPaths<'_>,
) -> Option<Refusal> {
    if policy.script_read == ScriptRead::Allow {
        return None;
    }
    let own = call.own_file();
    let mount = call.mount.filter(|_| own.is_some());
    let refusal = |script: Script| {
        let Script { id, path, directory, is_active } = &script;
        let mounted = mount.map(|mount| format!("{mount}/{id}"));
        let is_mounted = mounted.is_some();
        let directory = mounted.or_else(|| call.show.directory(id, directory).map(Into::into));
        let (directory, is_active) = (directory.as_deref(), *is_active);
        SkillFile { skill: id, path, directory, is_active, is_mounted }.refusal(policy)
    };
    if let Some(file) = own {
        return file.and_then(refusal);
    }
    if !is_reader(call.names) {
        return None;
    }
    let packages = packages(call, policy.script_read);
    let mut texts = Vec::new();
    collect_texts(call.arguments, MOST_DEPTH, &mut texts);
    texts.into_iter().find_map(|text| refusal(script_at(call, &packages, text, (policy, paths))?))
}

/// Returns whether a skill is active, or was in the parent of this fork.
pub(crate) fn limits(state: &SessionState, record: Record<'_>) -> bool {
    state.limiting().any(|skill| record.is_at(&skill.location))
}

/// Returns the packages whose scripts may not be read.
fn packages<'a>(call: &ReadCall<'a>, policy: ScriptRead) -> Vec<Package<'a>> {
    let is_there = |skill: &&Arc<ActiveSkill>| {
        !skill.root_dir.contains("://") && !call.catalog.is_withdrawn(&skill.location)
    };
    let active = call.state.limiting().filter(is_there);
    let active =
        active.map(|skill| Package { id: &skill.id, directory: PathBuf::from(&skill.root_dir) });
    let mut packages: Vec<_> = active.collect();
    if policy == ScriptRead::Block {
        packages.extend(call.catalog.skills().filter_map(|record| {
            let directory = Path::new(&record.location()).parent()?.to_owned();
            directory.is_absolute().then(|| Package { id: record.id(), directory })
        }));
    }
    packages
}

/// Returns the script that a text means.
fn script_at(
    call: &ReadCall<'_>,
    packages: &[Package<'_>],
    text: &str,
    place: Place<'_>,
) -> Option<Script> {
    if let Some((id, path)) = parse_virtual_uri(text) {
        return call.script(&id, ResourcePath::new(&path).ok()?);
    }
    let text = text.strip_prefix("file://").unwrap_or(text);
    packages.iter().find_map(|package| {
        let path = script_in(&package.directory, Path::new(text), place)?;
        let directory = package.directory.to_string_lossy().into_owned();
        // Of skills that are not active, there are packages under the policy `block` alone.
        Some(Script { id: package.id.to_owned(), path, directory, is_active: true })
    })
}

/// Returns the script of a package that a path means: an absolute one, one relative to the
/// package, or one relative to the working directory of this program.
fn script_in(directory: &Path, path: &Path, (policy, paths): Place<'_>) -> Option<ResourcePath> {
    let below = |directory: &Path, path: &Path| {
        let path = path.strip_prefix(directory).ok()?.to_str()?;
        ResourcePath::new(path).ok().filter(|path| policy.is_script(path))
    };
    let of_program = (paths.working_directory)().map(|directory| directory.join(path));
    let own = directory.join(path);
    // A relative path is that of each package which has such a file.
    let own = (path.is_absolute() || (paths.canonical)(&own).is_some()).then_some(own);
    let written = [own, of_program];
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
