//! From a file to sources and tools: everything that has to happen, in its order.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{Clock, SkillSource, ToolProvider};

use crate::{
    Image, Launch, LoadedPlugin, Manifest, Origin, Placement, PluginError, PluginLog, PluginPolicy,
    PluginSettings, PluginSetup, Staged, TrustStore, VerifiedPlugin, stage, start_process, verify,
};

/// Loads plugins for a host.
pub struct PluginLoader {
    /// Which plugins may run, and how.
    pub policy: PluginPolicy,
    /// What the operator trusts.
    pub trust: TrustStore,
    /// Where bytes are put if they cannot be kept in memory: a directory that programs may run from.
    pub staging: PathBuf,
    /// The program of a plugin's own process, such as `prowess-plugin-runner`: one that calls
    /// [`run_process`](crate::run_process).
    pub runner: PathBuf,
    /// Its arguments.
    pub runner_arguments: Vec<OsString>,
    /// Measures deadlines, and the time between failures.
    pub clock: Arc<dyn Clock>,
    /// Hears what plugins in this process say. What others say goes to standard error.
    pub log: Arc<dyn PluginLog>,
}

/// A plugin that runs.
pub struct Plugin {
    /// What it says of itself.
    pub manifest: Manifest,
    /// Where it runs.
    pub placement: Placement,
    /// The layer that the policy's settings give its sources.
    pub layer: Option<String>,
    /// Its sources.
    pub sources: Vec<Arc<dyn SkillSource>>,
    /// Its tools.
    pub tools: Vec<Arc<dyn ToolProvider>>,
}

impl PluginLoader {
    /// Checks a plugin, opens it where the policy says, and begins it with the policy's settings for it.
    ///
    /// # Errors
    ///
    /// It is refused, cannot be opened, or does not begin. The error says whether its code ran.
    pub fn load(&self, file: &Path, origin: Origin) -> Result<Plugin, PluginError> {
        self.load_with(file, origin, PluginSettings::default())
    }

    /// As [`Self::load`]; what `settings` say goes before what the policy says.
    ///
    /// # Errors
    ///
    /// As [`Self::load`].
    pub fn load_with(
        &self,
        file: &Path,
        origin: Origin,
        settings: PluginSettings,
    ) -> Result<Plugin, PluginError> {
        let verified = verify(file, origin, &self.policy, &self.trust)?;
        let staged = stage(&verified, &self.staging)?;
        let settings = match self.policy.settings.get(&verified.manifest().name) {
            Some(usual) => settings.over(usual),
            None => settings,
        };
        let (sources, tools) = match verified.placement() {
            Placement::InProcess => self.in_process(&verified, staged, settings.config)?,
            Placement::Process => self.in_child(&verified, staged, settings.config)?,
        };
        Ok(Plugin {
            manifest: verified.manifest().clone(),
            placement: verified.placement(),
            layer: settings.layer,
            sources,
            tools,
        })
    }

    fn in_process(
        &self,
        verified: &VerifiedPlugin,
        staged: Staged,
        config: Option<serde_json::Value>,
    ) -> Result<Offered, PluginError> {
        let image = Image::open(verified, staged)?;
        let setup = PluginSetup {
            config: config.unwrap_or_default(),
            limits: self.policy.limits.clone(),
            generations: self.policy.generations,
            clock: Arc::clone(&self.clock),
            log: Arc::clone(&self.log),
        };
        let plugin = LoadedPlugin::start(image, setup)?;
        Ok((plugin.sources(), plugin.tool_providers()))
    }

    fn in_child(
        &self,
        verified: &VerifiedPlugin,
        staged: Staged,
        config: Option<serde_json::Value>,
    ) -> Result<Offered, PluginError> {
        let launch = Launch {
            program: self.runner.clone(),
            arguments: self.runner_arguments.clone(),
            file: verified.file().to_owned(),
            library: staged,
            config,
            limits: self.policy.limits.clone(),
        };
        let plugin = start_process(launch, Arc::clone(&self.clock))?;
        Ok((plugin.sources, vec![plugin.tools]))
    }
}

type Offered = (Vec<Arc<dyn SkillSource>>, Vec<Arc<dyn ToolProvider>>);
