//! Sources that a test holds in its hand.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};

use prowess_core::{
    Cancel, Found, Layer, Listing, MemorySource, PackagePath, ReadLimit, ResourcePath, ScanSink,
    SkillSource, SourceError, SourceErrorKind, Stamp, Trust,
};
use prowess_registry::Registry;

/// A source in memory with these packages and descriptions.
pub(crate) fn memory(name: &str, skills: &[(&str, &str)]) -> Arc<MemorySource> {
    let add = |builder: prowess_core::MemorySourceBuilder,
               (package, description): &(&str, &str)| {
        let skill = package.rsplit('/').next().unwrap_or(package);
        builder.file(&format!("{package}/SKILL.md"), skill_md(skill, description))
    };
    let builder = skills.iter().fold(MemorySource::builder(name), add);
    Arc::new(builder.build().expect("the fixture's paths are good"))
}

/// A well-formed file.
pub(crate) fn skill_md(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}\n")
}

/// A registry over layers, the lowest first, each with one source.
pub(crate) fn registry(layers: Vec<(&str, Trust, Arc<dyn SkillSource>)>) -> Registry {
    let mut builder = Registry::builder();
    for (name, trust, source) in layers {
        builder = builder.layer(Layer::new(name, trust)).source(name, source);
    }
    builder.build().expect("the fixture's layers are good")
}

/// A source whose files a test changes, with a stamp for each version, and that counts its reads.
#[derive(Default)]
pub(crate) struct Changing {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Package, text, stamp; a stamp of zero cannot be relied on.
    files: Vec<(String, Vec<u8>, u64)>,
    read: usize,
    is_broken: bool,
}

impl Changing {
    pub(crate) fn set(&self, package: &str, text: impl Into<Vec<u8>>, stamp: u64) {
        let mut state = self.state.lock().expect("no test panics here");
        state.files.retain(|(known, ..)| known != package);
        state.files.push((package.to_owned(), text.into(), stamp));
    }

    pub(crate) fn remove(&self, package: &str) {
        self.state
            .lock()
            .expect("no test panics here")
            .files
            .retain(|(known, ..)| known != package);
    }

    pub(crate) fn break_down(&self, is_broken: bool) {
        self.state.lock().expect("no test panics here").is_broken = is_broken;
    }

    /// How many files were read since the last question.
    pub(crate) fn take_reads(&self) -> usize {
        std::mem::take(&mut self.state.lock().expect("no test panics here").read)
    }
}

impl SkillSource for Changing {
    fn name(&self) -> &str {
        "changing"
    }

    fn root(&self) -> &str {
        "changing://"
    }

    fn scan(&self, sink: &mut dyn ScanSink, _cancel: &Cancel) -> Result<(), SourceError> {
        let mut state = self.state.lock().expect("no test panics here");
        if state.is_broken {
            return Err(SourceError::new(SourceErrorKind::Unavailable, "the disk is gone"));
        }
        let mut read = 0;
        for (package, text, stamp) in &state.files {
            let stamp = NonZeroU64::new(*stamp).map(Stamp);
            if stamp.is_some() && sink.known(package) == stamp {
                sink.unchanged(package);
                continue;
            }
            read += 1;
            sink.found(Found { package, file: "SKILL.md", stamp, head: text, is_whole_file: true });
        }
        state.read += read;
        Ok(())
    }

    fn list(&self, _package: &PackagePath, _most: usize) -> Result<Listing, SourceError> {
        Ok(Listing { resources: Vec::new(), is_complete: true })
    }

    fn read(
        &self,
        package: &PackagePath,
        _resource: &ResourcePath,
        _limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let state = self.state.lock().expect("no test panics here");
        let found = state.files.iter().find(|(known, ..)| known == package.as_str());
        let not_found = || SourceError::new(SourceErrorKind::NotFound, "there is no such file");
        found.map(|(_, text, _)| text.clone()).ok_or_else(not_found)
    }
}
