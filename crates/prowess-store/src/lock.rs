//! The content of a lock file.

use std::collections::BTreeMap;
use std::ops::Range;

use prowess_core::{Digest, PackagePath};
use prowess_format::{Profile, Rules};
use serde::{Deserialize, Serialize};
use toml::Value;

use crate::error::LockError;
use crate::locked_skill::LockedSkill;

/// The version of the format.
const VERSION: i64 = 1;

/// The first line of each file.
const HEADING: &str = "# Written by prowess. `prowess sync` installs exactly these skills.\n";

/// The installed skills by id.
///
/// Equal locks have equal texts: the text is sorted, and has no times and no version of the
/// program. Keys that this program does not know are kept; comments are not, because a program
/// writes the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lock {
    /// The skills, by id.
    pub skills: BTreeMap<String, LockedSkill>,
    /// Keys of a later version of this program, which are kept.
    pub(crate) other: BTreeMap<String, Value>,
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
struct Written<'l> {
    version: i64,
    #[serde(flatten)]
    other: BTreeMap<String, Value>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", borrow)]
    skill: BTreeMap<std::borrow::Cow<'l, str>, LockedSkill>,
}

impl Lock {
    /// Returns the name in the lock of the skill that a user means: this one, or the only one with
    /// the same id in a catalog or of a folder with this name. Otherwise it is as it was written.
    pub fn meant<'l>(&'l self, written: &'l str) -> &'l str {
        let is_folder = |path: &str| path.rsplit('/').next() == Some(written);
        let is_meant = |(id, skill): &(&String, &LockedSkill)| {
            is_named(id, written) || skill.path.as_deref().is_some_and(is_folder)
        };
        let mut named = self.skills.iter().filter(is_meant).map(|(id, _)| id);
        match (self.skills.contains_key(written), named.next(), named.next()) {
            (false, Some(only), None) => only,
            _ => written,
        }
    }

    /// Reads the text of a lock file.
    ///
    /// # Errors
    ///
    /// The text is not a lock file, has conflict markers, or has an unknown version. It is never
    /// read in part.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        if text.lines().any(is_marker) {
            return Err(LockError::Conflicted);
        }
        let is_deep = |key: &str| key.bytes().filter(|byte| *byte == b'.').count() > MAX_DOTS;
        if text.lines().any(|line| line.split(['=', '{', '[', ',']).any(is_deep)) {
            return Err(LockError::Invalid(format!("a key has more than {MAX_DOTS} dots")));
        }
        let written: Written<'_> = toml::from_str(text).map_err(|error| refusal(text, &error))?;
        if written.version != VERSION {
            return Err(LockError::UnknownVersion(written.version));
        }
        if let Some(id) = written.skill.keys().find(|id| !is_id(id)) {
            let id = prowess_text::quoted(id);
            return Err(LockError::Invalid(format!("{id} is not the id of a skill")));
        }
        let skills = written.skill.into_iter().map(|(id, skill)| (id.into_owned(), skill));
        Ok(Self { skills: skills.collect(), other: written.other })
    }

    /// Returns the keys that this program does not know, those of a skill behind its id.
    pub(crate) fn unknown_keys(&self) -> impl Iterator<Item = String> {
        let of_skills = self
            .skills
            .iter()
            .flat_map(|(id, skill)| skill.other.keys().map(move |key| format!("skill.{id}.{key}")));
        self.other.keys().cloned().chain(of_skills)
    }

    /// Returns whether a skill has this package.
    pub(crate) fn names(&self, tree: &Digest) -> bool {
        self.skills.values().any(|skill| skill.tree == *tree)
    }

    /// Returns the text of the lock file.
    pub fn to_text(&self) -> String {
        let (tables, values): (BTreeMap<_, _>, BTreeMap<_, _>) =
            self.other.clone().into_iter().partition(|(_, value)| value.is_table());
        let values = Written { version: VERSION, other: values, skill: BTreeMap::new() };
        let mut text = format!("{HEADING}{}", text_of(&values));
        if !tables.is_empty() {
            text.extend(["\n", &text_of(&tables)]);
        }
        for skill in &self.skills {
            let table = BTreeMap::from([("skill", BTreeMap::from([skill]))]);
            text.extend(["\n", &text_of(&table)]);
        }
        text
    }
}

