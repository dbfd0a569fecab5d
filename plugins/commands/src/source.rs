//! The source: each Markdown file of a directory is a package with a `SKILL.md`.

use std::ops::ControlFlow;
use std::path::PathBuf;

use prowess_dir::{Dir, EntryBuffer, ErrorKind};
use prowess_plugin_sdk::SkillSource;
use prowess_plugin_sdk::prowess_core::{
    Cancel, Code, Diagnostic, Found, Listing, PackagePath, PreviousScan, ReadLimit, ResourcePath,
    ScanSink, ScanSummary, Severity, SourceError, SourceErrorKind,
};

const SKILL_MD: &str = "SKILL.md";
const EXTENSION: &str = ".md";
/// The most characters of a description.
const MAX_DESCRIPTION: usize = 1_000;

/// The Markdown files of one directory.
pub(crate) struct CommandSource {
    directory: PathBuf,
    root: String,
}

impl CommandSource {
    /// Creates the source of a directory, which has to exist.
    pub(crate) fn new(directory: PathBuf) -> Result<Self, prowess_dir::Error> {
        Dir::open(&directory)?;
        Ok(Self { root: directory.display().to_string(), directory })
    }

    /// Opens the directory, which another one may have replaced.
    fn open(&self) -> Result<Dir, SourceError> {
        Dir::open(&self.directory).map_err(|error| failed(&error))
    }

    /// Returns the names of the packages, sorted. Names that are not text are left out.
    fn packages(&self) -> Result<Vec<String>, SourceError> {
        let mut packages = Vec::new();
        let mut directory = self.open()?;
        let mut buffer = EntryBuffer::default();
        let entries = directory.entries(&mut buffer).map_err(|error| failed(&error))?;
        let visited = entries.visit(|entry| {
            packages.extend(entry.name().and_then(package_of).map(str::to_owned));
            ControlFlow::<()>::Continue(())
        });
        let _ = visited.map_err(|error| failed(&error))?;
        packages.sort_unstable();
        Ok(packages)
    }

    /// Returns the `SKILL.md` of a package. The kernel keeps the read inside the directory.
    fn skill_md(&self, package: &str, limit: usize) -> Result<Vec<u8>, SourceError> {
        let file = format!("{package}{EXTENSION}");
        let bytes = self.open()?.read(&file, limit).map_err(|error| failed(&error))?;
        let skill_md = match std::str::from_utf8(&bytes) {
            Ok(text) if !text.starts_with("---") => with_frontmatter(package, text).into_bytes(),
            // Frontmatter of its own, or bytes that the host reports.
            _ => bytes,
        };
        if skill_md.len() > limit {
            return Err(SourceError::new(SourceErrorKind::TooLarge, "it is over the limit"));
        }
        Ok(skill_md)
    }
}

/// Returns the package of a file: `deploy` for `deploy.md`.
fn package_of(file: &str) -> Option<&str> {
    let package = file.strip_suffix(EXTENSION)?;
    (PackagePath::is_normal(package) && !package.is_empty()).then_some(package)
}

/// Returns a text with frontmatter, whose description is the first line that has words.
fn with_frontmatter(name: &str, text: &str) -> String {
    let mut lines = text.lines().map(|line| line.trim_start_matches('#').trim());
    let first = lines.find(|line| !line.is_empty()).unwrap_or(name);
    let description: String = first.chars().take(MAX_DESCRIPTION).collect();
    // A text of JSON is one of YAML.
    let [name, description] = [name, &*description].map(|text| serde_json::json!(text).to_string());
    format!("---\nname: {name}\ndescription: {description}\n---\n{text}")
}

fn failed(error: &prowess_dir::Error) -> SourceError {
    let kind = match error.kind() {
        ErrorKind::NotFound | ErrorKind::Malformed => SourceErrorKind::NotFound,
        ErrorKind::Escape | ErrorKind::Link => SourceErrorKind::Escape,
        ErrorKind::NotRegular => SourceErrorKind::NotRegular,
        ErrorKind::TooLarge => SourceErrorKind::TooLarge,
        ErrorKind::Denied => SourceErrorKind::Denied,
        _ => SourceErrorKind::Unavailable,
    };
    SourceError::new(kind, error.to_string())
}

