//! The proposals in the database.

use prowess_core::{Proposal, ProposalError, ProposalStore};
use prowess_governance::codes::PROPOSAL_NOT_WRITTEN;

use crate::Database;
use crate::sessions::integer;

const SUBMIT: &str = include_str!("proposals/submit.sql");

impl ProposalStore for Database {
    fn submit(&self, proposal: &Proposal<'_>) -> Result<String, ProposalError> {
        let Proposal { skill, base, diff, justification, evidence, time } = proposal;
        let (base, time) = (base.to_string(), integer(*time));
        let kept = self.run(|connection| {
            connection.first(SUBMIT, &[skill, &base, diff, justification, evidence, &time])
        });
        let failed = |reason: String| ProposalError::new(PROPOSAL_NOT_WRITTEN, reason);
        let row = kept.map_err(|error| failed(format!("the proposal is not kept: {error}")))?;
        row.map(|row| row.get(0)).ok_or_else(|| failed("the proposal is not kept".to_owned()))
    }
}
