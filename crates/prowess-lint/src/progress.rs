//! Progress of a check.

/// Receives the progress of a check.
///
/// # Behavior
///
/// - `started` is called once, before any `checked`.
/// - `checked` is called once for each package, from any thread, in any order.
pub trait Progress: Sync {
    /// The tree has this many packages.
    fn started(&self, packages: usize);

    /// One more package has been checked.
    fn checked(&self);
}

/// Ignores the progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn started(&self, _packages: usize) {}

    fn checked(&self) {}
}
