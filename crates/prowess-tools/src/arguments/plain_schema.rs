//! The part of JSON Schema that most tools use, checked without a general validator.
//!
//! A general validator costs milliseconds and megabytes to build. The schemas of the skill tools,
//! and of most others, have types, properties, required names, lists of words and limits of
//! numbers, texts and lists, so this checks them directly. A property test compares the verdicts
//! with those of the general validator.

use prowess_text::quoted;
use serde_json::{Map, Number, Value};

use super::faults::{Fault, text_or_type, type_of};

/// The maximum depth of a schema. A deeper one is left to the general validator.
const MOST_LEVELS: usize = 16;

/// The names of the types, as a schema writes them.
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// The drafts, without their schemes, in which the keywords of this file mean the same.
const DRAFTS: [&str; 4] = [
    "json-schema.org/draft/2020-12/schema",
    "json-schema.org/draft/2019-09/schema",
    "json-schema.org/draft-07/schema",
    "json-schema.org/draft-06/schema",
];

/// A schema with only the keywords of this file.
#[derive(Default)]
pub(crate) struct PlainSchema {
    /// The allowed types; any if it is empty.
    types: Vec<String>,
    /// The allowed texts.
    words: Option<Vec<String>>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    min_length: u64,
    max_length: Option<u64>,
    min_items: u64,
    max_items: Option<u64>,
    items: Option<Box<PlainSchema>>,
    properties: Vec<(String, PlainSchema)>,
    required: Vec<String>,
    /// Whether other properties than the listed ones are faults.
    is_closed: bool,
}

impl PlainSchema {
    /// Reads a schema.
    ///
    /// # Errors
    ///
    /// It has another keyword, or a value that this file does not read. The error names that part.
    pub(crate) fn read(schema: &Value) -> Result<Self, String> {
        Self::read_level(schema, MOST_LEVELS)
    }

    fn read_level(schema: &Value, levels: usize) -> Result<Self, String> {
        let mut plain = Self::default();
        let keywords = schema.as_object().ok_or_else(|| "a schema in this form".to_owned())?;
        for (keyword, value) in keywords {
            let below = || levels.checked_sub(1).ok_or_else(|| "so deep a schema".to_owned());
            match keyword.as_str() {
                "items" => plain.items = Some(Box::new(Self::read_level(value, below()?)?)),
                "properties" => plain.properties = properties(value, below()?)?,
                _ => plain
                    .read_keyword(keyword, value)
                    .ok_or_else(|| format!("the keyword {} with this value", quoted(keyword)))?,
            }
        }
        Ok(plain)
    }

    /// Reads a keyword with a value that is no schema; `None` if it is not one of this file.
    fn read_keyword(&mut self, keyword: &str, value: &Value) -> Option<()> {
        match keyword {
            "$comment" | "description" | "format" | "title" => drop(value.as_str()?),
            "$schema" => {
                let draft = value.as_str()?.split_once("://")?.1.trim_end_matches('#');
                DRAFTS.contains(&draft).then_some(())?;
            }
            "deprecated" | "readOnly" | "writeOnly" => drop(value.as_bool()?),
            "default" => {}
            "examples" => drop(value.as_array()?),
            "type" => self.types = types(value)?,
            "enum" => self.words = Some(distinct(texts(value)?)?),
            "minimum" => self.minimum = Some(limit(value)?),
            "maximum" => self.maximum = Some(limit(value)?),
            "minLength" => self.min_length = value.as_u64()?,
            "maxLength" => self.max_length = Some(value.as_u64()?),
            "minItems" => self.min_items = value.as_u64()?,
            "maxItems" => self.max_items = Some(value.as_u64()?),
            "required" => self.required = distinct(texts(value)?)?,
            "additionalProperties" => self.is_closed = !value.as_bool()?,
            // Annotations for other programs.
            _ if keyword.starts_with("x-") => {}
            _ => return None,
        }
        Some(())
    }

    /// Returns the faults of a value, at most `most` of them.
    pub(crate) fn faults(&self, value: &Value, most: usize) -> Vec<Fault> {
        let mut faults = Faults { found: Vec::new(), most };
        self.check(value, "", &mut faults);
        faults.found
    }

    fn check(&self, value: &Value, field: &str, faults: &mut Faults) {
        if faults.is_full() {
            return;
        }
        if !self.types.is_empty() && !self.types.iter().any(|kind| has_type(value, kind)) {
            let expected = self.types.clone();
            let found = type_of(value);
            faults.push(Fault::Type { field: field.to_owned(), expected, found });
        }
        if let Some(words) = &self.words
            && !value.as_str().is_some_and(|text| words.iter().any(|word| word == text))
        {
            let options = words.clone();
            let found = text_or_type(value);
            faults.push(Fault::Value { field: field.to_owned(), options, found });
        }
        match value {
            Value::Number(number) => self.check_number(number, field, faults),
            Value::String(text) => self.check_length(text, field, faults),
            Value::Array(items) => self.check_items(items, field, faults),
            Value::Object(fields) => self.check_fields(fields, field, faults),
            _ => {}
        }
    }

