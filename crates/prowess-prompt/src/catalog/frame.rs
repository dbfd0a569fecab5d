//! The text around the entries of a catalog.

/// The fixed texts of a format.
pub(crate) struct Frame {
    /// Before the first entry.
    pub(crate) opening: &'static str,
    /// Behind the last entry.
    pub(crate) closing: &'static str,
    /// Instead of all, if there is no entry.
    pub(crate) empty: &'static str,
}
