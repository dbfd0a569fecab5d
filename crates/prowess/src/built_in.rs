//! The built-in sources: linked, or as plugins.

use std::sync::Arc;

use prowess_core::{Clock, SkillSource};
#[cfg(feature = "filesystem")]
use prowess_source_fs::{FsConfig, FsSource};

use crate::{Error, default_skills};

/// Creates the built-in sources.
#[derive(Default)]
pub(crate) enum BuiltIn {
    /// The sources that are linked into the program.
    #[default]
    Linked,
    /// The sources of plugins.
    #[cfg(feature = "plugins")]
    Plugins(Box<plugins::Plugins>),
}

impl BuiltIn {
    /// Creates a source for each of these directories, in their order.
    #[cfg(feature = "filesystem")]
    pub(crate) fn directories(
        &mut self,
        configs: Vec<FsConfig>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Vec<Arc<dyn SkillSource>>, Error> {
        match self {
            Self::Linked => Ok(configs
                .into_iter()
                .map(|config| Arc::new(FsSource::new(config, Arc::clone(clock))) as Arc<_>)
                .collect()),
            #[cfg(feature = "plugins")]
            Self::Plugins(plugins) => plugins.directories(&configs, clock),
        }
    }

    /// Creates the source of the embedded skills.
    #[cfg_attr(not(feature = "plugins"), expect(unused_variables, reason = "a plugin has a clock"))]
    pub(crate) fn default_skills(
        &mut self,
        clock: &Arc<dyn Clock>,
    ) -> Result<Arc<dyn SkillSource>, Error> {
        match self {
            Self::Linked => Ok(Arc::new(default_skills())),
            #[cfg(feature = "plugins")]
            Self::Plugins(plugins) => plugins.default_skills(clock),
        }
    }
}

#[cfg(feature = "plugins")]
mod plugins {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use prowess_core::{Clock, SkillSource};
    use prowess_plugin_host::{PluginError, PluginErrorKind, PluginLoader, PluginSettings};
    use prowess_source_fs::FsConfig;
    use prowess_text::counted;
    use serde_json::{Value, json};

    use super::BuiltIn;
    use crate::Error;

    /// Loads the plugins of one directory.
    pub(crate) struct Plugins {
        loader: PluginLoader,
        directory: PathBuf,
    }

    impl BuiltIn {
        /// Uses the plugins of the directory in the loader's policy, or the linked sources if there
        /// is none.
        pub(crate) fn of(loader: PluginLoader) -> Self {
            match loader.policy.built_in.clone() {
                Some(directory) => Self::Plugins(Box::new(Plugins { loader, directory })),
                None => Self::Linked,
            }
        }
    }

    impl Plugins {
        /// All directories are passed to one plugin, so that it needs at most one process.
        pub(super) fn directories(
            &mut self,
            configs: &[FsConfig],
            clock: &Arc<dyn Clock>,
        ) -> Result<Vec<Arc<dyn SkillSource>>, Error> {
            if configs.is_empty() {
                return Ok(Vec::new());
            }
            let file = self.file("filesystem");
            let roots = serde_json::to_value(configs).map_err(|error| {
                let reason = format!("cannot be given the directories: {error}");
                let help = "rename the directory, or use the source that is linked";
                PluginError::refused(PluginErrorKind::Init, &file, reason, help)
            })?;
            self.load(&file, json!({ "roots": roots }), configs.len(), clock)
        }

        pub(super) fn default_skills(
            &mut self,
            clock: &Arc<dyn Clock>,
        ) -> Result<Arc<dyn SkillSource>, Error> {
            let sources = self.load(&self.file("embedded"), Value::Null, 1, clock)?;
            Ok(sources.into_iter().next().expect("the load counts them"))
        }

        fn load(
            &mut self,
            file: &Path,
            config: Value,
            count: usize,
            clock: &Arc<dyn Clock>,
        ) -> Result<Vec<Arc<dyn SkillSource>>, Error> {
            // The plugin uses the clock of the host's other sources for its stamps.
            self.loader.clock = Arc::clone(clock);
            let settings = PluginSettings { config: Some(config), ..PluginSettings::default() };
            let plugin = self.loader.load_with(file, settings)?;
            if plugin.sources.len() == count {
                return Ok(plugin.sources);
            }
            let reason = format!(
                "offers {} in the place of {count}",
                counted(plugin.sources.len(), "source")
            );
            let help = "take the plugins that were built with this program";
            Err(PluginError::failed(PluginErrorKind::Protocol, file, reason, help).into())
        }

        fn file(&self, name: &str) -> PathBuf {
            self.directory.join(format!("{DLL_PREFIX}prowess_plugin_{name}{DLL_SUFFIX}"))
        }
    }
}
