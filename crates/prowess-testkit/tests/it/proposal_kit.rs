//! A good store of proposals passes, and each rule has a store that breaks it.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use prowess_core::{Code, Proposal, ProposalError, ProposalStore};
use prowess_testkit::{OpenedProposals, ProposalFixture, RuleOutcome, Tree, check_proposal_store};

/// A store that breaks the rule with this name.
struct Faulty {
    rule: &'static str,
    kept: Mutex<Vec<(String, String)>>,
    submitted: AtomicUsize,
    is_failing: AtomicBool,
    directory: PathBuf,
    thread: ThreadId,
    /// Removes the directory at the end.
    _tree: Tree,
}

impl Faulty {
    fn kept(&self) -> Vec<(String, String)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, name: String, text: String) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((name.clone(), text));
        name
    }

    fn error(&self) -> ProposalError {
        let message = match self.rule {
            "error-has-no-path" => format!("{} is full", self.directory.display()),
            _ => "the disk is full".to_owned(),
        };
        ProposalError::new(Code::new("proposal-not-written"), message)
    }
}

impl ProposalStore for Faulty {
    fn submit(&self, proposal: &Proposal<'_>) -> Result<String, ProposalError> {
        let is = |rule: &str| self.rule == rule;
        let Proposal { skill, base, diff, justification, evidence, .. } = proposal;
        if self.is_failing.load(Ordering::SeqCst) {
            if is("error-keeps-nothing") {
                self.keep("part".to_owned(), String::new());
            }
            return Err(self.error());
        }
        if is("submits-from-any-thread") && thread::current().id() != self.thread {
            return Err(self.error());
        }
        if is("no-skill-changes") {
            let _ = fs::write(self.directory.join("pdf/SKILL.md"), diff);
        }
        let evidence = evidence.filter(|_| !is("proposal-is-kept-whole"));
        let text = format!("{skill} {base} {diff} {justification} {evidence:?}");
        // The number is taken once, also where several threads submit.
        let number = self.submitted.fetch_add(1, Ordering::SeqCst);
        let name = match self.rule {
            "name-has-no-path" => format!("{}/{number}", self.directory.display()),
            // Threads would find the same fault.
            "equal-proposals-have-names-of-their-own" if thread::current().id() == self.thread => {
                "proposal".to_owned()
            }
            _ => format!("proposal {number} of {:?}", thread::current().id()),
        };
        Ok(self.keep(name, text))
    }
}

struct Fixture(&'static str);

impl ProposalFixture for Fixture {
    fn open(&self) -> OpenedProposals {
        let tree = Tree::new("");
        let store = Arc::new(Faulty {
            rule: self.0,
            kept: Mutex::default(),
            submitted: AtomicUsize::new(0),
            is_failing: AtomicBool::new(false),
            directory: tree.path().to_owned(),
            thread: thread::current().id(),
            _tree: tree,
        });
        let [kept, failing] = [(); 2].map(|()| Arc::clone(&store));
        OpenedProposals {
            directory: store.directory.clone(),
            store,
            kept: Box::new(move || kept.kept()),
            while_failing: Box::new(move |run| {
                failing.is_failing.store(true, Ordering::SeqCst);
                run();
                failing.is_failing.store(false, Ordering::SeqCst);
            }),
        }
    }
}

#[test]
fn good_store_passes() {
    let report = check_proposal_store(&Fixture("none"));
    assert!(report.is_passed(), "{report}");
}

#[test]
fn each_rule_finds_a_store_that_breaks_it() {
    for RuleOutcome { rule, .. } in check_proposal_store(&Fixture("none")).rules {
        let report = check_proposal_store(&Fixture(rule));
        assert_eq!(report.failures().collect::<Vec<_>>(), [rule], "{report}");
    }
}
