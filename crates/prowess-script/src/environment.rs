//! The environment of a script.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use prowess_core::ScriptError;
use prowess_text::quoted;

use crate::codes;

/// Variables by which a program loads code, or finds other programs.
const REFUSED: [&str; 26] = [
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "ENV",
    "GCONV_PATH",
    "GLOBIGNORE",
    "HOME",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "LOCPATH",
    "NLSPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PROMPT_COMMAND",
    "PS4",
    "RUBYLIB",
    "RUBYOPT",
    "SHELL",
    "SHELLOPTS",
    "TMPDIR",
    "_JAVA_OPTIONS",
];
/// Beginnings of such variables: of the dynamic loader, of Python, and of functions of `bash`.
const REFUSED_PREFIXES: [&str; 4] = ["LD_", "DYLD_", "PYTHON", "BASH_FUNC_"];

/// Returns the environment: the fixed variables, those of the host and those of the call.
pub(crate) fn variables(
    search_path: &[PathBuf],
    scratch: &Path,
    of_host: &BTreeMap<String, String>,
    of_call: &BTreeMap<String, String>,
) -> Result<Vec<(OsString, OsString)>, ScriptError> {
    if let Some(name) = of_call.iter().find_map(|(name, value)| refused(name, value)) {
        let message = format!(
            "the variable {} cannot be set for a script; pass the value as an argument instead",
            quoted(name)
        );
        return Err(ScriptError::new(codes::ENVIRONMENT_NOT_ALLOWED, message));
    }
    // A directory with a colon in its name cannot be in a `PATH`.
    let path = std::env::join_paths(search_path).unwrap_or_default();
    let mut variables = BTreeMap::from([
        (OsString::from("HOME"), scratch.as_os_str().to_owned()),
        ("LANG".into(), "C.UTF-8".into()),
        ("PATH".into(), path),
        ("TMPDIR".into(), scratch.as_os_str().to_owned()),
    ]);
    let given = of_host.iter().chain(of_call);
    variables.extend(given.map(|(name, value)| (name.into(), value.into())));
    Ok(variables.into_iter().collect())
}

/// Returns the name of a variable that a call may not set.
fn refused<'a>(name: &'a str, value: &str) -> Option<&'a str> {
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_refused = !is_name
        || value.contains('\0')
        || REFUSED.contains(&name)
        || REFUSED_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    is_refused.then_some(name)
}
