//! Decisions on proposals.

use std::cmp::Reverse;
use std::fs::File;
use std::path::Path;

use prowess_core::{
    Actor, AuditPolicy, Catalog, Digest, PackageFiles, ReviewEvent, ReviewStep, RuntimeEvent,
    Timestamp,
};
use prowess_dir::{Dir, ErrorKind, Links, Permissions};
use prowess_text::quoted;
use serde::{Deserialize, Serialize};

use crate::error::unwritten;
use crate::file_name::{DECIDED, is_proposal, skill_of};
use crate::file_proposals::plain;
use crate::package::package_digest;
use crate::{
    FileProposals, Outlook, ReviewError, SkillPackage, StoredProposal, codes, review_codes,
};

/// The maximum size of the record of a decision, in bytes.
const MOST_BYTES: usize = 65_536;

/// A decision on a proposal. Only the host makes one: no tool has it as an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The name of the proposal.
    pub proposal: String,
    /// The digest of the proposal that was reviewed. One whose file cannot be read has none.
    pub digest: Digest,
    /// The person, or the agent as a reviewer, that has reviewed it.
    pub reviewer: Actor,
    /// The reason.
    pub reason: Option<String>,
    /// The time of the decision.
    pub at: Timestamp,
}

/// How a proposal was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// `accepted`, `rejected` or `withdrawn`.
    pub step: ReviewStep,
    /// The id of the skill.
    pub skill: String,
    /// The digest of the proposal.
    pub digest: Digest,
    /// The reviewer.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// The reason.
    pub reason: Option<String>,
    /// The digest of the package with the change.
    pub package: Option<Digest>,
}

/// A proposal that may be accepted, and its change. Until this is dropped, there is no other
/// decision.
#[derive(Debug)]
pub struct Acceptance<'p> {
    /// The proposal.
    pub proposal: StoredProposal,
    /// The files of the package now.
    pub before: PackageFiles,
    /// Its files with the change.
    pub after: PackageFiles,
    /// The id now and then, if the change gives the skill another one.
    pub new_id: Option<[String; 2]>,
    proposals: &'p FileProposals,
    package: SkillPackage,
    review: Review,
    _lock: File,
}

impl FileProposals {
    /// Rejects a proposal, or a file that is not as it was written.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such proposal, or the reviewer may not decide on it.
    pub fn reject(&self, review: &Review) -> Result<Decision, ReviewError> {
        self.close(review, ReviewStep::Rejected)
    }

    /// Withdraws a proposal, which its proposer and every person may do.
    ///
    /// # Errors
    ///
    /// As [`Self::reject`].
    pub fn withdraw(&self, review: &Review) -> Result<Decision, ReviewError> {
        self.close(review, ReviewStep::Withdrawn)
    }

    fn close(&self, review: &Review, step: ReviewStep) -> Result<Decision, ReviewError> {
        let (directory, decided, _lock) = self.locked(&review.proposal)?;
        let proposal = match self.reviewed(&directory, review, step) {
            Err(ReviewError { tampered: Some(file), .. })
                if matches!(review.reviewer, Actor::Person(_)) && step == ReviewStep::Rejected =>
            {
                *file
            }
            reviewed => reviewed?,
        };
        let record = record_of(&proposal.name);
        let begun = begun(&decided, &record);
        if begun.is_some_and(|begun| begun.step == ReviewStep::Accepted) {
            let path =
                proposal.package.as_ref().map_or(Path::new(""), |base| Path::new(&base.path));
            let files = SkillPackage::new(path)?.files()?;
            self.finish_interrupted(&directory, &decided, &proposal, review, &files)?;
        }
        let decision = decision(&proposal, review, step, None);
        self.store(event(&decision, &proposal, step))?;
        put(&decided, &record, &decision)?;
        directory.move_into(&proposal.name, &decided, &proposal.name)?;
        self.forget(&directory, &proposal);
        Ok(decision)
    }

