//! Proposals as files in a directory.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use prowess_core::{
    Actor, AuditPolicy, AuditSink, Diagnostic, Digest, KeptProposal, PackageFiles, Proposal,
    ProposalError, ProposalStore, ProposedPackage, ReviewEvent, ReviewStep, RuntimeEvent,
};
use prowess_dir::{Dir, EntryBuffer, ErrorKind, Links, Permissions};
use prowess_text::{clipped, counted, markdown_code, one_line, quoted};

use crate::document::{PackageBase, Parts, StoredProposal, unquoted};
use crate::file_name::{DECIDED, is_proposal, stem};
use crate::package::refuse_copy;
use crate::patch::{Patch, package_diff};
use crate::{ProposalPolicy, ReviewError, SkillPackage, codes, review_codes};

/// The maximum number of waiting proposals of one agent or session: more than a person wants to
/// read of one, and too few to fill the limit for all.
const MOST_OF_ONE: usize = 20;

/// The maximum number of waiting proposals of agents for one skill: agents choose their names, so
/// the limit for one of them is none for a program that has many.
const MOST_OF_SKILL: usize = 20;

/// The maximum length of the name of a proposer, in characters.
const MOST_OF_NAME: usize = 128;

/// Checks the files of a package in a directory of this name, as the host reads and checks skills.
pub type PackageCheck = Arc<dyn Fn(&str, &PackageFiles) -> CheckedPackage + Send + Sync>;

