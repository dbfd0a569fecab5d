//! The source: all that a stranger has to write.

use std::collections::BTreeMap;

use prowess_core::{
    Cancel, Found, Listing, PackagePath, PreviousScan, ReadLimit, Resource, ResourcePath, ScanSink,
    ScanSummary, SkillSource, SourceError, SourceErrorKind, Stamp,
};
use serde::Deserialize;

/// One line of a bundle.
#[derive(Deserialize)]
struct Line {
    path: ResourcePath,
    text: String,
}

/// Files by path, as one bundle brought them. A path was checked when its line was read: the type
/// of the field lets no other in.
pub(crate) struct BundleSource {
    name: String,
    root: String,
    files: BTreeMap<ResourcePath, String>,
}

impl BundleSource {
    /// Reads a bundle.
    pub(crate) fn read(name: &str, bundle: &str) -> serde_json::Result<Self> {
        let lines = bundle.lines().filter(|line| !line.trim().is_empty());
        let file = |line: &str| {
            let Line { path, text } = serde_json::from_str(line)?;
            Ok((path, text))
        };
        let files = lines.map(file).collect::<serde_json::Result<_>>()?;
        Ok(Self { name: name.to_owned(), root: format!("bundle://{name}"), files })
    }

    /// Whether a file makes its directory a package: `SKILL.md`, or `skill.md` where that is all
    /// there is.
    fn is_skill_md(&self, package: &str, file: &str) -> bool {
        let has_upper = || self.package(package).any(|(path, _)| path == "SKILL.md");
        file == "SKILL.md" || (file == "skill.md" && !has_upper())
    }

    /// The files of a package, by their path in it.
    fn package<'a>(&'a self, package: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files.iter().filter_map(move |(path, text)| {
            let inside = path.as_str().strip_prefix(package)?;
            let inside = if package.is_empty() { inside } else { inside.strip_prefix('/')? };
            Some((inside, text.as_str()))
        })
    }
}

impl SkillSource for BundleSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn root(&self) -> &str {
        &self.root
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        // A bundle never changes, so every version is the first.
        let stamp = Some(Stamp::exact(1));
        for (path, text) in &self.files {
            if cancel.is_cancelled() {
                return Err(error(SourceErrorKind::Cancelled, "the scan was cancelled"));
            }
            let (package, file) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
            if !self.is_skill_md(package, file) {
                continue;
            }
            if previous.stamp(package) == stamp {
                sink.unchanged(package);
                continue;
            }
            let head = text.as_bytes();
            sink.found(Found { package, file, stamp, size: None, head, is_whole_file: true });
        }
        Ok(ScanSummary::default())
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let mut files = self.package(package.as_str()).peekable();
        files.peek().ok_or_else(|| error(SourceErrorKind::NotFound, "there is no such package"))?;
        let mut listing = Listing { resources: Vec::new(), is_complete: true };
        for (path, text) in files.filter(|(path, _)| !self.is_skill_md(package.as_str(), path)) {
            if listing.resources.len() == most {
                listing.is_complete = false;
                break;
            }
            let path = ResourcePath::new(path)
                .map_err(|broken| error(SourceErrorKind::Escape, &broken.to_string()))?;
            listing.resources.push(Resource { path, bytes: text.len() as u64 });
        }
        Ok(listing)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let wanted = resource.as_str();
        let is_below =
            |path: &str| path.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('/'));
        match self.package(package.as_str()).find(|(path, _)| *path == wanted) {
            Some((_, text)) if text.len() > limit.0 => {
                Err(error(SourceErrorKind::TooLarge, "the file is larger than the limit"))
            }
            Some((_, text)) => Ok(text.as_bytes().to_vec()),
            None if self.package(package.as_str()).any(|(path, _)| is_below(path)) => {
                Err(error(SourceErrorKind::NotRegular, "it is a directory"))
            }
            None => Err(error(SourceErrorKind::NotFound, "there is no such file")),
        }
    }
}

fn error(kind: SourceErrorKind, message: &str) -> SourceError {
    SourceError::new(kind, message)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use prowess_testkit::{SourceFixture, check_source};

    use super::*;

    struct Bundles;

    impl SourceFixture for Bundles {
        fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
            let line = |(path, text): &(&str, &[u8])| {
                let text = String::from_utf8_lossy(text);
                serde_json::json!({ "path": path, "text": text }).to_string()
            };
            let bundle: Vec<_> = files.iter().map(line).collect();
            Arc::new(BundleSource::read("test", &bundle.join("\n")).expect("the lines are JSON"))
        }
    }

    /// The kit checks each rule that every source has to keep.
    #[test]
    fn it_keeps_the_rules_of_a_source() {
        check_source(&Bundles);
    }
}
