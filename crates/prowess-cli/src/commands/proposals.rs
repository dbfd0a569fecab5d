//! `prowess proposals`: lists the changes that agents propose, and decides on them.

mod notify;
mod shown;
#[cfg(feature = "remotes")]
mod webhook;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use prowess::governance::{
    Decision, FileProposals, Review, ReviewError, StoredProposal, codes, package_digest,
};
use prowess::state::TrustFile;
use prowess::{
    AGENT_LAYER, Actor, AuditLog, AuditSink, Catalog, Clock as _, Digest, FolderTrust as _,
    KeptProposal, NoAudit, Policies, Proposal, ProposalError, ProposalStore as _, ProposedPackage,
    ReviewStep, SKILL_MD_FILES, SystemClock, Timestamp, file_proposals,
};
use prowess_store::Author;
use prowess_text::shell_word;
use serde::Serialize;

use crate::args::{Accept, Decide, Global, Proposals, Propose};
use crate::audit_log::audit_sink;
use crate::commands::commit::Commit;
use crate::commands::found;
use crate::commands::skill_change::{DIGITS, Made, Target, short};
use crate::commands::trust::follow_review;
use crate::failure::Failure;
use crate::named_file;
use crate::output::Output;
use crate::policies::policies;
use crate::question::{can_ask, is_confirmed};
use crate::runtime::runtime;
use crate::terminal::plain;
use crate::user::user;

use shown::{Shown, Whole, conflict_text};

/// The maximum number of decided proposals that a server lists.
const MOST_DECIDED: usize = 50;

/// The output of `proposals --format json`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Proposals(Vec<Shown>),
    Proposal(Box<Whole>),
    Proposed { name: String, is_known: bool },
    Accepted(Shown),
    Rejected(Shown),
    Withdrawn(Shown),
}

