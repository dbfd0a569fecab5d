//! The keys that the file of a project may contain.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::{ConfigError, ConfigPart};

/// The values that a project may set.
#[derive(Clone, Copy)]
pub(super) enum Allowed {
    /// Every value.
    Any,
    /// `true`, which makes the key stricter.
    True,
    /// A list of directories in the project.
    Directories,
}

/// The keys that a project may set, each with those below it. They decide which of its files are
/// skills, and how they are checked; none lets a skill or a script do more.
pub(super) const KEYS: [(&str, Allowed); 8] = [
    ("registry.profile", Allowed::Any),
    ("registry.name_rule", Allowed::Any),
    ("registry.name_mismatch", Allowed::Any),
    ("registry.skill_md_case", Allowed::Any),
    ("registry.limits", Allowed::Any),
    ("discovery.also", Allowed::Directories),
    ("discovery.gitignore", Allowed::True),
    ("discovery.skip", Allowed::Any),
];

/// Checks that a project's part sets these keys alone.
pub(super) fn check(part: &ConfigPart) -> Result<(), ConfigError> {
    let root = Keys { path: String::new() };
    let deserializer = serde_yaml::Deserializer::from_str(part.as_text());
    let checked = root.deserialize(deserializer);
    checked.map_err(|error| ConfigError::forbidden(&error).of(&part.origin))
}

/// Checks the keys of a mapping.
struct Keys {
    path: String,
}

impl<'de> DeserializeSeed<'de> for Keys {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a mapping of policies")
    }

    /// A key without a value.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    /// An empty part.
    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((path, allowed)) = map.next_key_seed(Key(&self.path))? {
            match allowed {
                None => map.next_value_seed(Keys { path })?,
                Some(Allowed::Any) => drop(map.next_value::<IgnoredAny>()?),
                Some(Allowed::True) => map.next_value_seed(True { path })?,
                Some(Allowed::Directories) => drop(map.next_value::<Vec<InProject>>()?),
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

/// A directory in the project, which has a slash, unlike the name of a client. The policy checks
/// the rest.
struct InProject;

impl<'de> Deserialize<'de> for InProject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        if written.contains('/') {
            return Ok(Self);
        }
        Err(D::Error::custom(format_args!(
            "`{written}` is the name of a client, whose skills a project cannot add; `./{written}` \
             is a directory in the project"
        )))
    }
}

/// Checks that a value is `true`.
struct True {
    path: String,
}

impl<'de> DeserializeSeed<'de> for True {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_bool(self)
    }
}

impl Visitor<'_> for True {
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
}
