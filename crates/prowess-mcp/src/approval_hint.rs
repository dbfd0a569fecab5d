//! The next step of a call that a person has to approve.

use prowess::ApprovalId;

/// Returns the next step of the person who decides on a pending approval, for the user of the
/// client.
pub type ApprovalHint = fn(&ApprovalId) -> String;

/// Where calls that need an approval are approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalChannel {
    /// By the user of the client, if the client shows questions, and by the host. The default.
    #[default]
    Client,
    /// By the host alone, with its own programs. For servers whose clients belong to others.
    Host,
}

/// Refers to the program that runs the server.
pub(crate) fn decide_in_the_host(approval: &ApprovalId) -> String {
    format!("The user decides on approval `{approval}` in the program that runs this server.")
}
