//! What reading a `SKILL.md` gives, feature by feature.

mod agent;
mod allowed_tools;
mod attacks;
mod bounds;
mod conditions;
mod diagnostics;
mod documents;
mod extensions;
mod fences;
mod fields;
mod index;
mod names;
mod oracle;
mod predicates;
mod properties;
mod repairs;
mod rule_positions;
mod schema;
mod substitute;
mod summaries;
mod support;
mod vectors;
mod write;
