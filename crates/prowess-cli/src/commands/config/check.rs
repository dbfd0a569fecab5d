//! `prowess config check`: reads a configuration and reports its first error.

use std::io;
use std::path::Path;

use prowess::Policies;
use prowess::script::Interpreters;
use prowess::source_fs::codes::ROOT_NOT_ABSOLUTE;
use prowess::tools::SkillTools;
use rustix::fs::Access;
use serde::Serialize;

use crate::args::Global;
use crate::failure::Failure;
use crate::features;
use crate::output::Output;
use crate::policies::{FileState, Found, FoundFile, of_file, policies, unknown_variables};
use crate::terminal::plain;
use crate::{plugins, runtime};

/// The output of `config check --format json`.
#[derive(Serialize)]
struct Checked {
    valid: bool,
    files: Vec<FoundFile>,
    unknown_variables: Vec<String>,
}

pub(super) fn run(global: &Global, file: Option<&Path>, output: &Output) -> Result<(), Failure> {
    let found = match file {
        Some(file) => of_file(file, None)?,
        None => Found::of(global)?.complete()?.clone(),
    };
    check(&global.with(found.clone()))?;
    let unknown_variables = if file.is_some() { Vec::new() } else { unknown_variables() };
    let policies = found.configuration.policies();
    let idle = unoffered_proposals(policies).into_iter().chain(runtime::idle_keys(policies));
    let idle = idle.map(|(key, it)| found.blaming(key, it).warning());
    let shell = features::without_shell(&mut policies.clone());
    let findings: Vec<_> = found.finding().into_iter().chain(idle).chain(shell).collect();
    let checked = Checked { valid: true, files: found.files, unknown_variables };
    output.result(&checked, text)?;
    output.diagnostics(&findings);
    for name in &checked.unknown_variables {
        output.remark(&format!("`{}` is not a variable of prowess\n", plain(name)));
    }
    Ok(())
}

/// Checks the configuration of these options as the commands read it that use it.
fn check(global: &Global) -> Result<(), Failure> {
    runtime::check(global)?;
    let policies = policies(global)?;
    plugins::verify(global, &policies).map_err(|failure| Failure { exit: 2, ..failure })?;
    match unusable_paths(&policies).next() {
        None => Ok(()),
        Some((key, failure)) => Err(Found::of(global)?.blaming(key, failure)),
    }
}

/// Checks what a file is to contain instead of what it has: alone, and with the other places of the
/// configuration. What was wrong before is not the fault of the change, and is returned.
pub(super) fn check_change(
    global: &Global,
    file: &Path,
    [before, after]: [&str; 2],
) -> Result<Option<Failure>, Failure> {
    let fault = |text: &str| {
        of_file(file, Some(text))
            .and_then(|found| features::check(found.configuration.policies()))
            .and_then(|()| Found::changed(global, file, text))
            .and_then(|found| check(&global.with(found)))
            .err()
    };
    let Some(failure) = fault(after) else { return Ok(None) };
    let is_old = fault(before).is_some_and(|older| older.message == failure.message);
    if is_old { Ok(Some(failure)) } else { Err(failure) }
}

/// Returns the paths that no command can use, with their keys: roots that are not absolute, and
/// files that do not exist. Directories may appear later.
pub(crate) fn unusable_paths(policies: &Policies) -> impl Iterator<Item = (&'static str, Failure)> {
    let Policies { discovery, scripts, sources, .. } = policies;
    let help = "correct the path in the configuration";
    let roots = discovery.roots.values().flatten().map(|root| ("discovery.roots", root));
    let organization = discovery.organization.iter().map(|root| ("discovery.organization", root));
    let relative = roots.chain(organization).filter(|(_, root)| !root.is_absolute());
    let relative = relative.map(|(key, root)| {
        let message = format!("`{}` is not absolute", root.display());
        (key, Failure::usage(ROOT_NOT_ABSOLUTE.as_str(), message, help))
    });
    let authorities = scripts.authorities.iter().map(|file| ("scripts.authorities", &**file));
    let secrets = scripts.secrets.iter().filter_map(|secret| secret.file.as_deref());
    let secrets = secrets.map(|file| ("scripts.secrets", file));
    // A name without a slash is one of the search path.
    let programs = sources.mcp.values().filter_map(|server| server.command.first());
    let programs = programs.filter(|program| program.contains('/'));
    let programs = programs.map(|program| ("sources.mcp", Path::new(program)));
    let files = authorities.chain(secrets).chain(programs);
    let missing = files.filter(|(_, file)| !file.exists()).map(|(key, file)| {
        let message = format!("`{}` does not exist", file.display());
        (key, Failure::usage("path-not-found", message, help))
    });
    relative.chain(missing).collect::<Vec<_>>().into_iter()
}

