//! Every code that reading a `SKILL.md` can give.

use crate::Code;

/// The file does not begin with a `---` line.
pub const FRONTMATTER_MISSING: Code = Code::new("frontmatter-missing");
