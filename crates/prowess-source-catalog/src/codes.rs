//! The codes of catalog files. The page of codes lists them.

prowess_core::declare_codes! {
    /// Warning: the newest catalog cannot be used, so the last good one is.
    CATALOG_STALE = "catalog-stale";
    /// Error: the newest catalog is not signed by a key that the host trusts, so it is not used.
    CATALOG_UNSIGNED = "catalog-unsigned";
    /// Error: a part of the catalog file is not what its digest says.
    CATALOG_DAMAGED = "catalog-damaged";
}
