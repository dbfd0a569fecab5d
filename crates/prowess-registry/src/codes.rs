//! Every code that building a catalog can give.

use prowess_core::Code;

/// Another skill with the same id is used instead.
pub const SKILL_SHADOWED: Code = Code::new("skill-shadowed");

/// Hint: the same file stands in two places under one id, and one of them is used.
pub const SKILL_COPY: Code = Code::new("skill-copy");

/// Hint: another skill has the id, and this one is offered under another.
pub const SKILL_RENAMED: Code = Code::new("skill-renamed");

/// Error: several skills have one id, and by the policy none of them is used.
pub const SKILL_COLLISION: Code = Code::new("skill-collision");

/// Warning: a skill's `allowed-tools` names a tool that the host does not offer.
pub const TOOL_MISSING: Code = Code::new("tool-missing");

/// Warning: an alias is the id of a skill, which it then means.
pub const ALIAS_TAKEN: Code = Code::new("alias-taken");

/// Warning: an alias stands for no skill that is there.
pub const ALIAS_UNKNOWN: Code = Code::new("alias-unknown");

/// Warning: two sources have one root, so that each of its skills is found twice.
pub const ROOT_SHARED: Code = Code::new("root-shared");

/// Warning: a source is in a layer that is not among those of the configuration.
pub const LAYER_UNKNOWN: Code = Code::new("layer-unknown");

/// Warning: a source that is to go by one name has not just one skill.
pub const NAME_UNUSED: Code = Code::new("name-unused");

/// As severe as the policy says, and silent unless it says so: a `SKILL.md` is so large that its body costs more tokens
/// than the limit, by an estimate of its size.
pub const BODY_TOKENS_SOFT_LIMIT: Code = Code::new("body-tokens-soft-limit");

/// A source could not be scanned; its last good scan stays in use.
pub const SOURCE_FAILED: Code = Code::new("source-failed");

/// A source reported a package by a path that is not in normal form.
pub const PACKAGE_PATH_INVALID: Code = Code::new("package-path-invalid");

/// Warning: a `SKILL.md` can no longer be used, and its last good version stays in use.
pub const SKILL_KEPT: Code = Code::new("skill-kept");

/// Warning: a source cannot be watched, or no more; it is polled instead.
pub const SOURCE_NOT_WATCHED: Code = Code::new("source-not-watched");
