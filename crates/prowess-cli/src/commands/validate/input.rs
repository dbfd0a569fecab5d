//! The checked skills: directories, or one text from standard input.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use prowess::format::{MAX_FILE_BYTES, Profile, SKILL_MD_FILES, SkillName, parse};
use prowess::lint::Checked;
use prowess::source_fs::{Discovery, FsConfig, FsSource, Nested};
use prowess::{Diagnostic, MemorySource, ReadLimit, ResourcePath, SkillSource, Trust};

use super::catalog;
use crate::args::Global;
use crate::failure::Failure;
use crate::package::{directory_of, source, without_directory};
use crate::paths::{absolute, surroundings};

/// The argument that stands for standard input.
const STDIN: &str = "-";

/// The most files of a skill without a directory of its own.
const MAX_FILES: usize = 1_000;

/// The sources that the arguments name.
pub(super) struct Input {
    pub(super) sources: Vec<Box<dyn SkillSource>>,
    /// Their directories.
    pub(super) roots: Vec<PathBuf>,
    /// The text of standard input, if it is what is checked.
    pub(super) stdin: Option<Vec<u8>>,
}

impl Input {
    /// Opens the directories, with the limits of the configuration, or reads standard input.
    pub(super) fn open(
        global: &Global,
        paths: &[PathBuf],
        discovery: &Discovery,
    ) -> Result<Self, Failure> {
        if !paths.iter().any(|path| path == Path::new(STDIN)) {
            let (mut sources, mut roots) = (Vec::new(), Vec::new());
            for path in paths {
                match root_of(path, discovery) {
                    Ok(root) => {
                        sources.push(opened(&root, discovery));
                        roots.push(root);
                    }
                    Err(failure) => sources.push(in_catalog(global, path).ok_or(failure)?),
                }
            }
            return Ok(Self { sources, roots, stdin: None });
        }
        if paths.len() > 1 {
            let message = "`-` is checked alone";
            return Err(Failure::usage("stdin-alone", message, "name the files in another run"));
        }
        let text = standard_input()?;
        let source: Box<dyn SkillSource> = Box::new(in_memory(&text));
        Ok(Self { sources: vec![source], roots: Vec::new(), stdin: Some(text) })
    }
}

fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    // One byte more than a file may have, so that a larger one is reported.
    let most = MAX_FILE_BYTES as u64 + 1;
    std::io::stdin().lock().take(most).read_to_end(&mut text).map_err(|error| {
        let message = format!("standard input cannot be read: {error}");
        Failure::new("stdin-unreadable", message, "pipe the text of a `SKILL.md`")
    })?;
    Ok(text)
}

/// The text as a package in a directory of the declared name, which is not compared.
fn in_memory(text: &[u8]) -> MemorySource {
    let document = parse(text, Profile::Lenient).document;
    let name = document.and_then(|it| SkillName::new(&it.frontmatter.name).ok());
    let package = name.as_ref().map_or("stdin", SkillName::as_str);
    let builder = MemorySource::builder("stdin").file(&format!("{package}/SKILL.md"), text);
    builder.build().expect("a name of a skill is a path")
}

/// Returns the files of a skill that is in no directory of skills: an installed or embedded one.
fn in_catalog(global: &Global, id: &Path) -> Option<Box<dyn SkillSource>> {
    let catalog = catalog(global)?;
    let id = id.to_str()?;
    let record = catalog.skills().chain(catalog.excluded()).find(|it| it.id() == id)?;
    let files = catalog.list(record, MAX_FILES).ok()?.resources.into_iter().map(|it| it.path);
    let own = ResourcePath::new(record.file()).ok()?;
    let mut builder = MemorySource::builder(record.source());
    for path in files.filter(|path| *path != own).chain([own.clone()]) {
        let bytes = catalog.read(record, &path, ReadLimit::default()).ok()?;
        builder = builder.file(&format!("{}/{path}", record.name()), &bytes);
    }
    Some(Box::new(builder.build().ok()?))
}

/// Names standard input as the place of all findings.
pub(super) fn name_stdin(checked: &mut Checked) {
    let packages = checked.packages.iter_mut();
    let found = packages.flat_map(|package| {
        package.path = STDIN.to_owned();
        &mut package.diagnostics
    });
    for diagnostic in found.chain(&mut checked.problems) {
        *diagnostic = Diagnostic { path: Some(STDIN.into()), ..diagnostic.clone() };
    }
}

/// Returns the directory of the skill that has the name of a missing path, where `new` creates it.
fn named(path: &Path, discovery: &Discovery) -> Option<PathBuf> {
    let is_name = path.components().count() == 1 && path.file_name().is_some();
    let roots = discovery.find(&surroundings().ok()?).roots;
    let mut found = roots.into_iter().map(|root| match &root.skill_name {
        Some(name) if Path::new(&**name) == path => root.directory,
        _ => root.directory.join(path),
    });
    found
        .find(|directory| SKILL_MD_FILES.iter().any(|file| directory.join(file).is_file()))
        .filter(|_| is_name)
}

/// Returns the absolute path of the directory that an argument names, or of the skill.
fn root_of(path: &Path, discovery: &Discovery) -> Result<PathBuf, Failure> {
    let mut root = absolute(&directory_of(path))?;
    if !root.exists() {
        root = named(path, discovery).unwrap_or(root);
    }
    if !root.exists() {
        let message = format!("`{}` does not exist", path.display());
        let help = "name a skill, its directory or `SKILL.md`, or a folder of skills";
        return Err(Failure::new("path-not-found", message, help));
    }
    if let Some(skill) = without_directory(&root) {
        let message = format!("`{}` is a file, and a skill is a directory", path.display());
        let help = format!("move it to `{}`", skill.display());
        return Err(Failure::new("root-not-a-directory", message, help));
    }
    Ok(root)
}

fn opened(root: &Path, discovery: &Discovery) -> Box<dyn SkillSource> {
    let is_package = SKILL_MD_FILES.iter().any(|file| root.join(file).exists());
    let nested = if is_package { Nested::Stop } else { Nested::Descend };
    let config = discovery.named_config(root.to_owned(), Some(Trust::Trusted));
    let opened: FsSource = source(FsConfig { nested, gitignore: None, keeps: true, ..config });
    Box::new(opened)
}

/// Returns whether there is a file or a directory at an absolute path, without opening it.
pub(super) fn exists_outside(path: &str) -> bool {
    let path = Path::new(path);
    path.is_absolute() && path.symlink_metadata().is_ok()
}
