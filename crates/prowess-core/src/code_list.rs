//! One list of a crate's codes, so that none is left out.

/// Declares the codes of findings, and `ALL`, which has each with what it means.
///
/// ```
/// prowess_core::codes! {
///     /// Warning: the disk is nearly full.
///     DISK_NEARLY_FULL = "disk-nearly-full";
/// }
/// assert_eq!(ALL[0].0.as_str(), "disk-nearly-full");
/// assert_eq!(ALL[0].1.trim(), "Warning: the disk is nearly full.");
/// ```
#[macro_export]
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal;)*) => {
        $($(#[doc = $doc])+ pub const $name: $crate::Code = $crate::Code::new($text);)*

        /// Every code of this module, with what it means.
        pub const ALL: &[($crate::Code, &str)] = &[$(($name, concat!($($doc),+))),*];
    };
}
