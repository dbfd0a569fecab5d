//! Calls of any tool that would read a script of a skill instead of running it.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use prowess_core::{
    ActiveSkill, Caller, Catalog, Record, Resource, ResourcePath, SessionState, ShowLocation,
    parse_virtual_uri,
};
use serde_json::Value;

use super::commands::{is_listed, read_files};
use super::reference::used_file;
use crate::SkillTools;
use crate::content::script_file::{SkillScript, is_below};
use crate::gate::Refusal;
use crate::policy::{ScriptRead, ToolPolicy};

/// How deep arguments are searched for paths.
const MOST_DEPTH: usize = 4;

/// The number of files of a package among which scripts of a directory are looked for.
const MOST_LISTED: usize = 1000;

/// A package of a skill on disk.
struct Package<'a> {
    id: &'a str,
    directory: PathBuf,
    record: Option<Record<'a>>,
}

impl Package<'_> {
    /// Returns the script at a path with its program; for a call that prints what it finds in a
    /// directory of scripts, or in the whole package, the first one below that.
    fn script(
        &self,
        call: &ReadCall<'_>,
        path: &str,
        policy: &ToolPolicy,
    ) -> Option<(ResourcePath, String)> {
        let script = |path: &str| {
            let path = ResourcePath::new(path).ok()?;
            let program = policy.script_program(call.catalog, self.record, &path)?;
            Some((path, program))
        };
        script(path).or_else(|| {
            let record = self.record.filter(|_| searches(call))?;
            let inside = ResourcePath::new(&format!("{path}/_"));
            let has_scripts =
                path.is_empty() || is_below(&policy.script_directories, &inside.ok()?);
            let files =
                has_scripts.then(|| call.catalog.list_public(record, MOST_LISTED).ok())??;
            let below = |it: &&Resource| Path::new(it.path.as_str()).starts_with(path);
            files.resources.iter().filter(below).find_map(|file| script(file.path.as_str()))
        })
    }
}

/// A script that a call means.
struct Script {
    id: String,
    path: ResourcePath,
    program: String,
    directory: String,
    is_active: bool,
}

/// The paths of the host, for [`script_read`].
#[derive(Clone, Copy)]
pub struct HostPaths<'a> {
    /// Returns the working directory of the program, if there is one.
    pub working_directory: &'a dyn Fn() -> Option<PathBuf>,
    /// Returns the directory that `~` stands for, if there is one.
    pub home: &'a dyn Fn() -> Option<PathBuf>,
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
    /// The command that the host's own shell would run.
    pub command: Option<&'a str>,
    /// The catalog of the turn.
    pub catalog: &'a Catalog,
    /// The state of the session.
    pub state: &'a SessionState,
    /// Which directories of skills a refusal may show.
    pub show: ShowLocation,
    /// The directory of the mounted skills, if a tool runs commands there.
    pub mount: Option<&'a str>,
    /// The name of the tool that runs scripts, as the model calls it, if there is a runner.
    pub run_tool: Option<&'a str>,
}

impl ReadCall<'_> {
    /// Returns the file of a skill that a call of a tool of [`SkillTools::READERS`] means; `None`
    /// if the call is of another tool.
    fn own_file(&self, policy: &ToolPolicy) -> Option<Option<Script>> {
        self.names.iter().find(|name| SkillTools::READERS.contains(name))?;
        let file = || {
            let (skill, path) = used_file(self.catalog, self.state, self.arguments)?;
            self.script(&skill, ResourcePath::new(&path).ok()?, policy)
        };
        Some(file())
    }

    /// Returns a script of a skill with this id.
    fn script(&self, id: &str, path: ResourcePath, policy: &ToolPolicy) -> Option<Script> {
        let record = self.catalog.find(id, Caller::Model).found()?;
        let program = policy.script_program(self.catalog, Some(record), &path)?;
        let (id, is_active) = (record.id().to_owned(), limits(self.state, record));
        Some(Script { id, path, program, directory: record.root_directory(), is_active })
    }
}

/// Returns the refusal of a call that reads a script of a skill: one of the tools of
/// [`SkillTools::READERS`], one of another tool that reads files, whatever its argument is and
/// however its path is written, or a command that prints it, as far as its words are literal.
/// Running the script and writing to it are other matters.
pub fn script_read(
    call: &ReadCall<'_>,
    policy: &ToolPolicy,
    paths: &HostPaths<'_>,
) -> Option<Refusal> {
    if policy.script_read == ScriptRead::Allow {
        return None;
    }
    let own = call.own_file(policy);
    let mount = call.mount.filter(|_| own.is_some());
    let refusal = |script: Script| {
        let Script { id, path, program, directory, is_active } = &script;
        let (program, is_active, run_tool) = (&**program, *is_active, call.run_tool);
        let mounted = mount.map(|mount| format!("{mount}/{id}"));
        let is_mounted = mounted.is_some();
        let directory = mounted.or_else(|| call.show.directory(id, directory).map(Into::into));
        let (skill, directory) = (&**id, directory.as_deref());
        SkillScript { skill, path, program, directory, is_active, is_mounted, run_tool }
            .refusal(policy)
    };
    if let Some(file) = own {
        return file.and_then(refusal);
    }
    let mut texts = call.command.map(read_files).unwrap_or_default();
    if is_reader(call) {
        collect_texts(call.arguments, MOST_DEPTH, &mut texts);
    }
    if texts.is_empty() {
        return None;
    }
    let packages = packages(call, policy.script_read);
    let script = |text: &String| script_at(call, &packages, text, policy, paths);
    texts.iter().find_map(|text| refusal(script(text)?))
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
    let of =
        |skill: &ActiveSkill| call.catalog.skills().find(|record| record.is_at(&skill.location));
    let active = call.state.limiting().filter(is_there).map(|skill| Package {
        id: &skill.id,
        directory: PathBuf::from(&skill.root_dir),
        record: of(skill),
    });
    let mut packages: Vec<_> = active.collect();
    if policy == ScriptRead::Block {
        packages.extend(call.catalog.skills().filter_map(|record| {
            let directory = Path::new(&record.location()).parent()?.to_owned();
            let (id, is_local) = (record.id(), directory.is_absolute());
            is_local.then_some(Package { id, directory, record: Some(record) })
        }));
    }
    packages
}

