//! Refusals for errors of the seams.

use prowess_core::{
    Code, PathError, ProposalError, ScriptError, SessionError, ShellError, SkillError,
};

use crate::codes;
use crate::gate::Refusal;

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        let refusal = Self::new(Code::new(error.code()), error.to_string());
        match error {
            SessionError::AlreadyActive(skill) => {
                let reason = refusal.message.clone();
                refusal.with_error(SkillError::Activation { skill, reason })
            }
            _ => refusal,
        }
    }
}

impl From<PathError> for Refusal {
    fn from(error: PathError) -> Self {
        let code = match error {
            PathError::Escape(_) => prowess_core::codes::PATH_ESCAPE,
            PathError::NotAFile(_) => prowess_core::codes::NOT_A_FILE,
            _ => codes::INVALID_PATH,
        };
        Self::new(code, error.to_string())
    }
}

impl From<ScriptError> for Refusal {
    fn from(error: ScriptError) -> Self {
        Self::new(error.code, error.message)
    }
}

impl From<ShellError> for Refusal {
    fn from(error: ShellError) -> Self {
        Self::new(error.code, error.message)
    }
}

impl From<ProposalError> for Refusal {
    fn from(error: ProposalError) -> Self {
        Self::new(error.code, error.message)
    }
}

/// The arguments match the schema but not the operation.
impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self::new(codes::INVALID_ARGUMENTS, error.to_string())
    }
}
