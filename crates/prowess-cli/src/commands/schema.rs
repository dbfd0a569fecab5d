//! `prowess schema`: the frontmatter of a profile as a JSON Schema.

use std::process::ExitCode;

use prowess::format::{Profile, schema};

use crate::failure::Failure;
use crate::output::Output;

/// Prints the schema, which is JSON in either format.
pub(crate) fn run(profile: Profile, output: &Output) -> Result<ExitCode, Failure> {
    output.json(&schema::frontmatter(profile))?;
    Ok(ExitCode::SUCCESS)
}
