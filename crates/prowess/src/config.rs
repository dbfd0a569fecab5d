//! Reads policies from configurations: a preset, and the changes to it.

mod difference;
mod error;
mod keys;
mod origin;
mod part;
mod project;
mod schema;
mod template;
mod tier;
mod written;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use prowess_format::Profile;
use serde_yaml::{Mapping, Value};

use crate::Policies;
pub use difference::PresetDifference;
pub use error::{ConfigError, ConfigErrorKind, ConfigPosition};
pub use origin::Origin;
pub use part::ConfigPart;
pub use tier::ConfigTier;

use keys::{Leaf, append_over, complete_paths, lay_over, values};
use written::Written;

/// The preset of a configuration that names none.
const STANDARD: &str = "standard";

const REGISTRY: &str = "registry";

/// The presets: name and content, in the format of `prowess.yaml`. `standard` follows
/// agentskills.io and its client guide, like the defaults of all policies; the others reproduce
/// other kinds of hosts.
const PRESETS: [(&str, &str); 6] = [
    (STANDARD, include_str!("../presets/standard.yaml")),
    ("few-active", include_str!("../presets/few-active.yaml")),
    ("enterprise-layers", include_str!("../presets/enterprise-layers.yaml")),
    ("spec-law", include_str!("../presets/strict-spec.yaml")),
    ("mounted", include_str!("../presets/sandbox.yaml")),
    ("directory-ids", include_str!("../presets/one-directory.yaml")),
];

/// Names that work as well: the runtime that a preset reproduces, or what it does.
const ALIASES: [(&str, &str); 7] = [
    ("flexigpt", "few-active"),
    ("omniforge", "enterprise-layers"),
    ("boxxy", "spec-law"),
    ("yodoca", "directory-ids"),
    ("strict-spec", "spec-law"),
    ("sandbox", "mounted"),
    ("one-directory", "directory-ids"),
];

/// Policies that were read from several places, with the origin of each value.
#[derive(Clone, Debug)]
pub struct Configuration {
    policies: Policies,
    preset: ConfigValue,
    set: Vec<Leaf>,
    /// Collected at the first call of [`Configuration::values`], because most commands need none.
    values: OnceLock<Vec<ConfigValue>>,
}

/// One value of a configuration.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct ConfigValue {
    /// The key with those above it, such as `prompt.max_tokens`.
    pub key: String,
    /// The tier of the key.
    pub tier: ConfigTier,
    /// The value.
    pub value: serde_json::Value,
    /// The place that the value comes from.
    pub origin: Origin,
}

impl Configuration {
    /// Reads the parts of a configuration, the weakest first: a later part replaces the values of
    /// an earlier one, mapping by mapping. Below all of them is the preset that the last `preset`
    /// names, and below that one are the parts of [`Origin::Program`].
    ///
    /// A part of [`Origin::Project`] may only contain keys that cannot widen the rights of the
    /// project's own skills ([`Configuration::project_keys`]).
    ///
    /// # Errors
    ///
    /// A part is not YAML, names no preset, has a key or a value that no policy has, or is a
    /// project's and has a key that a project must not set.
    pub fn of(parts: &[ConfigPart]) -> Result<Self, ConfigError> {
        let mut read = Vec::with_capacity(parts.len() + 1);
        for part in parts {
            read.push((part, part.read()?));
        }
        let named = read.iter().rev().find_map(|(part, written)| Some((part, written.preset()?)));
        let (name, origin) =
            named.map_or((STANDARD, Origin::Default), |(part, name)| (name, part.origin.clone()));
        let preset = preset_part(name).map_err(|error| error.of(&origin))?;
        let preset_value = ConfigValue {
            key: "preset".to_owned(),
            tier: ConfigTier::Common,
            value: name.into(),
            origin,
        };
        let preset_written = preset.read()?;
        // A stable sort: the program's parts are first, and the preset is next.
        read.insert(0, (&preset, preset_written));
        read.sort_by_key(|(part, _)| part.origin != Origin::Program);
        // Programs set keys of `registry`, and need its defaults alone: those of all policies take
        // a tenth of a start.
        let keys = read.iter().filter_map(|(_, written)| written.policies.as_mapping());
        let merged = match keys.flat_map(Mapping::keys).all(|key| key == REGISTRY) {
            true => {
                serde_yaml::to_value(BTreeMap::from([(REGISTRY, Policies::default().registry)]))
            }
            false => serde_yaml::to_value(Policies::default()),
        };
        let mut merged = merged.map_err(ConfigError::invalid)?;
        let (mut set, mut operator) = (Vec::new(), None);
        for (part, mut written) in read {
            complete_paths(&mut written.policies, &part.origin);
            Leaf::push_all(&mut set, &written.policies, &part.origin);
            if part.origin.is_project() {
                project::check(part)?;
                operator.get_or_insert_with(|| merged.clone());
                append_over(&mut merged, written.policies);
            } else {
                operator.iter_mut().for_each(|it| lay_over(it, written.policies.clone()));
                lay_over(&mut merged, written.policies);
            }
        }
        let operator = operator.map(Policies::from_value).transpose()?.map(Box::new);
        let policies = Policies { operator, ..Policies::from_value(merged)? };
        Ok(Self { policies, preset: preset_value, set, values: OnceLock::new() })
    }

