//! One package against a profile.

use prowess_core::{
    Diagnostic, PackagePath, ReadLimit, Resource, ResourcePath, Severity, SkillSource,
};
use prowess_format::{Document, Profile, check_directory, check_file_name, parse, skills_ref};

use crate::findings::Findings;
use crate::options::LintOptions;
use crate::report::PackageReport;
use crate::{body, codes, description, files, hooks, links, paths};

/// The most files of a package that are looked at.
const MOST_FILES: usize = 1000;

/// A package as the scan names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Named {
    pub(crate) package: String,
    pub(crate) file: String,
}

/// What is known of a package after its check.
pub(crate) struct Verdict {
    pub(crate) report: PackageReport,
    /// What is compared across the tree, and where it stands.
    pub(crate) shown: Option<Shown>,
}

/// What a catalog would show of a package. Each place is a finding to be filled in.
pub(crate) struct Shown {
    pub(crate) name: String,
    pub(crate) name_place: Diagnostic,
    pub(crate) description: String,
    pub(crate) description_place: Diagnostic,
}

impl Shown {
    fn of(text: &[u8], document: &Document<'_>) -> Self {
        let place = |key| {
            let empty = Diagnostic::new(codes::NAME_CONFUSABLE, Severity::Hint, "", "");
            at_field(empty, text, document, key)
        };
        Self {
            name: document.frontmatter.name.clone(),
            name_place: place("name"),
            description: document.frontmatter.description.clone(),
            description_place: place("description"),
        }
    }

    fn places(&mut self) -> [&mut Diagnostic; 2] {
        [&mut self.name_place, &mut self.description_place]
    }
}

/// A package while it is looked at.
pub(crate) struct Package<'a> {
    pub(crate) source: &'a dyn SkillSource,
    pub(crate) path: &'a PackagePath,
    pub(crate) file: &'a str,
    /// The whole file.
    pub(crate) text: &'a [u8],
    pub(crate) document: &'a Document<'a>,
    /// The files beside the instructions.
    pub(crate) files: &'a [Resource],
}

impl Package<'_> {
    /// Where the body begins in the file.
    pub(crate) fn body_start(&self) -> usize {
        self.text.len() - self.document.body.len()
    }
}

/// Checks one package.
pub(crate) fn check(source: &dyn SkillSource, named: &Named, options: &LintOptions<'_>) -> Verdict {
    let Named { package, file } = named;
    let mut looked = match read(source, package, file) {
        Ok((path, text)) => look(source, &path, file, &text, options),
        Err(diagnostic) => Looked { diagnostics: vec![*diagnostic], ..Looked::default() },
    };
    let directory = place(source.root(), package);
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
        valid,
        diagnostics: looked.diagnostics,
        package: package.clone(),
        file: file.clone(),
    };
    Verdict { report, shown: looked.shown }
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
        let help = "see that the file is a regular one and that you may read it, then check again";
        Box::new(Diagnostic::new(code, Severity::Error, message, help))
    };
    let invalid =
        |error: prowess_core::PathError| unreadable(codes::PACKAGE_PATH_INVALID, error.to_string());
    let resource = ResourcePath::new(file).map_err(invalid)?;
    let path = PackagePath::new(package).map_err(invalid)?;
    match source.read(&path, &resource, ReadLimit::default()) {
        Ok(text) => Ok((path, text)),
        Err(error) => Err(unreadable(prowess_core::Code::new(error.kind.as_str()), error.message)),
    }
}

fn look(
    source: &dyn SkillSource,
    path: &PackagePath,
    file: &str,
    text: &[u8],
    options: &LintOptions<'_>,
) -> Looked {
    let directory = directory_of(source.root(), path.as_str());
    if options.profile == Profile::SkillsRef {
        return look_as_reference(text, directory);
    }
    let mut parsed = parse(text, options.profile);
    // What the profile refuses can still be looked at, as far as the lenient one reads it.
    let document = parsed.document.take().or_else(|| parse(text, Profile::Lenient).document);
    let Some(document) = document else {
        return Looked { diagnostics: parsed.diagnostics, ..Looked::default() };
    };
    let frontmatter = &document.frontmatter;
    let mismatch = (!directory.is_empty())
        .then(|| check_directory(&frontmatter.name, directory, options.profile))
        .flatten()
        .map(|found| at_field(found, text, &document, "name"));
    parsed.diagnostics.extend(mismatch);
    parsed.diagnostics.extend(check_file_name(file, options.profile));
    let mut findings = Findings::new(text, options.profile, parsed.diagnostics);
    let files = files::list(source, path, MOST_FILES, &mut findings);
    let package = Package { source, path, file, text, document: &document, files: &files };
    description::check(&package, options.tokens, &mut findings);
    body::check(&package, options.tokens, &mut findings);
    links::check(&package, &mut findings);
    paths::check(&package, &mut findings);
    hooks::check(&package, options.profile, &mut findings);
    files::check(&package, &mut findings);
    Looked {
        name: Some(frontmatter.name.clone()),
        shown: Some(Shown::of(text, &document)),
        diagnostics: findings.finish(),
    }
}

/// The reference tool's own verdict, message for message.
fn look_as_reference(text: &[u8], directory: &str) -> Looked {
    let help = "see the same package under the profile `spec` for the place and what to do";
    let error = |code, message: String| Diagnostic::new(code, Severity::Error, message, help);
    let diagnostics = match skills_ref::validate(text, directory) {
        Ok(messages) => {
            messages.into_iter().map(|message| error(codes::SKILLS_REF, message)).collect()
        }
        Err(crash) => vec![error(codes::SKILLS_REF_CRASH, crash.to_string())],
    };
    let document = parse(text, Profile::Lenient).document;
    let name = document.map(|document| document.frontmatter.name);
    Looked { name, shown: None, diagnostics }
}

/// The finding with the place of a field's value.
pub(crate) fn at_field(
    found: Diagnostic,
    text: &[u8],
    document: &Document<'_>,
    key: &str,
) -> Diagnostic {
    match document.frontmatter.fields.get(key) {
        Some(field) => found.at(text, field.value_span.clone()),
        None => found,
    }
}

/// The name of a package's directory. A source that is one package has its own directory as root.
fn directory_of<'a>(root: &'a str, package: &'a str) -> &'a str {
    let path = if package.is_empty() { root.trim_end_matches('/') } else { package };
    path.rsplit('/').next().unwrap_or_default()
}

/// The package's directory as an absolute path or URL.
pub(crate) fn place(root: &str, package: &str) -> String {
    let root = root.trim_end_matches('/');
    if package.is_empty() { root.to_owned() } else { format!("{root}/{package}") }
}
