//! Files of the user with the passwords of hosts, as other clients read them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fluent_uri::Uri;

/// The entries of a `.netrc` file.
#[derive(Clone, Default)]
pub struct Netrc {
    entries: Vec<Entry>,
}

#[derive(Clone, Default)]
struct Entry {
    /// `None` for the entry of all other hosts, which is not used here.
    host: Option<String>,
    login: String,
    password: String,
}

/// Shows nothing.
impl fmt::Debug for Netrc {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Netrc").finish_non_exhaustive()
    }
}

impl Netrc {
    /// Reads a file. What is not understood is passed over, as other clients do.
    pub fn parse(text: &str) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let line = line.split_once('#').map_or(line, |(before, comment)| {
                let is_comment = before.is_empty() || before.ends_with(char::is_whitespace);
                if is_comment && !comment.is_empty() { before } else { line }
            });
            let mut words = line.split_whitespace();
            while let Some(word) = words.next() {
                match word {
                    "machine" => entries
                        .push(Entry { host: words.next().map(str::to_owned), ..Entry::default() }),
                    "default" => entries.push(Entry::default()),
                    "macdef" => {
                        // A macro ends with an empty line.
                        lines.by_ref().take_while(|line| !line.trim().is_empty()).for_each(drop);
                        break;
                    }
                    _ => set(entries.last_mut(), word, words.next().unwrap_or_default()),
                }
            }
        }
        Self { entries }
    }

    /// Returns the value of `Authorization` for an origin such as `https://example.com`. An entry
    /// for every host is not used: it would send its password to any site.
    pub fn authorization(&self, origin: &str) -> Option<String> {
        let uri = Uri::parse(origin).ok()?;
        let host = uri.authority()?.host();
        let mut entries = self.entries.iter();
        let entry = entries
            .find(|entry| entry.host.as_ref().is_some_and(|it| it.eq_ignore_ascii_case(host)))?;
        Some(basic(&entry.login, &entry.password))
    }
}

fn set(entry: Option<&mut Entry>, key: &str, value: &str) {
    let Some(entry) = entry else { return };
    match key {
        "login" => value.clone_into(&mut entry.login),
        "password" => value.clone_into(&mut entry.password),
        _ => {}
    }
}

/// Returns the value of `Authorization` for a user with a password.
pub fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

#[cfg(test)]
mod tests {
    use super::{Netrc, basic};

    #[test]
    fn passwords_belong_to_their_host() {
        let text = "# comment\nmachine example.com login u password p#1 # mine\n\
            machine other.example\n  login v\n  password w\n\
            macdef init\nmachine evil.example login x password y\n\n\
            machine last.example password z\ndefault login any password secret\n";
        let netrc = Netrc::parse(text);
        for (origin, expected) in [
            ("https://example.com", Some(basic("u", "p#1"))),
            ("https://EXAMPLE.com:8443", Some(basic("u", "p#1"))),
            ("https://other.example", Some(basic("v", "w"))),
            ("https://last.example", Some(basic("", "z"))),
            ("https://evil.example", None),
            ("https://sub.example.com", None),
            ("https://unknown.example", None),
            ("example.com", None),
        ] {
            assert_eq!(netrc.authorization(origin), expected, "{origin}");
        }
        assert_eq!(basic("u", "s3cr3t"), "Basic dTpzM2NyM3Q=");
        assert!(!format!("{netrc:?}").contains("secret"));
    }

    #[test]
    fn broken_files_have_no_entries() {
        for text in ["", "machine", "login a", "machine a.example login", "macdef x", "default"] {
            let found = Netrc::parse(text).authorization("https://b.example");
            assert_eq!(found, None, "{text}");
        }
    }
}
