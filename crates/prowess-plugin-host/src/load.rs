//! From a file to sources and tools: everything that has to happen, in its order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{SkillSource, ToolProvider};
use prowess_plugin_abi::conversation::FEATURE;

use crate::reload::Running;
use crate::verify::verify_bytes;
use crate::{
    HOST_FEATURES, Launch, LoadedCode, LoadedPlugin, Manifest, NoLog, Origin, Placement,
    PluginError, PluginErrorKind, PluginHandle, PluginLoader, PluginSettings, PluginSetup,
    ProcessPlugin, Staged, VerifiedPlugin, read, stage, start_process_with, verify,
};

/// A plugin that runs.
pub struct Plugin {
    /// The handle for its reload.
    pub handle: PluginHandle,
    /// Its manifest.
    pub manifest: Manifest,
    /// Where it runs.
    pub placement: Placement,
    /// The [`HOST_FEATURES`] that it knows as well.
    pub features: Vec<&'static str>,
    /// The layer that the policy's settings give its sources.
    pub layer: Option<String>,
    /// Its sources.
    pub sources: Vec<Arc<dyn SkillSource>>,
    /// Its tools.
    pub tools: Vec<Arc<dyn ToolProvider>>,
}

impl PluginLoader {
    /// Checks a plugin, opens it where the policy says, and begins it with the policy's settings
    /// for it.
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
        let verified = verify(file, origin, &self.policy, &self.trust);
        let opened = verified.and_then(|verified| self.begin(&verified, origin, settings));
        self.report_opened(file, &opened);
        opened
    }

    /// As [`Self::load_with`] for several, in this order. One file may be there several times, each
    /// with settings of its own. Of two files with one name the second is refused before its code
    /// runs: the policy's settings are by name.
    pub fn load_all(
        &self,
        plugins: impl IntoIterator<Item = (PathBuf, PluginSettings)>,
        origin: Origin,
    ) -> Vec<Result<Plugin, PluginError>> {
        let mut names = Names::default();
        let mut load = |file: &Path, settings| {
            let (bytes, inspection) = read(file, origin, &self.policy)?;
            // Before trust: of two files with one name at most one is trusted, as a rule, and that
            // the other one has other bytes is not what is wrong.
            names.check(&inspection.manifest.name, file)?;
            let verified = verify_bytes(file, bytes, inspection, &self.policy, &self.trust)?;
            names.take(&verified.manifest().name, file);
            self.begin(&verified, origin, settings)
        };
        let audited = |(file, settings): (PathBuf, _)| {
            let opened = load(&file, settings);
            self.report_opened(&file, &opened);
            opened
        };
        plugins.into_iter().map(audited).collect()
    }

    fn begin(
        &self,
        verified: &VerifiedPlugin,
        origin: Origin,
        settings: PluginSettings,
    ) -> Result<Plugin, PluginError> {
        let staged = stage(verified, &self.staging)?;
        let manifest = verified.manifest();
        let settings = match self.policy.settings.get(&manifest.name) {
            Some(usual) => settings.over(usual),
            None => settings,
        };
        let (sources, tools, running) = match verified.placement() {
            Placement::InProcess => {
                let plugin = self.in_process(verified, staged, settings.config)?;
                (plugin.sources(), plugin.tool_providers(), Running::InProcess(plugin))
            }
            Placement::Process => {
                let plugin = self.in_child(verified, staged, settings.clone())?;
                let tools = vec![Arc::clone(&plugin.tools)];
                (plugin.sources.clone(), tools, Running::Process(plugin))
            }
        };
        let is_known = |word: &&str| manifest.features.iter().any(|own| own == word);
        Ok(Plugin {
            handle: PluginHandle::new(verified, origin, running)?,
            manifest: manifest.clone(),
            placement: verified.placement(),
            features: HOST_FEATURES.into_iter().filter(is_known).collect(),
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

    fn in_child(
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
            // As in the host's process, where a relative path of the configuration starts from
            // here.
            directory: std::env::current_dir().unwrap_or_else(|_| "/".into()),
        };
        let log = self.audited(Arc::new(NoLog));
        start_process_with(launch, Arc::clone(&self.clock), log)
    }
}

/// The names of plugins, each with the file that has it.
#[derive(Default)]
pub(crate) struct Names(BTreeMap<String, PathBuf>);

impl Names {
    /// Checks that no other file is the plugin of this name.
    ///
    /// # Errors
    ///
    /// Another file is.
    pub(crate) fn check(&self, name: &str, file: &Path) -> Result<(), PluginError> {
        let Some(first) = self.0.get(name).filter(|first| *first != file) else {
            return Ok(());
        };
        let reason =
            format!("is a second plugin named `{name}`: `{}` is the first", first.display());
        let help = "leave one of them out, or build it under another name";
        Err(PluginError::refused(PluginErrorKind::NameTaken, file, reason, help))
    }

    /// Gives the name to this file, unless another one has it.
    pub(crate) fn take(&mut self, name: &str, file: &Path) {
        self.0.entry(name.to_owned()).or_insert_with(|| file.to_owned());
    }
}