/// Returns what the configuration names and this machine lacks, with the keys: it may come later.
pub(crate) fn missing_paths(policies: &Policies) -> Vec<(&'static str, Failure)> {
    let Policies { plugins, scripts, .. } = policies;
    let named = [
        ("plugins.directories", &plugins.directories),
        ("scripts.read", &scripts.read),
        ("scripts.write", &scripts.write),
    ];
    let paths = named.into_iter().flat_map(|(key, paths)| paths.iter().map(move |it| (key, it)));
    let missing = paths.filter(|(_, path)| !path.exists()).map(|(key, path)| {
        (key, path.display().to_string(), "create it, or correct the path in the configuration")
    });
    // A machine need not have each interpreter of the defaults.
    let common = Interpreters::default().0;
    let chosen =
        scripts.interpreters.0.iter().filter(|(it, command)| common.get(*it) != Some(command));
    let is_there = |name: &&String| match name.contains('/') {
        true => Path::new(name).exists(),
        false => scripts.search_path.iter().any(|directory| directory.join(name).exists()),
    };
    let programs = chosen.filter_map(|(_, command)| command.first().filter(|it| !is_there(it)));
    let help = "install it in a directory of `scripts.search_path`, or name another program";
    let programs = programs.map(|name| ("scripts.interpreters", name.clone(), help));
    let failure =
        |name: &str, help| Failure::new("path-not-found", format!("`{name}` does not exist"), help);
    missing.chain(programs).map(|(key, name, help)| (key, failure(&name, help))).collect()
}

/// Returns why models cannot propose updates although there is a directory for them.
pub(crate) fn unoffered_proposals(policies: &Policies) -> Option<(&'static str, Failure)> {
    let directory = policies.proposals.directory.as_deref()?;
    let entry = directory.join("proposal");
    let is_tool =
        |name: &str| name.replace(['.', '-'], "_").eq_ignore_ascii_case(SkillTools::PROPOSE);
    let reason = if policies.gate.ceiling.deny.as_slice().iter().any(|rule| is_tool(&rule.tool)) {
        "`gate.ceiling.deny` refuses them".to_owned()
    } else if !policies.tools.has_tool(SkillTools::PROPOSE) {
        "`tools.surfaces` names no surface".to_owned()
    } else {
        let (place, error) = unwritable_place(&entry)?;
        format!("`{}`: {error}", place.display())
    };
    let message = format!("models cannot propose updates: {reason}");
    let help = "correct that, or set `proposals: { directory: null }`";
    Some(("proposals.directory", Failure::new("proposals-unavailable", message, help)))
}

/// Returns the file or directory that keeps a path from being written, without a change: itself, or
/// the directory where it would be.
pub(crate) fn unwritable_place(path: &Path) -> Option<(&Path, io::Error)> {
    let place = path.ancestors().find(|place| place.symlink_metadata().is_ok())?;
    if place != path && !place.is_dir() {
        return Some((place, io::ErrorKind::NotADirectory.into()));
    }
    let rights = if place.is_dir() { Access::WRITE_OK | Access::EXEC_OK } else { Access::WRITE_OK };
    let error = rustix::fs::access(place, rights).err()?;
    Some((place, error.into()))
}

fn text(checked: &Checked) -> String {
    let used = checked.files.iter().filter(|file| file.state == FileState::Used);
    let lines = used.map(|file| format!("valid: {}\n", plain(&file.path.to_string_lossy())));
    let text: String = lines.collect();
    if text.is_empty() { "no configuration file; the defaults apply\n".to_owned() } else { text }
}
