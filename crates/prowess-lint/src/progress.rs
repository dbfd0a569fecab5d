//! Who is told how far a check is.

/// Told how far a check is.
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

/// Nobody is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn started(&self, _packages: usize) {}

    fn checked(&self) {}
}
