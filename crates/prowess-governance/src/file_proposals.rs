//! Proposals as files in a directory.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use prowess_core::{Proposal, ProposalError, ProposalStore};
use prowess_dir::{Dir, EntryBuffer, ErrorKind, Permissions};
use prowess_text::{counted, quoted};

use crate::document::document;
use crate::file_name::stem;
use crate::{ProposalPolicy, codes};

/// Proposals as files of Markdown in a directory: `SKILL-TIME.md`. The first one creates the
/// directory.
#[derive(Clone, Debug)]
pub struct FileProposals {
    directory: PathBuf,
    policy: ProposalPolicy,
}

impl FileProposals {
    /// Creates a store of proposals in a directory, which need not exist; its parent does. Of the
    /// policy, the limits count.
    pub fn new(directory: impl Into<PathBuf>, policy: ProposalPolicy) -> Self {
        Self { directory: directory.into(), policy }
    }

    /// Checks the length of each part, before anything is written.
    fn check_length(&self, proposal: &Proposal<'_>) -> Result<(), ProposalError> {
        let ProposalPolicy { diff_bytes, text_bytes, .. } = self.policy;
        let parts = [
            ("diff", Some(proposal.diff), diff_bytes),
            ("justification", Some(proposal.justification), text_bytes),
            ("evidence", proposal.evidence, text_bytes),
        ];
        for (part, text, most) in parts {
            let size = text.map_or(0, str::len);
            if size > most {
                let message =
                    format!("the {part} has {size} bytes, and the limit is {most}; shorten it");
                return Err(ProposalError::new(codes::PROPOSAL_TOO_LONG, message));
            }
        }
        Ok(())
    }

    /// Opens the directory, and creates what of its path does not exist.
    fn open(&self) -> prowess_dir::Result<Dir> {
        let is_there = |path: &&Path| path.as_os_str().is_empty() || path.is_dir();
        let mut above = self.directory.ancestors().skip(1);
        let existing = above.find(is_there).unwrap_or(Path::new("/"));
        let rest = self.directory.strip_prefix(existing).unwrap_or(&self.directory);
        let is_here = existing.as_os_str().is_empty();
        let mut directory = Dir::open(if is_here { Path::new(".") } else { existing })?;
        for part in rest {
            let name = part.to_str().ok_or_else(|| prowess_dir::Error::malformed(""))?;
            directory = directory.open_or_create_dir(name)?;
        }
        Ok(directory)
    }

    /// Writes the file under the first name that is free: several proposals may be of one second.
    fn write(&self, proposal: &Proposal<'_>) -> Result<String, ProposalError> {
        let mut directory = self.open().map_err(|error| unwritten(&error))?;
        let waiting = files_in(&mut directory).map_err(|error| unwritten(&error))?;
        if waiting >= self.policy.waiting {
            let message = format!(
                "the limit of {} waiting for review is reached; ask the user to review them",
                counted(waiting, "proposal")
            );
            return Err(ProposalError::new(codes::PROPOSALS_FULL, message));
        }
        let text = document(proposal);
        let stem = stem(proposal.skill, proposal.time);
        for number in 1..=self.policy.waiting.saturating_add(1) {
            let name = match number {
                1 => format!("{stem}.md"),
                _ => format!("{stem}-{number}.md"),
            };
            match create(&directory, &name, &text) {
                Ok(()) => return Ok(name),
                Err(error) if is_taken(&error) => {}
                Err(error) => return Err(unwritten(&error)),
            }
        }
        let message = format!("there is no free name for {}; try again later", quoted(&stem));
        Err(ProposalError::new(codes::PROPOSAL_NOT_WRITTEN, message))
    }
}

impl ProposalStore for FileProposals {
    fn submit(&self, proposal: &Proposal<'_>) -> Result<String, ProposalError> {
        self.check_length(proposal)?;
        self.write(proposal)
    }
}

/// Creates a file that is on the disk when this returns. One that could not be written whole is
/// removed.
fn create(directory: &Dir, name: &str, text: &str) -> prowess_dir::Result<()> {
    let created = directory.create_file(name, text.as_bytes(), Permissions::Readable);
    match created.and_then(|()| directory.sync()) {
        Err(error) if !is_taken(&error) => {
            // The first error is the one to report.
            let _ = directory.remove_tree(name);
            Err(error)
        }
        result => result,
    }
}

fn files_in(directory: &mut Dir) -> prowess_dir::Result<usize> {
    let mut buffer = EntryBuffer::default();
    let mut count = 0;
    let _ = directory.entries(&mut buffer)?.visit(|_| {
        count += 1;
        ControlFlow::<()>::Continue(())
    })?;
    Ok(count)
}

fn is_taken(error: &prowess_dir::Error) -> bool {
    error.kind() == ErrorKind::AlreadyExists
}

/// Returns the error of a proposal that was not written. Its message has no path of the host.
fn unwritten(error: &prowess_dir::Error) -> ProposalError {
    let reason = match error.path() {
        path if path.contains('/') => "their directory cannot be opened".to_owned(),
        _ => error.to_string(),
    };
    let message = format!("no proposal can be written here ({reason}); tell the user");
    ProposalError::new(codes::PROPOSAL_NOT_WRITTEN, message)
}
