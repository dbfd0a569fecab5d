//! Composes the text about skills for a model: the available ones, and the bodies of the loaded
//! ones.
//!
//! ```
//! use prowess_core::{Boundary, Catalog, DeliveryPolicy, EstimatedTokens};
//! use prowess_prompt::{PromptInput, PromptPolicy, compose};
//!
//! let prompt = compose(&PromptInput {
//!     catalog: &Catalog::empty(),
//!     active: &[],
//!     changed: &[],
//!     preferred: &[],
//!     policy: &PromptPolicy::default(),
//!     delivery: &DeliveryPolicy::default(),
//!     boundary: &Boundary::new("5f3a9c1e77b04d28"),
//!     counter: &EstimatedTokens,
//! });
//! assert_eq!(prompt.text, "", "no skills: no catalog and no rule");
//! ```
//!
//! [`compose`] is a pure function with byte-identical results for equal input, which keeps a
//! vendor's prompt cache warm. The catalog does not depend on the active skills, so that loading a
//! skill changes only the end of the text.
//!
//! Names, descriptions and bodies are untrusted. Each is encoded for its destination by
//! `prowess-text`, and a body is between tags with a boundary that is random for each conversation,
//! so that none can end its block, imitate another one or hide a word from a person reading the
//! same text.
//!
//! Nothing here reads a file, a clock or a session: the active skills are an argument.
#![forbid(unsafe_code)]

mod active;
mod agent;
mod blocks;
mod budget;
mod catalog;
mod changes;
mod compose;
mod composer;
mod context;
mod context_share;
mod entries;
#[cfg(feature = "exact-tokens")]
mod exact;
mod ids;
mod input;
mod ledger;
mod messages;
mod nameable;
mod overflow;
mod policy;
mod role;
mod skills_ref;
mod tool_description;

pub use active::changed_skills;
pub use agent::{AgentParts, agent_instructions, body_again, compaction_notice};
pub use blocks::{Block, BlockPolicy, ModelFamily, resolve_path};
pub use catalog::{CatalogFormat, SkillEntry, available_skills, skill_element};
pub use changes::{Change, ChangeKind, Changes};
pub use compose::{Prompt, compose};
pub use composer::{Composer, ComposerInput};
pub use context::{ContextBlock, compose_context};
pub use context_share::ContextShare;
#[cfg(feature = "exact-tokens")]
pub use exact::{ExactTokens, Vocabulary};
pub use ids::SkillIds;
pub use input::PromptInput;
pub use ledger::{Ledger, LedgerEntry, Part};
pub use messages::{MessagesInput, compose_messages};
pub use overflow::Overflow;
pub use policy::{CatalogPlace, DescribedSkills, PromptPolicy};
pub use role::Role;
pub use skills_ref::reference_available_skills;
pub use tool_description::tool_description;
