//! The next step of a call that a person has to approve.

use prowess::ApprovalId;

/// Returns the next step of the person who decides on a pending approval, for the user of the
/// client.
pub type ApprovalHint = fn(&ApprovalId) -> String;

/// Refers to the program that runs the server.
pub(crate) fn decide_in_the_host(approval: &ApprovalId) -> String {
    format!("The user decides on approval `{approval}` in the program that runs this server.")
}
