//! The methods that a source has from another one that it wraps.

/// Implements the named methods of [`SkillSource`](crate::SkillSource) by those of the source that
/// is `self.` with the tokens in brackets, in an `impl` or a trait:
///
/// ```text
/// prowess_core::forward_source! { [source] name root watch }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! forward_source {
    (@name $source:tt) => { $crate::forward_source! { @as $source name() -> &str } };
    (@root $source:tt) => { $crate::forward_source! { @as $source root() -> &str } };
    (@cache_key $source:tt) => {
        $crate::forward_source! { @as $source cache_key() -> Option<String> }
    };
    (@patience $source:tt) => {
        $crate::forward_source! { @as $source patience() -> Option<std::time::Duration> }
    };
    (@identity $source:tt) => {
        $crate::forward_source! {
            @as $source identity(package: &$crate::PackagePath) -> Option<String>
        }
    };
    (@places $source:tt) => {
        $crate::forward_source! { @as $source places(directory: &str) -> bool }
    };
    (@altered $source:tt) => {
        $crate::forward_source! {
            @as $source altered(id: &str, directory: &str) -> Option<String>
        }
    };
    (@scan $source:tt) => {
        $crate::forward_source! {
            @as $source scan(
                previous: &$crate::PreviousScan<'_>,
                sink: &mut dyn $crate::ScanSink,
                cancel: &$crate::Cancel
            ) -> Result<$crate::ScanSummary, $crate::SourceError>
        }
    };
    (@watch $source:tt) => {
        $crate::forward_source! {
            @as $source watch(listener: $crate::ChangeListener)
                -> Result<Option<$crate::Watch>, $crate::SourceError>
        }
    };
    (@list $source:tt) => {
        $crate::forward_source! {
            @as $source list(package: &$crate::PackagePath, most: usize)
                -> Result<$crate::Listing, $crate::SourceError>
        }
    };
    (@read $source:tt) => {
        $crate::forward_source! {
            @as $source read(
                package: &$crate::PackagePath,
                resource: &$crate::ResourcePath,
                limit: $crate::ReadLimit
            ) -> Result<Vec<u8>, $crate::SourceError>
        }
    };
    (@package_contents $source:tt) => {
        $crate::forward_source! {
            @as $source package_contents(package: &$crate::PackagePath, cancel: &$crate::Cancel)
                -> Result<$crate::PackageDigest, $crate::SourceError>
        }
    };
    (@as [$($source:tt)+] $method:ident($($name:ident: $kind:ty),*) -> $answer:ty) => {
        /// As the wrapped source.
        fn $method(&self, $($name: $kind),*) -> $answer {
            self.$($source)+.$method($($name),*)
        }
    };
    ($source:tt $($method:ident)+) => { $($crate::forward_source! { @$method $source })+ };
}
