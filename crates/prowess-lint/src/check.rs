//! Checks one package against a profile.

use prowess_core::{
    Diagnostic, PackagePath, ReadLimit, ResourcePath, Severity, SkillSource, SourceErrorKind,
};
use prowess_format::{Directory, MAX_FILE_BYTES, Profile, parse_in};

use crate::findings::Findings;
use crate::options::LintOptions;
use crate::package::{CheckedPackage, Named, Package, Shown, at_field, events, place};
use crate::report::PackageReport;
use crate::when::description_says_when;
use crate::{body, codes, description, drift, files, hooks, links, paths, template};

/// The number of files of a package that are checked.
const MAX_FILES: usize = 1000;

/// Checks one package.
pub(crate) fn package(
    source: &dyn SkillSource,
    named: &Named,
    options: &LintOptions<'_>,
) -> CheckedPackage {
    let Named { package, file } = named;
    let directory = place(source.root(), package);
    let profile = (options.profile_of)(&directory).unwrap_or(options.profile);
    let options = &LintOptions { profile, ..*options };
    let mut looked = match read(source, package, file) {
        Ok((path, text)) => look(source, &path, file, &text, options),
        Err(diagnostic) => Looked { diagnostics: vec![*diagnostic], ..Looked::default() },
    };
    let place = format!("{directory}/{file}");
    let unplaced =
        looked.diagnostics.iter_mut().chain(looked.shown.iter_mut().flat_map(Shown::places));
    for diagnostic in unplaced.filter(|found| found.path.is_none()) {
        diagnostic.path = Some(place.as_str().into());
    }
    let valid = !looked.diagnostics.iter().any(Diagnostic::is_error);
    let report = PackageReport {
        path: directory,
        name: looked.name,
        profile,
        valid,
        diagnostics: looked.diagnostics,
        package: package.clone(),
        file: file.clone(),
    };
    CheckedPackage { report, shown: looked.shown }
}

#[derive(Default)]
struct Looked {
    name: Option<String>,
    shown: Option<Shown>,
    diagnostics: Vec<Diagnostic>,
}

fn read(
    source: &dyn SkillSource,
    package: &str,
    file: &str,
) -> Result<(PackagePath, Vec<u8>), Box<Diagnostic>> {
    let unreadable = |code: prowess_core::Code, message: String| {
        let help = "make sure that it is a regular file that you may read, then check again";
        Box::new(Diagnostic::new(code, Severity::Error, message, help))
    };
    let invalid =
        |error: prowess_core::PathError| unreadable(codes::PACKAGE_PATH_INVALID, error.to_string());
    let resource = ResourcePath::new(file).map_err(invalid)?;
    let path = PackagePath::new(package).map_err(invalid)?;
    match source.read(&path, &resource, ReadLimit::default()) {
        Ok(text) => Ok((path, text)),
        Err(error) if error.kind == SourceErrorKind::TooLarge => Err(too_large(file)),
        Err(error) => Err(unreadable(prowess_core::Code::new(error.kind.as_str()), error.message)),
    }
}

fn too_large(file: &str) -> Box<Diagnostic> {
    let message = format!("`{file}` is larger than {MAX_FILE_BYTES} bytes, the size limit");
    let help = "move parts of it to other files of the package and name them in the body";
    let code = prowess_format::codes::FILE_TOO_LARGE;
    Box::new(Diagnostic::new(code, Severity::Error, message, help))
}

fn look(
    source: &dyn SkillSource,
    path: &PackagePath,
    file: &str,
    text: &[u8],
    options: &LintOptions<'_>,
) -> Looked {
    let directory = directory_of(source.root(), path.as_str());
    #[cfg(feature = "reference")]
    if options.profile == Profile::SkillsRef {
        return look_as_reference(text, directory);
    }
    let named = (options.checks_files && !directory.is_empty()).then_some(directory);
    let fallback = named.map(|name| Directory { name, is_compared: false });
    let mut parsed = parse_in(text, fallback, &options.rules(options.profile));
    // A file that the profile refuses is still checked, as far as the lenient profile reads it.
    let lenient = || parse_in(text, fallback, &options.rules(Profile::Lenient)).document;
    let document = parsed.document.take().or_else(lenient);
    let Some(document) = document else {
        return Looked { diagnostics: parsed.diagnostics, ..Looked::default() };
    };
    let frontmatter = &document.frontmatter;
    let mismatch = named
        .and_then(|name| options.name_mismatch.check(&frontmatter.name, name, options.profile))
        .map(|found| at_field(found, text, &document, "name"));
    parsed.diagnostics.extend(mismatch);
    let mut findings = Findings::new(text, options.profile, parsed.diagnostics);
    let files = if options.checks_files {
        files::list(source, path, MAX_FILES, &mut findings)
    } else {
        Vec::new()
    };
    let events = &events(document.body);
    let says_when = description_says_when(&frontmatter.description);
    let document = &document;
    let package = Package { source, path, file, text, document, events, says_when, files: &files };
    description::check(&package, options.tokens, &mut findings);
    if options.profile != Profile::SkillsRef {
        description::check_tools(&package, &mut findings);
    }
    body::check(&package, options, &mut findings);
    template::check(&package, &mut findings);
    if options.checks_files {
        check_files(&package, options, &mut findings);
    }
    Looked {
        name: Some(frontmatter.name.clone()),
        shown: Some(Shown::of(text, document)),
        diagnostics: findings.finish(),
    }
}

/// Checks the files next to the instructions, and what the instructions say of them.
fn check_files(package: &Package<'_>, options: &LintOptions<'_>, findings: &mut Findings<'_>) {
    findings.extend(options.skill_md_case.check(package.file, options.profile));
    links::check(package, options, findings);
    paths::check(package, options, findings);
    drift::check(package, options, findings);
    hooks::check(package, options.profile, findings);
    files::check(package, findings);
}

/// Reports the messages of the reference tool, unchanged.
#[cfg(feature = "reference")]
fn look_as_reference(text: &[u8], directory: &str) -> Looked {
    let help = "see the same package under the profile `spec` for the place and what to do";
    let error = |code, message: String| Diagnostic::new(code, Severity::Error, message, help);
    let diagnostics = match crate::reference::validate(text, directory) {
        Ok(messages) => {
            messages.into_iter().map(|message| error(codes::SKILLS_REF, message)).collect()
        }
        Err(crash) => vec![error(codes::SKILLS_REF_CRASH, crash.to_string())],
    };
    let document = prowess_format::parse(text, Profile::Lenient).document;
    let name = document.map(|document| document.frontmatter.name);
    Looked { name, shown: None, diagnostics }
}

/// Returns the name of a package's directory. A source that is one package has its own directory as
/// root.
fn directory_of<'a>(root: &'a str, package: &'a str) -> &'a str {
    let path = if package.is_empty() { root.trim_end_matches('/') } else { package };
    path.rsplit('/').next().unwrap_or_default()
}
