//! One declaration for each code, so that no list leaves one out.

use crate::{Code, Severity};

/// A code, its meaning and its severities.
#[derive(Clone, Debug)]
pub struct CodeEntry {
    /// The code.
    pub code: Code,
    /// The meaning, in a sentence.
    pub meaning: &'static str,
    /// The severity under each of the profiles that are written out, in the order of
    /// [`Profile::ALL`](crate::Profile::ALL), where an inner `None` means that the profile does not
    /// report the code. `None` if no profile applies: then the severity is a part of the meaning.
    /// [`Profile::severity_of`](crate::Profile::severity_of) returns that of every profile.
    pub severities: Option<[Option<Severity>; 5]>,
}

/// Declares codes as constants, and `ALL` with an entry for each.
///
/// One line declares a code, its meaning and, if the list begins with the names of the profiles,
/// its severity under each of them: `error`, `warn`, `hint` or `none`.
///
/// ```
/// prowess_format::declare_codes! {
///     /// Warning: the disk is nearly full.
///     DISK_NEARLY_FULL = "disk-nearly-full";
/// }
/// assert_eq!(ALL[0].code, DISK_NEARLY_FULL);
/// assert_eq!(ALL[0].meaning, "Warning: the disk is nearly full.");
/// ```
#[macro_export]
macro_rules! declare_codes {
    (
        [lenient extended spec strict skills_ref]
        $($(#[doc = $doc:literal])+ $name:ident = $text:literal
            [$lenient:ident $extended:ident $spec:ident $strict:ident $skills_ref:ident];)*
    ) => {
        $crate::declare_codes! { @declare $($(#[doc = $doc])+ $name = $text (Some([
            $crate::severity_of!($lenient),
            $crate::severity_of!($extended),
            $crate::severity_of!($spec),
            $crate::severity_of!($strict),
            $crate::severity_of!($skills_ref),
        ]));)* }
    };
    (@declare $($(#[doc = $doc:literal])+ $name:ident = $text:literal ($severities:expr);)*) => {
        $($(#[doc = $doc])+ pub const $name: $crate::Code = $crate::Code::new($text);)*

        /// Every code of this module.
        pub const ALL: &[$crate::CodeEntry] = &[$($crate::CodeEntry {
            code: $name,
            meaning: concat!($($doc),+).trim_ascii(),
            severities: $severities,
        }),*];
    };
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal;)*) => {
        $crate::declare_codes! { @declare $($(#[doc = $doc])+ $name = $text (None);)* }
    };
}

/// The severity that a word of [`declare_codes`] names.
#[doc(hidden)]
#[macro_export]
macro_rules! severity_of {
    (error) => {
        Some($crate::Severity::Error)
    };
    (warn) => {
        Some($crate::Severity::Warning)
    };
    (hint) => {
        Some($crate::Severity::Hint)
    };
    (none) => {
        None
    };
}
