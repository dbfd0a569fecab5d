//! The environment of a script.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use prowess_core::ScriptError;
use prowess_text::quoted;

use crate::codes;
use crate::secrets::Secrets;

/// Variables by which a program loads code, finds other programs, or runs one.
const REFUSED: [&str; 43] = [
    "BASHOPTS", "BASH_ENV", "BROWSER", "CDPATH", "CLASSPATH", "EDITOR", "ENV", "GCONV_PATH",
    "GLOBIGNORE", "HOME", "IFS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "LESSCLOSE", "LESSOPEN",
    "LOCPATH", "LUA_CPATH", "LUA_INIT", "LUA_PATH", "MANPAGER", "NLSPATH", "NODE_OPTIONS",
    "NODE_PATH", "PAGER", "PATH", "PERL5DB", "PERL5LIB", "PERL5OPT", "PERLLIB", "PHPRC",
    "PHP_INI_SCAN_DIR", "PROMPT_COMMAND", "PS4", "RUBYLIB", "RUBYOPT", "SHELL", "SHELLOPTS",
    "SSH_ASKPASS", "SUDO_ASKPASS", "TMPDIR", "VISUAL", "ZDOTDIR", "_JAVA_OPTIONS",
];
/// Beginnings of such variables: of the dynamic loader, of Python, of functions of `bash`, of git
/// and of OpenSSL.
const REFUSED_PREFIXES: [&str; 6] = ["LD_", "DYLD_", "PYTHON", "BASH_FUNC_", "GIT_", "OPENSSL_"];

/// The variables that name a proxy, for the programs that read one of them or the other.
const PROXY: [&str; 6] =
    ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "http_proxy", "https_proxy"];
/// Makes Node read them.
const NODE_PROXY: &str = "NODE_USE_ENV_PROXY";

/// The maximum length of an argument, or of a variable with its value: the kernel starts no process
/// with a longer one, whose end it marks with a byte more.
pub(crate) const MOST_WORD_BYTES: usize = 128 * 1024 - 1;

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
    if let Some(name) = of_call.iter().find_map(|(name, value)| too_long(name, value)) {
        let message = format!(
            "the value of {} is longer than {MOST_WORD_BYTES} bytes; pass it in a file instead",
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

/// Returns the name of a variable that no process can have.
fn too_long<'a>(name: &'a str, value: &str) -> Option<&'a str> {
    // The kernel gets `NAME=VALUE`.
    (name.len() + 1 + value.len() > MOST_WORD_BYTES).then_some(name)
}
