//! The user's credentials for servers, from the environment, `.netrc` and a command.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use prowess_source_remote::{Credentials, Netrc, basic};

use crate::named_file;

/// A command that speaks the protocol of git's credential helpers, such as `git credential fill`.
const HELPER: &str = "PROWESS_CREDENTIAL_HELPER";

/// The start of the variables with a token for a host.
const TOKEN: &str = "PROWESS_TOKEN_";

/// Returns the credentials for each origin: the variable of its host, its entry of `.netrc`, or the
/// answer of the command, which is started once for each origin.
pub(crate) fn credentials() -> Credentials {
    let netrc = netrc();
    let answers = Mutex::new(BTreeMap::new());
    Arc::new(move |origin| {
        token(origin).or_else(|| netrc.authorization(origin)).or_else(|| {
            let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.entry(origin.to_owned()).or_insert_with(|| helped(origin)).clone()
        })
    })
}

/// Returns the token of the variable for a host: upper case, `.` as `_`, and other characters as
/// two of them, so that no two hosts share a variable.
fn token(origin: &str) -> Option<String> {
    let token = std::env::var(variable(origin)?).ok()?;
    Some(format!("Bearer {token}"))
}

fn variable(origin: &str) -> Option<String> {
    let (_, host) = origin.split_once("://")?;
    Some(format!("{TOKEN}{}", host.chars().map(variable_part).collect::<String>()))
}

fn variable_part(c: char) -> String {
    match c {
        '.' => "_".to_owned(),
        c if c.is_ascii_alphanumeric() => c.to_ascii_uppercase().to_string(),
        _ => "__".to_owned(),
    }
}

fn netrc() -> Netrc {
    let named = std::env::var_os("NETRC").map(std::path::PathBuf::from);
    let file = named.or_else(|| Some(std::env::home_dir()?.join(".netrc")));
    let text = file.and_then(|file| named_file::text(&file).ok());
    Netrc::parse(&text.unwrap_or_default())
}

fn helped(origin: &str) -> Option<String> {
    let command = std::env::var(HELPER).ok()?;
    let mut words = command.split_whitespace();
    let mut command = Command::new(words.next()?);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
    // A helper that would ask on the terminal fails instead.
    command.env("GIT_TERMINAL_PROMPT", "0");
    let mut child = command.spawn().ok()?;
    let (protocol, host) = origin.split_once("://")?;
    let written =
        child.stdin.take()?.write_all(format!("protocol={protocol}\nhost={host}\n\n").as_bytes());
    let output = child.wait_with_output().ok()?;
    if written.is_err() || !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    Some(basic(value("username").unwrap_or_default(), value("password")?))
}

#[cfg(test)]
mod tests {
    use super::variable;

    #[test]
    fn each_host_has_its_own_variable() {
        let name = |origin| variable(origin).unwrap_or_default();
        assert_eq!(name("https://skills.example.com"), "PROWESS_TOKEN_SKILLS_EXAMPLE_COM");
        assert_eq!(name("https://skills-example.com"), "PROWESS_TOKEN_SKILLS__EXAMPLE_COM");
        assert_eq!(name("http://127.0.0.1:80"), "PROWESS_TOKEN_127_0_0_1__80");
        assert_eq!(name("example.com"), "");
    }
}
