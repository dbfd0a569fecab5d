//! Determines which requirements of skills the machine does not meet.

use std::collections::BTreeMap;

use prowess_core::{CatalogSource, Facts, RecordIndex, Requirements};

use crate::reasons::joined;

/// The missing requirements of records, at the time of one reload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Readiness(BTreeMap<RecordIndex, Box<str>>);

impl Readiness {
    /// Checks the requirements of the records of these sources. Without facts, all are met.
    pub(crate) fn ask(sources: &[CatalogSource], facts: Option<&dyn Facts>) -> Self {
        let Some(facts) = facts else { return Self::default() };
        let mut missing = BTreeMap::new();
        for (source, of) in sources.iter().enumerate() {
            for (entry, conditions) in of.records.conditioned() {
                if let Some(what) = missing_requirement(&conditions.requirements, facts) {
                    missing.insert(RecordIndex::new(source, entry), what.into());
                }
            }
        }
        Self(missing)
    }

    /// Returns whether no requirement is missing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn missing_requirement(&self, at: RecordIndex) -> Option<&str> {
        self.0.get(&at).map(|missing| &**missing)
    }
}

/// Returns the requirements that are not met, in words.
fn missing_requirement(needed: &Requirements, facts: &dyn Facts) -> Option<String> {
    if needed.is_waived {
        return None;
    }
    let Requirements { systems, programs, any_program, variables, config, .. } = needed;
    // Most conditions are of other kinds.
    if [systems, programs, any_program, variables, config].iter().all(|names| names.is_empty()) {
        return None;
    }
    let is_other = !systems.is_empty() && !systems.iter().any(|one| is_system(one, facts));
    let system = is_other
        .then(|| format!("it is for {}, and this is `{}`", either(systems), facts.system()));
    let has_none =
        !any_program.is_empty() && !any_program.iter().any(|name| facts.has_program(name));
    let one_of = has_none.then(|| format!("it needs one of the programs {}", either(any_program)));
    let programs = missing(programs, |name| facts.has_program(name));
    let programs =
        programs.map(|name| format!("it needs the program `{name}`, which is not there"));
    let variables = missing(variables, |name| facts.has_variable(name))
        .map(|name| format!("it needs the environment variable `{name}`, which is not set"));
    let config = missing(config, |key| facts.has_config(key))
        .map(|key| format!("it needs the configuration's `{key}`, which is not set"));
    let lists = programs.map(Some).chain([one_of]).chain(variables.chain(config).map(Some));
    joined([system].into_iter().chain(lists))
}

fn missing<'n>(
    names: &'n [Box<str>],
    has: impl Fn(&str) -> bool + 'n,
) -> impl Iterator<Item = &'n str> {
    names.iter().map(|name| &**name).filter(move |name| !has(name))
}

/// Returns whether a system name in a skill matches this system. Most skills use Node's names.
fn is_system(word: &str, facts: &dyn Facts) -> bool {
    let meant = match word {
        "darwin" => "macos",
        "win32" => "windows",
        word => word,
    };
    meant.eq_ignore_ascii_case(facts.system())
}

fn either(names: &[Box<str>]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" or ")
}