pub(crate) fn run(
    command: Option<&Proposals>,
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    match command {
        Some(Proposals::Propose(args)) => return propose(args, global, output),
        Some(Proposals::Watch(args)) => {
            return notify::run(&Desk::open(global, None)?.proposals, args, output);
        }
        Some(Proposals::Accept(args)) => {
            let desk = Desk::open(global, Some(output))?;
            let (accepted, commit) = desk.accept(args, global, output)?;
            output.result(&Answer::Accepted(accepted), text)?;
            // The skill has changed, whatever becomes of the commit.
            commit.map_or(Ok(()), |(commit, message)| commit.make(&message))?;
        }
        _ => output.result(&answer(command, global, output)?, text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists proposals, shows one, or decides on one.
pub(crate) fn answer(
    command: Option<&Proposals>,
    global: &Global,
    output: &Output,
) -> Result<Answer, Failure> {
    let is_decision = matches!(
        command,
        Some(Proposals::Accept(_) | Proposals::Reject(_) | Proposals::Withdraw(_))
    );
    let desk = Desk::open(global, is_decision.then_some(output))?;
    Ok(match command {
        Some(Proposals::Show { id }) => Answer::Proposal(Box::new(match desk.find(id) {
            Ok((proposal, None)) => desk.whole(proposal, &runtime(global)?.catalog(), global),
            Ok((proposal, Some(fault))) => {
                Whole::of(proposal, Some(Err(fault)), String::new(), None)
            }
            Err(missing) if missing.code == "proposal-not-found" => {
                desk.decided(id)?.ok_or(missing)?
            }
            Err(several) => return Err(several),
        })),
        Some(Proposals::Accept(args)) => Answer::Accepted(desk.accept(args, global, output)?.0),
        Some(Proposals::Reject(args)) => Answer::Rejected(desk.close(args, FileProposals::reject)?),
        Some(Proposals::Withdraw(args)) => {
            Answer::Withdrawn(desk.close(args, FileProposals::withdraw)?)
        }
        command => {
            let is_all = matches!(command, Some(Proposals::List { all: true }));
            let most = if global.running.is_some() { MOST_DECIDED } else { usize::MAX };
            Answer::Proposals(desk.list(is_all.then_some(most), output)?)
        }
    })
}

/// Proposes a change of a skill for the user.
pub(crate) fn propose(
    args: &Propose,
    global: &Global,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let desk = Desk::open(global, Some(output))?;
    let catalog = runtime(global)?.catalog();
    let record = found::record(&catalog, &args.skill)?;
    let package = Target::of(global, &args.skill)?.package(&args.skill)?;
    let files = package.files()?;
    let file = SKILL_MD_FILES.into_iter().find(|file| files.contains_key(*file));
    let file = file.unwrap_or("SKILL.md");
    let is_stdin = args.diff == Path::new("-");
    let path = if is_stdin { Path::new("/dev/stdin") } else { &args.diff };
    let diff = named_file::text(path).map_err(|reason| {
        let message = format!("`{}` cannot be read: {reason}", args.diff.display());
        Failure::usage("diff-unreadable", message, "name a file with a unified diff")
    })?;
    let by = Actor::Person(user());
    let proposal = Proposal {
        skill: record.id(),
        base: Digest::of(files.get(file).map_or(&[][..], |file| &file.content)),
        diff: &diff,
        justification: &args.reason,
        evidence: args.evidence.as_deref(),
        time: now(),
    };
    let location = package.path();
    let location = &*location.to_string_lossy();
    let package = ProposedPackage {
        location,
        file,
        files: &files,
        proposer: &by,
        session: None,
        catalog: &catalog,
    };
    let KeptProposal { name, is_known } = desk.proposals.submit_checked(&proposal, &package)?;
    output.result(&Answer::Proposed { name, is_known }, text)?;
    Ok(ExitCode::SUCCESS)
}

fn now() -> Timestamp {
    SystemClock::default().now()
}

/// A proposal, with the error of a file that is not as it was written.
type Waiting = (StoredProposal, Option<ReviewError>);

/// The proposals of the configuration.
struct Desk {
    proposals: FileProposals,
    audit: AuditLog,
}

impl Desk {
    /// Opens them with the audit log, unless they are only read.
    fn open(global: &Global, decides: Option<&Output>) -> Result<Self, Failure> {
        let policies: Policies = policies(global)?;
        let audit: Arc<dyn AuditSink> = match decides {
            None => Arc::new(NoAudit),
            Some(output) => audit_sink(&policies, output)?,
        };
        let proposals = file_proposals(&policies, &Arc::clone(&audit)).ok_or_else(|| {
            let help = "set `proposals: { directory: DIRECTORY }` in the configuration";
            Failure::new("proposals-unavailable", "there is no directory of proposals", help)
        })?;
        Ok(Self { proposals, audit: policies.audit.log })
    }

    /// Returns a proposal with what it would make of its skill now.
    fn whole(&self, proposal: StoredProposal, catalog: &Catalog, global: &Global) -> Whole {
        let target = Target::of(global, &named(catalog, &proposal));
        let package = target.and_then(|it| it.package(&proposal.skill));
        let refusal = package.as_ref().err().filter(|it| it.code == "skill-not-writable");
        let reason = refusal.map(|failure| failure.message.clone());
        let package = package.ok();
        let files = package.as_ref().and_then(|it| it.files().ok());
        let outlook = package.map(|it| self.proposals.outlook(&proposal, &it, catalog));
        // Another package is no later state of the one that it is for.
        let is_other =
            |it: &ReviewError| it.code == codes::PROPOSAL_CONFLICT && it.conflicts.is_empty();
        let files = files.filter(|_| !matches!(&outlook, Some(Err(error)) if is_other(error)));
        let moved = files.map(|files| self.proposals.changes_since(&proposal, &files));
        let user = Actor::Person(user());
        let barred = self.proposals.refusal(&proposal, &user, ReviewStep::Accepted);
        let barred = barred.map(str::to_owned);
        let mut whole = Whole::of(proposal, outlook, moved.unwrap_or_default(), barred);
        whole.reason = whole.reason.take().or(reason);
        whole
    }

    /// Returns the proposals that wait and whose names begin so, each with the error of its file.
    fn waiting(&self, start: &str) -> Result<Vec<Waiting>, Failure> {
        let waiting = self.proposals.waiting_as(start)?;
        let waiting = waiting.into_iter().filter_map(|read| match read {
            Ok(proposal) => Some((proposal, None)),
            // One that has just been decided has no file any more.
            Err(mut error) => Some((*error.tampered.take()?, Some(error))),
        });
        Ok(waiting.collect())
    }

    /// Returns the proposals that wait, behind the last decided ones if these are meant.
    fn list(&self, decided: Option<usize>, output: &Output) -> Result<Vec<Shown>, Failure> {
        if self.audit == AuditLog::Never {
            let remark = "no audit log has these steps: `audit: { log: keep }` in the configuration \
                keeps one\n";
            output.remark(remark);
        }
        let mut listed = Vec::new();
        if let Some(most) = decided {
            let decided = self.proposals.decided("", most)?.into_iter();
            listed.extend(decided.map(|(name, decision)| Shown::decided(name, &decision)));
        }
        for (proposal, fault) in self.waiting("")? {
            listed.push(match &fault {
                None => Shown::waiting(&proposal),
                Some(fault) => Shown::tampered(&proposal, &fault.message),
            });
            fault.into_iter().for_each(|fault| {
                output.diagnostics([&Failure::from(fault).to_diagnostic()]);
            });
        }
        Ok(listed)
    }

    /// Returns the waiting proposal with this name, or whose name alone begins so.
    fn find(&self, named: &str) -> Result<Waiting, Failure> {
        let known = self.waiting(named)?;
        let is_exact = |(it, _): &&Waiting| it.name == named || it.name == format!("{named}.md");
        if let Some(found) = known.iter().find(is_exact) {
            return Ok(found.clone());
        }
        let mut found: Vec<_> = known.iter().filter(|(_, fault)| fault.is_none()).collect();
        // The whole id of a skill is no beginning of another's.
        if found.iter().any(|(it, _)| it.skill == named) {
            found.retain(|(it, _)| it.skill == named);
        }
        match found[..] {
            [only] if !named.is_empty() => Ok(only.clone()),
            [] => {
                let message = format!("no proposal `{named}` waits for a review");
                let help = "see `prowess proposals list --all`";
                Err(Failure::usage("proposal-not-found", message, help))
            }
            _ => Err(ambiguous(named, found.iter().map(|(it, _)| &*it.name))),
        }
    }

    /// Returns the decided proposal with this name, or whose name alone begins so.
    fn decided(&self, named: &str) -> Result<Option<Whole>, Failure> {
        let known = self.proposals.decided(named, MOST_DECIDED)?;
        let exact = known
            .iter()
            .find(|(name, _)| name.trim_end_matches(".md") == named.trim_end_matches(".md"));
        let (name, decision) = match (exact, &known[..]) {
            (Some(only), _) | (None, [only]) => only,
            (None, []) => return Ok(None),
            _ => return Err(ambiguous(named, known.iter().map(|(name, _)| &**name))),
        };
        let (proposal, fault) = match self.proposals.as_decided(name) {
            Ok(proposal) => (proposal, None),
            Err(mut fault) => match fault.tampered.take() {
                Some(file) => (*file, Some(Err(fault))),
                None => return Err(fault.into()),
            },
        };
        Ok(Some(Whole::of(proposal, fault, String::new(), None).decided(name, decision)))
    }

    fn close(
        &self,
        args: &Decide,
        decide: impl Fn(&FileProposals, &Review) -> Result<Decision, ReviewError>,
    ) -> Result<Shown, Failure> {
        let (proposal, _) = self.find(&args.id)?;
        let review = review(&proposal.name, proposal.digest, args);
        let decision = decide(&self.proposals, &review)?;
        Ok(Shown::decided(review.proposal, &decision))
    }

    fn accept(
        &self,
        args: &Accept,
        global: &Global,
        output: &Output,
    ) -> Result<(Shown, Option<(Commit, String)>), Failure> {
        let (proposal, fault) = self.find(&args.decide.id)?;
        fault.map_or(Ok(()), |fault| Err(Failure::from(fault)))?;
        let catalog = runtime(global)?.catalog();
        let skill = named(&catalog, &proposal);
        let package = Target::of(global, &skill)?.package(&skill)?;
        let onto = match (&args.digest, &args.rebase) {
            (Some(digest), seen) => {
                if !is_named(digest, &proposal.digest) {
                    let message = format!("{digest} is not the digest of `{}`", proposal.name);
                    let help = "see it again with `prowess proposals show`";
                    return Err(Failure::new("proposal-changed", message, help));
                }
                let now = package_digest(&package.files()?);
                // Other files are refused where an acceptance that was killed behind its change is
                // seen first, and ended.
                let other = |seen: &String| Digest::of(seen.as_bytes());
                seen.as_ref().map(|seen| if is_named(seen, &now) { now } else { other(seen) })
            }
            (None, _) if can_ask(output) => {
                let whole = self.whole(proposal.clone(), &catalog, global);
                output.error_text(&whole.text());
                if !is_confirmed(output, "Accept it?") {
                    let help = "`prowess proposals reject` rejects it";
                    return Err(Failure::new("not-confirmed", "it still waits for a review", help));
                }
                whole.now
            }
            (None, _) => return Err(unseen(&proposal)),
        };
        let review = review(&proposal.name, proposal.digest, &args.decide);
        let accepted = self.proposals.accept(&review, &package, &catalog, onto);
        let acceptance = accepted.map_err(|error| {
            if output.shows_remarks() {
                output.error_text(&conflict_text(&error.conflicts));
            }
            Failure::from(error)
        })?;
        let (before, after) = (acceptance.before.clone(), acceptance.after.clone());
        let new_id = acceptance.new_id.clone();
        let commit = args.commit.commit.then(|| Commit::of(&package, &before, &after));
        let commit = commit.transpose()?;
        let reason = review.reason.clone().unwrap_or_else(|| first_line(&proposal.justification));
        let mut decided = None;
        let made = Made {
            package: &package,
            before: &before,
            after: &after,
            author: Author { by: user(), at: review.at },
            action: "accepted",
            reason: Some(reason),
            proposal: Some(proposal.name.clone()),
        };
        made.make(|| {
            decided = Some(acceptance.apply(now())?);
            Ok(())
        })?;
        if let Ok(record) = found::record(&catalog, &skill)
            && *record.layer().name == *AGENT_LAYER
        {
            let id = new_id.map_or_else(|| record.base_id().to_owned(), |[_, id]| id);
            let before = package_digest(&before);
            let is_reviewed = |file: &TrustFile, id: &str| file.load().has_reviewed(id, &before);
            follow_review([record.base_id(), &id], &after, is_reviewed, global, output)?;
        }
        let message = format!("{}: {}", proposal.skill, first_line(&proposal.justification));
        let accepted = match decided {
            Some(decision) => Shown::decided(proposal.name, &decision),
            None => Shown::waiting(&proposal),
        };
        Ok((accepted, commit.map(|commit| (commit, message))))
    }
}

/// Returns a name of the skill of a proposal in this catalog, where its id may be that of another;
/// of a skill in another project, its directory.
fn named(catalog: &Catalog, proposal: &StoredProposal) -> String {
    let path = proposal.package.as_ref().map_or("", |base| &*base.path);
    let is_own = |record: &prowess::Record<'_>| {
        let root = record.root_directory();
        root == path || Path::new(&root).canonicalize().is_ok_and(|it| *it == *path)
    };
    // An earlier proposal may have changed the id.
    let named = [&*proposal.skill, path].into_iter().flat_map(|name| catalog.all_named(name));
    let record = named.into_iter().find(is_own);
    let other = if Path::new(path).is_dir() { path } else { &*proposal.skill };
    record.and_then(|it| it.qualified_id()).unwrap_or_else(|| other.to_owned())
}

fn ambiguous<'n>(named: &str, names: impl Iterator<Item = &'n str>) -> Failure {
    let names: Vec<_> = names.map(|name| format!("`{}`", plain(name))).collect();
    let message = format!("`{named}` is the start of {}", names.join(", "));
    Failure::usage("proposal-ambiguous", message, "write more of the name")
}

fn review(proposal: &str, digest: Digest, args: &Decide) -> Review {
    Review {
        proposal: proposal.to_owned(),
        digest,
        reviewer: Actor::Person(user()),
        reason: args.reason.clone(),
        at: now(),
    }
}

/// Returns whether a person names this digest, by its first digits at least.
fn is_named(named: &str, digest: &Digest) -> bool {
    let digits = named.trim_start_matches("sha256:");
    digits.len() >= DIGITS && digest.to_string()["sha256:".len()..].starts_with(digits)
}

fn unseen(proposal: &StoredProposal) -> Failure {
    let name = plain(&proposal.name);
    let message = format!("`{name}` is accepted with the digest that was shown");
    let help = format!(
        "look at `prowess proposals show {}`, then add `--digest {}`",
        plain(&shell_word(&proposal.name)),
        short(&proposal.digest)
    );
    Failure::usage("digest-required", message, help)
}

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

fn text(answer: &Answer) -> String {
    match answer {
        Answer::Proposals(proposals) if proposals.is_empty() => {
            "no proposal waits for a review\n".to_owned()
        }
        Answer::Proposals(proposals) => proposals.iter().map(Shown::text).collect(),
        Answer::Proposal(whole) => whole.text(),
        Answer::Proposed { name, is_known: false } => format!("proposed: {}\n", plain(name)),
        Answer::Proposed { name, is_known: true } => {
            format!("waits already: {}; this reason was not added\n", plain(name))
        }
        Answer::Accepted(shown) | Answer::Rejected(shown) | Answer::Withdrawn(shown) => {
            shown.text()
        }
    }
}

impl From<ProposalError> for Failure {
    fn from(error: ProposalError) -> Self {
        let help = match error.code.as_str() {
            "proposals-full" => "see `prowess proposals`; a decision on one makes room",
            "proposal-not-written" => "see `proposals.directory` in the configuration",
            _ => "correct the proposal, and propose it again",
        };
        Self::new(error.code.as_str(), error.message, help)
    }
}
