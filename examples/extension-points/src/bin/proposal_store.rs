//! A `ProposalStore` of the host: a reviewer is notified of each update that a model proposes.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use extension_points::kitchen;
use prowess::tools::Surface;
use prowess::{Policies, Proposal, ProposalError, ProposalStore, ToolCall};
use serde_json::json;

/// Stands for messages to the reviewer, with their number.
#[derive(Default)]
struct Notified(AtomicUsize);

impl ProposalStore for Notified {
    fn submit(&self, proposal: &Proposal<'_>) -> Result<String, ProposalError> {
        println!("{}: {}", proposal.skill, proposal.justification);
        print!("{}", proposal.diff);
        Ok(format!("message {}", self.0.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut policies = Policies::default();
    policies.tools.surfaces = vec![Surface::ReadSkill];
    let runtime = kitchen().policies(policies).proposals(Arc::new(Notified::default())).build()?;
    let turn = runtime.turn(&runtime.open_session()?)?;
    let arguments = json!({
        "skill_id": "tea",
        "diff": "-Warm the pot first.\n+Warm the pot and the cups first.\n",
        "justification": "The cups were cold.",
    });
    let answer = turn.call(&ToolCall::new("propose_skill_update", arguments));
    println!("{}", answer.result.message().unwrap_or("the reviewer is notified"));
    Ok(())
}
