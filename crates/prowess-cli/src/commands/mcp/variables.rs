//! Variables in the entries of clients.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

/// How a client writes variables.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Syntax {
    #[serde(rename = "$NAME")]
    Bare,
    /// With a default behind `:-`, too.
    #[serde(rename = "${NAME}")]
    Braces,
    #[serde(rename = "${env:NAME}")]
    Environment,
    #[serde(rename = "${workspaceFolder}")]
    Folder,
    #[serde(rename = "{env:NAME}")]
    Curly,
}

/// Replaces variables as a client does.
pub(super) struct Variables<'v> {
    pub(super) known: &'v [Syntax],
    /// The folder of the project.
    pub(super) folder: &'v Path,
    pub(super) home: Option<&'v Path>,
    /// The variables that were left as they are written, each with the reason.
    pub(super) left: BTreeSet<String>,
}

impl Variables<'_> {
    pub(super) fn replaced(&mut self, text: &str) -> String {
        let mut replaced = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['$', '{']) {
            replaced.push_str(&rest[..at]);
            rest = &rest[at..];
            let Some((written, syntax, name)) = variable(rest) else {
                replaced.push_str(&rest[..1]);
                rest = &rest[1..];
                continue;
            };
            let value = match self.known.contains(&syntax) {
                true => self.value(syntax, name).ok_or("which is not set here"),
                false => Err("which this client is not known to replace"),
            };
            replaced.push_str(value.as_deref().unwrap_or(written));
            self.left.extend(value.err().map(|reason| format!("`{written}`, {reason}")));
            rest = &rest[written.len()..];
        }
        replaced + rest
    }

    fn value(&self, syntax: Syntax, name: &str) -> Option<String> {
        if syntax == Syntax::Folder {
            let path = match name {
                "workspaceFolder" => self.folder,
                "workspaceFolderBasename" => Path::new(self.folder.file_name()?),
                "userHome" => self.home?,
                _ => Path::new("/"),
            };
            return path.to_str().map(str::to_owned);
        }
        let (name, default) = match name.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (name, None),
        };
        std::env::var(name).ok().filter(|it| !it.is_empty() || default.is_none()).or(default)
    }
}

/// The variables about folders.
const FOLDERS: [&str; 5] =
    ["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator", "/"];

/// Returns the variable at the start of a text: as it is written, its syntax and its name.
fn variable(text: &str) -> Option<(&str, Syntax, &str)> {
    let (open, end) = match text.as_bytes() {
        [b'$', b'{', ..] => (2, text.find('}')?),
        [b'{', ..] => (1, text.find('}')?),
        _ => {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = text[1..].find(|letter| !is_part(letter)).map_or(text.len(), |end| end + 1);
            let is_name = end > 1 && !text.as_bytes()[1].is_ascii_digit();
            return is_name.then_some((&text[..end], Syntax::Bare, &text[1..end]));
        }
    };
    let (written, name) = (&text[..=end], &text[open..end]);
    Some(match (open, name.strip_prefix("env:")) {
        (1, name) => (written, Syntax::Curly, name?),
        (_, Some(name)) => (written, Syntax::Environment, name),
        _ if FOLDERS.contains(&name) => (written, Syntax::Folder, name),
        _ => (written, Syntax::Braces, name),
    })
}

#[cfg(test)]
mod tests {
    use super::Syntax::{Bare, Braces, Curly, Environment, Folder};
    use super::*;

    #[test]
    fn variables_are_replaced_as_the_client_does() {
        for (known, text, expected, left) in [
            (&[Folder][..], "${workspaceFolder}/a:${userHome}${/}", "/p/shop/a:/h/", 0),
            (&[Folder], "${workspaceFolderBasename} ${PATH}", "shop ${PATH}", 1),
            (&[Braces], "${NO_SUCH:-a}b ${NO_SUCH} $NO", "ab ${NO_SUCH} $NO", 2),
            (&[Bare, Environment], "$NO_SUCH-${env:NO_SUCH}", "$NO_SUCH-${env:NO_SUCH}", 2),
            (&[Curly], "{\"a\": 1} {env:NO_SUCH} {file:x}", "{\"a\": 1} {env:NO_SUCH} {file:x}", 1),
            (&[Bare, Braces], "$ 5$ $1 ${", "$ 5$ $1 ${", 0),
            (&[], "${input:key} é$é", "${input:key} é$é", 1),
        ] {
            let (folder, home) = (Path::new("/p/shop"), Some(Path::new("/h")));
            let mut variables = Variables { known, folder, home, left: BTreeSet::new() };
            assert_eq!(variables.replaced(text), expected);
            assert_eq!(variables.left.len(), left, "{text}: {:?}", variables.left);
        }
    }
}