    fn check_number(&self, number: &Number, field: &str, faults: &mut Faults) {
        let Some(number) = number.as_f64() else { return };
        if let Some(limit) = self.minimum.filter(|limit| number < *limit) {
            faults.push(Fault::Below { field: field.to_owned(), limit: limit.to_string() });
        }
        if let Some(limit) = self.maximum.filter(|limit| number > *limit) {
            faults.push(Fault::Above { field: field.to_owned(), limit: limit.to_string() });
        }
    }

    fn check_length(&self, text: &str, field: &str, faults: &mut Faults) {
        // Most texts have no limit, and are not counted.
        if self.min_length == 0 && self.max_length.is_none() {
            return;
        }
        let length = text.chars().count() as u64;
        if length < self.min_length {
            faults.push(Fault::TooShort { field: field.to_owned(), limit: self.min_length });
        }
        if let Some(limit) = self.max_length.filter(|limit| length > *limit) {
            faults.push(Fault::TooLong { field: field.to_owned(), limit });
        }
    }

    fn check_items(&self, items: &[Value], field: &str, faults: &mut Faults) {
        let count = items.len() as u64;
        if count < self.min_items {
            faults.push(Fault::TooFew { field: field.to_owned(), limit: self.min_items });
        }
        if let Some(limit) = self.max_items.filter(|limit| count > *limit) {
            faults.push(Fault::TooMany { field: field.to_owned(), limit });
        }
        let Some(schema) = &self.items else { return };
        for (index, item) in items.iter().enumerate() {
            if faults.is_full() {
                return;
            }
            schema.check(item, &format!("{field}[{index}]"), faults);
        }
    }

    fn check_fields(&self, fields: &Map<String, Value>, field: &str, faults: &mut Faults) {
        let missing = self.required.iter().filter(|name| !fields.contains_key(name.as_str()));
        for property in missing {
            faults.push(Fault::Missing { property: property.clone() });
        }
        let mut unknown = Vec::new();
        for (name, value) in fields {
            match self.properties.iter().find(|(known, _)| known == name) {
                Some((_, schema)) => {
                    let dot = if field.is_empty() { "" } else { "." };
                    schema.check(value, &format!("{field}{dot}{name}"), faults);
                }
                None => unknown.push(name.clone()),
            }
        }
        if self.is_closed && !unknown.is_empty() {
            faults.push(Fault::Unknown { names: unknown });
        }
    }
}

/// The first faults of a value.
struct Faults {
    found: Vec<Fault>,
    most: usize,
}

impl Faults {
    fn is_full(&self) -> bool {
        self.found.len() >= self.most
    }

    fn push(&mut self, fault: Fault) {
        if !self.is_full() {
            self.found.push(fault);
        }
    }
}

fn has_type(value: &Value, kind: &str) -> bool {
    match (value, kind) {
        (Value::Number(number), "integer") => {
            number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => type_of(value) == kind,
    }
}

fn types(value: &Value) -> Option<Vec<String>> {
    let types = match value {
        Value::String(one) => vec![one.clone()],
        _ => distinct(texts(value)?)?,
    };
    let is_known = types.iter().all(|kind| TYPES.contains(&kind.as_str()));
    (is_known && !types.is_empty()).then_some(types)
}

fn properties(value: &Value, levels: usize) -> Result<Vec<(String, PlainSchema)>, String> {
    let fields = value.as_object().ok_or_else(|| "`properties` in this form".to_owned())?;
    let read = |(name, schema): (&String, &Value)| {
        Ok((name.clone(), PlainSchema::read_level(schema, levels)?))
    };
    fields.iter().map(read).collect()
}

/// Reads a whole number that a float has exactly.
fn limit(value: &Value) -> Option<f64> {
    const MAX_EXACT: f64 = (1_u64 << 53) as f64;
    value.as_f64().filter(|limit| limit.fract() == 0.0 && limit.abs() <= MAX_EXACT)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// The meta-schema requires these lists to have distinct texts.
fn distinct(texts: Vec<String>) -> Option<Vec<String>> {
    let mut sorted: Vec<_> = texts.iter().collect();
    sorted.sort_unstable();
    let is_distinct = sorted.windows(2).all(|pair| pair[0] != pair[1]);
    is_distinct.then_some(texts)
}
