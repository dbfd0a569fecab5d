//! The keys of policies: merging, and the origin of each value.

use std::path::Path;

use serde_yaml::Value;

use super::{ConfigValue, Origin, template};
use crate::Policies;

/// The keys of directories that programs write to. A relative path starts at the directory of the
/// file that has it: else each directory in which a program starts would get one of its own.
const WRITTEN: [&str; 1] = ["proposals.directory"];

/// Completes the relative paths of [`WRITTEN`] in the values of a file.
pub(super) fn complete_paths(values: &mut Value, origin: &Origin) {
    let (Origin::File(file) | Origin::Project(file)) = origin else { return };
    let Some(directory) = file.parent() else { return };
    for key in WRITTEN {
        let value = key.split('.').try_fold(&mut *values, |value, key| value.get_mut(key));
        if let Some(Value::String(path)) = value
            && !Path::new(path).starts_with("~")
        {
            *path = directory.join(&*path).to_string_lossy().into_owned();
        }
    }
}

/// A key that a part sets.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    key: String,
    origin: Origin,
    /// Whether it is `{}`, which leaves the keys below it as they are.
    is_empty: bool,
}

impl Leaf {
    /// Adds the keys that a part sets.
    pub(super) fn push_all(all: &mut Vec<Self>, part: &Value, origin: &Origin) {
        visit(part, &mut Vec::new(), &mut |key, value| {
            let is_empty = value.is_mapping();
            all.push(Self { key: key.join("."), origin: origin.clone(), is_empty });
        });
    }

    /// Returns whether it sets a value, or something inside or around it.
    pub(super) fn sets(&self, key: &str) -> bool {
        let is_below = |lower: &str, upper: &str| {
            lower.strip_prefix(upper).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        is_below(&self.key, key) || !self.is_empty && is_below(key, &self.key)
    }
}

/// Returns the values of policies with their origins: that of the last part that sets each.
pub(super) fn values(policies: &Policies, set: &[Leaf]) -> Vec<ConfigValue> {
    let whole = serde_yaml::to_value(policies).expect("policies that were read can be written");
    let documented = template::keys();
    let mut values = Vec::new();
    visit(&whole, &mut Vec::new(), &mut |key, value| {
        let key = key.join(".");
        let origin = set.iter().rev().find(|leaf| leaf.sets(&key));
        let origin = origin.map_or(Origin::Default, |leaf| leaf.origin.clone());
        // Policies have text keys, which JSON has too.
        let value = serde_json::to_value(value).unwrap_or_default();
        let tier = template::tier(&documented, &key);
        values.push(ConfigValue { key, tier, value, origin });
    });
    values
}

/// Visits every value that is not a mapping with content.
fn visit(value: &Value, key: &mut Vec<String>, found: &mut impl FnMut(&[String], &Value)) {
    match value.as_mapping() {
        Some(mapping) if !mapping.is_empty() => {
            for (inner, value) in mapping {
                key.push(inner.as_str().unwrap_or_default().to_owned());
                visit(value, key, found);
                key.pop();
            }
        }
        // A part without content.
        Some(_) if key.is_empty() => {}
        _ => found(key, value),
    }
}

/// Merges the fields of `upper` into `lower`, mapping by mapping.
pub(super) fn lay_over(lower: &mut Value, upper: Value) {
    merge(lower, upper, &|lower, upper| *lower = upper);
}

/// Merges like [`lay_over`], and appends lists instead of replacing them.
pub(super) fn append_over(lower: &mut Value, upper: Value) {
    merge(lower, upper, &|lower, upper| match (lower, upper) {
        (Value::Sequence(lower), Value::Sequence(upper)) => lower.extend(upper),
        (lower, upper) => *lower = upper,
    });
}

fn merge(lower: &mut Value, upper: Value, put: &impl Fn(&mut Value, Value)) {
    match (lower, upper) {
        (Value::Mapping(lower), Value::Mapping(upper)) => {
            for (key, value) in upper {
                match lower.get_mut(&key) {
                    Some(below) => merge(below, value, put),
                    None => drop(lower.insert(key, value)),
                }
            }
        }
        (lower, upper) => put(lower, upper),
    }
}
