//! The content of a file, before it is merged with a preset.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, de};

use crate::Policies;

/// The policies of a file alone. They are parsed separately because the merged value has no lines
/// for errors.
pub(super) struct Written;

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Written {
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

/// A file's keys without `preset`, which is not a policy.
struct WithoutPreset<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithoutPreset<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.0.next_key::<String>()? {
            if key != "preset" {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            self.0.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}
