//! Joins several reasons.

/// Joins the reasons that are `Some`.
pub(crate) fn joined(reasons: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    reasons.into_iter().flatten().reduce(|reasons, reason| reasons + "; " + &reason)
}
