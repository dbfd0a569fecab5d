//! Several reasons in one sentence.

/// The reasons that there are, one after the other.
pub(crate) fn joined(reasons: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    reasons.into_iter().flatten().reduce(|reasons, reason| reasons + "; " + &reason)
}