    /// Prepares the acceptance of a proposal for a package of this catalog. If its files are others
    /// than those that the proposal was made for, both changes are merged, and only into the files
    /// that the reviewer has seen: `onto` is their digest.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such proposal, it is not the one that was reviewed, the
    /// reviewer may not decide on it, or it does not fit the files.
    pub fn accept(
        &self,
        review: &Review,
        package: &SkillPackage,
        catalog: &Catalog,
        onto: Option<Digest>,
    ) -> Result<Acceptance<'_>, ReviewError> {
        let (directory, decided, lock) = self.locked(&review.proposal)?;
        let proposal = self.reviewed(&directory, review, ReviewStep::Accepted)?;
        package.sweep();
        let before = package.files()?;
        proposal.require(package, &before)?;
        self.finish_interrupted(&directory, &decided, &proposal, review, &before)?;
        let Outlook { before, after, has_moved, new_id, .. } =
            self.outlook(&proposal, package, catalog)?;
        let conflict = |message: &str| Err(ReviewError::new(codes::PROPOSAL_CONFLICT, message));
        match onto {
            None if has_moved => {
                return conflict(
                    "the skill has changed since the proposal was made; the change still fits what \
                     it says now",
                );
            }
            Some(seen) if seen != package_digest(&before) => {
                return conflict("the skill has changed since it was shown");
            }
            _ => {}
        }
        let (package, review) = (package.clone(), review.clone());
        let proposals = self;
        Ok(Acceptance { proposal, before, after, new_id, proposals, package, review, _lock: lock })
    }

    /// Opens the directories, and waits until no other program decides.
    fn locked(&self, name: &str) -> Result<(Dir, Dir, File), ReviewError> {
        let missing = || {
            let message = format!("no proposal {} waits for a review", quoted(name));
            ReviewError::new(review_codes::PROPOSAL_NOT_FOUND, message)
        };
        let directory = match Dir::open(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing()),
            opened => opened?,
        };
        if !is_proposal(name) {
            return Err(missing());
        }
        let decided = directory.open_or_create_private_dir(DECIDED)?;
        let lock = File::open(self.directory.join(DECIDED));
        let lock = lock.and_then(|lock| lock.lock().map(|()| lock));
        let lock = lock.map_err(|error| unwritten(&error.to_string()))?;
        if directory.stat(name, Links::Refuse).is_err() {
            return Err(missing());
        }
        Ok((directory, decided, lock))
    }

    /// Returns the proposal, if it is the reviewed one and the reviewer may decide so.
    fn reviewed(
        &self,
        directory: &Dir,
        review: &Review,
        step: ReviewStep,
    ) -> Result<StoredProposal, ReviewError> {
        let proposal = self.read(directory, &review.proposal)?;
        if proposal.digest != review.digest {
            let message = format!("{} is not the proposal that was shown", quoted(&proposal.name));
            return Err(ReviewError::new(review_codes::PROPOSAL_CHANGED, message));
        }
        match self.refusal(&proposal, &review.reviewer, step) {
            Some(reason) => {
                let message = format!("{} may not decide on it: {reason}", plain(&review.reviewer));
                Err(ReviewError::new(review_codes::REVIEWER_NOT_ALLOWED, message))
            }
            None => Ok(proposal),
        }
    }

    /// Returns why a reviewer may not decide so on a proposal; `None` if it may.
    pub fn refusal(
        &self,
        proposal: &StoredProposal,
        reviewer: &Actor,
        step: ReviewStep,
    ) -> Option<&'static str> {
        let reviewer = plain(reviewer);
        let is_own = proposal.proposer.as_ref().is_some_and(|it| it.may_be(&reviewer));
        match &reviewer {
            _ if step == ReviewStep::Withdrawn && is_own => None,
            Actor::Person(_) if step == ReviewStep::Withdrawn => None,
            _ if step == ReviewStep::Withdrawn => Some("an agent withdraws its own proposals only"),
            _ if is_own => Some("its proposer cannot review it"),
            Actor::Person(_) => None,
            Actor::Reviewer(name) if self.policy.reviewers.contains(name) => None,
            _ => Some("the policy names no such reviewer"),
        }
    }

    /// Ends an acceptance after which a program was killed, if its change was made. One that was
    /// not made is forgotten.
    fn finish_interrupted(
        &self,
        directory: &Dir,
        decided: &Dir,
        proposal: &StoredProposal,
        review: &Review,
        files: &PackageFiles,
    ) -> Result<(), ReviewError> {
        let record = record_of(&proposal.name);
        match begun(decided, &record) {
            None => Ok(()),
            Some(begun) if begun.package == Some(package_digest(files)) => {
                directory.move_into(&proposal.name, decided, &proposal.name)?;
                self.forget(directory, proposal);
                let applied = event(&begun, proposal, ReviewStep::Applied);
                self.report(ReviewEvent { at: review.at, ..applied });
                let by = &begun.by;
                let message = format!("it was accepted by {by} already, and the skill has changed");
                Err(ReviewError::new(review_codes::PROPOSAL_NOT_FOUND, message))
            }
            _ => Ok(decided.remove_tree(&record)?),
        }
    }

    /// Records a decision before it has an effect.
    fn store(&self, event: ReviewEvent) -> Result<(), ReviewError> {
        let Some((audit, policy)) = &self.audit else { return Ok(()) };
        match audit.store(&RuntimeEvent::Review(event)) {
            Err(error) if *policy == AuditPolicy::Required => Err(unwritten(&error.to_string())),
            _ => Ok(()),
        }
    }

    /// Returns the decisions on the last so many proposals whose names begin so, with these names.
    /// Others are not read.
    ///
    /// # Errors
    ///
    /// Returns an error if their directory cannot be read.
    pub fn decided(
        &self,
        start: &str,
        most: usize,
    ) -> Result<Vec<(String, Decision)>, ReviewError> {
        let opened = Dir::open(self.directory.join(DECIDED));
        let mut decided = match opened {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        let mut buffer = prowess_dir::EntryBuffer::default();
        let mut names = Vec::new();
        let _ = decided.entries(&mut buffer)?.visit(|entry| {
            let is_meant = |name: &&str| name.starts_with(start) && is_proposal(name);
            names.extend(entry.name().filter(is_meant).map(str::to_owned));
            std::ops::ControlFlow::<()>::Continue(())
        })?;
        // Behind the skill is the time.
        names.sort_by_cached_key(|name| {
            Reverse(skill_of(name).and_then(|skill| name.get(skill.len()..)).map(str::to_owned))
        });
        names.truncate(most);
        let decision = |name: String| Some((begun(&decided, &record_of(&name))?, name));
        let decisions = names.into_iter().filter_map(decision);
        let mut found: Vec<_> = decisions.map(|(decision, name)| (name, decision)).collect();
        found.sort_by_key(|(_, decision)| decision.at);
        Ok(found)
    }

    /// Returns a decided proposal as it was.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none of this name, or its file is not as it was written.
    pub fn as_decided(&self, name: &str) -> Result<StoredProposal, ReviewError> {
        self.read(&Dir::open(self.directory.join(DECIDED))?, name)
    }
}

