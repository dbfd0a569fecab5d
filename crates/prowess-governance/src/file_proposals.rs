//! Proposals as files in a directory.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{
    AuditPolicy, AuditSink, Diagnostic, Digest, PackageFiles, Proposal, ProposalError,
    ProposalStore, ProposedPackage, ReviewEvent, ReviewStep, RuntimeEvent, Severity,
};
use prowess_dir::{Dir, EntryBuffer, ErrorKind, Links, Permissions};
use prowess_text::{counted, quoted};

use crate::document::{Parts, StoredProposal};
use crate::file_name::{DECIDED, is_proposal, stem};
use crate::patch::{Patch, package_diff};
use crate::{ProposalPolicy, ReviewError, codes, review_codes};

/// Checks the files of a package in a directory of this name, as `prowess validate` does.
pub type PackageCheck = Arc<dyn Fn(&str, &PackageFiles) -> Vec<Diagnostic> + Send + Sync>;

/// The directory of the files that proposals were made for, by their digests.
const BASE: &str = "base";

/// The maximum size of such a file, in bytes.
const MOST_BASE: usize = 256 * 1024;

/// Proposals as files of Markdown in a directory: `SKILL-TIME.md`. The first one creates the
/// directory.
#[derive(Clone)]
pub struct FileProposals {
    pub(crate) directory: PathBuf,
    pub(crate) policy: ProposalPolicy,
    pub(crate) check: Option<PackageCheck>,
    pub(crate) audit: Option<(Arc<dyn AuditSink>, AuditPolicy)>,
}

impl fmt::Debug for FileProposals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("FileProposals").field(&self.directory).finish()
    }
}

impl FileProposals {
    /// Creates a store of proposals in a directory, which need not exist; its parent does. Of the
    /// policy, the limits and the reviewers count.
    pub fn new(directory: impl Into<PathBuf>, policy: ProposalPolicy) -> Self {
        Self { directory: directory.into(), policy, check: None, audit: None }
    }

    /// Sets the check of what a proposal makes of a package. A proposal whose result has an error
    /// is neither kept nor accepted. By default, only the diff is checked.
    #[must_use]
    pub fn checked_by(mut self, check: PackageCheck) -> Self {
        self.check = Some(check);
        self
    }

    /// Sets the audit of proposals and decisions. Under [`AuditPolicy::Required`], nothing is
    /// accepted that is not in the log before. By default, there is none.
    #[must_use]
    pub fn audited_by(mut self, audit: Arc<dyn AuditSink>, policy: AuditPolicy) -> Self {
        self.audit = Some((audit, policy));
        self
    }

