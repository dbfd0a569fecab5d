//! Loads plugins and locates their files for this user.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use prowess::plugin_host::{
    Follower, LogLevel, Plugin, PluginLoader, PluginLog, PluginPolicy, PluginSettings, TrustError,
    TrustStore,
};
use prowess::{AuditSink, Diagnostic, Digest, NoAudit, Policies, SystemClock};

use crate::args::Global;
use crate::audit_log::audit_sink;
use crate::failure::Failure;
use crate::output::Output;
use crate::paths::absolute;
use crate::policies::{self, Found};
use crate::terminal::plain;

/// Files and folders of the user. None of them is ever taken from a project.
pub(crate) struct PluginPaths {
    /// `~/.prowess/plugins`, where plugins are installed.
    pub(crate) directory: PathBuf,
    /// The trust store: `prowess/plugins.json` in the user's state directory.
    pub(crate) trust_file: PathBuf,
    /// The directory for plugin files that cannot be loaded from memory: `prowess/plugins` in the
    /// user's cache directory.
    pub(crate) staging: PathBuf,
}

impl PluginPaths {
    pub(crate) fn of_this_user() -> Result<Self, Failure> {
        let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
            Failure::new("home-unknown", "this user has no home directory", "set `HOME`")
        })?;
        // A relative path in these variables is ignored, as their specification requires.
        let base = |variable: &str, otherwise: &str| {
            let named = std::env::var_os(variable).map(PathBuf::from);
            named.filter(|path| path.is_absolute()).unwrap_or_else(|| home.join(otherwise))
        };
        Ok(Self {
            directory: home.join(".prowess/plugins"),
            trust_file: base("XDG_STATE_HOME", ".local/state").join("prowess/plugins.json"),
            staging: base("XDG_CACHE_HOME", ".cache").join("prowess/plugins"),
        })
    }
}

/// Returns the program for a plugin's process, which is this one.
pub(crate) fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        let message = format!("the path of this program is unknown: {error}");
        Failure::new("program-unknown", message, "run it by its path")
    })
}

/// The loaded plugins, the failures of the others, and the audit that has them.
pub(crate) struct Loaded {
    pub(crate) plugins: Vec<Plugin>,
    pub(crate) failures: Vec<Diagnostic>,
    pub(crate) audit: Arc<dyn AuditSink>,
    /// The failure of a plugin that the command line names, or that may not run.
    failure: Option<Failure>,
    /// Whether it may not run.
    is_refused: bool,
}

impl Loaded {
    /// Returns no plugins.
    pub(crate) fn none() -> Self {
        Self {
            plugins: Vec::new(),
            failures: Vec::new(),
            audit: Arc::new(NoAudit),
            failure: None,
            is_refused: false,
        }
    }

    /// Returns an error if a plugin that the command line names cannot start: that is what was
    /// asked for. Of those of the configuration, the others load.
    pub(crate) fn with_named(self) -> Result<Self, Failure> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self),
        }
    }

    /// Returns an error if a plugin may not run: its name is wrong, or it is not trusted.
    fn with_allowed(self) -> Result<Self, Failure> {
        if self.is_refused { self.with_named() } else { Ok(self) }
    }
}

/// Loads the plugins named on the command line or in the configuration, for a command that only
/// reads: it leaves the audit log as it is. A plugin that is refused is an error: its name is
/// wrong, or it is not trusted.
pub(crate) fn load(global: &Global, policies: &Policies) -> Result<Loaded, Failure> {
    load_with(global, policies, Arc::new(NoAudit))?.with_named()
}

/// Like [`load`], with a diagnostic for each plugin that is refused or cannot start.
pub(crate) fn load_reported(global: &Global, policies: &Policies) -> Loaded {
    load_with(global, policies, Arc::new(NoAudit)).unwrap_or_else(|failure| Loaded {
        failures: vec![failure.to_diagnostic()],
        ..Loaded::none()
    })
}

/// Verifies the plugins of the configuration, as [`load`] does, without executing one.
pub(crate) fn verify(global: &Global, policies: &Policies) -> Result<(), Failure> {
    if policies.plugins.load.is_empty() {
        return Ok(());
    }
    let loader = loader(policies, Arc::new(NoAudit), &Output::new(global))?;
    let files = policies.plugins.load.iter().map(|file| absolute(file));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let found = Found::of(global)?;
    let refused = |error| found.blaming("plugins.load", Failure::from(&error));
    loader.verify_all(files).map_err(refused)
}

/// Like [`load`], for a command that makes calls: it writes the audit log. A plugin that cannot
/// start is a diagnostic, with which a server goes on.
pub(crate) fn load_audited(global: &Global, policies: &Policies) -> Result<Loaded, Failure> {
    #[cfg(feature = "postgres")]
    if let Some(store) =
        global.store.as_ref().filter(|_| policies.audit.log == prowess::AuditLog::Keep)
    {
        return load_with(global, policies, crate::store::audit(store)?)?.with_allowed();
    }
    load_with(global, policies, audit_sink(policies, &Output::new(global))?)?.with_allowed()
}

