//! The keys that the file of a project may contain.

use std::fmt;

use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_yaml::Value;

use super::{ConfigError, ConfigPart};

/// The values that a project may set.
#[derive(Clone, Copy)]
pub(super) enum Allowed {
    /// Every value.
    Any,
    /// `true`, which makes the key stricter.
    True,
    /// A number that is not above the operator's.
    AtMost,
}

/// The keys that a project may set, each with those below it. They decide which of its files are
/// skills, and how they are checked; none lets a skill or a script do more.
pub(super) const KEYS: [(&str, Allowed); 11] = [
    ("registry.profile", Allowed::Any),
    ("registry.name_rule", Allowed::Any),
    ("registry.name_mismatch", Allowed::Any),
    ("registry.skill_md_case", Allowed::Any),
    ("registry.limits", Allowed::Any),
    ("discovery.gitignore", Allowed::True),
    ("discovery.skip", Allowed::Any),
    ("discovery.bounds.max_directories", Allowed::AtMost),
    ("discovery.bounds.max_entries", Allowed::AtMost),
    ("discovery.bounds.max_skills", Allowed::AtMost),
    ("discovery.bounds.max_seconds", Allowed::AtMost),
];

/// Checks that a project's part sets these keys alone, over the configuration of the operator.
pub(super) fn check(part: &ConfigPart, below: &Value) -> Result<(), ConfigError> {
    let root = Keys { path: String::new(), below: Some(below) };
    let deserializer = serde_yaml::Deserializer::from_str(part.as_text());
    let checked = root.deserialize(deserializer);
    checked.map_err(|error| ConfigError::forbidden(&error).of(&part.origin))
}

/// Checks the keys of a mapping.
struct Keys<'b> {
    path: String,
    /// The operator's value at the same place.
    below: Option<&'b Value>,
}

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a mapping of policies")
    }

    /// An empty part.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((path, allowed)) = map.next_key_seed(Key(&self.path))? {
            let name = path.rsplit('.').next().unwrap_or_default();
            let below = self.below.and_then(|below| below.get(name));
            match allowed {
                None => map.next_value_seed(Keys { path, below })?,
                Some(allowed) => {
                    let limit = below.and_then(Value::as_u64);
                    map.next_value_seed(Setting { path, allowed, limit })?;
                }
            }
        }
        Ok(())
    }
}

/// Reads a key below this path; refuses one that a project must not set. It is inside the reader of
/// the text, which adds the position to errors.
struct Key<'p>(&'p str);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = (String, Option<Allowed>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = (String, Option<Allowed>);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Self::Value, E> {
        let path = if self.0.is_empty() { key.to_owned() } else { format!("{}.{key}", self.0) };
        if let Some((_, allowed)) = KEYS.iter().find(|(known, _)| *known == path) {
            return Ok((path, Some(*allowed)));
        }
        if KEYS.iter().any(|(known, _)| known.starts_with(&format!("{path}."))) {
            return Ok((path, None));
        }
        Err(E::custom(format_args!(
            "`{path}` cannot be set by a project, whose skills it could give more rights"
        )))
    }
}

/// Checks one value.
struct Setting {
    path: String,
    allowed: Allowed,
    limit: Option<u64>,
}

impl<'de> DeserializeSeed<'de> for Setting {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.allowed {
            Allowed::Any => IgnoredAny::deserialize(deserializer).map(drop),
            Allowed::True | Allowed::AtMost => deserializer.deserialize_any(self),
        }
    }
}

impl Visitor<'_> for Setting {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value that makes the key stricter")
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        if value {
            return Ok(());
        }
        Err(E::custom(format_args!("`{}` can only be set to `true` by a project", self.path)))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        match self.limit {
            Some(limit) if value > limit => Err(E::custom(format_args!(
                "`{}` cannot be raised by a project: the operator's limit is {limit}",
                self.path
            ))),
            _ => Ok(()),
        }
    }
}
