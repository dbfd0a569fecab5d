//! One declaration for each of several kinds, so that no list leaves one out.

/// Declares an enum of kinds, each with its code or name, and what all such enums have: `ALL`,
/// `as_str` and `from_code`.
///
/// ```
/// prowess_text::declare_kinds! {
///     /// The kinds of errors of a disk.
///     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
///     pub enum DiskErrorKind {
///         /// The disk is full.
///         Full = "disk-full",
///         /// The disk is read-only.
///         ReadOnly = "disk-read-only",
///     }
/// }
/// assert_eq!(DiskErrorKind::ALL.map(DiskErrorKind::as_str), ["disk-full", "disk-read-only"]);
/// assert_eq!(DiskErrorKind::from_code("disk-full"), Some(DiskErrorKind::Full));
/// ```
#[macro_export]
macro_rules! declare_kinds {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$documentation:meta])+ $kind:ident = $code:literal,)+
        }
    ) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$documentation])+ $kind,)+
        }

        impl $name {
            /// Every kind.
            pub const ALL: [Self; [$($code),+].len()] = [$(Self::$kind),+];

            /// Returns the code or name of this kind.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)+
                }
            }

            /// Returns the kind with this code or name.
            pub fn from_code(code: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|kind| kind.as_str() == code)
            }
        }
    };
}
