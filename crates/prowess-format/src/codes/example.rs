//! A file for each code. The page shows them, and a test holds each to its code.

use prowess_text::terminal_lines;

use crate::substitute::{Arguments, MAX_INSERTED_BYTES, Parameter, substitute};
use crate::yaml::{MAX_DEPTH, MAX_NODES};
use crate::{
    Code, Diagnostic, Extensions, MAX_FILE_BYTES, MAX_FRONTMATTER_BYTES, NameRule, Profile, Rules,
    check_directory, check_file_name, parse_in,
};

use super::*;

enum File {
    /// These lines between two fences, and a line of a body.
    Fields(&'static str),
    /// These bytes.
    Whole(&'static [u8]),
    /// Too large to show.
    Large(&'static str, fn() -> Vec<u8>),
    /// A name in a directory of another name.
    Directory(&'static str, &'static str),
    /// A file without a name, in a directory of this name.
    Unnamed(&'static str),
    /// Any skill, in a file of this name.
    Named(&'static str),
    /// A body that is called with these parameters and values.
    Called(&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]),
    /// A body that is called with more than a value may have.
    Overflowing(&'static str),
}

use File::{Called, Directory, Fields, Large, Named, Overflowing, Unnamed, Whole};

/// An example with the rules beside those of a profile.
pub(super) struct Example {
    file: &'static File,
    name_rule: NameRule,
    extensions: Extensions,
}

pub(super) fn of(code: &Code) -> Option<Example> {
    let (_, file) = EXAMPLES.iter().find(|(known, _)| known == code)?;
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
        match *self.file {
            Directory(name, directory) => check_directory(name, directory, profile),
            Named(file) => check_file_name(file, profile),
            Called(body, names, values) => {
                let parameters: Vec<_> = names.iter().copied().map(Parameter::new).collect();
                called(body, &parameters, values, code)
            }
            Overflowing(body) => {
                let value = "x".repeat(MAX_INSERTED_BYTES + 1);
                called(body, &[Parameter::new("text")], &[("text", &value)], code)
            }
            Fields(_) | Whole(_) | Large(..) | Unnamed(_) => self.parsed(code, profile),
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
        let directory = match *self.file {
            Unnamed(directory) => Some(directory.into()),
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
            Whole(b"") => "(no bytes)".to_owned(),
            _ => shown(&self.bytes()),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self.file {
            Fields(fields) => format!("---\n{fields}---\n# Forms\n").into_bytes(),
            Whole(bytes) => bytes.to_vec(),
            Large(_, make) => make(),
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

/// Fields behind a name and a description.
macro_rules! more {
    ($fields:literal) => {
        Fields(concat!("name: pdf\ndescription: Fills forms.\n", $fields))
    };
}

const EXAMPLES: &[(Code, File)] = &[
    (FILE_TOO_LARGE, Large("a file of 2 MiB and a byte", || vec![b' '; MAX_FILE_BYTES + 1])),
    (FILE_EMPTY, Whole(b"")),
    (NOT_UTF8, Whole(b"---\nname: caf\xe9\n---\n")),
    (NUL_BYTE, Whole(b"---\nname: pdf\0\ndescription: Fills forms.\n---\n")),
    (NUL_IN_BODY, Whole(b"---\nname: pdf\ndescription: Fills forms.\n---\n# Forms\0\n")),
    (
        BYTE_ORDER_MARK,
        Whole(b"\xef\xbb\xbf---\nname: pdf\ndescription: Fills forms.\n---\n# Forms\n"),
    ),
    (FRONTMATTER_MISSING, Whole(b"# Forms\n")),
    (DESCRIPTION_FROM_BODY, Whole(b"---\nname: pdf\n---\n# Forms\nFills forms.\n")),
    (FRONTMATTER_NOT_FIRST, Whole(b"\n---\nname: pdf\ndescription: Fills forms.\n---\n# Forms\n")),
    (FRONTMATTER_UNCLOSED, Whole(b"---\nname: pdf\ndescription: Fills forms.\n# Forms\n")),
    (
        FRONTMATTER_CLOSED_BY_DOTS,
        Whole(b"---\nname: pdf\ndescription: Fills forms.\n...\n# Forms\n"),
    ),
    (FRONTMATTER_FENCE_IN_TEXT, Whole(b"---\nname: pdf\ndescription: Fills forms.\n---# Forms\n")),
    (
        FRONTMATTER_TOO_LARGE,
        Large("a frontmatter of more than 64 KiB", || {
            with(&format!("license: {}\n", "x".repeat(MAX_FRONTMATTER_BYTES)))
        }),
    ),
    (FRONTMATTER_NOT_MAPPING, Fields("- name: pdf\n- description: Fills forms.\n")),
    (YAML_INVALID, Fields("name: pdf\ndescription: Fills forms.\n  license: MIT\n")),
    (YAML_ANCHOR, more!("scope: &team {}\n")),
    (YAML_ALIAS, Fields("name: pdf\ndescription: *pdf\nmetadata: &pdf {}\n")),
    (YAML_TAG, more!("scope: !team {agents: [a]}\n")),
    (YAML_MERGE_KEY, more!("<<: {scope: team}\n")),
    (YAML_DUPLICATE_KEY, more!("scope: {agents: [a]}\n\"scope\": {}\n")),
    (YAML_COMPLEX_KEY, more!("? [license]\n: MIT\n")),
    (YAML_MULTIPLE_DOCUMENTS, Fields("name: pdf\n--- # more\ndescription: Fills forms.\n")),
    (
        YAML_TOO_DEEP,
        Large("lists in lists, 17 deep", || {
            with(&format!("scope: {}{}\n", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH)))
        }),
    ),
    (
        YAML_TOO_MANY_NODES,
        Large("a list of 10,000 items", || with(&format!("x: [{}]\n", "a,".repeat(MAX_NODES)))),
    ),
    (UNQUOTED_COLON, Fields("name: pdf\ndescription: Use when: a form arrives.\n")),
    (FLOW_FOR_TEXT, Fields("name: pdf\ndescription: [TODO: what it does]\n")),
    (QUOTE_UNCLOSED, Fields("name: pdf\ndescription: \"Fills forms.\nlicense: MIT\n")),
    (TEXT_UNQUOTED, Fields("name: pdf\ndescription: **Fills** forms.\n")),
    (LINE_BREAK_RARE, Fields("name: pdf\ndescription: 'Fills forms.'\u{2028}\n")),
    (LINE_UNINDENTED, Fields("name: pdf\ndescription: \"Fills\nforms.\"\n")),
    (FIELD_UNREADABLE, more!("metadata:\n  uses: [a, b\n  by: me\n")),
    (KEY_REPEATED, more!("license: MIT\nlicense: Apache-2.0\n")),
    (INSTRUCTIONS_FILE_CASE, Named("skill.md")),
    (NAME_MISSING, Fields("description: Fills forms.\n")),
    (NAME_EMPTY, Fields("name:\ndescription: Fills forms.\n")),
    (NAME_NOT_TEXT, Fields("name: [pdf]\ndescription: Fills forms.\n")),
    (NAME_FROM_DIRECTORY, Unnamed("pdf")),
    (NAME_RELAXED, Fields("name: PDF Forms\ndescription: Fills forms.\n")),
    (NAME_INVALID, Fields("name: \"?!\"\ndescription: Fills forms.\n")),
    (NAME_NOT_STANDARD, Fields("name: café\ndescription: Brews.\n")),
    (NAME_NOT_PORTABLE, Fields("name: 3d-model\ndescription: Draws.\n")),
    (
        NAME_TOO_LONG,
        Fields(
            "name: a-name-that-says-everything-that-the-skill-does-and-a-good-deal-more\n\
             description: Fills forms.\n",
        ),
    ),
    (NAME_RESERVED, Fields("name: bash\ndescription: Writes scripts.\n")),
    (NAME_DIRECTORY_MISMATCH, Directory("pdf", "forms")),
    (DESCRIPTION_MISSING, Fields("name: pdf\n")),
    (DESCRIPTION_EMPTY, Fields("name: pdf\ndescription: \"\"\n")),
    (DESCRIPTION_NOT_TEXT, Fields("name: pdf\ndescription: []\n")),
    (
        DESCRIPTION_TOO_LONG,
        Large("a description of 1,025 characters", || {
            format!("---\nname: pdf\ndescription: {}\n---\n# Forms\n", "x".repeat(1025))
                .into_bytes()
        }),
    ),
    (DESCRIPTION_TRIMMED, Fields("name: pdf\ndescription: \" Fills forms.\"\n")),
    (DESCRIPTION_CUT, Fields("name: pdf\ndescription: Fills form #12.\n")),
    (
        COMPATIBILITY_TOO_LONG,
        Large("a compatibility of 501 characters", || {
            with(&format!("compatibility: {}\n", "x".repeat(501)))
        }),
    ),
    (FIELD_NOT_TEXT, more!("license:\n  - MIT\n")),
    (METADATA_NOT_MAPPING, more!("metadata: by me\n")),
    (
        METADATA_KEY_TOO_LONG,
        Large("metadata with a key of 257 characters", || {
            with(&format!("metadata:\n  {}: x\n", "k".repeat(257)))
        }),
    ),
    (PLAIN_NOT_TEXT, Fields("name: pdf\ndescription: 42\n")),
    (ALLOWED_TOOLS_MALFORMED, more!("allowed-tools: Read Bash(git:*\n")),
    (
        ALLOWED_TOOLS_TOO_LONG,
        Large("an allowed-tools of 2,049 characters", || {
            with(&format!("allowed-tools: {}\n", "R".repeat(2049)))
        }),
    ),
    (TOOL_PATTERN_INVALID, more!("allowed-tools: Bash(git:* push)\n")),
    (TOOL_PATH_OUTSIDE, more!("allowed-tools: Read(/etc/*)\n")),
    (ALLOWED_TOOLS_ALIAS, more!("allowed_tools: Read\n")),
    (UNKNOWN_FIELD, more!("author: me\n")),
    (MISSPELLED_FIELD, more!("licence: MIT\n")),
    (EXTENSION_FIELD, more!("argument-hint: a file\n")),
    (EXTENSION_FIELD_TYPE, more!("user-invocable: sometimes\n")),
    (EXTENSION_VALUE_UNKNOWN, more!("context: elsewhere\n")),
    (EXTENSION_VALUE_INVALID, more!("tags: [forms, \" \"]\n")),
    (EXTENSION_DUPLICATE, more!("arguments:\n  - name: file\n  - name: file\n")),
    (EXTENSION_PATH, more!("hooks:\n  pre: ../check.sh\n")),
    (EXTENSION_FIELD_IDLE, more!("agent: helper\n")),
    (SWITCH_UNREADABLE, more!("disable-model-invocation: enabled\n")),
    (HIDDEN_CHARACTER, Fields("name: pdf\ndescription: Fills\u{200b} forms.\n")),
    (BODY_TOO_LONG, Large("a body of 501 lines", || [with(""), b"line\n".repeat(500)].concat())),
    (BODY_EMPTY, Whole(b"---\nname: pdf\ndescription: Fills forms.\n---\n")),
    (PLACEHOLDER_UNKNOWN, Called("Greet {{ nobody }}.", &["name"], &[("name", "Ann")])),
    (ARGUMENT_MISSING, Called("Greet $name.", &["name"], &[])),
    (ARGUMENT_UNDECLARED, Called("Greet $name.", &["name"], &[("nmae", "Ann"), ("name", "Ann")])),
    (PARAMETER_DUPLICATE, Called("Greet $name.", &["name", "name"], &[("name", "Ann")])),
    (PARAMETER_INVALID, Called("Greet them.", &["2nd-name"], &[])),
    (INSERTED_TOO_LARGE, Overflowing("Sum up: $text")),
];
