//! The content of a part, before it is merged with others.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, de};
use serde_yaml::Value;

use crate::Policies;

/// The content of a part.
pub(super) struct Written {
    pub(super) preset: Option<String>,
    /// The policies, as a mapping.
    pub(super) policies: Value,
}

impl Written {
    pub(super) fn preset(&self) -> Option<&str> {
        self.preset.as_deref()
    }
}

/// The keys of a part besides the policies.
#[derive(Deserialize)]
struct Head {
    preset: Option<String>,
}

/// The preset of a part; an empty part has none.
#[derive(Deserialize)]
pub(super) struct Preset(Option<Head>);

impl Preset {
    pub(super) fn name(self) -> Option<String> {
        self.0?.preset
    }
}

/// Checks that a part alone has the keys and values of policies.
pub(super) struct TypeCheck;

impl<'de> Deserialize<'de> for TypeCheck {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for TypeCheck {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a mapping of policies")
    }

    /// An empty file.
    fn visit_unit<E: de::Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    /// An absent value, for readers that distinguish it.
    fn visit_none<E: de::Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self, A::Error> {
        Policies::deserialize(MapAccessDeserializer::new(WithoutPreset(map)))?;
        Ok(self)
    }
}

/// A part's keys without `preset`, which is not a policy.
struct WithoutPreset<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutPreset<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        mut seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        loop {
            match self.0.next_key_seed(Key(seed))? {
                None => return Ok(None),
                Some(Ok(key)) => return Ok(Some(key)),
                Some(Err(unused)) => {
                    self.0.next_value::<IgnoredAny>()?;
                    seed = unused;
                }
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}

/// Reads a key, or returns its seed for the next one if it is `preset`. The seed reads it inside
/// the reader of the text, which adds the position to its errors.
struct Key<K>(K);

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for Key<K> {
    type Value = Result<K::Value, K>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de, K: DeserializeSeed<'de>> Visitor<'de> for Key<K> {
    type Value = Result<K::Value, K>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Self::Value, E> {
        if key == "preset" {
            return Ok(Err(self.0));
        }
        self.0.deserialize(key.into_deserializer()).map(Ok)
    }
}
