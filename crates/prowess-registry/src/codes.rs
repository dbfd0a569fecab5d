//! Every code that building a catalog can give.

use prowess_core::Code;

/// Another skill with the same id is used instead.
pub const SKILL_SHADOWED: Code = Code::new("skill-shadowed");

/// A source could not be scanned; its last good scan stays in use.
pub const SOURCE_FAILED: Code = Code::new("source-failed");

/// A source reported a package by a path that is not in normal form.
pub const PACKAGE_PATH_INVALID: Code = Code::new("package-path-invalid");
