//! From the words of a model or a user to records of the catalog, and to skills that can be active.

mod commands;
pub(crate) mod known_skills;
pub(crate) mod listed_ids;
pub(crate) mod newer;
pub(crate) mod package;
pub(crate) mod reference;
pub(crate) mod required;
pub(crate) mod script_reads;
pub(crate) mod user;
pub(crate) mod word_filter;
