//! Finds the parts of the configuration, and reads them in the order of precedence.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use prowess::{ConfigPart, Configuration, Diagnostic, Origin, Severity};

use super::places::{FileState, Found, FoundFile, Read};
use super::{NAMED, configuration_of, file_part, found_part, is_pipe, places, project, variables};
use crate::args::{Global, PolicyOptions};
use crate::failure::Failure;
use crate::output::Output;
use crate::paths::surroundings;
use crate::runtime;

/// The parts of the operator, and the files that were looked for.
struct Parts {
    files: Vec<FoundFile>,
    /// Those below the file of a project.
    below: Vec<Read>,
    /// Those above it.
    above: Vec<Read>,
}

impl Found {
    /// Returns the configuration of a command, which is read at the first call: files may be pipes,
    /// and must not change between two questions.
    pub(crate) fn of(global: &Global) -> Result<&Self, Failure> {
        if let Some(found) = global.found.get() {
            return Ok(found);
        }
        let found = Self::read(global, None)?;
        Ok(global.found.get_or_init(|| found))
    }

    /// Reads the configuration of a command, and returns why it cannot be used.
    pub(crate) fn check(global: &Global) -> Result<(), Failure> {
        Self::of(global).map(drop)
    }

    /// Returns the configuration of a command once this file has this text.
    pub(crate) fn changed(global: &Global, path: &Path, text: &str) -> Result<Self, Failure> {
        Self::read(global, Some((path, text)))
    }

    /// Reads the files of the system, the user and the project, the variables of the environment
    /// and the options of the command line. Each replaces the values of those before it.
    fn read(global: &Global, changed: Option<(&Path, &str)>) -> Result<Self, Failure> {
        let Parts { mut files, below, above } = Parts::of(global, changed);
        let below = below.into_iter().collect::<Result<Vec<_>, _>>()?;
        let above = above.into_iter().collect::<Result<Vec<_>, _>>()?;
        let with = |project: Option<&ConfigPart>| {
            configuration_of(below.iter().chain(project).chain(&above).cloned())
        };
        let mut configuration = with(None)?;
        let mut left_out = None;
        if !global.policies.no_config
            && let Some((mut file, part)) =
                project::find(&surroundings()?, configuration.policies(), changed)
        {
            match part.transpose().and_then(|part| with(part.as_ref())) {
                Ok(whole) => configuration = whole,
                Err(failure) if changed.is_some_and(|(path, _)| path == file.path) => {
                    return Err(failure);
                }
                Err(failure) => {
                    file.state = FileState::Unusable;
                    left_out = Some(failure);
                }
            }
            // Behind the user's file, where its part is.
            files.insert(files.len().min(2), file);
        }
        Ok(Self { configuration, files, left_out })
    }

    /// Returns the options of a command that works without the files that are found: each one that
    /// fails the check is a warning. What the command line and the environment name is meant.
    pub(crate) fn tolerant(
        global: &Global,
        check: fn(&Global) -> Result<(), Failure>,
        output: &Output,
    ) -> Result<Global, Failure> {
        let Err(failure) = check(global) else { return Ok(global.clone()) };
        // A pipe is empty for the second reader.
        let named = global.policies.config.clone().into_iter().chain(variables::named_file());
        if named.into_iter().any(|file| is_pipe(&file)) {
            return Err(failure);
        }
        let policies = PolicyOptions { no_config: true, ..global.policies.clone() };
        check(&Global { policies, found: OnceCell::new(), ..global.clone() })?;
        let (found, failures) = Self::usable(global);
        let left_out = failures.iter().map(Failure::left_out);
        let warning = |found| Diagnostic { severity: Severity::Warning, ..found };
        output.diagnostics(&left_out.map(warning).collect::<Vec<_>>());
        Ok(global.with(found))
    }

    /// Reads what commands can use, and returns the failure of each part that is left out.
    pub(crate) fn usable(global: &Global) -> (Self, Vec<Failure>) {
        let Parts { mut files, below, above } = Parts::of(global, None);
        let used: Vec<_> =
            (0..files.len()).filter(|at| files[*at].state == FileState::Used).collect();
        let mut failures = Vec::new();
        let mut parts = Vec::new();
        let found = below.len();
        let mut place = found;
        let mut add = |parts: &mut Vec<ConfigPart>, at: usize, read: Read| {
            let added = read.and_then(|part| {
                parts.insert(at, part);
                let checked =
                    Self::of_parts(parts).and_then(|found| runtime::check(&global.with(found)));
                checked.inspect_err(|_| drop(parts.remove(at)))
            });
            added.map_err(|failure| failures.push(failure)).is_ok()
        };
        for (at, read) in below.into_iter().chain(above).enumerate() {
            let end = parts.len();
            if !add(&mut parts, end, read) && at < found {
                place -= 1;
                files[used[at]].state = FileState::Unusable;
            }
        }
        let operator = Self::of_parts(&parts).ok().filter(|_| !global.policies.no_config);
        let project = operator.zip(surroundings().ok()).and_then(|(operator, machine)| {
            project::find(&machine, operator.configuration.policies(), None)
        });
        if let Some((mut file, part)) = project {
            if part.is_some_and(|part| !add(&mut parts, place, part)) {
                file.state = FileState::Unusable;
            }
            files.insert(files.len().min(2), file);
        }
        let usable = Self::of_parts(&parts).expect("each part was read before");
        (Self { files, ..usable }, failures)
    }

    fn of_parts(parts: &[ConfigPart]) -> Result<Self, Failure> {
        let configuration: Configuration = configuration_of(parts.iter().cloned())?;
        Ok(Self { configuration, files: Vec::new(), left_out: None })
    }
}

impl Parts {
    fn of(global: &Global, changed: Option<(&Path, &str)>) -> Self {
        let mut files = Vec::new();
        let mut below = Vec::new();
        let named = [Some(places::system_file()), places::user_file()];
        for path in named.into_iter().flatten().filter(|_| !global.policies.no_config) {
            let changed = changed.filter(|(file, _)| *file == path);
            let is_there = changed.is_some() || path.symlink_metadata().is_ok();
            let state = if is_there { FileState::Used } else { FileState::Missing };
            if is_there {
                let text =
                    |(_, text): (_, &str)| ConfigPart::text(Origin::File(path.clone()), text);
                below.push(changed.map(text).map_or_else(|| found_part(&path), Ok));
            }
            files.push(FoundFile { path, state });
        }
        let above = above(global, &mut files);
        Self { files, below, above }
    }
}

/// Returns the parts above the files that are found: the environment, then the command line.
fn above(global: &Global, files: &mut Vec<FoundFile>) -> Vec<Read> {
    let mut parts = Vec::new();
    let mut add_file = |path: PathBuf, parts: &mut Vec<Read>| {
        parts.push(file_part(&path, NAMED));
        files.push(FoundFile { path, state: FileState::Used });
    };
    if let Some(path) = variables::named_file() {
        add_file(path, &mut parts);
    }
    parts.extend(variables::parts());
    if let Some(path) = &global.policies.config {
        add_file(path.clone(), &mut parts);
    }
    let option = |name: &str| Origin::Option(name.to_owned());
    if let Some(preset) = &global.policies.preset {
        parts.push(Ok(ConfigPart::value(option("--preset"), "preset", json(preset))));
    }
    for setting in &global.policies.set {
        let origin = option(&format!("--set {}", setting.key));
        parts.push(Ok(ConfigPart::value(origin, &*setting.key, &*setting.value)));
    }
    parts
}

/// Returns a text as YAML.
fn json(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}
