//! The form of the cases.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A file of cases over one tree.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    pub(super) tree: String,
    pub(super) cases: Vec<Case>,
}

impl Suite {
    /// Reads a file; `root` is the directory of the tree.
    pub(super) fn read(text: &str, root: &str) -> Self {
        read(&text.replace("{root}", root))
    }
}

/// Reads YAML by the rules of JSON, which has a plain form for each kind of operation.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> T {
    let value: Value = serde_yaml::from_str(text).expect("cases are YAML");
    serde_json::from_value(value).expect("cases have their form")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) id: String,
    /// The policies that differ from the preset's.
    #[serde(default)]
    pub(super) policies: Value,
    /// The skills that are loaded at the start, in this order.
    #[serde(default)]
    pub(super) loaded: Vec<String>,
    /// Set if the host has a runner of scripts.
    #[serde(default)]
    pub(super) runner: bool,
    pub(super) steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    #[serde(rename = "do")]
    pub(super) operation: Operation,
    #[serde(default)]
    expect: OneOrMany,
}

/// The expected results; `null` where any result is fine.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    #[default]
    Nothing,
    Many(Vec<Expected>),
    One(Box<Expected>),
}

impl Step {
    pub(super) fn of(json: &str) -> Self {
        serde_json::from_str(json).expect("a step has its form")
    }

    /// Returns the first result whose values are all facts.
    pub(super) fn expected(&self, facts: &[String]) -> Option<&Expected> {
        let all = match &self.expect {
            OneOrMany::Nothing => &[][..],
            OneOrMany::Many(many) => many,
            OneOrMany::One(one) => std::slice::from_ref(&**one),
        };
        let is_fact = |word: &str| facts.iter().any(|fact| fact == word);
        all.iter().find(|expected| expected.when.split_whitespace().all(is_fact))
    }

    /// Returns whether the step has results, but none under these facts.
    pub(super) fn is_open(&self, facts: &[String]) -> bool {
        !matches!(self.expect, OneOrMany::Nothing) && self.expected(facts).is_none()
    }
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum Operation {
    /// Calls a tool by its canonical name.
    Call {
        call: String,
        with: Value,
    },
    /// Runs a tool of the host.
    Guard {
        guard: String,
        with: Value,
        ends: End,
    },
    /// Runs a task that loads further skills.
    Task {
        task: End,
        loads: Vec<String>,
    },
    Write {
        write: String,
        text: String,
    },
    /// Deletes a file; the catalog does not know yet.
    Delete {
        delete: String,
    },
    /// Removes the directory of a skill.
    Remove {
        remove: String,
        #[serde(default = "yes")]
        reload: bool,
    },
    /// Writes a removed skill again.
    Restore {
        restore: String,
    },
    Plain(Plain),
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Plain {
    Reload,
    /// Closes the session; a turn that has started goes on.
    Close,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    Well,
    Failed,
    Panicked,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    /// The facts under which the result is expected.
    #[serde(default)]
    when: String,
    pub(super) active: Option<Vec<String>>,
    pub(super) code: Option<String>,
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) has: Vec<String>,
    pub(super) data: Option<Value>,
    pub(super) decision: Option<String>,
}

/// The result of a step.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) code: Option<String>,
    pub(super) text: String,
    pub(super) data: Value,
    pub(super) decision: Option<String>,
}

/// Returns whether each field of `part` is in `whole` with the same value.
pub(crate) fn includes(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(name, value)| whole.get(name).is_some_and(|whole| includes(whole, value))),
        _ => whole == part,
    }
}
