//! What becomes of a source whose folder the user is asked to trust.

use std::path::Path;

use prowess_core::{AskedFolder, Diagnostic, FolderAnswer, FolderTrust, Severity};

use crate::codes;

/// Why no skill of a source is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Withheld {
    /// What is said of each skill.
    pub(crate) reason: Box<str>,
    /// What is said of them all.
    pub(crate) finding: Diagnostic,
}

/// Asks for the trust in a folder; `None` where its skills may be offered.
pub(crate) fn ask(asked: &AskedFolder, trust: &dyn FolderTrust) -> Option<Withheld> {
    let project = asked.project.display();
    let (reason, state) = match trust.answer(&asked.folder) {
        FolderAnswer::Trusted => return None,
        FolderAnswer::NotTrusted => {
            (format!("the folder `{project}` is not trusted"), "is not trusted")
        }
        FolderAnswer::Replaced => (
            format!("`{project}` is not the folder that was trusted"),
            "is another than the one that was trusted",
        ),
    };
    Some(Withheld { reason: reason.into(), finding: not_trusted(&asked.project, state) })
}

fn not_trusted(project: &Path, state: &str) -> Diagnostic {
    let project = project.to_string_lossy();
    Diagnostic::new(
        codes::PROJECT_NOT_TRUSTED,
        Severity::Warning,
        format!("the folder `{project}` {state}, so its skills are known and not offered"),
        format!("if you trust who wrote it, run `prowess trust {}`", quoted(&project)),
    )
    .in_file(&*project)
}

/// A path as one word of a shell.
fn quoted(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+@:,".contains(&byte);
    match path.bytes().all(is_plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}
