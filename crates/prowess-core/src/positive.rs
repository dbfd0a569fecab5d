//! Numbers of policies that are at least 1.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// Reads a number of a policy where zero would switch off what it limits.
///
/// # Errors
///
/// It is zero, or not a number of this type.
pub fn positive<'de, D: Deserializer<'de>, N: TryFrom<u64>>(from: D) -> Result<N, D::Error> {
    // The schema of a configuration knows the minimum by this name.
    from.deserialize_newtype_struct("Positive", Positive(PhantomData))
}

struct Positive<N>(PhantomData<N>);

impl<'de, N: TryFrom<u64>> Visitor<'de> for Positive<N> {
    type Value = N;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a whole number of at least 1")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<N, D::Error> {
        inner.deserialize_u64(self)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<N, E> {
        let wrong = || E::invalid_value(Unexpected::Unsigned(number), &self);
        N::try_from(number).ok().filter(|_| number > 0).ok_or_else(wrong)
    }
}
