//! The part of JSON Schema that most tools use, checked without a general validator.
//!
//! A general validator costs milliseconds and megabytes to build. The schemas of the skill tools,
//! and of most others, have types, properties, required names, item counts and lists of words, so
//! this checks them directly. A property test compares the verdicts with those of the general
//! validator.

use serde_json::{Map, Value};

use super::faults::{Fault, text_or_type, type_of};

/// The maximum depth of a schema. A deeper one is left to the general validator.
const MOST_LEVELS: usize = 16;

/// The names of the types, as a schema writes them.
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// A schema with only the keywords of this file.
#[derive(Default)]
pub(crate) struct PlainSchema {
    /// The allowed types; any if it is empty.
    types: Vec<String>,
    /// The allowed texts.
    words: Option<Vec<String>>,
    min_items: u64,
    max_items: Option<u64>,
    items: Option<Box<PlainSchema>>,
    properties: Vec<(String, PlainSchema)>,
    required: Vec<String>,
    /// Whether other properties than the listed ones are faults.
    is_closed: bool,
}

impl PlainSchema {
    /// Reads a schema; `None` if it has another keyword, or a value that its keyword does not take.
    pub(crate) fn read(schema: &Value) -> Option<Self> {
        Self::read_level(schema, MOST_LEVELS)
    }

    fn read_level(schema: &Value, levels: usize) -> Option<Self> {
        let mut plain = Self::default();
        for (keyword, value) in schema.as_object()? {
            match keyword.as_str() {
                "description" | "title" => drop(value.as_str()?),
                "default" => {}
                "type" => plain.types = types(value)?,
                "enum" => plain.words = Some(distinct(texts(value)?)?),
                "minItems" => plain.min_items = value.as_u64()?,
                "maxItems" => plain.max_items = Some(value.as_u64()?),
                "items" => {
                    plain.items = Some(Box::new(Self::read_level(value, levels.checked_sub(1)?)?));
                }
                "properties" => plain.properties = properties(value, levels.checked_sub(1)?)?,
                "required" => plain.required = distinct(texts(value)?)?,
                "additionalProperties" => plain.is_closed = !value.as_bool()?,
                _ => return None,
            }
        }
        Some(plain)
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
            Value::Array(items) => self.check_items(items, field, faults),
            Value::Object(fields) => self.check_fields(fields, field, faults),
            _ => {}
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

fn properties(value: &Value, levels: usize) -> Option<Vec<(String, PlainSchema)>> {
    value
        .as_object()?
        .iter()
        .map(|(name, schema): (&String, &Value)| {
            Some((name.clone(), PlainSchema::read_level(schema, levels)?))
        })
        .collect()
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
