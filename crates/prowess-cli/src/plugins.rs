//! Where plugins, and what is trusted of them, lie for this user.

use std::path::PathBuf;

use prowess::plugin_host::{PluginError, PluginPolicy};

use crate::args::Global;
use crate::failure::Failure;
use crate::place;

/// Files and folders of the user's own. None of them is ever taken from a project.
pub(crate) struct Places {
    /// `~/.prowess/plugins`, where plugins are installed.
    pub(crate) directory: PathBuf,
    /// What may run: `prowess/plugins.json` in the user's state directory.
    pub(crate) trust_file: PathBuf,
    /// What was seen of files: `prowess/plugins.json` in the user's cache directory.
    pub(crate) cache_file: PathBuf,
}

impl Places {
    pub(crate) fn of_this_user() -> Result<Self, Failure> {
        let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
            Failure::new("home-unknown", "this user has no home directory", "set `HOME`")
        })?;
        // A relative path in these variables is to be passed over, as their specification says.
        let base = |variable: &str, otherwise: &str| {
            let named = std::env::var_os(variable).map(PathBuf::from);
            named.filter(|path| path.is_absolute()).unwrap_or_else(|| home.join(otherwise))
        };
        Ok(Self {
            directory: home.join(".prowess/plugins"),
            trust_file: base("XDG_STATE_HOME", ".local/state").join("prowess/plugins.json"),
            cache_file: base("XDG_CACHE_HOME", ".cache").join("prowess/plugins.json"),
        })
    }
}

/// The policy of the configuration, with the user's own directory of plugins before the others.
pub(crate) fn policy(global: &Global, places: &Places) -> Result<PluginPolicy, Failure> {
    let mut policy = place::policies(global)?.plugins;
    policy.directories.insert(0, places.directory.clone());
    Ok(policy)
}

/// A plugin that was refused or failed.
pub(crate) fn failure(error: &PluginError) -> Failure {
    Failure::new(error.kind.as_str(), error.to_string(), &*error.help)
}
