//! Every code that building a catalog can give.

use prowess_core::Code;

/// Another skill with the same id is used instead.
pub const SKILL_SHADOWED: Code = Code::new("skill-shadowed");

/// A source could not be scanned; its last good scan stays in use.
pub const SOURCE_FAILED: Code = Code::new("source-failed");

/// A source reported a package by a path that is not in normal form.
pub const PACKAGE_PATH_INVALID: Code = Code::new("package-path-invalid");

/// Warning: a `SKILL.md` can no longer be used, and its last good version stays in use.
pub const SKILL_KEPT: Code = Code::new("skill-kept");

/// Warning: a source cannot be watched, or no more; it is polled instead.
pub const SOURCE_NOT_WATCHED: Code = Code::new("source-not-watched");
