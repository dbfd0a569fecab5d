//! The saved form of a sandbox: a line with the version, a line with the removed files of skills
//! as JSON, and the state of the interpreter.

use prowess_core::ShellError;

use crate::codes;

const HEADER: &[u8] = b"prowess-shell 1\n";

pub(crate) fn encode(removed: &[String], state: &[u8]) -> Vec<u8> {
    let mut bytes = HEADER.to_vec();
    bytes.extend(serde_json::to_vec(removed).unwrap_or_default());
    bytes.push(b'\n');
    bytes.extend(state);
    bytes
}

/// Returns the removed paths and the state.
pub(crate) fn decode(bytes: &[u8]) -> Result<(Vec<String>, &[u8]), ShellError> {
    let rest = bytes.strip_prefix(HEADER).ok_or_else(|| invalid("it is of another version"))?;
    let end = rest.iter().position(|byte| *byte == b'\n');
    let (removed, state) = rest.split_at(end.ok_or_else(|| invalid("it is cut off"))?);
    let removed = serde_json::from_slice(removed).map_err(|error| invalid(&error.to_string()))?;
    Ok((removed, &state[1..]))
}

pub(crate) fn invalid(reason: &str) -> ShellError {
    let message = format!("the snapshot of a sandbox is not usable: {reason}; begin a new sandbox");
    ShellError::new(codes::SNAPSHOT_INVALID, message)
}
