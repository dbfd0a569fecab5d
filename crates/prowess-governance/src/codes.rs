//! The codes of proposals that are not kept. The page of codes lists them.

prowess_core::declare_codes! {
    /// A part of the proposal is longer than the limit.
    PROPOSAL_TOO_LONG = "proposal-too-long";
    /// The maximum number of proposals is waiting for review.
    PROPOSALS_FULL = "proposals-full";
    /// The file of the proposal could not be written.
    PROPOSAL_NOT_WRITTEN = "proposal-not-written";
    /// The diff cannot be read, leaves the skill, or makes the skill invalid.
    PROPOSAL_INVALID = "proposal-invalid";
    /// The files of the skill are not those that the proposal was made for.
    PROPOSAL_CONFLICT = "proposal-conflict";
}
