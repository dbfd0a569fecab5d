//! Loads plugins: performs all steps from a file to sources and tools.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{SkillSource, ToolProvider};
use prowess_plugin_abi::conversation::FEATURE;

use crate::reload::Running;
use crate::verify::verify_bytes;
use crate::{
    HOST_FEATURES, Launch, LoadedCode, LoadedPlugin, Manifest, NoLog, Placement, PluginError,
    PluginErrorKind, PluginHandle, PluginLoader, PluginSettings, PluginSetup, ProcessPlugin,
    Staged, VerifiedPlugin, read, stage, start_process, verify,
};

/// A running plugin.
pub struct Plugin {
    /// The handle for reloading it.
    pub handle: PluginHandle,
    /// The plugin's manifest.
    pub manifest: Manifest,
    /// Where the plugin runs.
    pub placement: Placement,
    /// The [`HOST_FEATURES`] that the plugin supports, too.
    pub features: Vec<&'static str>,
    /// The layer of its sources, from the settings.
    pub layer: Option<String>,
    /// The plugin's sources.
    pub sources: Vec<Arc<dyn SkillSource>>,
    /// The plugin's tool providers.
    pub tools: Vec<Arc<dyn ToolProvider>>,
}

impl PluginLoader {
    /// Verifies and starts a plugin, in this process or a separate one, with the policy's settings.
    ///
    /// # Errors
    ///
    /// Returns an error if the plugin is refused, cannot be opened, or does not start.
    /// [`PluginError::was_executed`] reports whether its code may have run.
    pub fn load(&self, file: &Path) -> Result<Plugin, PluginError> {
        self.load_with(file, PluginSettings::default())
    }

    /// As [`Self::load`]; `settings` override those of the policy.
    ///
    /// # Errors
    ///
    /// As [`Self::load`].
    pub fn load_with(&self, file: &Path, settings: PluginSettings) -> Result<Plugin, PluginError> {
        let verified = verify(file, &self.policy, &self.trust);
        let opened = verified.and_then(|verified| self.start(&verified, settings));
        self.report_opened(file, &opened);
        opened
    }

    /// Verifies several plugins as [`Self::load_all`] does, without starting one.
    ///
    /// # Errors
    ///
    /// A plugin is refused.
    pub fn verify_all(&self, files: impl IntoIterator<Item = PathBuf>) -> Result<(), PluginError> {
        let mut names = Names::default();
        files.into_iter().try_for_each(|file| self.verify_beside(&file, &mut names).map(drop))
    }

    /// Verifies a plugin beside those with these names.
    fn verify_beside(&self, file: &Path, names: &mut Names) -> Result<VerifiedPlugin, PluginError> {
        let (bytes, inspection) = read(file, &self.policy)?;
        // Before the trust check: usually only one of two files with the same name is trusted, and
        // the error for the other one would be a wrong digest.
        names.check(&inspection.manifest.name, file)?;
        let verified = verify_bytes(file, bytes, inspection, &self.policy, &self.trust)?;
        names.insert(&verified.manifest().name, file);
        Ok(verified)
    }

    /// As [`Self::load_with`] for several plugins, in this order. The same file may occur several
    /// times with different settings. Of two files with the same plugin name the second is refused
    /// before its code runs, since the policy's settings are by name.
    pub fn load_all(
        &self,
        plugins: impl IntoIterator<Item = (PathBuf, PluginSettings)>,
    ) -> Vec<Result<Plugin, PluginError>> {
        let mut names = Names::default();
        let mut load = |file: &Path, settings| {
            let verified = self.verify_beside(file, &mut names)?;
            self.start(&verified, settings)
        };
        let audited = |(file, settings): (PathBuf, _)| {
            let opened = load(&file, settings);
            self.report_opened(&file, &opened);
            opened
        };
        plugins.into_iter().map(audited).collect()
    }

    fn start(
        &self,
        verified: &VerifiedPlugin,
        settings: PluginSettings,
    ) -> Result<Plugin, PluginError> {
        let staged = stage(verified, &self.staging)?;
        let manifest = verified.manifest();
        let settings = match self.policy.settings.get(&manifest.name) {
            Some(defaults) => settings.or(defaults),
            None => settings,
        };
        let (sources, tools, running) = match verified.placement() {
            Placement::InProcess => {
                let plugin = self.in_process(verified, staged, settings.config)?;
                (plugin.sources(), plugin.tool_providers(), Running::InProcess(plugin))
            }
            Placement::Process => {
                let plugin = self.in_separate_process(verified, staged, settings.clone())?;
                let tools = vec![Arc::clone(&plugin.tools)];
                (plugin.sources.clone(), tools, Running::Process(plugin))
            }
        };
        let is_supported = |word: &&str| manifest.features.iter().any(|own| own == word);
        Ok(Plugin {
            handle: PluginHandle::new(verified, running)?,
            manifest: manifest.clone(),
            placement: verified.placement(),
            features: HOST_FEATURES.into_iter().filter(is_supported).collect(),
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
    ) -> Result<LoadedPlugin, PluginError> {
        let setup = PluginSetup {
            config: config.unwrap_or_default(),
            limits: self.policy.limits.clone(),
            generations: self.policy.generations,
            clock: Arc::clone(&self.clock),
            log: self.audited(Arc::clone(&self.log)),
        };
        LoadedPlugin::start(LoadedCode::open(verified, staged)?, setup)
    }

    fn in_separate_process(
        &self,
        verified: &VerifiedPlugin,
        staged: Staged,
        settings: PluginSettings,
    ) -> Result<ProcessPlugin, PluginError> {
        let launch = Launch {
            program: self.runner.clone(),
            arguments: self.runner_arguments.clone(),
            name: verified.manifest().name.clone(),
            file: verified.file().to_owned(),
            library: staged,
            config: settings.config,
            limits: self.policy.limits.clone(),
            sandbox: self.policy.sandbox,
            rights: settings.rights.unwrap_or_default(),
            shows_conversation: verified.manifest().features.iter().any(|word| word == FEATURE),
            // As for a plugin in the host, relative paths start at the host's working directory.
            directory: std::env::current_dir().unwrap_or_else(|_| "/".into()),
        };
        let log = self.audited(Arc::new(NoLog));
        start_process(launch, Arc::clone(&self.clock), log)
    }
}

/// The names of loaded plugins, with their files.
#[derive(Default)]
pub(crate) struct Names(BTreeMap<String, PathBuf>);

impl Names {
    /// Checks that no other file has this plugin name. Returns an error that names the other file.
    pub(crate) fn check(&self, name: &str, file: &Path) -> Result<(), PluginError> {
        let Some(first) = self.0.get(name).filter(|first| *first != file) else {
            return Ok(());
        };
        let reason =
            format!("is a second plugin named `{name}`: `{}` is the first", first.display());
        let help = "remove one of them, or build it under another name";
        Err(PluginError::refused(PluginErrorKind::NameTaken, file, reason, help))
    }

    /// Registers the name for this file, unless another file has it.
    pub(crate) fn insert(&mut self, name: &str, file: &Path) {
        self.0.entry(name.to_owned()).or_insert_with(|| file.to_owned());
    }
}
