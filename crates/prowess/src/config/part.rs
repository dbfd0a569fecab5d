//! One of the places of a configuration, as it was written.

use prowess_format::is_nested_too_deep;
use serde::Deserialize as _;
use serde_yaml::{Mapping, Value};

use super::keys::lay_over;
use super::written::{Preset, TypeCheck};
use super::{ConfigError, Origin, Written};
use crate::Policies;

/// A part of a configuration: a file, or one value.
#[derive(Clone, Debug)]
pub struct ConfigPart {
    /// The place that it comes from.
    pub origin: Origin,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Text(String),
    Value { key: String, value: String },
}

impl ConfigPart {
    /// Creates a part with this text (YAML).
    pub fn text(origin: Origin, text: impl Into<String>) -> Self {
        Self { origin, content: Content::Text(text.into()) }
    }

    /// Creates a part with one value (YAML) under a key such as `prompt.max_tokens`.
    pub fn value(origin: Origin, key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { origin, content: Content::Value { key: key.into(), value: value.into() } }
    }

    /// Returns the text; of one value, an empty one.
    pub(super) fn as_text(&self) -> &str {
        match &self.content {
            Content::Text(text) => text,
            Content::Value { .. } => "",
        }
    }

    pub(super) fn read(&self) -> Result<Written, ConfigError> {
        self.read_value().map_err(|error| error.of(&self.origin))
    }

    fn read_value(&self) -> Result<Written, ConfigError> {
        let invalid = ConfigError::invalid;
        let (Content::Text(text) | Content::Value { value: text, .. }) = &self.content;
        if is_nested_too_deep(text) {
            return Err(ConfigError::too_deep());
        }
        let mut value = match &self.content {
            Content::Text(text) => {
                let value: Value =
                    serde_yaml::from_str(text).map_err(|error| ConfigError::syntax(error, text))?;
                // Checked from the text, because a value has no lines for errors.
                serde_yaml::from_str::<TypeCheck>(text).map_err(invalid)?;
                value
            }
            Content::Value { key, value } => {
                let read = serde_yaml::from_str(value);
                let value = nested(key, read.map_err(|error| ConfigError::syntax(error, value))?);
                // The program names no wrong key, and each start would pay for the check.
                if self.origin != Origin::Program {
                    // Checked over the defaults, because a value alone may be a part of something.
                    let mut whole = serde_yaml::to_value(Policies::default()).map_err(invalid)?;
                    lay_over(&mut whole, value.clone());
                    TypeCheck::deserialize(whole).map_err(invalid)?;
                }
                value
            }
        };
        let preset = Preset::deserialize(value.clone()).map_err(invalid)?.name();
        match value.as_mapping_mut() {
            Some(mapping) => drop(mapping.remove("preset")),
            None => value = Value::Mapping(Mapping::new()),
        }
        Ok(Written { preset, policies: value })
    }
}

/// Returns mappings that contain a value under a dotted key.
fn nested(key: &str, value: Value) -> Value {
    key.rsplit('.').fold(value, |value, key| {
        Value::Mapping(Mapping::from_iter([(Value::String(key.to_owned()), value)]))
    })
}