impl Acceptance<'_> {
    /// Makes the change at this time: all files, or none.
    ///
    /// # Errors
    ///
    /// Returns an error if the files have just been changed, or cannot be written. They are then as
    /// before, and the proposal still waits.
    pub fn apply(self, at: Timestamp) -> Result<Decision, ReviewError> {
        let Self { proposal, before, after, proposals, package, review, _lock, .. } = self;
        let (step, changed) = (ReviewStep::Accepted, Some(package_digest(&after)));
        let decision = decision(&proposal, &review, step, changed);
        let directory = Dir::open(&proposals.directory)?;
        let decided = directory.open_or_create_private_dir(DECIDED)?;
        proposals.store(event(&decision, &proposal, step))?;
        // From here on, a later program sees whether the change was made.
        let record = record_of(&proposal.name);
        let put = put(&decided, &record, &decision);
        if let Err(error) = put.and_then(|()| package.replace(&before, &after)) {
            let _ = decided.remove_tree(&record);
            proposals
                .report(ReviewEvent { at, ..event(&decision, &proposal, ReviewStep::NotMade) });
            return Err(error);
        }
        proposals.report(ReviewEvent { at, ..event(&decision, &proposal, ReviewStep::Applied) });
        // The skill has changed: if this fails, the next attempt to decide moves the file.
        let _ = directory.move_into(&proposal.name, &decided, &proposal.name);
        proposals.forget(&directory, &proposal);
        Ok(decision)
    }
}

fn record_of(name: &str) -> String {
    format!("{}.json", name.trim_end_matches(".md"))
}

/// Reads what was decided; `None` if nothing was, or it cannot be read.
fn begun(decided: &Dir, record: &str) -> Option<Decision> {
    serde_json::from_slice(&decided.read(record, MOST_BYTES).ok()?).ok()
}

fn put(decided: &Dir, record: &str, decision: &Decision) -> Result<(), ReviewError> {
    let text =
        serde_json::to_vec_pretty(decision).map_err(|error| unwritten(&error.to_string()))?;
    let temporary = format!(".{record}.tmp");
    Ok(decided.put_file(record, &temporary, &text, Permissions::Private)?)
}

fn decision(
    proposal: &StoredProposal,
    review: &Review,
    step: ReviewStep,
    package: Option<Digest>,
) -> Decision {
    Decision {
        step,
        skill: proposal.skill.clone(),
        digest: proposal.digest,
        by: plain(&review.reviewer),
        at: review.at,
        reason: review.reason.clone(),
        package,
    }
}

fn event(decision: &Decision, proposal: &StoredProposal, step: ReviewStep) -> ReviewEvent {
    let is_change = matches!(step, ReviewStep::Applied);
    ReviewEvent {
        at: decision.at,
        step,
        skill: decision.skill.clone(),
        by: decision.by.clone(),
        session: proposal.session.clone(),
        proposal: Some(proposal.name.clone()),
        digest: decision.package.filter(|_| is_change).or(Some(proposal.digest)),
        reason: decision.reason.clone(),
    }
}
