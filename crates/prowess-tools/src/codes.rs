//! The codes that results carry, beside those of sources and sessions.

use prowess_core::Code;

/// No tool has this name.
pub const UNKNOWN_TOOL: Code = Code::new("unknown-tool");
/// The arguments do not fit.
pub const INVALID_ARGUMENTS: Code = Code::new("invalid-arguments");
/// The tool broke down. The host lives.
pub const TOOL_FAILED: Code = Code::new("tool-failed");
/// The gate broke down, so the call was not run.
pub const GATE_FAILED: Code = Code::new("gate-failed");
/// The host no longer wants the answer.
pub const CANCELLED: Code = Code::new("cancelled");
/// No skill has this name.
pub const SKILL_NOT_FOUND: Code = Code::new("skill-not-found");
/// The skill is not for who asks for it, or not now.
pub const SKILL_HIDDEN: Code = Code::new("skill-hidden");
/// The skill needs something that is not there.
pub const SKILL_NOT_READY: Code = Code::new("skill-not-ready");
/// The skill must be loaded first.
pub const SKILL_NOT_ACTIVE: Code = Code::new("skill-not-active");
/// The skill is no longer what the catalog or the session knows.
pub const SKILL_CHANGED: Code = Code::new("skill-changed");
/// The skill's `SKILL.md` can no longer be used.
pub const SKILL_INVALID: Code = Code::new("skill-invalid");
/// One call names more skills than it may.
pub const TOO_MANY_SKILLS: Code = Code::new("too-many-skills");
/// The path is none.
pub const INVALID_PATH: Code = Code::new("invalid-path");
/// The policy keeps this part of a package from being read.
pub const PATH_NOT_ALLOWED: Code = Code::new("path-not-allowed");
