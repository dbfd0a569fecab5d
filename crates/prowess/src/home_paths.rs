//! Paths of a configuration that begin with `~`.

use std::path::{Path, PathBuf};

use prowess_source_fs::Surroundings;

use crate::Policies;

impl Policies {
    /// Expands `~` at the beginning of each path, and of each word of a command, by
    /// [`Surroundings::expand`]. Those of `discovery` are expanded by the discovery, too. A
    /// relative directory of proposals is one of the project, as the skills of proposals are.
    pub fn expand_home(&mut self, surroundings: &Surroundings) {
        let expand = |path: &mut PathBuf| *path = surroundings.expand(path);
        let expand_word = |word: &mut String| {
            if let Some(expanded) = surroundings.expand(Path::new(word.as_str())).to_str() {
                expanded.clone_into(word);
            }
        };
        let roots = self.discovery.roots.values_mut().flatten();
        roots.chain(&mut self.discovery.organization).for_each(expand);
        for server in self.sources.mcp.values_mut() {
            server.command.iter_mut().for_each(expand_word);
        }
        #[cfg(feature = "scripts")]
        {
            let scripts = &mut self.scripts;
            let lists = [&mut scripts.search_path, &mut scripts.read, &mut scripts.write];
            lists.into_iter().flatten().chain(&mut scripts.authorities).for_each(expand);
            for secret in &mut scripts.secrets {
                secret.file.iter_mut().for_each(expand);
                secret.command.iter_mut().for_each(expand_word);
            }
            scripts.interpreters.0.values_mut().flatten().for_each(expand_word);
        }
        #[cfg(feature = "proposals")]
        if let Some(directory) = &mut self.proposals.directory {
            expand(directory);
            if let Some(project) = surroundings.project() {
                *directory = project.join(&*directory);
            }
        }
        #[cfg(feature = "plugins")]
        {
            let plugins = &mut self.plugins;
            plugins.directories.iter_mut().chain(&mut plugins.load).for_each(expand);
            for rights in plugins.settings.values_mut().filter_map(|it| it.rights.as_mut()) {
                let read = rights.read.iter_mut().flatten();
                read.chain(&mut rights.write).chain(&mut rights.run).for_each(expand);
            }
        }
    }
}
