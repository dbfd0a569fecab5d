//! The operator's secrets for scripts, from a variable, a file or a command.

use std::process::{Command, Stdio};
use std::sync::Arc;

use prowess::is_secret_name;
use prowess::script::{ReadSecret, SecretSource};
use prowess_audit::Redactor;

use crate::named_file;

/// Returns how secrets are read. A reason names no path of this machine: a model reads it.
pub(crate) fn read_secret() -> ReadSecret {
    Arc::new(|source| match source {
        SecretSource::Variable(name) => {
            std::env::var(name).map_err(|_| format!("the variable `{name}` is not set as a text"))
        }
        SecretSource::File(path) => named_file::text(path)
            .map_err(|_| "its file cannot be read, is too large or is no text".to_owned()),
        SecretSource::Command(words) => printed(words),
        _ => Err("this program cannot read it".to_owned()),
    })
}

/// The length from which on the value of a variable counts as a secret. A shorter one is found in
/// texts by chance.
const SHORTEST_SECRET: usize = 8;

/// Returns a redactor with the secrets of this program's environment: the values of variables such
/// as `API_KEY` and `GITHUB_TOKEN`.
pub(crate) fn redactor() -> Redactor {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let is_secret = is_secret_name(name.to_str()?);
        value.into_string().ok().filter(|value| is_secret && value.len() >= SHORTEST_SECRET)
    });
    Redactor::new(variables)
}

/// Returns what a command prints.
fn printed(words: &[String]) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("its command is empty")?;
    let command = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = command.map_err(|error| format!("its command cannot run: {}", error.kind()))?;
    if !output.status.success() {
        return Err("its command failed".to_owned());
    }
    String::from_utf8(output.stdout).map_err(|_| "its command prints no text".to_owned())
}
