//! Replaces a running plugin by another build.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::{Digest, HostCommands};
use semver::Version;

use crate::policy::version;
use crate::{
    LoadedCode, LoadedPlugin, Placement, PluginError, PluginErrorKind, PluginLoader, ProcessPlugin,
    Staged, TrustStore, TrustedBy, VerifiedPlugin, stage, verify,
};

/// A handle for reloading a running plugin. Clones refer to the same plugin.
#[derive(Clone)]
pub struct PluginHandle(Arc<Handle>);

struct Handle {
    file: PathBuf,
    name: String,
    placement: Placement,
    running: Running,
    build: Mutex<Build>,
}

/// A running plugin, by placement.
pub(crate) enum Running {
    InProcess(LoadedPlugin),
    Process(ProcessPlugin),
}

/// The running build.
struct Build {
    digest: Digest,
    version: Version,
}

/// The result of a reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// The file is the running build.
    Unchanged,
    /// The plugin was replaced by this build.
    Replaced {
        /// The version in its manifest.
        version: Version,
        /// The digest of its file.
        digest: Digest,
    },
}

impl PluginHandle {
    pub(crate) fn new(verified: &VerifiedPlugin, running: Running) -> Result<Self, PluginError> {
        let build = Build::of(verified)?;
        Ok(Self(Arc::new(Handle {
            file: verified.file().to_owned(),
            name: verified.manifest().name.clone(),
            placement: verified.placement(),
            running,
            build: Mutex::new(build),
        })))
    }

    /// Returns the plugin's file.
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// Returns the plugin's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the digest of the running build.
    pub fn digest(&self) -> Digest {
        self.0.build().digest
    }
}

impl Build {
    fn of(verified: &VerifiedPlugin) -> Result<Self, PluginError> {
        let version = version(verified.file(), verified.inspection())?;
        Ok(Self { digest: verified.digest(), version })
    }
}

impl PluginLoader {
    /// Verifies a plugin's file with the policy and `trust`, and replaces the running plugin by it
    /// if it has changed. Sources and tools remain valid; running calls end on the old build.
    ///
    /// An older version than the running one is only accepted if its digest is pinned.
    ///
    /// # Errors
    ///
    /// Returns an error if the new build may not run, is another plugin, would run in another
    /// process, does not start, or offers other sources or tools, or if the plugin was replaced too
    /// often. The old build keeps running.
    pub fn reload(
        &self,
        plugin: &PluginHandle,
        trust: &TrustStore,
    ) -> Result<Reloaded, PluginError> {
        let reloaded = self.replace(plugin, trust);
        self.report_reloaded(plugin.name(), &reloaded);
        reloaded
    }

    fn replace(&self, plugin: &PluginHandle, trust: &TrustStore) -> Result<Reloaded, PluginError> {
        let Handle { file, running, .. } = &*plugin.0;
        // Locked: of two concurrent reloads the second finds the result of the first.
        let mut build = plugin.0.build();
        let verified = verify(file, &self.policy, trust)?;
        if verified.digest() == build.digest {
            return Ok(Reloaded::Unchanged);
        }
        let new = Build::of(&verified)?;
        plugin.0.check_successor(&verified, &build, &new, &self.policy.commands)?;
        running.replace(&verified, stage(&verified, &self.staging)?)?;
        let Build { version, digest } = &new;
        let reloaded = Reloaded::Replaced { version: version.clone(), digest: *digest };
        *build = new;
        Ok(reloaded)
    }
}

impl Handle {
    fn build(&self) -> MutexGuard<'_, Build> {
        self.build.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that this is a build of the same plugin with the same placement, and not an older
    /// version.
    fn check_successor(
        &self,
        verified: &VerifiedPlugin,
        old: &Build,
        new: &Build,
        commands: &HostCommands,
    ) -> Result<(), PluginError> {
        let refused = |kind, reason: String, help: &str| {
            Err(PluginError::refused(kind, &self.file, reason, help))
        };
        let name = &verified.manifest().name;
        if *name != self.name {
            let reason = format!("is now the plugin `{name}`, but `{}` is running", self.name);
            return refused(
                PluginErrorKind::Manifest,
                reason,
                "install it under another file name",
            );
        }
        if verified.placement() != self.placement {
            let reason = "would now run in another process: the host's, or a separate one";
            let help = "restart this program, or set the policy's `isolation`";
            return refused(PluginErrorKind::Init, reason.into(), help);
        }
        if new.version < old.version && *verified.trusted_by() != TrustedBy::Pin {
            let reason = format!("is version {}, but {} is running", new.version, old.version);
            let help = format!("to run the older version, {}", commands.trust_older_plugin);
            return refused(PluginErrorKind::Rollback, reason, &help);
        }
        Ok(())
    }
}

impl Running {
    fn replace(&self, verified: &VerifiedPlugin, staged: Staged) -> Result<(), PluginError> {
        match self {
            Self::InProcess(plugin) => {
                plugin.check_replaceable()?;
                plugin.replace(LoadedCode::open(verified, staged)?)
            }
            Self::Process(plugin) => plugin.replace(staged),
        }
    }
}
