//! OCI registries.

mod challenge;
mod manifest;
pub(crate) mod publish;
pub(crate) mod reference;
pub(crate) mod referrers;
mod registries;
pub(crate) mod remote;
mod signatures;