/// The maximum number of dots of a key: the reader's time grows with the square of the depth.
const MAX_DOTS: usize = 200;

fn text_of(value: &impl Serialize) -> String {
    toml::to_string(value).expect("tables with text keys and values of TOML can be written")
}

/// Returns whether git wrote this line between two versions of a text.
pub(crate) fn is_marker(line: &str) -> bool {
    let is = |marker: &str| {
        line.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    is("<<<<<<<") || is("|||||||") || is("=======") || is(">>>>>>>")
}

/// Returns whether a user means a skill by this name: its own one, or one with the same id in a
/// catalog.
pub(crate) fn is_named(id: &str, written: &str) -> bool {
    let rules = Rules::of(Profile::Lenient);
    let own = rules.id_of(id);
    id == written || (!own.is_empty() && own == rules.id_of(written))
}

/// Returns whether a skill can be stored under this id, which is the path of its package.
pub(crate) fn is_id(id: &str) -> bool {
    PackagePath::is_normal(id) && prowess_text::one_line(id) == id
}

/// Returns why a text is no lock: a later version may have other types of values. It is not read
/// again as a whole, which would take as long as the first time.
fn refusal(text: &str, error: &toml::de::Error) -> LockError {
    let values = text.lines().map(str::trim_start).take_while(|line| !line.starts_with('['));
    let mut versions = values.filter_map(|line| {
        let value = line.strip_prefix("version")?.trim_start().strip_prefix('=')?;
        value.split('#').next()?.trim().parse().ok()
    });
    match versions.next() {
        Some(version) if version != VERSION => LockError::UnknownVersion(version),
        _ if error.message().starts_with("missing field `version`") => {
            LockError::Invalid("`version` is missing".to_owned())
        }
        _ => LockError::Invalid(located(text, error)),
    }
}

/// The maximum number of characters of a parser's message, which may quote the text.
const MAX_MESSAGE: usize = 300;

/// The maximum number of characters of the name of a table.
const MAX_TABLE: usize = 80;

/// Returns a parser's message with its position and the table that it is in, such as a skill whose
/// lines were cut off. The line itself, which has any length, is left out.
fn located(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().trim().replace('\n', "; ");
    let message: String = message.chars().take(MAX_MESSAGE).collect();
    let Some(span) = error.span() else { return message };
    let before = &text[..text.floor_char_boundary(span.start)];
    let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
    let line = before.matches('\n').count();
    let table = text.lines().take(line + 1).filter(|line| line.starts_with('[')).last();
    let table = table.map(|table| {
        let table: String = table.chars().take(MAX_TABLE).collect();
        format!(", in {}", prowess_text::quoted(&table))
    });
    let first = if message == "duplicate key" { first_key(text, span, line) } else { None };
    let first =
        first.map(|(line, column)| format!(", which is at line {line}, column {column} too"));
    let [table, first] = [table, first].map(Option::unwrap_or_default);
    format!("{message} at line {}, column {column}{table}{first}", line + 1)
}

/// Returns the line and the column of the same key before: of a table anywhere, of a value in its
/// table.
fn first_key(text: &str, span: Range<usize>, line: usize) -> Option<(usize, usize)> {
    let key = text.get(span)?;
    let lines: Vec<_> = text.lines().collect();
    let second = lines.get(line)?;
    let above = lines[..line].iter().rposition(|line| line.starts_with('['));
    let start = above.filter(|_| !second.starts_with('[')).map_or(0, |above| above + 1);
    let name = |line: &str| line.split('=').next().unwrap_or_default().trim().to_owned();
    let first = start + lines[start..line].iter().position(|it| name(it) == name(second))?;
    Some((first + 1, lines[first].find(key)? + 1))
}
