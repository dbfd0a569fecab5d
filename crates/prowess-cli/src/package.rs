//! A package that an argument names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess::format::SKILL_MD_FILES;
use prowess::source_fs::{FsConfig, FsSource, Links};
use prowess::{
    Cancel, Diagnostic, Found, PackagePath, PreviousScan, ReadFurther, ReadLimit, ResourcePath,
    ScanSink, SkillSource, SourceErrorKind, SystemClock,
};

use crate::failure::Failure;
use crate::paths::absolute;

/// The directory of a package, as the user wrote it, and its `SKILL.md`.
pub(crate) struct Package {
    /// The directory, as the user wrote it.
    pub(crate) directory: PathBuf,
    /// The directory's name, which the skill's name should equal.
    pub(crate) name: String,
    /// The name of the file: `SKILL.md`, or `skill.md` if that is the only one.
    pub(crate) file: &'static str,
    /// The bytes of the file.
    pub(crate) text: Vec<u8>,
}

impl Package {
    /// Reads the `SKILL.md` of the package that a path names, by its directory or by its
    /// `SKILL.md`.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let directory = directory_of(path);
        let complete = absolute(&directory)?;
        if !complete.exists() {
            return Err(missing("path-not-found", format!("`{}` does not exist", path.display())));
        }
        if !complete.is_dir() {
            let message = format!("`{}` is not a directory", path.display());
            return Err(missing("root-not-a-directory", message));
        }
        let name = complete.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let source = source(FsConfig::new(complete));
        for file in SKILL_MD_FILES {
            match read(&source, file) {
                Ok(text) => return Ok(Self { directory, name, file, text }),
                Err(error) if error.kind == SourceErrorKind::NotFound => {}
                Err(error) => {
                    let help = "a `SKILL.md` is a regular file of at most 2 MiB";
                    return Err(Failure::new(error.kind.as_str(), error.to_string(), help));
                }
            }
        }
        let message = format!("there is no `SKILL.md` in `{}`", directory.display());
        Err(missing("skill-md-missing", message))
    }
}

/// Returns the `SKILL.md` that a file of another name in Markdown would be.
pub(crate) fn without_directory(path: &Path) -> Option<PathBuf> {
    let is_markdown = path.extension().is_some_and(|it| it.eq_ignore_ascii_case("md"));
    let is_loose = is_markdown && path.is_file() && directory_of(path) == path;
    is_loose.then(|| path.with_extension("").join(SKILL_MD_FILES[0]))
}

/// Returns the packages that a path names: one by its directory or its `SKILL.md`, or each one in a
/// directory of skills.
pub(crate) fn packages(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let directory = directory_of(path);
    let is_package = SKILL_MD_FILES.iter().any(|file| directory.join(file).exists());
    if is_package || !directory.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let source = source(FsConfig::new(absolute(&directory)?));
    let mut names = Names::default();
    source.scan(&PreviousScan::none(), &mut names, &Cancel::default()).map_err(|error| {
        Failure::new(error.kind.as_str(), error.to_string(), "name a folder that can be read")
    })?;
    if names.0.is_empty() {
        return Ok(vec![path.to_owned()]);
    }
    names.0.sort();
    Ok(names.0.iter().map(|name| directory.join(name)).collect())
}

/// The packages of a scan.
#[derive(Default)]
struct Names(Vec<String>);

impl ScanSink for Names {
    fn unchanged(&mut self, _package: &str) {}

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        self.0.push(found.package.to_owned());
        ReadFurther::No
    }

    fn problem(&mut self, _problem: Diagnostic) {}
}

/// Returns the directory that a path names: itself, or the one that contains the `SKILL.md`.
pub(crate) fn directory_of(path: &Path) -> PathBuf {
    let is_skill_md =
        path.file_name().is_some_and(|name| SKILL_MD_FILES.iter().any(|file| name == *file));
    match path.parent() {
        Some(parent) if is_skill_md && path.is_file() => {
            if parent.as_os_str().is_empty() {
                PathBuf::from(".")
            } else {
                parent.to_owned()
            }
        }
        _ => path.to_owned(),
    }
}

/// Creates a source for a path of the command line. Links are followed, because the user chose the
/// path.
pub(crate) fn source(config: FsConfig) -> FsSource {
    FsSource::new(FsConfig { links: Links::Follow, ..config }, Arc::new(SystemClock::default()))
}

fn read(source: &FsSource, file: &str) -> Result<Vec<u8>, prowess::SourceError> {
    let resource = ResourcePath::new(file).expect("the name is a plain one");
    let package = PackagePath::new("").expect("the root is a package's path");
    source.read(&package, &resource, ReadLimit::default())
}

fn missing(code: &str, message: String) -> Failure {
    Failure::new(code, message, "name the folder of a skill, or its `SKILL.md`")
}
