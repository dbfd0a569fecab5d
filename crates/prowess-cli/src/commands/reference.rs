//! What the reference tool `skills-ref` prints, letter for letter.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn validate(paths: &[PathBuf], output: &Output) -> Result<ExitCode, Failure> {
    let _ = (paths, output);
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn read_properties(path: &Path, output: &Output) -> Result<ExitCode, Failure> {
    let _ = (path, output);
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn to_prompt(paths: &[PathBuf], output: &Output) -> Result<ExitCode, Failure> {
    let _ = (paths, output);
    Ok(ExitCode::SUCCESS)
}
