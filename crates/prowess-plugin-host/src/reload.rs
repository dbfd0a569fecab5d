//! Another build of a plugin in the place of the one that runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::Digest;
use semver::Version;

use crate::policy::version;
use crate::{
    LoadedCode, LoadedPlugin, Origin, Placement, PluginError, PluginErrorKind, PluginLoader,
    ProcessPlugin, Staged, TrustStore, TrustedBy, VerifiedPlugin, stage, verify,
};

/// A handle of a plugin that runs, for its reload. Clones are the same plugin.
#[derive(Clone)]
pub struct PluginHandle(Arc<Handle>);

struct Handle {
    file: PathBuf,
    origin: Origin,
    name: String,
    placement: Placement,
    running: Running,
    build: Mutex<Build>,
}

/// Where a plugin's code runs, and what replaces it there.
pub(crate) enum Running {
    InProcess(LoadedPlugin),
    Process(ProcessPlugin),
}

/// The build that runs now.
struct Build {
    digest: Digest,
    version: Version,
}

/// The result of a reload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// The file is what runs already.
    Unchanged,
    /// This version runs now.
    Replaced {
        /// The version in its manifest.
        version: Version,
        /// The digest of its bytes.
        digest: Digest,
    },
}

impl PluginHandle {
    pub(crate) fn new(
        verified: &VerifiedPlugin,
        origin: Origin,
        running: Running,
    ) -> Result<Self, PluginError> {
        let build = Build::of(verified)?;
        Ok(Self(Arc::new(Handle {
            file: verified.file().to_owned(),
            origin,
            name: verified.manifest().name.clone(),
            placement: verified.placement(),
            running,
            build: Mutex::new(build),
        })))
    }

    /// The file that it came from.
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// The plugin's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The digest of the build that runs.
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
    /// Looks at a plugin's file again and puts what is there in the place of what runs, by the
    /// policy and `trust`. Sources and tools stay the same objects; calls that are under way end on
    /// the old build.
    ///
    /// A version before the one that runs is taken only if its very bytes are pinned, which is how
    /// an operator asks for it.
    ///
    /// # Errors
    ///
    /// It may not run, is another plugin, would run elsewhere, does not begin, or offers something
    /// else; or it was replaced too often. What ran before goes on.
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
        let Handle { file, origin, running, .. } = &*plugin.0;
        // One at a time; the second finds the result of the first.
        let mut build = plugin.0.build();
        let verified = verify(file, *origin, &self.policy, trust)?;
        if verified.digest() == build.digest {
            return Ok(Reloaded::Unchanged);
        }
        let new = Build::of(&verified)?;
        plugin.0.may_become(&verified, &build, &new)?;
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

    /// Whether this is another build of the same plugin, for the same place, and no way back.
    fn may_become(
        &self,
        verified: &VerifiedPlugin,
        old: &Build,
        new: &Build,
    ) -> Result<(), PluginError> {
        let refused = |kind, reason: String, help: &str| {
            Err(PluginError::refused(kind, &self.file, reason, help))
        };
        let name = &verified.manifest().name;
        if *name != self.name {
            let reason = format!("is the plugin `{name}` now, and `{}` runs", self.name);
            return refused(
                PluginErrorKind::Manifest,
                reason,
                "install it under a name of its own",
            );
        }
        if verified.placement() != self.placement {
            let reason = "would run elsewhere now: in the host, or in a process of its own";
            let help = "restart this program, or set the policy's `isolation`";
            return refused(PluginErrorKind::Init, reason.into(), help);
        }
        if new.version < old.version && *verified.trusted_by() != TrustedBy::Pin {
            let reason = format!("is version {}, and {} runs", new.version, old.version);
            let help =
                "if the older one is meant, trust it: `prowess plugin trust FILE --allow-older`";
            return refused(PluginErrorKind::Rollback, reason, help);
        }
        Ok(())
    }
}

impl Running {
    fn replace(&self, verified: &VerifiedPlugin, staged: Staged) -> Result<(), PluginError> {
        match self {
            Self::InProcess(plugin) => {
                plugin.may_be_replaced()?;
                plugin.replace(LoadedCode::open(verified, staged)?)
            }
            Self::Process(plugin) => plugin.replace(staged),
        }
    }
}
