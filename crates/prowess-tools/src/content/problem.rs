//! The failure of an operation, before it becomes a result.

use prowess_core::{
    Code, PathError, ProposalError, ScriptError, SessionError, ShellError, SkillError, ToolResult,
};

use prowess_text::clipped;

use crate::codes;
use crate::gate::MAX_MESSAGE_CHARS;
use crate::gate::Refusal;

/// A code, and a message with the next step.
#[derive(Debug)]
pub(crate) struct Problem {
    code: Code,
    message: String,
    error: Option<Box<SkillError>>,
}

impl Problem {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), error: None }
    }

    /// Sets the error for hosts that branch on one type.
    pub(crate) fn with_error(self, error: SkillError) -> Self {
        Self { error: Some(Box::new(error)), ..self }
    }

    /// Replaces the message.
    pub(crate) fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// Returns the code, for programs.
    pub(crate) fn code(&self) -> &Code {
        &self.code
    }

    /// Returns the message with the next step, for the model.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the refusal of a call for this reason.
    pub(crate) fn into_refusal(self) -> Refusal {
        let Self { code, message, error } = self;
        Refusal { code, message, error }
    }

    pub(crate) fn cancelled() -> Self {
        Self::new(codes::CANCELLED, "the turn was cancelled, so nothing was changed")
    }
}

impl From<SessionError> for Problem {
    fn from(error: SessionError) -> Self {
        let problem = Self::new(Code::new(error.code()), error.to_string());
        match error {
            SessionError::AlreadyActive(skill) => {
                let reason = problem.message.clone();
                problem.with_error(SkillError::Activation { skill, reason })
            }
            _ => problem,
        }
    }
}

impl From<PathError> for Problem {
    fn from(error: PathError) -> Self {
        let code = match error {
            PathError::Escape(_) => prowess_core::codes::PATH_ESCAPE,
            PathError::NotAFile(_) => prowess_core::codes::NOT_A_FILE,
            _ => codes::INVALID_PATH,
        };
        Self::new(code, error.to_string())
    }
}

impl From<ScriptError> for Problem {
    fn from(error: ScriptError) -> Self {
        Self::new(error.code, error.message)
    }
}

impl From<ShellError> for Problem {
    fn from(error: ShellError) -> Self {
        Self::new(error.code, error.message)
    }
}

impl From<ProposalError> for Problem {
    fn from(error: ProposalError) -> Self {
        Self::new(error.code, error.message)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let Refusal { code, message, error } = refusal;
        Self { code, message, error }
    }
}

/// The arguments match the schema but not the operation.
impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Self::new(codes::INVALID_ARGUMENTS, error.to_string())
    }
}

impl From<Problem> for ToolResult {
    fn from(problem: Problem) -> Self {
        let result = Self::error(problem.code, clipped(&problem.message, MAX_MESSAGE_CHARS));
        Self { error: problem.error, ..result }
    }
}

/// Returns the result of an operation, successful or not.
pub(crate) fn answer(result: Result<ToolResult, Problem>) -> ToolResult {
    result.unwrap_or_else(Into::into)
}
