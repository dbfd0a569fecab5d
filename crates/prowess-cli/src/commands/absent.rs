//! What commands do in a build without their feature: each says which one it needs.

/// `prompt --vendor`.
#[cfg(not(feature = "vendor"))]
pub(super) mod request {
    use std::process::ExitCode;

    use crate::args::{Global, PromptArgs, Vendor};
    use crate::failure::Failure;
    use crate::features::lacks;
    use crate::output::Output;

    pub(crate) fn run(
        _: &Global,
        _: &PromptArgs,
        _: Vendor,
        _: &Output,
    ) -> Result<ExitCode, Failure> {
        Err(lacks("vendor", "prompt --vendor"))
    }
}

/// `run --shell`.
#[cfg(not(feature = "virtual-shell"))]
pub(super) mod shell {
    use std::process::ExitCode;

    use crate::args::{Global, Run};
    use crate::failure::Failure;
    use crate::features::lacks;
    use crate::output::Output;

    pub(crate) fn run(_: &Global, _: &Run, _: &Output) -> Result<ExitCode, Failure> {
        Err(lacks("virtual-shell", "run --shell"))
    }
}

/// The profile `skills-ref`.
#[cfg(not(feature = "reference"))]
pub(super) mod skills_ref {
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;

    use crate::failure::Failure;
    use crate::features::lacks;
    use crate::output::Output;

    pub(crate) fn validate(_: &[PathBuf], _: &Output) -> Result<ExitCode, Failure> {
        Err(lacks("reference", "--profile skills-ref"))
    }

    pub(crate) fn read_properties(_: &Path, _: &Output) -> Result<ExitCode, Failure> {
        Err(lacks("reference", "--profile skills-ref"))
    }

    pub(crate) fn to_prompt(_: &[PathBuf], _: &Output) -> Result<ExitCode, Failure> {
        Err(lacks("reference", "--profile skills-ref"))
    }
}
