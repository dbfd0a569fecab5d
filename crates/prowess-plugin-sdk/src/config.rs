//! Deserializes the operator's configuration into the author's type.

use serde::de::value::Error as AnyError;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

use crate::Error;

/// Deserializes a configuration. The error names the invalid field.
pub(crate) fn decode<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    if !text.trim().is_empty() {
        return read(text);
    }
    // `()` and `Option` accept `null`; a struct whose fields all have defaults accepts `{}`.
    read("null").or_else(|_| read("{}"))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    // serde also deserializes a struct from a list of its fields, which is never intended.
    if text.trim_start().starts_with('[') && is_struct::<T>() {
        return Err(Error::config("the configuration does not fit: it is a list, not an object"));
    }
    let mut decoder = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut decoder).map_err(|error| {
        let path = error.path().to_string();
        let reason = without_position(&error.inner().to_string());
        Error::config(match &*path {
            "." | "?" => format!("the configuration does not fit: {reason}"),
            path => format!("the configuration's field `{path}` does not fit: {reason}"),
        })
    })?;
    decoder.end().map_err(|error| Error::config(format!("after the configuration: {error}")))?;
    Ok(value)
}

/// Returns whether a type is deserialized as a struct.
fn is_struct<T: DeserializeOwned>() -> bool {
    T::deserialize(StructProbe).is_err_and(|error| error.to_string() == A_STRUCT)
}

const A_STRUCT: &str = "a struct";

/// A deserializer whose error reports whether a struct was requested.
struct StructProbe;

impl<'de> Deserializer<'de> for StructProbe {
    type Error = AnyError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, AnyError> {
        Err(AnyError::custom("something else"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, AnyError> {
        Err(AnyError::custom(A_STRUCT))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Removes the position from an error: the host serializes the configuration again, so line and
/// column are not those of the operator's file.
fn without_position(reason: &str) -> String {
    reason.rsplit_once(" at line ").map_or(reason, |(reason, _)| reason).to_owned()
}
