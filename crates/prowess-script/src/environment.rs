//! The environment of a script.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use prowess_core::ScriptError;
use prowess_text::quoted;

use crate::codes;
use crate::secrets::Secrets;

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

/// The variables that name a proxy, for the programs that read one of them or the other.
const PROXY: [&str; 6] =
    ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "http_proxy", "https_proxy"];
/// Makes Node read them.
const NODE_PROXY: &str = "NODE_USE_ENV_PROXY";

/// The sources of an environment.
pub(crate) struct Parts<'a> {
    pub(crate) search_path: &'a [PathBuf],
    pub(crate) scratch: &'a Path,
    pub(crate) of_host: &'a BTreeMap<String, String>,
    pub(crate) of_call: &'a BTreeMap<String, String>,
    pub(crate) secrets: &'a Secrets,
    pub(crate) proxy_port: Option<u16>,
}

/// Returns the environment: the fixed variables, those of the host and those of the call, and what
/// neither can change: the proxy and the secrets.
pub(crate) fn variables(parts: &Parts<'_>) -> Result<Vec<(OsString, OsString)>, ScriptError> {
    let Parts { search_path, scratch, of_host, of_call, secrets, proxy_port } = *parts;
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
    if let Some(port) = proxy_port {
        let proxy = OsString::from(format!("http://127.0.0.1:{port}"));
        variables.extend(PROXY.map(|name| (name.into(), proxy.clone())));
        variables.insert(NODE_PROXY.into(), "1".into());
    }
    let secrets = secrets.variables.iter();
    variables.extend(secrets.map(|(name, value)| (name.into(), value.expose().into())));
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
