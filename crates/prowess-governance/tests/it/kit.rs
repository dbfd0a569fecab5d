//! The store keeps the rules of its trait.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use prowess_governance::{FileProposals, ProposalPolicy};
use prowess_testkit::{
    OpenedProposals, ProposalFixture, Tree, check_proposal_store, without_space,
};

use crate::names;

struct Fixture;

impl ProposalFixture for Fixture {
    fn open(&self) -> OpenedProposals {
        let tree = Tree::new("");
        let directory = tree.path().to_owned();
        let proposals = directory.join("proposals");
        OpenedProposals {
            store: Arc::new(FileProposals::new(&proposals, ProposalPolicy::default())),
            kept: Box::new(move || files_in(&tree.join("proposals"))),
            while_failing: Box::new(|run| without_space(run)),
            directory,
        }
    }
}

fn files_in(directory: &Path) -> Vec<(String, String)> {
    if !directory.exists() {
        return Vec::new();
    }
    let text = |name: &String| fs::read_to_string(directory.join(name)).unwrap();
    names(directory).into_iter().map(|name| (name.clone(), text(&name))).collect()
}

#[test]
fn store_keeps_the_rules() {
    let report = check_proposal_store(&Fixture);
    assert!(report.is_passed(), "{report}");
}
