//! The skills that a skill requires, and the order in which they are loaded.

use std::collections::HashMap;
use std::fmt;

use semver::{Version, VersionReq};

use super::{Catalog, RecordIndex};
use crate::{Caller, Record};

/// A skill that another one requires, as `requires` of its frontmatter names it: an id, and after
/// an `@` a range of versions as cargo writes them, such as `forms@^1.2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequiredSkill<'a> {
    /// The id.
    pub id: &'a str,
    /// The range of versions; `None` if any version will do.
    pub range: Option<&'a str>,
}

impl<'a> RequiredSkill<'a> {
    /// Parses a name and a range. Every text has one, if perhaps one that nothing meets.
    pub fn parse(text: &'a str) -> Self {
        match text.split_once('@') {
            Some((id, range)) => Self { id: id.trim(), range: Some(range.trim()) },
            None => Self { id: text.trim(), range: None },
        }
    }

    /// Returns whether the range can be read, if there is one.
    pub fn has_valid_range(self) -> bool {
        self.range.is_none_or(|range| VersionReq::parse(range).is_ok())
    }

    /// Returns whether a skill of this version is in the range. A range or a version that cannot be
    /// read matches nothing.
    pub fn accepts(self, version: Option<&str>) -> bool {
        let Some(range) = self.range else { return true };
        let Ok(range) = VersionReq::parse(range) else { return false };
        version.and_then(read_version).is_some_and(|version| range.matches(&version))
    }
}

/// Parses a version that may omit its last parts, such as `1.2`.
fn read_version(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches('v');
    let missing = 2_usize.saturating_sub(text.matches('.').count());
    Version::parse(text).or_else(|_| Version::parse(&[text, &".0".repeat(missing)].concat())).ok()
}

impl fmt::Display for RequiredSkill<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.range {
            Some(range) => write!(formatter, "{}@{range}", self.id),
            None => formatter.write_str(self.id),
        }
    }
}

/// An unmet requirement of a skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnmetRequirement {
    /// No such skill can be loaded.
    #[error("skill `{skill}` requires skill `{required}`, which cannot be loaded here")]
    Missing {
        /// The id of the skill with the requirement.
        skill: String,
        /// The id of the required skill.
        required: String,
    },
    /// The skill has another version.
    #[error("skill `{skill}` requires skill `{required}`, and its version is {}", shown(.found))]
    Version {
        /// The id of the skill with the requirement.
        skill: String,
        /// The id of the required skill, with the range.
        required: String,
        /// The version of the skill that has the id.
        found: Option<String>,
    },
    /// Skills require each other.
    #[error("these skills require each other: {}", .0.join(" → "))]
    Cycle(
        /// The ids; the first one is repeated at the end.
        Vec<String>,
    ),
}

fn shown(version: &Option<String>) -> String {
    version.as_ref().map_or_else(|| "unknown".to_owned(), |version| format!("`{version}`"))
}

impl<'c> Record<'c> {
    /// Iterates over the skills that this one requires, in the order of its frontmatter.
    pub fn required_skills(self) -> impl Iterator<Item = RequiredSkill<'c>> {
        let skills = self.conditions().map_or(&[][..], |conditions| &conditions.skills);
        skills.iter().map(|skill| RequiredSkill::parse(skill))
    }
}

impl Catalog {
    /// Returns a skill and those that it requires, directly or through others, in the order in
    /// which they are to be loaded: the skill itself is the last.
    ///
    /// # Errors
    ///
    /// Returns the first requirement that cannot be met for this caller.
    pub fn load_order<'c>(
        &'c self,
        record: Record<'c>,
        caller: Caller,
    ) -> Result<Vec<Record<'c>>, UnmetRequirement> {
        let mut walk = RequirementWalk::new(|id: &str| self.find(id, caller).found());
        walk.visit(record);
        match walk.unmet.into_iter().next() {
            Some((_, unmet)) => Err(unmet),
            None => Ok(walk.order),
        }
    }
}

/// A traversal of skills and their requirements that visits each skill once. It is not recursive,
/// so a long chain of skills cannot overflow the stack.
pub struct RequirementWalk<'c, F> {
    find: F,
    states: HashMap<RecordIndex, State>,
    order: Vec<Record<'c>>,
    unmet: Vec<(RecordIndex, UnmetRequirement)>,
}

/// The progress of one record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its requirements are being visited.
    Open,
    Done,
}

/// A record on the path of the walk, and the requirements of it that are not visited yet.
struct Step<'c> {
    record: Record<'c>,
    left: std::vec::IntoIter<RequiredSkill<'c>>,
}

impl<'c, F: Fn(&str) -> Option<Record<'c>>> RequirementWalk<'c, F> {
    /// Creates a walk in which `find` returns the skill of an id.
    pub fn new(find: F) -> Self {
        Self { find, states: HashMap::new(), order: Vec::new(), unmet: Vec::new() }
    }

    /// Visits a skill and its requirements, except those that were visited before.
    pub fn visit(&mut self, record: Record<'c>) {
        let mut path = Vec::new();
        self.enter(record, &mut path);
        while let Some(step) = path.last_mut() {
            let record = step.record;
            match step.left.next() {
                Some(required) => self.follow(record, required, &mut path),
                None => {
                    path.pop();
                    self.states.insert(record.index(), State::Done);
                    self.order.push(record);
                }
            }
        }
    }

    /// Returns the requirements that are not met, with the records that have them.
    pub fn into_unmet(self) -> Vec<(RecordIndex, UnmetRequirement)> {
        self.unmet
    }

    fn enter(&mut self, record: Record<'c>, path: &mut Vec<Step<'c>>) {
        if let std::collections::hash_map::Entry::Vacant(state) = self.states.entry(record.index())
        {
            state.insert(State::Open);
            let left = record.required_skills().collect::<Vec<_>>().into_iter();
            path.push(Step { record, left });
        }
    }

    fn follow(
        &mut self,
        record: Record<'c>,
        required: RequiredSkill<'c>,
        path: &mut Vec<Step<'c>>,
    ) {
        let skill = record.id().to_owned();
        let Some(found) = (self.find)(required.id) else {
            let required = required.id.to_owned();
            return self.fail(record, UnmetRequirement::Missing { skill, required });
        };
        if !required.accepts(found.version()) {
            let found = found.version().map(str::to_owned);
            let required = required.to_string();
            return self.fail(record, UnmetRequirement::Version { skill, required, found });
        }
        if self.states.get(&found.index()) == Some(&State::Open) {
            return self.fail(record, cycle(path, found));
        }
        self.enter(found, path);
    }

    fn fail(&mut self, record: Record<'c>, unmet: UnmetRequirement) {
        self.unmet.push((record.index(), unmet));
    }
}

/// Returns the cycle that the path closes at `again`.
fn cycle(path: &[Step<'_>], again: Record<'_>) -> UnmetRequirement {
    let ids = path.iter().map(|step| step.record);
    let ids = ids.skip_while(|record| record.index() != again.index());
    UnmetRequirement::Cycle(ids.chain([again]).map(|record| record.id().to_owned()).collect())
}