fn load_with(
    global: &Global,
    policies: &Policies,
    audit: Arc<dyn AuditSink>,
) -> Result<Loaded, Failure> {
    let configured = policies.plugins.load.iter().map(|file| (file, PluginSettings::default()));
    let named = global.skills.plugin.iter().map(|named| (&named.file, named.settings.clone()));
    let mut plugins = configured.chain(named).peekable();
    let mut loaded = Loaded { audit: Arc::clone(&audit), ..Loaded::none() };
    if plugins.peek().is_none() {
        return Ok(loaded);
    }
    let loader = loader(policies, audit, &Output::new(global))?;
    let absolute = |(file, settings): (&PathBuf, _)| Ok((absolute(file)?, settings));
    let plugins: Vec<_> = plugins.map(absolute).collect::<Result<_, Failure>>()?;
    let seconds = policies.plugins.limits.init_ms / 1_000;
    let output = Output::new(global);
    let say = move || {
        output.remark(&format!("plugins are starting, for which each has {seconds} s\n"));
    };
    let all = with_word(UNTIL_SAID, say, || loader.load_all(plugins));
    for (at, plugin) in all.into_iter().enumerate() {
        match plugin {
            Ok(plugin) => loaded.plugins.push(plugin),
            Err(error) => {
                let is_named = at >= policies.plugins.load.len();
                if is_named || !error.was_executed {
                    loaded.failure.get_or_insert_with(|| Failure::from(&error));
                }
                loaded.is_refused |= !error.was_executed;
                loaded.failures.push(error.to_diagnostic());
            }
        }
    }
    Ok(loaded)
}

/// The time after which a person wonders why nothing happens.
const UNTIL_SAID: Duration = Duration::from_secs(1);

/// Does some work, and says a word if it takes longer than this.
fn with_word<T>(
    after: Duration,
    say: impl FnOnce() + Send + 'static,
    work: impl FnOnce() -> T,
) -> T {
    let (working, ended) = mpsc::channel::<()>();
    thread::spawn(move || {
        if ended.recv_timeout(after) == Err(RecvTimeoutError::Timeout) {
            say();
        }
    });
    let done = work();
    drop(working);
    done
}

/// Watches the files of plugins until the result is dropped: a new build replaces the running one,
/// and a build that cannot run is reported on standard error.
pub(crate) fn follow(
    policies: &Policies,
    loaded: &Loaded,
    output: &Output,
) -> Result<Option<Follower>, Failure> {
    if loaded.plugins.is_empty() {
        return Ok(None);
    }
    let handles = loaded.plugins.iter().map(|plugin| plugin.handle.clone()).collect();
    let trust_file = PluginPaths::of_this_user()?.trust_file;
    let stderr = output.clone();
    let report = Arc::new(move |found: Diagnostic| stderr.diagnostics([&found]));
    let loader = loader(policies, Arc::clone(&loaded.audit), output)?;
    match Follower::start(loader, handles, Some(trust_file), report) {
        Ok(follower) => Ok(Some(follower)),
        // The plugins run without it.
        Err(error) => {
            output.remark(&format!("plugin files are not watched for changes: {error}\n"));
            Ok(None)
        }
    }
}

/// Returns the loader of plugins that replace the built-in sources, if the policies ask for it.
pub(crate) fn built_in(
    global: &Global,
    policies: &Policies,
    audit: &Arc<dyn AuditSink>,
) -> Result<Option<PluginLoader>, Failure> {
    let is_asked_for = policies.plugins.built_in.is_some();
    let loader = || loader(policies, Arc::clone(audit), &Output::new(global));
    is_asked_for.then(loader).transpose()
}

/// Returns the failure of a store of trust.
pub(crate) fn untrusted(error: &TrustError) -> Failure {
    match error {
        TrustError::Refused(error) => Failure::from(error),
        _ => {
            let help = "fix the file or move it away, then trust your plugins again";
            Failure::new("plugin-trust-invalid", error.to_string(), help)
        }
    }
}

/// Returns a loader of plugins that this user trusts.
fn loader(
    policies: &Policies,
    audit: Arc<dyn AuditSink>,
    output: &Output,
) -> Result<PluginLoader, Failure> {
    let paths = PluginPaths::of_this_user()?;
    let trust = TrustStore::read(&paths.trust_file).map_err(|error| untrusted(&error))?;
    let quiet = (!output.shows_remarks()).then_some("--quiet");
    Ok(PluginLoader {
        policy: policies.plugins.clone(),
        trust,
        staging: paths.staging,
        runner: this_program()?,
        runner_arguments: ["plugin", "process"].into_iter().chain(quiet).map(Into::into).collect(),
        clock: Arc::new(SystemClock::default()),
        log: Arc::new(Remarks(output.clone())),
        audit,
    })
}

/// Returns the policy of the configuration, with the user's directory of plugins before the others.
pub(crate) fn policy(global: &Global, paths: &PluginPaths) -> Result<PluginPolicy, Failure> {
    let mut policy = policies::policies(global)?.plugins;
    policy.directories.insert(0, paths.directory.clone());
    Ok(policy)
}

/// Prints warnings of plugins to standard error, one line each, unless remarks are suppressed.
pub(crate) struct Remarks(pub(crate) Output);

impl PluginLog for Remarks {
    fn log(&self, plugin: &str, level: LogLevel, target: &str, message: &str) {
        // Lower levels are for authors of plugins, not for their users.
        if level <= LogLevel::Warn {
            let line = format!("plugin {plugin}: {target}: {message}");
            self.0.remark(&format!("{}\n", plain(&line)));
        }
    }

    fn replaced(&self, plugin: &str, version: &str, digest: Digest) {
        let line = format!("plugin {plugin}: replaced by version {version}, {digest}");
        self.0.remark(&format!("{}\n", plain(&line)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_is_said_while_the_work_goes_on() {
        let (said, receiver) = mpsc::channel();
        with_word(Duration::ZERO, move || said.send(()).unwrap(), || receiver.recv().unwrap());
        let (said, receiver) = mpsc::channel::<()>();
        with_word(Duration::from_secs(3600), move || said.send(()).unwrap(), || ());
        assert!(receiver.recv().is_err(), "fast work needs no word");
    }
}
