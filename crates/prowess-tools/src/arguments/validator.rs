//! Compiled schemas.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::faults::Fault;
use super::plain_schema::PlainSchema;
use crate::error::SchemaError;

/// A compiled schema: a plain one if that is sufficient, because it is cheap.
pub(crate) enum Validator {
    /// A schema with common keywords only.
    Plain(PlainSchema),
    /// Any other schema.
    #[cfg(feature = "json-schema")]
    Full(Box<jsonschema::Validator>),
}

impl Validator {
    /// Reads a schema.
    ///
    /// # Errors
    ///
    /// It is not a JSON Schema, or refers to one elsewhere: nothing is fetched. Without the feature
    /// `json-schema`, it has a keyword that is not common.
    pub(crate) fn new(schema: &Value) -> Result<Self, SchemaError> {
        match PlainSchema::read(schema) {
            Ok(plain) => Ok(Self::Plain(plain)),
            #[cfg(feature = "json-schema")]
            Err(_) => Ok(Self::Full(Box::new(super::full_schema::compile(schema)?))),
            #[cfg(not(feature = "json-schema"))]
            Err(part) => Err(SchemaError::MissingFeature(part)),
        }
    }

    /// Returns the faults of a value, at most `most` of them.
    pub(crate) fn faults(&self, value: &Value, most: usize) -> Vec<Fault> {
        match self {
            Self::Plain(schema) => schema.faults(value, most),
            #[cfg(feature = "json-schema")]
            Self::Full(validator) => super::full_schema::faults(validator, value, most),
        }
    }
}

/// The validator of the schema that a tool had last. Most tools never change their schema, so it is
/// built once.
#[derive(Default)]
pub(crate) struct ValidatorCell(Mutex<Option<Compiled>>);

/// A schema with its validator.
struct Compiled {
    schema: Value,
    /// The address of the schema, if the tool lent it. A tool in a slot is never changed, so what
    /// it lends at one address is always the same.
    lent_at: Option<usize>,
    validator: Arc<Validator>,
}

impl ValidatorCell {
    /// Returns the validator of `schema`.
    ///
    /// # Errors
    ///
    /// As for [`Validator::new`].
    #[expect(clippy::ptr_arg, reason = "a schema that is lent is known by its address")]
    pub(crate) fn get(&self, schema: &Cow<'_, Value>) -> Result<Arc<Validator>, SchemaError> {
        let lent_at = match schema {
            Cow::Borrowed(schema) => Some(std::ptr::from_ref(*schema).addr()),
            Cow::Owned(_) => None,
        };
        let mut compiled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &mut *compiled {
            let is_same_address = lent_at.is_some() && known.lent_at == lent_at;
            if is_same_address || known.schema == **schema {
                known.lent_at = lent_at;
                return Ok(known.validator.clone());
            }
        }
        let validator = Arc::new(Validator::new(schema)?);
        let schema = schema.clone().into_owned();
        *compiled = Some(Compiled { schema, lent_at, validator: validator.clone() });
        Ok(validator)
    }
}
