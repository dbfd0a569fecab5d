//! Packages of other people, installed below `target` by their registries' own clients.

pub(crate) mod node;
pub(crate) mod python;
