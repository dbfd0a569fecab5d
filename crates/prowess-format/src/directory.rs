//! The directory of a package, as far as its `SKILL.md` depends on it.

/// The name of a package's directory, and its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directory<'d> {
    /// The name, which stands in for a missing `name` under the lenient profile.
    pub name: &'d str,
    /// Whether the declared name is compared with it.
    pub is_compared: bool,
}

impl<'d> From<&'d str> for Directory<'d> {
    /// Compares the declared name with it.
    fn from(name: &'d str) -> Self {
        Self { name, is_compared: true }
    }
}
