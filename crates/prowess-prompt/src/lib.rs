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
//!     baseline: None,
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
//! skill changes only the end of the text. With a [`CatalogBaseline`], the calls of a conversation
//! repeat the catalog's first text, and a notice at the end lists what has changed since.
//! The text of a skill that is withheld since is not repeated.
//!
//! Over the budget, descriptions are shortened first, then skills are left out by the overflow
//! policy, and the text and the ledger say so. A ranking for a message and counts of uses come as
//! orders of ids.
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
mod baseline;
mod blocks;
mod budget;
mod catalog;
mod changes;
mod compose;
mod composer;
mod difference;
mod entries;
mod entry_lines;
#[cfg(feature = "exact-tokens")]
mod exact;
mod fit;
mod ids;
mod input;
mod ledger;
mod levels;
mod messages;
mod policy;
mod prefix;
mod prompt;
mod role;
mod room;
mod segments;
mod skills_prompt;
mod tool_description;

pub use active::changed_skills;
pub use agent::{AgentParts, agent_instructions, body_again, compaction_notice};
pub use baseline::CatalogBaseline;
pub use blocks::{Block, BlockPolicy, ModelFamily, resolve_path};
pub use catalog::{
    CatalogFormat, SkillEntry, available_skills, reference_available_skills, skill_element,
};
pub use changes::{Change, ChangeKind, Changes};
pub use compose::compose;
pub use composer::{Composer, ComposerInput};
#[cfg(feature = "exact-tokens")]
pub use exact::{ExactTokens, Vocabulary};
pub use ids::SkillIds;
pub use input::PromptInput;
pub use ledger::{Ledger, LedgerEntry, Part};
pub use levels::{ResourceUse, SkillLevels, UsedResource, level_of};
pub use messages::{MessagesInput, compose_messages};
pub use policy::{CatalogEvery, CatalogPlace, DescribedSkills, Overflow, PromptPolicy};
pub use prefix::{CommonPrefix, common_prefix};
pub use prompt::{CatalogNotice, ContextBlock, Prompt, compose_context};
pub use prowess_core;
pub use role::Role;
pub use segments::Segment;
pub use skills_prompt::{Activity, SkillFilter, SkillsPromptInput, skills_prompt};
pub use tool_description::{tool_description, unlisted_description};
