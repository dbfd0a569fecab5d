//! Says what is wrong with the fields of a frontmatter, whichever scanner found them.

mod file;
mod foreign;
mod name;
mod text;
mod tools;

use crate::Directory;
use crate::fields::Fields;
use crate::findings::Findings;

/// Checks the frontmatter alone. `opening` is the offset of the opening fence, for findings about
/// missing fields.
pub(crate) fn frontmatter(
    fields: &Fields<'_>,
    opening: usize,
    directory: Option<Directory<'_>>,
    findings: &mut Findings<'_>,
) {
    name::check(fields, opening, directory, findings);
    text::check(fields, opening, findings);
    tools::check(fields, findings);
    foreign::check(fields, findings);
}

pub(crate) use file::{check_file_name, check_file_size};
pub(crate) use name::{check_directory, name_of, stand_in};
pub(crate) use text::{body, plain_kind};
pub(crate) use tools::read as allowed_tools;
