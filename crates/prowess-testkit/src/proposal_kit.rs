//! The `# Behavior` list of `ProposalStore` as checks, one for each rule.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use prowess_core::{Digest, Proposal, ProposalStore, Timestamp};

use crate::{KitReport, RuleOutcome};

/// The skill of the kit.
const SKILL_MD: &str = "---\nname: pdf\ndescription: Fills forms.\n---\nFill the form.\n";

/// The number of threads that submit at once.
const THREADS: usize = 4;

/// Opens stores of proposals.
pub trait ProposalFixture {
    /// Opens an empty store.
    fn open(&self) -> OpenedProposals;
}

/// An open store of proposals.
pub struct OpenedProposals {
    /// The store.
    pub store: Arc<dyn ProposalStore>,
    /// Returns everything that is kept, by name, also parts of a proposal that no reviewer sees.
    pub kept: Box<dyn Fn() -> Vec<(String, String)>>,
    /// Runs a function while the store cannot keep anything, such as on a full disk.
    pub while_failing: WhileFailing,
    /// A directory of the host that the store can write to. The kit creates a skill in it.
    pub directory: PathBuf,
}

impl OpenedProposals {
    fn submit(&self, proposal: &Proposal<'_>) -> Result<String, String> {
        let submitted = self.store.submit(proposal);
        submitted.map_err(|error| format!("a proposal is not kept: {error}"))
    }

    /// Returns the text that is kept under a name.
    fn text(&self, name: &str) -> Result<String, String> {
        let found = (self.kept)().into_iter().find(|(kept, _)| kept == name);
        found.map(|(_, text)| text).ok_or_else(|| format!("nothing is kept under `{name}`"))
    }

    fn names(&self) -> BTreeSet<String> {
        (self.kept)().into_iter().map(|(name, _)| name).collect()
    }

    /// Checks that a text for a model has no path of the host.
    fn check_pathless(&self, text: &str) -> Checked {
        let path = self.directory.to_string_lossy();
        if text.contains(&*path) {
            return Err(format!("`{text}` has a path of the host"));
        }
        Ok(())
    }
}

/// Runs a function while a store fails.
pub type WhileFailing = Box<dyn Fn(&(dyn Fn() + Sync))>;

type Checked = Result<(), String>;

type Check = fn(&OpenedProposals) -> Checked;

/// The rules of [`ProposalStore`] with their checks.
const RULES: &[(&str, Check)] = &[
    ("proposal-is-kept-whole", proposal_is_kept_whole),
    ("no-skill-changes", no_skill_changes),
    ("equal-proposals-have-names-of-their-own", equal_proposals_have_names_of_their_own),
    ("name-has-no-path", name_has_no_path),
    ("error-keeps-nothing", error_keeps_nothing),
    ("error-has-no-path", error_has_no_path),
    ("submits-from-any-thread", submits_from_any_thread),
];

/// Checks every rule of [`ProposalStore`]. A check that panics has failed, like one that finds a
/// broken rule.
pub fn check_proposal_store(fixture: &dyn ProposalFixture) -> KitReport {
    let check = |&(rule, check): &(&'static str, Check)| {
        let opened = fixture.open();
        let checked = catch_unwind(AssertUnwindSafe(|| check(&opened)));
        RuleOutcome { rule, outcome: checked.unwrap_or_else(|_| Err("it panics".to_owned())) }
    };
    KitReport { rules: RULES.iter().map(check).collect() }
}

fn proposal() -> Proposal<'static> {
    Proposal {
        skill: "pdf",
        base: Digest::of(SKILL_MD.as_bytes()),
        diff: "@@ -5 +5 @@\n-Fill the form.\n+Fill the form, then check it.\n",
        justification: "Two forms of three had a wrong date.",
        evidence: Some("form 2: 31 February"),
        time: Timestamp(1_790_000_000_000),
    }
}

fn proposal_is_kept_whole(opened: &OpenedProposals) -> Checked {
    let proposal = proposal();
    let name = opened.submit(&proposal)?;
    let text = opened.text(&name)?;
    let base = proposal.base.to_string();
    let parts = [proposal.skill, proposal.diff, proposal.justification, &base];
    let missing = parts.into_iter().chain(proposal.evidence).find(|part| !text.contains(part));
    missing.map_or(Ok(()), |part| Err(format!("`{part}` is missing in `{text}`")))
}

fn no_skill_changes(opened: &OpenedProposals) -> Checked {
    let file = opened.directory.join("pdf/SKILL.md");
    let written = fs::create_dir_all(opened.directory.join("pdf"));
    written.and_then(|()| fs::write(&file, SKILL_MD)).map_err(|error| error.to_string())?;
    for skill in ["pdf", "pdf/SKILL.md", "../pdf/SKILL.md"] {
        opened.submit(&Proposal { skill, ..proposal() })?;
    }
    match fs::read_to_string(file) {
        Ok(text) if text == SKILL_MD => Ok(()),
        changed => Err(format!("the skill of a proposal is now {changed:?}")),
    }
}

fn equal_proposals_have_names_of_their_own(opened: &OpenedProposals) -> Checked {
    let names = [opened.submit(&proposal())?, opened.submit(&proposal())?];
    if names[0] == names[1] {
        return Err(format!("two proposals are named `{}`", names[0]));
    }
    names.iter().try_for_each(|name| opened.text(name).map(drop))
}

fn name_has_no_path(opened: &OpenedProposals) -> Checked {
    for skill in ["pdf", "../../etc/passwd", "/root"] {
        let name = opened.submit(&Proposal { skill, ..proposal() })?;
        opened.check_pathless(&name)?;
        if name.starts_with('/') || name.contains("../") {
            return Err(format!("the name `{name}` is a path"));
        }
    }
    Ok(())
}

/// Returns the messages of proposals that are submitted while the store fails.
fn failures(opened: &OpenedProposals) -> Result<Vec<String>, String> {
    let store = &opened.store;
    let messages = std::sync::Mutex::new(Vec::new());
    (opened.while_failing)(&|| {
        let submitted = store.submit(&proposal()).map_err(|error| error.message);
        messages.lock().expect("no check panics here").push(submitted);
    });
    let submitted = messages.into_inner().expect("no check panics here");
    let failed = submitted.into_iter().map(|submitted| match submitted {
        Ok(name) => Err(format!("`{name}` is kept where nothing can be kept")),
        Err(message) if message.is_empty() => Err("an error has no message".to_owned()),
        Err(message) => Ok(message),
    });
    failed.collect()
}

fn error_keeps_nothing(opened: &OpenedProposals) -> Checked {
    opened.submit(&proposal())?;
    let before = opened.names();
    failures(opened)?;
    let after = opened.names();
    if before == after { Ok(()) } else { Err(format!("after an error, {after:?} are kept")) }
}

fn error_has_no_path(opened: &OpenedProposals) -> Checked {
    failures(opened)?.iter().try_for_each(|message| opened.check_pathless(message))
}

fn submits_from_any_thread(opened: &OpenedProposals) -> Checked {
    let store = &opened.store;
    let submitted: Vec<_> = thread::scope(|scope| {
        let submit = || store.submit(&proposal()).map_err(|error| error.to_string());
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(submit)).collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined.map(|joined| joined.unwrap_or_else(|_| Err("it panics".to_owned()))).collect()
    });
    let names = submitted.into_iter().collect::<Result<BTreeSet<_>, _>>()?;
    if names.len() < THREADS {
        return Err(format!("{THREADS} proposals have only the names {names:?}"));
    }
    names.iter().try_for_each(|name| opened.text(name).map(drop))
}
