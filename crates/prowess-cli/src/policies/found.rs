//! Finds the parts of the configuration, and reads them in the order of precedence.

use std::path::PathBuf;

use prowess::{ConfigPart, Origin};

use super::places::{FileState, Found, FoundFile};
use super::{configuration_of, file_part, places, project, variables};
use crate::args::Global;
use crate::failure::Failure;
use crate::paths::surroundings;

impl Found {
    /// Returns the configuration of a command, which is read at the first call: files may be pipes,
    /// and must not change between two questions.
    pub(crate) fn of(global: &Global) -> Result<&Self, Failure> {
        if let Some(found) = global.found.get() {
            return Ok(found);
        }
        let found = Self::read(global)?;
        Ok(global.found.get_or_init(|| found))
    }

    /// Reads the files of the system, the user and the project, the variables of the environment
    /// and the options of the command line. Each replaces the values of those before it.
    fn read(global: &Global) -> Result<Self, Failure> {
        let mut files = Vec::new();
        let mut below = Vec::new();
        let named = [Some(places::system_file()), places::user_file()];
        for path in named.into_iter().flatten().filter(|_| !global.policies.no_config) {
            let is_there = path.symlink_metadata().is_ok();
            let state = if is_there { FileState::Used } else { FileState::Missing };
            if is_there {
                below.push(file_part(&path)?);
            }
            files.push(FoundFile { path, state });
        }
        let above = above(global, &mut files)?;
        if !global.policies.no_config {
            let operator: Vec<_> = below.iter().chain(&above).cloned().collect();
            let operator = configuration_of(operator)?;
            if let Some((file, part)) = project::find(&surroundings()?, operator.policies())? {
                // Behind the user's file, where its part is.
                files.insert(files.len().min(2), file);
                below.extend(part);
            }
        }
        let configuration = configuration_of(below.into_iter().chain(above))?;
        Ok(Self { configuration, files })
    }
}

/// Returns the parts above the files that are found: the environment, then the command line.
fn above(global: &Global, files: &mut Vec<FoundFile>) -> Result<Vec<ConfigPart>, Failure> {
    let mut parts = Vec::new();
    let mut add_file = |path: PathBuf, parts: &mut Vec<ConfigPart>| {
        parts.push(file_part(&path)?);
        files.push(FoundFile { path, state: FileState::Used });
        Ok::<_, Failure>(())
    };
    if let Some(path) = variables::named_file() {
        add_file(path, &mut parts)?;
    }
    parts.extend(variables::parts()?);
    if let Some(path) = &global.policies.config {
        add_file(path.clone(), &mut parts)?;
    }
    let option = |name: &str| Origin::Option(name.to_owned());
    if let Some(preset) = &global.policies.preset {
        parts.push(ConfigPart::value(option("--preset"), "preset", json(preset)));
    }
    for setting in &global.policies.set {
        let origin = option(&format!("--set {}", setting.key));
        parts.push(ConfigPart::value(origin, &*setting.key, &*setting.value));
    }
    Ok(parts)
}

/// Returns a text as YAML.
fn json(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}