    /// Returns the proposals that wait for a review, by name. A file that is none, or was changed
    /// since it was written, is an error with its name.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be read. One that does not exist has no proposals.
    pub fn waiting(&self) -> Result<Vec<Result<StoredProposal, ReviewError>>, ReviewError> {
        let mut directory = match Dir::open(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        let mut names = Vec::new();
        let mut buffer = EntryBuffer::default();
        let _ = directory.entries(&mut buffer)?.visit(|entry| {
            names.extend(entry.name().filter(|name| is_proposal(name)).map(str::to_owned));
            ControlFlow::<()>::Continue(())
        })?;
        names.sort_unstable();
        Ok(names.iter().map(|name| self.read(&directory, name)).collect())
    }

    /// Reads a proposal, which must be as it was written.
    pub(crate) fn read(&self, directory: &Dir, name: &str) -> Result<StoredProposal, ReviewError> {
        let ProposalPolicy { diff_bytes, text_bytes, .. } = self.policy;
        // Fences, names and digests are short.
        let most = diff_bytes + 2 * text_bytes + (64 << 10);
        let bytes = directory.read(name, most).map_err(|error| {
            let message = format!("the proposal {} cannot be read: {error}", quoted(name));
            ReviewError::new(review_codes::PROPOSAL_NOT_FOUND, message)
        })?;
        let text = String::from_utf8(bytes).ok();
        let parsed = text.and_then(|text| StoredProposal::parse(name, &text));
        let with_originals = |mut proposal: StoredProposal| {
            for (path, digest) in &proposal.base {
                let kept = directory.read(&format!("{BASE}/{}", hex(digest)), MOST_BASE);
                if let Some(kept) = kept.ok().filter(|kept| Digest::of(kept) == *digest) {
                    proposal.originals.insert(path.clone(), kept);
                }
            }
            proposal
        };
        parsed.map(with_originals).ok_or_else(|| {
            let message = format!(
                "{} is not as it was written; it cannot be accepted. Propose its change again",
                quoted(name)
            );
            ReviewError::new(review_codes::PROPOSAL_TAMPERED, message)
        })
    }

    /// Keeps the files that a proposal was made for. Without one, fewer changes can be merged.
    fn keep_base(&self, base: &BTreeMap<String, Digest>, files: &PackageFiles) {
        let Ok(directory) = self.open().and_then(|it| it.open_or_create_dir(BASE)) else { return };
        for (path, digest) in base {
            if let Some(file) = files.get(path).filter(|file| file.content.len() <= MOST_BASE) {
                let name = hex(digest);
                let temporary = format!(".{name}.tmp");
                let _ = directory.put_file(&name, &temporary, &file.content, Permissions::Readable);
            }
        }
    }

    /// Removes the files that a decided proposal was made for, unless another one needs them.
    pub(crate) fn forget(&self, directory: &Dir, decided: &StoredProposal) {
        let waiting: Vec<_> = self.waiting().unwrap_or_default().into_iter().flatten().collect();
        let is_needed =
            |digest: &&Digest| waiting.iter().any(|it| it.base.values().any(|it| it == *digest));
        let Ok(base) = directory.open_dir(BASE, Links::Refuse) else { return };
        for digest in decided.base.values().filter(|digest| !is_needed(digest)) {
            let _ = base.remove_tree(&hex(digest));
        }
    }

    /// Returns the first error of the check of a package.
    pub(crate) fn found(&self, directory: &str, files: &PackageFiles) -> Option<String> {
        let check = self.check.as_ref()?;
        let mut found = check(directory, files).into_iter();
        let error = found.find(|found| found.severity == Severity::Error)?;
        Some(format!("the skill would be invalid: {} ({})", error.message, error.code))
    }

    /// Records a step, of which nothing depends.
    pub(crate) fn report(&self, event: ReviewEvent) {
        if let Some((audit, _)) = &self.audit {
            audit.report(&RuntimeEvent::Review(event));
        }
    }

    /// Returns the diff of a proposal as it is kept: as the reviewer sees the change, whatever line
    /// numbers the proposal has.
    fn compared(
        &self,
        proposal: &Proposal<'_>,
        package: &ProposedPackage<'_>,
    ) -> Result<(String, BTreeMap<String, Digest>), ProposalError> {
        let invalid = |reason: String| {
            let message = format!("the proposal was not kept: {reason}");
            ProposalError::new(codes::PROPOSAL_INVALID, message)
        };
        let conflict = |reason: String| {
            let message = format!(
                "the diff does not apply: {reason}; read the file again, and propose the change of \
                 what it says now"
            );
            ProposalError::new(codes::PROPOSAL_CONFLICT, message)
        };
        let patch = Patch::parse(proposal.diff, package.file).map_err(invalid)?;
        let base: BTreeMap<_, _> = patch
            .changed()
            .chain([package.file])
            .filter_map(|path| Some((path, Digest::of(&package.files.get(path)?.content))))
            .map(|(path, digest)| (path.to_owned(), digest))
            .collect();
        if base.get(package.file) != Some(&proposal.base) {
            return Err(conflict(format!("{} has just changed", quoted(package.file))));
        }
        let after = patch.apply(package.files).map_err(|conflicts| {
            let first = &conflicts[0];
            let [path, lines] = [first.path.clone(), first.base.join("\n")].map(|it| quoted(&it));
            conflict(format!("hunk {} of {path}: {}: {lines}", first.hunk, first.reason))
        })?;
        if let Some(error) = self.found(package.directory, &after) {
            return Err(invalid(error));
        }
        let diff = package_diff(package.files, &after);
        if diff.is_empty() {
            return Err(invalid("it changes nothing".to_owned()));
        }
        // The change is read from the file later, so the file must have the same change.
        let shown = prowess_text::visible_lines(&diff);
        let again = Patch::parse(&shown, package.file).ok();
        let again = again.and_then(|patch| patch.apply(package.files).ok());
        if again.as_ref() != Some(&after) {
            let reason = "it adds, removes or stands next to characters that a reviewer cannot see";
            return Err(invalid(reason.to_owned()));
        }
        Ok((diff, base))
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
    pub(crate) fn open(&self) -> prowess_dir::Result<Dir> {
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
    fn write(&self, proposal: &Proposal<'_>, text: &str) -> Result<String, ProposalError> {
        let mut directory = self.open().map_err(|error| unwritten(&error))?;
        let waiting = files_in(&mut directory).map_err(|error| unwritten(&error))?;
        if waiting >= self.policy.waiting {
            let message = format!(
                "the limit of {} waiting for review is reached; ask the user to review them",
                counted(waiting, "proposal")
            );
            return Err(ProposalError::new(codes::PROPOSALS_FULL, message));
        }
        let stem = stem(proposal.skill, proposal.time);
        for number in 1..=self.policy.waiting.saturating_add(1) {
            let name = match number {
                1 => format!("{stem}.md"),
                _ => format!("{stem}-{number}.md"),
            };
            // A decided proposal keeps its name.
            let decided = format!("{DECIDED}/{name}");
            if directory.stat(&decided, Links::Refuse).is_ok() {
                continue;
            }
            match create(&directory, &name, text) {
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
        let (text, _) = parts(proposal, None, vec![("SKILL.md", proposal.base)]).document();
        self.write(proposal, &text)
    }

    fn submit_checked(
        &self,
        proposal: &Proposal<'_>,
        package: &ProposedPackage<'_>,
    ) -> Result<String, ProposalError> {
        self.check_length(proposal)?;
        let (diff, base) = self.compared(proposal, package)?;
        let proposal = &Proposal { diff: &diff, ..*proposal };
        self.check_length(proposal)?;
        let waiting = self.waiting().unwrap_or_default();
        let is_same =
            |it: &StoredProposal| it.skill == proposal.skill && it.base == base && it.diff == diff;
        if let Some(known) = waiting.into_iter().flatten().find(is_same) {
            return Ok(known.name);
        }
        let kept = base;
        let base = kept.iter().map(|(path, digest)| (&**path, *digest)).collect();
        let (text, digest) = parts(proposal, Some(package.proposer), base).document();
        let name = self.write(proposal, &text)?;
        self.keep_base(&kept, package.files);
        self.report(ReviewEvent {
            at: proposal.time,
            step: ReviewStep::Proposed,
            skill: proposal.skill.to_owned(),
            by: package.proposer.to_owned(),
            proposal: Some(name.clone()),
            digest: Some(digest),
            reason: None,
        });
        Ok(name)
    }
}

fn parts<'a>(
    proposal: &Proposal<'a>,
    proposer: Option<&'a str>,
    base: Vec<(&'a str, Digest)>,
) -> Parts<'a> {
    let Proposal { skill, diff, justification, evidence, time, .. } = *proposal;
    Parts { skill, base, time, proposer, diff, justification, evidence }
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

fn hex(digest: &Digest) -> String {
    digest.to_string().trim_start_matches("sha256:").to_owned()
}

fn files_in(directory: &mut Dir) -> prowess_dir::Result<usize> {
    let mut buffer = EntryBuffer::default();
    let mut count = 0;
    let _ = directory.entries(&mut buffer)?.visit(|entry| {
        count += usize::from(entry.name().is_some_and(is_proposal));
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
