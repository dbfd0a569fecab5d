//! A file for each code. The page shows them, and a test holds each to its code.

use std::collections::HashMap;
use std::sync::LazyLock;

use prowess_text::terminal_lines;
use serde::Deserialize;

use crate::substitute::{Arguments, MAX_INSERTED_BYTES, Parameter, substitute};
use crate::{
    Code, Diagnostic, Extensions, NameRule, Profile, Rules, check_directory, check_file_name,
    parse_in,
};

use super::NAME_NOT_STANDARD;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum File {
    /// These lines between two fences, and a line of a body.
    Fields(String),
    /// As `Fields`, behind a name and a description.
    More(String),
    /// These bytes, each written as the character with its number.
    Whole(String),
    /// Too large to show: a description, and texts with how often each is repeated.
    Large(String, Vec<(String, usize)>),
    /// A name in a directory of another name.
    Directory(String, String),
    /// A file without a name, in a directory of this name.
    Unnamed(String),
    /// Any skill, in a file of this name.
    Named(String),
    /// A body that is called with these parameters and values.
    Called(String, Vec<String>, Vec<(String, String)>),
    /// A body that is called with more than a value may have.
    Overflowing(String),
}

use File::{Called, Directory, Fields, Large, More, Named, Overflowing, Unnamed, Whole};

/// The file of each code.
static EXAMPLES: LazyLock<HashMap<String, File>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("examples.json")).expect("a table of files in JSON")
});

/// An example with the rules beside those of a profile.
pub(super) struct Example {
    file: &'static File,
    name_rule: NameRule,
    extensions: Extensions,
}

pub(super) fn of(code: &Code) -> Option<Example> {
    let file = EXAMPLES.get(code.as_str())?;
    let is_extension = code.as_str().starts_with("extension-");
    let is_foreign_name = *code == NAME_NOT_STANDARD;
    Some(Example {
        file,
        name_rule: if is_foreign_name { NameRule::Unicode } else { NameRule::AgentSkills },
        extensions: if is_extension { Extensions::standard() } else { Extensions::none() },
    })
}

impl Example {
    /// The finding of this code, under the first profile that is not silent.
    pub(super) fn diagnostic(&self, code: &Code) -> Option<Diagnostic> {
        let profile = Profile::ALL.into_iter().find(|profile| profile.severity(code).is_some())?;
        match self.file {
            Directory(name, directory) => check_directory(name, directory, profile),
            Named(file) => check_file_name(file, profile),
            Called(body, names, values) => {
                let parameters: Vec<_> = names.iter().map(|name| Parameter::new(name)).collect();
                let values: Vec<_> =
                    values.iter().map(|(name, value)| (&**name, &**value)).collect();
                called(body, &parameters, &values, code)
            }
            Overflowing(body) => {
                let value = "x".repeat(MAX_INSERTED_BYTES + 1);
                called(body, &[Parameter::new("text")], &[("text", &value)], code)
            }
            Fields(_) | More(_) | Whole(_) | Large(..) | Unnamed(_) => self.parsed(code, profile),
        }
    }

    fn parsed(&self, code: &Code, profile: Profile) -> Option<Diagnostic> {
        let rules = Rules {
            profile,
            name_rule: self.name_rule,
            extensions: self.extensions.clone(),
            ..Rules::default()
        };
        let file = self.bytes();
        let directory = match self.file {
            Unnamed(directory) => Some(directory.as_str().into()),
            _ => None,
        };
        let parsed = parse_in(&file, directory, &rules);
        parsed.diagnostics.into_iter().find(|found| found.code == *code)
    }

    pub(super) fn show(&self) -> String {
        match self.file {
            Large(description, _) => format!("({description})"),
            Directory(name, directory) => format!("({directory}/SKILL.md with `name: {name}`)"),
            Unnamed(directory) => format!("({directory}/SKILL.md without a `name`)"),
            Named(file) => format!("(a package with its instructions in `{file}`)"),
            Called(body, names, values) => {
                let values = values.iter().map(|(name, value)| format!("{name}={value}"));
                let values = values.collect::<Vec<_>>().join(", ");
                format!("{body}\n(called with `{values}`; declared: `{}`)", names.join("`, `"))
            }
            Overflowing(body) => format!("{body}\n(called with a value of more than 2 MiB)"),
            Whole(text) if text.is_empty() => "(no bytes)".to_owned(),
            _ => shown(&self.bytes()),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self.file {
            Fields(fields) => format!("---\n{fields}---\n# Forms\n").into_bytes(),
            More(fields) => with(fields),
            Whole(text) => text.chars().filter_map(|byte| u8::try_from(byte).ok()).collect(),
            Large(_, parts) => {
                parts.iter().flat_map(|(text, count)| text.repeat(*count).into_bytes()).collect()
            }
            Directory(name, _) => format!("---\nname: {name}\n---\n").into_bytes(),
            Unnamed(_) => b"---\ndescription: Fills forms.\n---\n# Forms\n".to_vec(),
            Named(_) | Called(..) | Overflowing(_) => with(""),
        }
    }
}

fn called(
    body: &str,
    parameters: &[Parameter<'_>],
    values: &[(&str, &str)],
    code: &Code,
) -> Option<Diagnostic> {
    let arguments = Arguments { parameters, values, ..Arguments::default() };
    substitute(body, &arguments).diagnostics.into_iter().find(|found| found.code == *code)
}

/// Returns a file with invisible characters escaped.
fn shown(bytes: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in bytes.utf8_chunks() {
        shown.push_str(&terminal_lines(chunk.valid()));
        shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    shown
}

/// A file of fields behind a name and a description.
fn with(fields: &str) -> Vec<u8> {
    format!("---\nname: pdf\ndescription: Fills forms.\n{fields}---\n# Forms\n").into_bytes()
}
