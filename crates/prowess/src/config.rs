//! Reads policies from a file: a preset, and the changes to it.

mod written;

use prowess_format::Profile;
use serde::Deserialize;

use crate::Policies;
use written::Written;

/// The presets: name and content, in the format of `prowess.yaml`. `standard` follows
/// agentskills.io and its client guide, like the defaults of all policies; the others reproduce
/// other kinds of hosts.
const PRESETS: [(&str, &str); 6] = [
    ("standard", include_str!("../presets/standard.yaml")),
    ("flexigpt", include_str!("../presets/flexigpt.yaml")),
    ("omniforge", include_str!("../presets/omniforge.yaml")),
    ("boxxy", include_str!("../presets/boxxy.yaml")),
    ("sandbox", include_str!("../presets/sandbox.yaml")),
    ("yodoca", include_str!("../presets/yodoca.yaml")),
];

/// The error of reading policies.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No preset has this name.
    #[error("no preset named `{0}`; there are {known}", known = known_presets())]
    UnknownPreset(String),
    /// The text is not YAML, or has a key or a value that no policy has.
    #[error("the configuration cannot be read: {0}")]
    Invalid(#[from] serde_yaml::Error),
}

/// The keys of a file besides the policies.
#[derive(Deserialize)]
struct Head {
    preset: Option<String>,
}

impl Policies {
    /// Returns the policies of a preset.
    ///
    /// # Errors
    ///
    /// No preset has this name.
    pub fn preset(name: &str) -> Result<Self, ConfigError> {
        let preset = PRESETS.iter().find(|(known, _)| *known == name);
        let (_, text) = preset.ok_or_else(|| ConfigError::UnknownPreset(name.to_owned()))?;
        // A file with comments only is empty.
        Ok(serde_yaml::from_str::<Option<Self>>(text)?.unwrap_or_default())
    }

    /// Iterates over the names of the presets, `standard` first.
    pub fn presets() -> impl ExactSizeIterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// Returns the policies of a configuration file: those of the preset named under `preset` (by
    /// default `standard`), with the fields of the file in their place.
    ///
    /// The text belongs to the operator. It is never taken from a skill or a project.
    ///
    /// # Errors
    ///
    /// The text is not YAML, names no preset, or has a key or a value that no policy has.
    pub fn from_yaml(text: &str) -> Result<Self, ConfigError> {
        let mut own: serde_yaml::Value = serde_yaml::from_str(text)?;
        if own.is_null() {
            own = serde_yaml::Value::Mapping(serde_yaml::Mapping::new());
        }
        serde_yaml::from_str::<Written>(text)?;
        let head: Head = serde_yaml::from_value(own.clone())?;
        if let Some(mapping) = own.as_mapping_mut() {
            mapping.remove("preset");
        }
        let preset = Self::preset(head.preset.as_deref().unwrap_or("standard"))?;
        let mut merged = serde_yaml::to_value(preset)?;
        lay_over(&mut merged, own);
        Ok(serde_yaml::from_value(merged)?)
    }

    /// Returns the profile that a configuration sets, itself or by its preset. `None` if it is the
    /// default one, which a checker for authors replaces by its own.
    ///
    /// # Errors
    ///
    /// Those of [`Policies::from_yaml`].
    pub fn chosen_profile(text: &str) -> Result<Option<Profile>, ConfigError> {
        let policies = Self::from_yaml(text)?;
        let own: serde_yaml::Value = serde_yaml::from_str(text)?;
        let is_written = own.get("registry").and_then(|it| it.get("profile")).is_some();
        let profile = policies.registry.profile;
        Ok((is_written || profile != Profile::default()).then_some(profile))
    }
}

fn known_presets() -> String {
    Policies::presets().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Merges the fields of `upper` into `lower`, mapping by mapping.
fn lay_over(lower: &mut serde_yaml::Value, upper: serde_yaml::Value) {
    match (lower, upper) {
        (serde_yaml::Value::Mapping(lower), serde_yaml::Value::Mapping(upper)) => {
            for (key, value) in upper {
                match lower.get_mut(&key) {
                    Some(below) => lay_over(below, value),
                    None => drop(lower.insert(key, value)),
                }
            }
        }
        (lower, upper) => *lower = upper,
    }
}
