//! A deserializer that records what a type asks for at one place.

use serde::de::value::Error;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

use crate::Policies;

/// A step from a value to one inside.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// The field with this name.
    Field(&'static str),
    /// An item of a list.
    Item,
    /// A value of a map.
    Entry,
}

/// The values that a type accepts.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Boolean,
    Integer,
    Text,
    List,
    Map,
    Struct(&'static [&'static str]),
    Words(&'static [&'static str]),
}

/// A record of one place.
#[derive(Default)]
pub(super) struct Seen {
    /// `None` for a type that accepts several kinds of values.
    pub(super) shape: Option<Shape>,
    pub(super) is_optional: bool,
    /// Whether a number is at least 1.
    pub(super) is_positive: bool,
}

/// Returns the values that the policies accept at a place.
pub(super) fn seen(path: &[Step]) -> Seen {
    let mut seen = Seen::default();
    // A probe always ends with an error: there is no value to return.
    let _ = Policies::deserialize(Probe { path, seen: &mut seen });
    seen
}

/// A value at the start of a path, whose end is the place.
struct Probe<'p> {
    path: &'p [Step],
    seen: &'p mut Seen,
}

/// Returns the end of a probe.
fn ended() -> Error {
    Error::custom("the probe has ended")
}

impl<'p> Probe<'p> {
    fn record<T>(self, shape: Shape) -> Result<T, Error> {
        if self.path.is_empty() {
            self.seen.shape = Some(shape);
        }
        Err(ended())
    }

    /// Returns the value after the first step, if there is one.
    fn inside(&mut self) -> Option<(Step, Probe<'_>)> {
        let (step, path) = self.path.split_first()?;
        Some((*step, Probe { path, seen: self.seen }))
    }
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    /// The type accepts several kinds of values.
    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(ended())
    }

    fn deserialize_bool<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        self.record(Shape::Boolean)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        self.record(Shape::Integer)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        self.record(Shape::Text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.path.is_empty() {
            self.seen.is_optional = true;
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.seen.is_positive |= self.path.is_empty() && name == "Positive";
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.path.first() {
            Some(Step::Item) => visitor.visit_seq(Inside(self)),
            _ => self.record(Shape::List),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.path.first() {
            Some(Step::Entry) => visitor.visit_map(Inside(self)),
            _ => self.record(Shape::Map),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.path.first() {
            Some(Step::Field(_)) => visitor.visit_map(Inside(self)),
            _ => self.record(Shape::Struct(fields)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        self.record(Shape::Words(variants))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

/// The one item, entry or field on the path.
struct Inside<'p>(Probe<'p>);

impl<'de> SeqAccess<'de> for Inside<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let (_, inside) = self.0.inside().ok_or_else(ended)?;
        seed.deserialize(inside).map(Some)
    }
}

impl<'de> MapAccess<'de> for Inside<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let key = match self.0.path.first() {
            Some(Step::Field(name)) => AnyKey(name),
            _ => AnyKey("key"),
        };
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (_, inside) = self.0.inside().ok_or_else(ended)?;
        seed.deserialize(inside)
    }
}

/// A key of a mapping: this text, or if the keys are words, the first of them.
struct AnyKey(&'static str);

impl<'de> Deserializer<'de> for AnyKey {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let first: &str = variants.first().copied().unwrap_or(self.0);
        visitor.visit_enum(first.into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