fn problem(package: &str, error: &SourceError) -> Diagnostic {
    let message = format!("`{package}{EXTENSION}` cannot be read: {}", error.message);
    let help = "make it a readable file of the directory, or remove it";
    Diagnostic::new(Code::new(error.kind.as_str()), Severity::Error, message, help)
}

impl SkillSource for CommandSource {
    fn name(&self) -> &str {
        "commands"
    }

    fn root(&self) -> &str {
        &self.root
    }

    fn scan(
        &self,
        _: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        for package in &self.packages()? {
            if cancel.is_cancelled() {
                return Err(SourceError::new(SourceErrorKind::Cancelled, "it was cancelled"));
            }
            match self.skill_md(package, ReadLimit::default().0) {
                Ok(text) => {
                    let size = Some(text.len() as u64);
                    let (file, head) = (SKILL_MD, &*text);
                    // The file is whole, so there is nothing more to read.
                    let _ = sink.found(Found {
                        package,
                        file,
                        stamp: None,
                        size,
                        head,
                        is_whole_file: true,
                    });
                }
                Err(error) => sink.problem(problem(package, &error)),
            }
        }
        Ok(ScanSummary::default())
    }

    fn list(&self, package: &PackagePath, _: usize) -> Result<Listing, SourceError> {
        // A package has no other file, but there must be one.
        self.skill_md(package.as_str(), usize::MAX)?;
        Ok(Listing { resources: Vec::new(), is_complete: true })
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        if resource.as_str() != SKILL_MD {
            let message = format!("the package `{package}` has no other file than `{SKILL_MD}`");
            return Err(SourceError::new(SourceErrorKind::NotFound, message));
        }
        self.skill_md(package.as_str(), limit.0)
    }
}

#[cfg(test)]
mod tests {
    use prowess_testkit::{ScanRecorder, Tree};

    use super::*;

    const FILES: &str = "
//- /deploy.md

# Deploy: \"now\"

Push to production.
//- /own.md
---
name: own
description: Has its own.
---
Body
//- /notes.txt
Not a skill.
//- /more/below.md
Not in the directory itself.
";

    /// Returns the `SKILL.md` of a package.
    fn read(source: &CommandSource, package: &str) -> Result<String, SourceErrorKind> {
        let package = PackagePath::new(package).expect("a path");
        let file = ResourcePath::new(SKILL_MD).expect("a path");
        let bytes = source.read(&package, &file, ReadLimit::default());
        let text = |bytes| String::from_utf8(bytes).expect("it is text");
        bytes.map(text).map_err(|error| error.kind)
    }

    #[test]
    fn each_markdown_file_is_a_skill() {
        let tree = Tree::new(FILES);
        let source = CommandSource::new(tree.path().to_owned()).expect("it is there");
        let scan = ScanRecorder::scan(&source).expect("it can be scanned");
        let found: Vec<_> = scan.found.iter().map(|found| &*found.package).collect();
        assert_eq!(found, ["deploy", "own"], "files of the directory itself");
        assert_eq!(scan.problems.len(), 0, "{:?}", scan.problems);
        let expected = "---\nname: \"deploy\"\ndescription: \"Deploy: \\\"now\\\"\"\n---\n\n# Deploy: \"now\"\n\nPush to production.\n";
        assert_eq!(read(&source, "deploy").as_deref(), Ok(expected));
        let own = read(&source, "own").expect("it can be read");
        assert!(own.starts_with("---\nname: own\n"), "its own frontmatter stays: {own}");
    }

    #[test]
    fn links_do_not_lead_out_of_the_directory() {
        let tree = Tree::new("//- /secret.md\nHidden\n//- /commands/deploy.md\nDeploy\n");
        let commands = tree.path().join("commands");
        std::os::unix::fs::symlink("../secret.md", commands.join("out.md")).expect("a new name");
        let source = CommandSource::new(commands).expect("it is there");
        assert_eq!(read(&source, "out"), Err(SourceErrorKind::Escape));
        let scan = ScanRecorder::scan(&source).expect("it can be scanned");
        assert_eq!(scan.problems.len(), 1, "the link is reported: {:?}", scan.problems);
    }
}
