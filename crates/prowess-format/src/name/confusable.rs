//! Names that look alike.

use unicode_security::skeleton;

use super::normalized;

/// Whether a reader may take one name for the other: they differ, and look the same.
///
/// By the skeletons of Unicode's UTS #39, after NFKC and in lower case; `_` counts as `-`.
///
/// ```
/// use prowess_format::are_confusable;
///
/// assert!(are_confusable("p\u{430}yment", "payment"));
/// assert!(!are_confusable("payment", "payment"));
/// ```
pub fn are_confusable(one: &str, other: &str) -> bool {
    normalized(one) != normalized(other) && name_skeleton(one) == name_skeleton(other)
}

/// Returns the skeleton of a name: names with equal skeletons look alike. A caller with many names
/// can use it as the key of a map.
pub fn name_skeleton(name: &str) -> String {
    let lower = normalized(name).to_lowercase().replace('_', "-");
    skeleton(lower.trim()).collect()
}
