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

const TEMPLATE: &str = "\
# TITLE

One or two sentences: what this skill brings about, and what it needs before it starts.

## When to use

- The user asks for it, in words such as these: …
- A file or a message of this kind is at hand: …

## When not to use

- The task looks alike and needs something else: name the other skill or tool.

## Steps

1. Look at what is there. Say what must hold before the next step, and what to do if it does not.
2. Do the work. Give exact commands and file names; write each condition beside its step.
3. Check the result, and say how: a command to run, or what a good result looks like.

## Examples

Input:

> What a user may really write.

Output:

> What a good answer to it looks like.

Keep these instructions short. Details that are seldom needed belong in files below `references/`,
named here, and work that a program does better in scripts below `scripts/`.
";