/// The result of a [`PackageCheck`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedPackage {
    /// The id of the skill; `None` if it has none.
    pub id: Option<String>,
    /// The findings. With an error, a proposal is neither kept nor accepted.
    pub diagnostics: Vec<Diagnostic>,
}

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
    /// Creates a store of proposals in a directory. It and what is in it are created for the user
    /// alone. Of the policy, the limits and the reviewers count.
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
        self.waiting_as("")
    }

    /// Returns those of [`Self::waiting`] whose names begin so. No other file is read.
    ///
    /// # Errors
    ///
    /// As [`Self::waiting`].
    pub fn waiting_as(
        &self,
        start: &str,
    ) -> Result<Vec<Result<StoredProposal, ReviewError>>, ReviewError> {
        let mut directory = match Dir::open(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened.map_err(|error| {
                let message = format!("the directory of proposals cannot be read: {error}");
                ReviewError::new(review_codes::CHANGE_NOT_WRITTEN, message)
            })?,
        };
        let mut names = Vec::new();
        let mut buffer = EntryBuffer::default();
        let _ = directory.entries(&mut buffer)?.visit(|entry| {
            let is_meant = |name: &&str| name.starts_with(start) && is_proposal(name);
            names.extend(entry.name().filter(is_meant).map(str::to_owned));
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
        let bytes = match directory.read(name, most) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let message = format!("the proposal {} cannot be read: {error}", quoted(name));
                return Err(ReviewError::new(review_codes::PROPOSAL_NOT_FOUND, message));
            }
            Err(_) => Vec::new(),
        };
        let text = str::from_utf8(&bytes).ok();
        let parsed = text.and_then(|text| StoredProposal::parse(name, text));
        let with_originals = |mut proposal: StoredProposal| {
            Self::with_originals(directory, &mut proposal);
            proposal
        };
        parsed.map(with_originals).ok_or_else(|| {
            let message = format!(
                "{} is not as it was written, and is never accepted; reject it by its whole name",
                quoted(name)
            );
            let error = ReviewError::new(review_codes::PROPOSAL_TAMPERED, message);
            let tampered = Some(Box::new(StoredProposal::tampered(name, &bytes)));
            ReviewError { tampered, ..error }
        })
    }

    /// Records a step, of which nothing depends.
    pub(crate) fn report(&self, event: ReviewEvent) {
        if let Some((audit, _)) = &self.audit {
            audit.report(&RuntimeEvent::Review(event));
        }
    }

    /// Returns the parts of a proposal as they are kept, with a diff that shows the change as the
    /// reviewer sees it, whatever line numbers the proposal has.
    fn compared(
        &self,
        proposal: &Proposal<'_>,
        proposed: &ProposedPackage<'_>,
    ) -> Result<Compared, ProposalError> {
        let ProposedPackage { file, files, catalog, .. } = *proposed;
        let conflict = |reason: String| {
            let message = format!(
                "the diff does not apply: {reason}; read the file again, and propose the change of \
                 what it says now, with paths from the directory of the skill"
            );
            ProposalError::new(codes::PROPOSAL_CONFLICT, message)
        };
        let nowhere = |_| {
            let message = "its files are in no directory here that can be changed; tell the user \
                what should change";
            invalid(message)
        };
        refuse_copy(catalog, proposed.location).map_err(|reason| invalid(&reason))?;
        let package = SkillPackage::new(Path::new(proposed.location)).map_err(nowhere)?;
        let found = package.read().map_err(nowhere)?;
        let PackageBase { path, .. } = package.base(&found.files).map_err(nowhere)?;
        if unquoted(&markdown_code(&path)) != Some(&path) {
            return Err(invalid("the path of its directory has unclear characters"));
        }
        let is_here = |(path, file): (&String, &prowess_core::PackageFile)| {
            found.files.get(path).is_some_and(|it| it.content == file.content)
        };
        let is_same = files.get(file).map(|it| Digest::of(&it.content)) == Some(proposal.base);
        if !is_same || !files.iter().all(is_here) {
            return Err(conflict(format!("the skill of {} has just changed", quoted(file))));
        }
        let mut patch = Patch::parse(proposal.diff, file).map_err(|reason| invalid(&reason))?;
        patch.relocate(&package.path(), &found.files);
        // A refusal says nothing of files that the proposer may not read.
        patch.apply(files).map_err(|conflicts| {
            let first = &conflicts[0];
            let [path, lines] = [first.path.clone(), first.base.join("\n")].map(|it| quoted(&it));
            conflict(format!("hunk {} of {path}: {}: {lines}", first.hunk, first.reason))
        })?;
        let after = patch.apply(&found.files);
        let after = after.map_err(|_| invalid("a new file has a path that is taken"))?;
        self.judge(&package, &found, &after, catalog).map_err(|reason| invalid(&reason))?;
        let diff = package_diff(&found.files, &after);
        if diff.is_empty() {
            return Err(invalid("it changes nothing"));
        }
        // The change is read from the file later, so the file must have the same change.
        let shown = prowess_text::visible_lines(&diff);
        let again = Patch::parse(&shown, file).ok();
        if again.and_then(|patch| patch.apply(&found.files).ok()).as_ref() != Some(&after) {
            let reason = "a line or a path of it, or a line next to it, has characters that a \
                reviewer cannot see";
            return Err(invalid(reason));
        }
        let of_file =
            |path: &str| Some((path.to_owned(), Digest::of(&found.files.get(path)?.content)));
        let base = patch.changed().chain([file]).filter_map(of_file).collect();
        let package = package.base(&found.files).map_err(nowhere)?;
        Ok(Compared { diff, base, package, files: found.files })
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
        if proposal.justification.trim().is_empty() {
            return Err(invalid("no reason is given why the skill should change"));
        }
        Ok(())
    }

    /// Checks that one more proposal may wait.
    fn check_room(
        &self,
        waiting: &[Result<StoredProposal, ReviewError>],
        proposer: Option<&Actor>,
        session: Option<&str>,
        skill: &str,
    ) -> Result<(), ProposalError> {
        let is_person = |actor: Option<&Actor>| matches!(actor, Some(Actor::Person(_)));
        let proposers = || {
            let proposers = waiting.iter().map(|it| it.as_ref().ok()?.proposer.as_ref());
            proposers.filter(|it| is_person(*it) == is_person(proposer))
        };
        let all = proposers().count();
        let own = proposers().filter(|it| proposer.is_some() && *it == proposer).count();
        // The host names the session, in which an agent may have many names.
        let of_session = waiting.iter().flatten();
        let of_session =
            of_session.filter(|it| session.is_some() && it.session.as_deref() == session);
        let of_session = of_session.count();
        let of_skill = waiting
            .iter()
            .flatten()
            .filter(|it| it.skill == skill && !is_person(it.proposer.as_ref()));
        let of_skill = of_skill.count();
        // A skill for which none waits has room, whatever was proposed for others.
        let room = self.policy.waiting * if of_skill == 0 { 2 } else { 1 };
        let (number, of, most) = match proposer {
            Some(by) if !is_person(proposer) && own >= MOST_OF_ONE => {
                (own, by.to_string(), MOST_OF_ONE)
            }
            Some(_) if !is_person(proposer) && of_session >= MOST_OF_ONE => {
                (of_session, "this session".to_owned(), MOST_OF_ONE)
            }
            Some(_) if !is_person(proposer) && of_skill >= MOST_OF_SKILL => {
                (of_skill, format!("agents for {}", quoted(skill)), MOST_OF_SKILL)
            }
            _ if all < self.policy.waiting => return Ok(()),
            Some(_) if !is_person(proposer) && all < room => return Ok(()),
            _ if is_person(proposer) => (all, "people".to_owned(), self.policy.waiting),
            Some(_) => (all, "agents".to_owned(), room),
            None => (all, "agents".to_owned(), self.policy.waiting),
        };
        let message = format!(
            "{} of {of} wait for a review already, and the limit is {most}; ask the user to review \
             them",
            counted(number, "proposal"),
        );
        Err(ProposalError::new(codes::PROPOSALS_FULL, message))
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
            directory = directory.open_or_create_private_dir(name)?;
        }
        Ok(directory)
    }

    /// Opens a directory of this name in the directory, and creates what does not exist.
    pub(crate) fn open_own(&self, name: &str) -> prowess_dir::Result<Dir> {
        self.open()?.open_or_create_private_dir(name)
    }

    /// Writes the file under the first name that is free: several proposals may be of one second.
    fn write(&self, proposal: &Proposal<'_>, text: &str) -> Result<String, ProposalError> {
        let directory = self.open().map_err(|error| unwritten(&error))?;
        let stem = stem(proposal.skill, proposal.time);
        for number in 1..=self.policy.waiting.saturating_mul(2).saturating_add(1) {
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

/// A proposal that applies to the files of its package.
struct Compared {
    diff: String,
    base: BTreeMap<String, Digest>,
    package: PackageBase,
    files: PackageFiles,
}

impl ProposalStore for FileProposals {
    fn submit(&self, proposal: &Proposal<'_>) -> Result<String, ProposalError> {
        self.check_length(proposal)?;
        self.check_room(&self.waiting().unwrap_or_default(), None, None, proposal.skill)?;
        let Proposal { skill, diff, justification, evidence, time, base } = *proposal;
        let base = vec![("SKILL.md", base)];
        let parts = Parts {
            skill,
            package: None,
            base,
            time,
            proposer: None,
            session: None,
            diff,
            justification,
            evidence,
        };
        self.write(proposal, &parts.document().0)
    }

    fn submit_checked(
        &self,
        proposal: &Proposal<'_>,
        package: &ProposedPackage<'_>,
    ) -> Result<KeptProposal, ProposalError> {
        self.check_length(proposal)?;
        let Compared { diff, base, package: of, files } = self.compared(proposal, package)?;
        let proposal = &Proposal { diff: &diff, ..*proposal };
        self.check_length(proposal)?;
        // Programs of several agents propose at once.
        let directory = self.open().ok().and_then(|_| File::open(&self.directory).ok());
        let _alone = directory.filter(|it| it.lock().is_ok());
        let waiting = self.waiting().unwrap_or_default();
        let is_same = |it: &&StoredProposal| {
            let is_of = it.package.as_ref().is_some_and(|base| base.is_of(&of));
            is_of && it.base == base && it.diff == diff
        };
        if let Some(known) = waiting.iter().flatten().find(is_same) {
            return Ok(KeptProposal { name: known.name.clone(), is_known: true });
        }
        let proposer = plain(package.proposer);
        let session = package.session;
        self.check_room(&waiting, Some(&proposer), session, proposal.skill)?;
        let Proposal { skill, justification, evidence, time, .. } = *proposal;
        let (digests, package) = (of.digest, Some(of));
        let parts = Parts {
            skill,
            package,
            base: base.iter().map(|(path, digest)| (&**path, *digest)).collect(),
            time,
            proposer: Some(proposer.clone()),
            session,
            diff: &diff,
            justification,
            evidence,
        };
        let (text, digest) = parts.document();
        let name = self.write(proposal, &text)?;
        self.keep_base(&base, &digests, &files);
        self.report(ReviewEvent {
            at: time,
            step: ReviewStep::Proposed,
            skill: skill.to_owned(),
            by: proposer,
            session: session.map(str::to_owned),
            proposal: Some(name.clone()),
            digest: Some(digest),
            reason: None,
        });
        Ok(KeptProposal { name, is_known: false })
    }
}

/// Returns an actor with the name that its proposals have: on one line, of limited length, without
/// invisible characters. Only such names are compared.
pub(crate) fn plain(actor: &Actor) -> Actor {
    let name = one_line(&clipped(actor.name().trim(), MOST_OF_NAME)).into_owned();
    match actor {
        Actor::Person(_) => Actor::Person(name),
        Actor::Reviewer(_) => Actor::Reviewer(name),
        Actor::Agent(_) => Actor::Agent(name),
        Actor::Session(_) => Actor::Session(name),
    }
}

fn invalid(reason: &str) -> ProposalError {
    let message = format!("the proposal was not kept: {reason}");
    ProposalError::new(codes::PROPOSAL_INVALID, message)
}

/// Creates a file that is on the disk when this returns. One that could not be written whole is
/// removed.
fn create(directory: &Dir, name: &str, text: &str) -> prowess_dir::Result<()> {
    let created = directory.create_file(name, text.as_bytes(), Permissions::Private);
    match created.and_then(|()| directory.sync()) {
        Err(error) if !is_taken(&error) => {
            // The first error is the one to report.
            let _ = directory.remove_tree(name);
            Err(error)
        }
        result => result,
    }
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
