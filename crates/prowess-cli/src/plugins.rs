//! Where plugins, and what is trusted of them, lie for this user.

use std::path::PathBuf;
use std::sync::Arc;

use prowess::plugin_host::{
    Follower, LogLevel, Origin, Plugin, PluginError, PluginLoader, PluginLog, PluginPolicy,
    PluginSettings, TrustStore,
};
use prowess::{Diagnostic, Policies, SystemClock};

use crate::args::Global;
use crate::failure::Failure;
use crate::output::Output;
use crate::place;
use crate::terminal::plain;

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

    /// Where the bytes of a plugin go that cannot be kept in memory.
    pub(crate) fn staging(&self) -> PathBuf {
        self.cache_file.with_file_name("plugins")
    }
}

/// The program of a plugin's own process: this one.
pub(crate) fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        let message = format!("this program's own file is not known: {error}");
        Failure::new("program-unknown", message, "run it by its path")
    })
}

/// Loads the plugins that were named, on the command line or in the configuration.
pub(crate) fn load(global: &Global, policies: &Policies) -> Result<Vec<Plugin>, Failure> {
    let configured = policies.plugins.load.iter().map(|file| (file, PluginSettings::default()));
    let named = global.plugin.iter().map(|named| (&named.file, named.settings.clone()));
    let mut plugins = configured.chain(named).peekable();
    if plugins.peek().is_none() {
        return Ok(Vec::new());
    }
    let loader = loader(policies, &Output::new(global))?;
    let absolute = |(file, settings): (&PathBuf, _)| Ok((place::absolute(file)?, settings));
    let plugins: Vec<_> = plugins.map(absolute).collect::<Result<_, Failure>>()?;
    let loaded = loader.load_all(plugins, Origin::Named);
    loaded.into_iter().map(|plugin| plugin.map_err(|error| failure(&error))).collect()
}

/// Keeps up with the files of plugins until it is dropped: a new build takes the place of the old one, and
/// what cannot is told on standard error.
pub(crate) fn follow(
    policies: &Policies,
    plugins: &[Plugin],
    output: &Output,
) -> Result<Option<Follower>, Failure> {
    if plugins.is_empty() {
        return Ok(None);
    }
    let handles = plugins.iter().map(|plugin| plugin.handle.clone()).collect();
    let trust_file = Places::of_this_user()?.trust_file;
    let stderr = output.clone();
    let told = Arc::new(move |found: Diagnostic| stderr.diagnostics([&found]));
    match Follower::start(loader(policies, output)?, handles, Some(trust_file), told) {
        Ok(follower) => Ok(Some(follower)),
        // They run all the same.
        Err(error) => {
            output.remark(&format!("the files of plugins are not followed: {error}\n"));
            Ok(None)
        }
    }
}

/// What loads the plugins that take the place of the built-in sources, if the policies ask for that.
pub(crate) fn built_in(
    global: &Global,
    policies: &Policies,
) -> Result<Option<PluginLoader>, Failure> {
    let is_asked_for = policies.plugins.built_in.is_some();
    is_asked_for.then(|| loader(policies, &Output::new(global))).transpose()
}

/// What loads plugins that this user trusts.
fn loader(policies: &Policies, output: &Output) -> Result<PluginLoader, Failure> {
    let places = Places::of_this_user()?;
    let trust = TrustStore::read(&places.trust_file).map_err(|error| {
        let help = "mend the file or move it away; what was trusted has to be trusted again then";
        Failure::new("plugin-trust-invalid", error.to_string(), help)
    })?;
    let quiet = (!output.shows_remarks()).then_some("--quiet");
    Ok(PluginLoader {
        policy: policies.plugins.clone(),
        trust,
        staging: places.staging(),
        runner: this_program()?,
        runner_arguments: ["plugin", "process"].into_iter().chain(quiet).map(Into::into).collect(),
        clock: Arc::new(SystemClock::default()),
        log: Arc::new(Remarks(output.clone())),
    })
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

/// What plugins warn of, as remarks: a line each on standard error, and none where remarks are not wanted.
pub(crate) struct Remarks(pub(crate) Output);

impl PluginLog for Remarks {
    fn log(&self, plugin: &str, level: LogLevel, target: &str, message: &str) {
        // The rest is for those who write the plugin; people who use it read this.
        if level <= LogLevel::Warn {
            let line = format!("plugin {plugin}: {target}: {message}");
            self.0.remark(&format!("{}\n", plain(&line)));
        }
    }
}
