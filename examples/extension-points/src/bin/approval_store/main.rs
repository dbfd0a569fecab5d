//! An `ApprovalStore` of the host: the requests that a person has to answer are shown in its chat.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use std::num::NonZeroUsize;
use std::sync::Arc;

use extension_points::kitchen;
use prowess::session::MemoryApprovals;
use prowess::{
    Approval, ApprovalEntry, ApprovalId, ApprovalQuery, ApprovalStore, ApprovalStoreError, Asked,
    Error, NewApproval, Timestamp, ToolCall, ToolResult,
};
use serde_json::json;

/// Shows each new request, and leaves the rest to another store.
struct Chat<S>(S);

impl<S: ApprovalStore> ApprovalStore for Chat<S> {
    fn ask(&self, new: NewApproval) -> Result<Asked, ApprovalStoreError> {
        println!("may the model call {} with {}?", new.request.tool, new.preview);
        self.0.ask(new)
    }

    fn load(&self, id: &ApprovalId) -> Result<Option<ApprovalEntry>, ApprovalStoreError> {
        self.0.load(id)
    }

    fn replace(&self, entry: ApprovalEntry, expected: u64) -> Result<bool, ApprovalStoreError> {
        self.0.replace(entry, expected)
    }

    fn find(&self, query: &ApprovalQuery<'_>) -> Result<Vec<Approval>, ApprovalStoreError> {
        self.0.find(query)
    }

    fn list(
        &self,
        after: Option<&ApprovalId>,
        limit: NonZeroUsize,
    ) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.0.list(after, limit)
    }

    fn remove_finished(&self, before: Timestamp) -> Result<Vec<ApprovalEntry>, ApprovalStoreError> {
        self.0.remove_finished(before)
    }
}

fn main() -> Result<(), Error> {
    let runtime = kitchen().approvals(Arc::new(Chat(MemoryApprovals::default()))).build()?;
    let session = runtime.open_session()?;
    let order = ToolCall::new("order_flour", json!({ "kilograms": 5 }));
    let answer = runtime.guard(&session, &order, || ToolResult::text("ordered"))?;
    println!("{}", answer.result.texts().collect::<String>());
    Ok(())
}

#[cfg(test)]
mod tests;
