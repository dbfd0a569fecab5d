//! What a model is told of skills: which there are, and what the loaded ones say.
//!
//! ```
//! use prowess_core::{Catalog, EstimatedTokens};
//! use prowess_prompt::{PromptInput, PromptPolicy, compose};
//!
//! let prompt = compose(&PromptInput {
//!     catalog: &Catalog::empty(),
//!     active: &[],
//!     changed: &[],
//!     policy: &PromptPolicy::default(),
//!     counter: &EstimatedTokens,
//! });
//! assert_eq!(prompt.text, "", "no skills: no catalog and no rule");
//! ```
//!
//! [`compose`] takes values and gives a value, byte-identical for equal input: that is what keeps a
//! vendor's prompt cache warm. The catalog does not depend on what is active, so that loading a skill
//! changes only the text's end.
//!
//! Names, descriptions and bodies were written by strangers. Each reaches the text through one encoder
//! for its place ([`available_skills`] for the catalog, a guard for bodies), so that none can end its
//! block, begin another or hide a word from the person who reads the same text.
//!
//! Nothing here reads a file, a clock or a session: what is active is an argument.
#![forbid(unsafe_code)]

mod active;
mod budget;
mod catalog;
mod compose;
mod escape;
#[cfg(feature = "exact-tokens")]
mod exact;
mod hidden;
mod ledger;
mod policy;
mod reference;

pub use active::changed_skills;
pub use catalog::{SkillEntry, available_skills};
pub use compose::{Prompt, PromptInput, compose};
#[cfg(feature = "exact-tokens")]
pub use exact::{ExactTokens, Vocabulary};
pub use ledger::{Change, ChangeKind, Ledger, LedgerEntry, Part};
pub use policy::{CatalogFormat, CatalogPlace, PromptPolicy, ShowLocation};
pub use reference::reference_available_skills;
