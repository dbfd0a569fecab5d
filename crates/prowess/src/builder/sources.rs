//! The sources of skills.

#[cfg(feature = "filesystem")]
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "filesystem")]
use prowess_core::FolderTrust;
use prowess_core::{AskedFolder, SkillSource};
#[cfg(feature = "filesystem")]
use prowess_source_fs::{Nested, Surroundings};
#[cfg(feature = "state")]
use prowess_state::RecordCache;

use super::RuntimeBuilder;
#[cfg(feature = "filesystem")]
use crate::added_source::NamedDirectory;
use crate::added_source::{AddedSource, Origin};
#[cfg(feature = "plugins")]
use crate::built_in::BuiltIn;
#[cfg(feature = "plugins")]
use crate::plugin_tools::usable;

/// The meaning of a missing directory.
#[cfg(feature = "filesystem")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfMissing {
    /// An error of [`RuntimeBuilder::build`].
    Fail,
    /// A directory without skills.
    Ignore,
}

impl RuntimeBuilder {
    /// Adds a skills directory: each of its children is a package, or leads to packages. A package
    /// ends the walk, which is what makes it fast.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn skills_directory(self, layer: &str, directory: impl Into<PathBuf>) -> Self {
        self.directory(layer, directory.into(), Nested::Stop, IfMissing::Fail)
    }

    /// Adds a skills directory that need not exist: until it does, it has no skills.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn optional_skills_directory(self, layer: &str, directory: impl Into<PathBuf>) -> Self {
        self.directory(layer, directory.into(), Nested::Stop, IfMissing::Ignore)
    }

    /// Adds a directory tree of any shape, such as a checkout: packages inside packages count too.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn tree(self, layer: &str, directory: impl Into<PathBuf>) -> Self {
        self.directory(layer, directory.into(), Nested::Descend, IfMissing::Fail)
    }

    /// Adds the skills directories that the discovery policy finds on a machine, after the named
    /// ones.
    ///
    /// Skills of a project whose folder the user does not trust are in the catalog but not offered,
    /// unless the policy says otherwise.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn discover(mut self, machine: Surroundings, trust: Arc<dyn FolderTrust>) -> Self {
        self.machine = Some((machine, trust));
        self
    }

    /// Keeps what the first scan reads and lists, for a host that then looks at every file, as
    /// [`FsConfig::keeps`](prowess_source_fs::FsConfig::keeps) describes.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn keep_files(mut self) -> Self {
        self.keeps_files = true;
        self
    }

    /// Caches the records of the first scan, so that the next start reads changed files only.
    #[cfg(feature = "state")]
    #[must_use]
    pub fn record_cache(mut self, cache: RecordCache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Adds a source of any kind.
    #[must_use]
    pub fn source(self, layer: &str, source: Arc<dyn SkillSource>) -> Self {
        self.add(AddedSource::new(layer, Origin::Source(source)))
    }

    /// Adds a source whose skills are offered once the user trusts a folder, such as the project
    /// that the source belongs to. [`Self::discover`] has the trust.
    #[must_use]
    pub fn source_of_folder(
        self,
        layer: &str,
        source: Arc<dyn SkillSource>,
        asked: AskedFolder,
    ) -> Self {
        let asked = Some(asked);
        self.add(AddedSource { asked, ..AddedSource::new(layer, Origin::Source(source)) })
    }

    /// Adds a source of one package. The skill is named `skill_name`, whatever name it declares.
    /// The example `single_skill` of `examples/skill-sources` has one.
    #[must_use]
    pub fn single_skill_source(
        self,
        layer: &str,
        skill_name: &str,
        source: Arc<dyn SkillSource>,
    ) -> Self {
        let skill_name = Some(skill_name.into());
        self.add(AddedSource { skill_name, ..AddedSource::new(layer, Origin::Source(source)) })
    }

    /// Adds a directory that is one skill, named `skill_name`, whatever name it declares.
    #[cfg(feature = "filesystem")]
    #[must_use]
    pub fn skill_directory(
        self,
        layer: &str,
        skill_name: &str,
        directory: impl Into<PathBuf>,
    ) -> Self {
        let (nested, may_be_missing) = (Nested::Stop, false);
        let directory = NamedDirectory { root: directory.into(), nested, may_be_missing };
        let skill_name = Some(skill_name.into());
        self.add(AddedSource {
            skill_name,
            ..AddedSource::new(layer, Origin::Directory(directory))
        })
    }

    /// Adds the embedded skills of prowess, in the layer `embedded`.
    #[must_use]
    pub fn default_skills(self) -> Self {
        self.add(AddedSource::new("embedded", Origin::DefaultSkills))
    }

    /// Loads the built-in sources, those of directories and of the embedded skills, as plugins, if
    /// the policy of `loader` names a directory with them. By default they are linked.
    ///
    /// A catalog is the same either way. The boundary to plugins does not carry the stamps of a
    /// root or the identity of a package, so each scan lists a root again, and two links to one
    /// directory are compared by their contents. The plugins use the runtime's clock.
    #[cfg(feature = "plugins")]
    #[must_use]
    pub fn dynamic(mut self, loader: prowess_plugin_host::PluginLoader) -> Self {
        self.built_in = BuiltIn::of(loader);
        self
    }

    /// Adds the sources and tools of a plugin.
    ///
    /// Its skills are in the layer that the policy gives it. Without one they are in the layer
    /// `plugin` or, if there is none, in the lowest layer.
    ///
    /// A tool whose schema cannot be used is left out, which is a finding: `plugin-failed`, or
    /// `feature-missing` if only the feature `json-schema` can check it.
    #[cfg(feature = "plugins")]
    #[must_use]
    pub fn plugin(mut self, plugin: &prowess_plugin_host::Plugin) -> Self {
        for source in &plugin.sources {
            let layer = plugin.layer.as_deref().map(Into::into);
            let origin = Origin::Source(Arc::clone(source));
            self.sources.push(AddedSource { layer, skill_name: None, asked: None, origin });
        }
        for provider in &plugin.tools {
            let place = (plugin.handle.name(), plugin.handle.file());
            let (usable, findings) = usable(provider, place, self.feature_help);
            self.providers.push(usable);
            self.findings.extend(findings);
        }
        self
    }

    #[cfg(feature = "filesystem")]
    fn directory(self, layer: &str, root: PathBuf, nested: Nested, if_missing: IfMissing) -> Self {
        let may_be_missing = if_missing == IfMissing::Ignore;
        let directory = NamedDirectory { root, nested, may_be_missing };
        self.add(AddedSource::new(layer, Origin::Directory(directory)))
    }

    fn add(mut self, source: AddedSource) -> Self {
        self.sources.push(source);
        self
    }
}
