//! What skills need of the machine, and which of it is there.

use std::collections::BTreeMap;

use prowess_core::{CatalogSource, Facts, RecordIndex, Requirements};

/// What each record lacks that lacks something, as of one reload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Readiness(BTreeMap<RecordIndex, Box<str>>);

impl Readiness {
    /// Asks `facts` for what the records of these sources need. Without facts everything is there.
    pub(crate) fn ask(sources: &[CatalogSource], facts: Option<&dyn Facts>) -> Self {
        let Some(facts) = facts else { return Self::default() };
        let mut lacks = BTreeMap::new();
        for (source, of) in sources.iter().enumerate() {
            for (entry, conditions) in of.records.conditioned() {
                if let Some(lack) = lack(&conditions.requirements, facts) {
                    lacks.insert(RecordIndex::new(source, entry), lack.into());
                }
            }
        }
        Self(lacks)
    }

    /// What a record lacks.
    pub(crate) fn lack(&self, at: RecordIndex) -> Option<&str> {
        self.0.get(&at).map(|lack| &**lack)
    }
}

/// The first thing that is not there.
fn lack(needed: &Requirements, facts: &dyn Facts) -> Option<String> {
    if needed.is_waived {
        return None;
    }
    let Requirements { systems, programs, any_program, variables, config, .. } = needed;
    let other_system = || {
        let is_other = !systems.is_empty() && !systems.iter().any(|one| is_system(one, facts));
        is_other.then(|| format!("it is for {}, and this is `{}`", either(systems), facts.system()))
    };
    let no_program = || {
        let missing = programs.iter().find(|name| !facts.has_program(name))?;
        Some(format!("it needs the program `{missing}`, which is not there"))
    };
    let none_of_programs = || {
        let is_missing =
            !any_program.is_empty() && !any_program.iter().any(|name| facts.has_program(name));
        is_missing.then(|| format!("it needs one of the programs {}", either(any_program)))
    };
    let no_variable = || {
        let missing = variables.iter().find(|name| !facts.has_variable(name))?;
        Some(format!("it needs the environment variable `{missing}`, which is not set"))
    };
    let no_config = || {
        let missing = config.iter().find(|key| !facts.has_config(key))?;
        Some(format!("it needs the configuration's `{missing}`, which is not set"))
    };
    other_system()
        .or_else(no_program)
        .or_else(none_of_programs)
        .or_else(no_variable)
        .or_else(no_config)
}

/// Whether a skill's word for a system means this one. Node's words are the usual ones.
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