/// Returns the script that a text means.
fn script_at(
    call: &ReadCall<'_>,
    packages: &[Package<'_>],
    text: &str,
    policy: &ToolPolicy,
    paths: &HostPaths<'_>,
) -> Option<Script> {
    if let Some((id, path)) = parse_virtual_uri(text) {
        return call.script(&id, ResourcePath::new(&path).ok()?, policy);
    }
    let text = text.strip_prefix("file://").unwrap_or(text);
    packages.iter().find_map(|package| {
        let script = |path: &str| package.script(call, path, policy);
        let (path, program) = script_in(&package.directory, Path::new(text), &script, paths)?;
        let directory = package.directory.to_string_lossy().into_owned();
        // Of skills that are not active, there are packages under the policy `block` alone.
        Some(Script { id: package.id.to_owned(), path, program, directory, is_active: true })
    })
}

/// Returns the script of a package that a path means: an absolute one, one of the home directory,
/// one relative to the working directory of this program or, if that has no such file, one relative
/// to the package.
fn script_in(
    directory: &Path,
    path: &Path,
    script: &dyn Fn(&str) -> Option<(ResourcePath, String)>,
    paths: &HostPaths<'_>,
) -> Option<(ResourcePath, String)> {
    // Behind `cd`, too.
    let mut rest = path.iter();
    let home = rest.any(|part| part == "~").then(|| (paths.home)()).flatten();
    let home = home.map(|home| home.join(rest.as_path()));
    let path = home.as_deref().unwrap_or(path);
    let below =
        |directory: &Path, path: &Path| script(path.strip_prefix(directory).ok()?.to_str()?);
    let of_program = (paths.working_directory)().map(|directory| directory.join(path));
    let exists = |path: &PathBuf| (paths.canonical)(path).is_some();
    let own = directory.join(path);
    let is_of_user = path.is_relative() && of_program.as_ref().is_some_and(exists);
    let own = (path.is_absolute() || (exists(&own) && !is_of_user)).then_some(own);
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

/// Returns whether a tool reads files, by the last part of one of its names. An editor does for
/// one of its commands alone.
fn is_reader(call: &ReadCall<'_>) -> bool {
    let views = || call.arguments["command"] == "view";
    call.names.iter().any(|name| {
        let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
        let last = last.rsplit("__").next().unwrap_or(last);
        let letters = last.chars().filter(|letter| !matches!(letter, '_' | '-'));
        let plain: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        is_listed("tools", &plain) || (is_listed("editors", &plain) && views())
    })
}

/// Returns whether a call prints what it finds in the files of a directory: any command may.
fn searches(call: &ReadCall<'_>) -> bool {
    let names_files = ["files_with_matches", "count"].map(Value::from);
    let is_search = |name: &&str| ["Grep", "grep", "earch"].iter().any(|part| name.contains(part));
    let prints = !names_files.contains(&call.arguments["output_mode"]);
    call.command.is_some() || (prints && call.names.iter().any(is_search))
}

/// Collects the texts of arguments that may be paths.
fn collect_texts(value: &Value, depth: usize, texts: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, depth, texts)),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| !is_listed("data", name));
            fields.for_each(|(_, field)| collect_texts(field, depth, texts));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_path_is_first_of_the_user() {
        let script = "/skill/scripts/a.sh";
        let both = &[script, "/home/scripts/a.sh"][..];
        let relative = "scripts/a.sh";
        for (files, path, found) in [
            (&[script][..], relative, true),
            (both, relative, false),
            (both, "~/skill/scripts/a.sh", true),
            (both, "~/scripts/a.sh", false),
        ] {
            let canonical = |path: &Path| {
                files.iter().any(|file| Path::new(file) == path).then(|| path.to_owned())
            };
            let working_directory = &|| Some(PathBuf::from("/home"));
            let home = &|| Some(PathBuf::from("/"));
            let paths = HostPaths { working_directory, home, canonical: &canonical };
            let script = |path: &str| Some((ResourcePath::new(path).ok()?, "bash".to_owned()));
            let (directory, path) = (Path::new("/skill"), Path::new(path));
            assert_eq!(script_in(directory, path, &script, &paths).is_some(), found, "{path:?}");
        }
    }
}
