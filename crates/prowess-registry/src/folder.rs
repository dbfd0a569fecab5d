//! Hides the skills of sources whose folder is not trusted.

use std::path::Path;

use prowess_core::{
    AskedFolder, Availability, Catalog, CheckedFolder, Diagnostic, FolderAnswer, FolderTrust,
    HostCommands, Severity, Trust,
};
use prowess_text::{counted, quoted, shell_path};

use crate::codes;

/// The reason why no skill of a source is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Withheld {
    /// The reason that each skill gets.
    pub(crate) reason: Box<str>,
    /// The finding for the whole source.
    pub(crate) finding: Diagnostic,
}

/// A project whose skills are hidden because its folder is not trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenProject {
    /// The folder.
    pub folder: String,
    /// The number of its skills that would be offered otherwise, or that another reason hides too.
    pub skills: usize,
    /// The next step, by which the skills are offered.
    pub help: String,
}

impl HiddenProject {
    /// Returns the projects of a catalog whose skills are hidden.
    pub fn all(catalog: &Catalog) -> Vec<Self> {
        let mut projects: Vec<Self> = Vec::new();
        let findings = catalog.diagnostics().filter(|it| it.code == codes::PROJECT_NOT_TRUSTED);
        for finding in findings {
            let Some(folder) = finding.path.as_deref() else { continue };
            if projects.iter().all(|project| project.folder != folder) {
                let hidden = catalog.excluded().filter(|record| {
                    record.availability() == Availability::Hidden
                        && record.trust() == Trust::AskFirst
                        && Path::new(&record.location()).starts_with(folder)
                });
                let (skills, help) = (hidden.count(), finding.help.clone());
                projects.push(Self { folder: folder.to_owned(), skills, help });
            }
        }
        projects.retain(|project| project.skills > 0);
        projects
    }

    /// Returns the number of hidden skills and the next step as a sentence.
    pub fn message(&self) -> String {
        let Self { folder, skills, help } = self;
        let verb = if *skills == 1 { "is" } else { "are" };
        let skills = counted(*skills, "skill");
        format!("{skills} of {} {verb} hidden: {help}", quoted(folder))
    }
}

/// Checks the trust in a folder; returns `None` if its skills may be offered.
pub(crate) fn ask(
    asked: &AskedFolder,
    trust: &dyn FolderTrust,
    commands: &HostCommands,
) -> Option<Withheld> {
    let project = asked.project.display();
    let checked = trust.check(&asked.folder);
    let (reason, state) = match checked.answer {
        FolderAnswer::Trusted if is_folder_of_source(asked, &checked) => return None,
        FolderAnswer::Trusted => return Some(replaced_since_start(&asked.project)),
        FolderAnswer::NotTrusted => {
            (format!("the folder `{project}` is not trusted"), "is not trusted")
        }
        FolderAnswer::Replaced => (
            format!("`{project}` is not the folder that was trusted"),
            "is another than the one that was trusted",
        ),
    };
    let finding = not_trusted(&asked.project, state, commands);
    Some(Withheld { reason: reason.into(), finding })
}

fn is_folder_of_source(asked: &AskedFolder, checked: &CheckedFolder) -> bool {
    match (asked.identity, checked.identity) {
        (Some(source), Some(trusted)) => source == trusted,
        // The source is not bound to a folder, or the trust applies to whatever is at the path.
        (None, _) | (_, None) => true,
    }
}

fn replaced_since_start(project: &Path) -> Withheld {
    let project = project.to_string_lossy();
    let finding = Diagnostic::new(
        codes::PROJECT_NOT_TRUSTED,
        Severity::Warning,
        format!(
            "the folder `{project}` was replaced since this program started, so its skills are \
             hidden"
        ),
        "restart this program to use the skills of the folder that is there now",
    );
    let reason = format!("`{project}` was replaced since this program started");
    Withheld { reason: reason.into(), finding: finding.in_file(&*project) }
}

fn not_trusted(project: &Path, state: &str, commands: &HostCommands) -> Diagnostic {
    let project = project.to_string_lossy();
    let message = format!("the folder `{project}` {state}, so its skills are hidden");
    let step = HostCommands::about(&commands.trust_folder, &shell_path(project.as_ref()));
    let help = format!("if you trust who wrote it, {step}");
    Diagnostic::new(codes::PROJECT_NOT_TRUSTED, Severity::Warning, message, help).in_file(&*project)
}
