//! The first `SKILL.md` of a new skill.

use crate::{Field, Mapping, Profile, SkillName, Value, parse};

use super::{ScaffoldError, skill_md};

/// Writes the first `SKILL.md` of a skill: one that checkers find no fault with, whose body shows
/// an author what to say.
///
/// # Errors
///
/// A name or a description that the specification refuses.
pub fn scaffold(name: &str, description: &str) -> Result<String, ScaffoldError> {
    let name = SkillName::new(name)?;
    let fields = [("name", name.as_str()), ("description", description.trim())];
    let fields = Mapping(fields.into_iter().map(field).collect());
    let text = skill_md(&fields, &body(name.as_str()))?;
    match parse(text.as_bytes(), Profile::Strict).diagnostics.into_iter().next() {
        None => Ok(text),
        Some(found) => Err(ScaffoldError::Invalid(Box::new(found))),
    }
}

fn field((key, value): (&str, &str)) -> Field {
    Field {
        key: key.to_owned(),
        key_span: 0..0,
        value: Value::Text(value.to_owned()),
        value_span: 0..0,
    }
}

fn body(name: &str) -> String {
    let words = name.replace('-', " ");
    let (first, rest) = words.split_at(1);
    TEMPLATE.replace("TITLE", &format!("{}{rest}", first.to_uppercase()))
}

const TEMPLATE: &str = include_str!("scaffold.md");