    /// Returns the policies.
    pub fn policies(&self) -> &Policies {
        &self.policies
    }

    /// Returns the policies, without the origins of their values.
    pub fn into_policies(self) -> Policies {
        self.policies
    }

    /// Returns each value with its origin, in the order of the documentation.
    pub fn values(&self) -> &[ConfigValue] {
        self.values.get_or_init(|| {
            let mut values = values(&self.policies, &self.set);
            values.insert(0, self.preset.clone());
            values
        })
    }

    /// Returns whether something sets this key, or a part of its value.
    pub fn is_set(&self, key: &str) -> bool {
        self.set.iter().any(|leaf| leaf.sets(key))
    }

    /// Returns the profile if something sets it. `None` if it is the default one, which a checker
    /// for authors replaces by its own.
    pub fn chosen_profile(&self) -> Option<Profile> {
        self.is_set("registry.profile").then_some(self.policies.registry.profile)
    }

    /// Returns the keys that a project may set; each stands for those below it, too.
    pub fn project_keys() -> impl Iterator<Item = &'static str> {
        project::KEYS.iter().map(|(key, _)| *key)
    }

    /// Returns the feature of this crate that a key needs, if this build lacks it.
    pub fn missing_feature(key: &str) -> Option<&'static str> {
        error::missing_feature(key).map(|(_, feature)| feature)
    }

    /// Returns a file in which the keys up to a tier are explained and commented out, without those
    /// that this build refuses.
    pub fn template(tier: ConfigTier) -> String {
        template::commented(tier, |key| Self::missing_feature(key).is_none())
    }

    /// Returns the JSON Schema of a configuration file, for editors. The keyword `x-tier` of each
    /// key has its [`ConfigTier`].
    pub fn schema() -> serde_json::Value {
        schema::schema()
    }
}

impl Policies {
    /// Returns the policies of a preset.
    ///
    /// # Errors
    ///
    /// No preset has this name.
    pub fn preset(name: &str) -> Result<Self, ConfigError> {
        Ok(Configuration::of(&[preset_part(name)?])?.policies)
    }

    /// Iterates over the names of the presets, `standard` first. Further names, by the runtime that
    /// a preset reproduces, are in the guide about migrating.
    pub fn presets() -> impl ExactSizeIterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// Returns what a preset does otherwise than the document that it reproduces, and why. The
    /// standard preset has no such list.
    ///
    /// # Errors
    ///
    /// No preset has this name.
    pub fn differences(preset: &str) -> Result<Vec<PresetDifference>, ConfigError> {
        let (name, _) = known_preset(preset)?;
        Ok(difference::of(name))
    }

    /// Returns the policies of a configuration file: those of the preset named under `preset` (by
    /// default `standard`), with the fields of the file in their place.
    ///
    /// The text belongs to the operator. It is never taken from a skill or a project; see
    /// [`Configuration::of`] for those.
    ///
    /// # Errors
    ///
    /// The text is not YAML, names no preset, or has a key or a value that no policy has.
    pub fn from_yaml(text: &str) -> Result<Self, ConfigError> {
        Ok(Configuration::of(&[ConfigPart::text(Origin::Text, text)])?.policies)
    }

    fn from_value(value: Value) -> Result<Self, ConfigError> {
        serde_yaml::from_value(value).map_err(ConfigError::invalid)
    }
}

fn preset_part(name: &str) -> Result<ConfigPart, ConfigError> {
    let (_, text) = known_preset(name)?;
    Ok(ConfigPart::text(Origin::Preset(name.to_owned()), possible_keys(text)))
}

/// Returns the name and the content of a preset by one of its names.
fn known_preset(name: &str) -> Result<(&'static str, &'static str), ConfigError> {
    let is = |known: &str, name: &str| known.eq_ignore_ascii_case(name);
    let named = ALIASES.iter().find(|(alias, _)| is(alias, name)).map_or(name, |(_, meant)| meant);
    let preset = PRESETS.iter().find(|(known, _)| is(known, named));
    preset.copied().ok_or_else(|| ConfigError::unknown_preset(name))
}

/// Returns a preset without the keys whose features this build lacks.
fn possible_keys(preset: &str) -> String {
    let mut is_possible = true;
    let keep = |line: &&str| {
        if let Some((key, _)) = line.split_once(':').filter(|_| !line.starts_with([' ', '#'])) {
            is_possible = error::missing_feature(key).is_none();
        }
        is_possible
    };
    preset.split_inclusive('\n').filter(keep).collect()
}
