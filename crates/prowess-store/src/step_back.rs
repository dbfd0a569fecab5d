//! New versions that are older than the installed ones, or take their place under the same name.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use prowess_core::{Cancel, SKILL_MD_FILES};
use prowess_format::{Profile, parse};
use prowess_text::quoted;

use crate::candidate::{Candidate, version};
use crate::installer::{Installer, request};
use crate::lock::Lock;
use crate::locked_skill::LockedSkill;

/// The maximum size of an installed `SKILL.md` whose version is read, in bytes.
const MAX_SKILL_MD: usize = 2 * 1024 * 1024;

impl Installer<'_> {
    /// Notes why new versions of the skills of a lock may be a step back. Another tag or branch
    /// than the locked one was chosen by the user, and none was not.
    pub(crate) fn find_steps_back<'c>(
        &self,
        candidates: impl IntoIterator<Item = &'c mut Candidate>,
        lock: &Lock,
        cancel: &Cancel,
    ) {
        // All skills of a source have one answer.
        let mut answers = BTreeMap::new();
        // One that cannot be read is an error of the change itself.
        let history = self.store.history(self.lock).unwrap_or_default();
        for candidate in candidates {
            let new = &candidate.skill;
            let is_chosen = |known: &LockedSkill| match (name(known), name(new)) {
                (None, Some(_)) => new.reference_is_tag != Some(false),
                (one, other) => other.is_some() && one != other,
            };
            let is_before = |known: &&LockedSkill| known.source == new.source && !is_chosen(known);
            let Some(known) = lock.skills.get(&candidate.id).filter(is_before) else { continue };
            if name(known) == name(new) {
                candidate.steps_back.extend(other_kind(known, new));
            }
            if known.tree == new.tree {
                continue;
            }
            let request = request(&new.source, new.reference.as_deref());
            let (from, to) = (known.revision.clone(), new.revision.clone());
            let key = (new.source.clone(), new.reference.clone(), from.clone(), to.clone());
            let answer = answers.entry(key).or_insert_with(|| {
                // A second question could have another answer.
                let answer = match moved_tag(new) {
                    _ if from == to => Ok(None),
                    Some(moved) => Ok(Some(moved)),
                    None => self.remote.step_back(&request, &from, &to, cancel),
                };
                let unseen = "it cannot be seen whether it follows the installed version";
                answer.unwrap_or_else(|error| Some(format!("{unseen}: {error}")))
            });
            candidate.steps_back.extend(answer.clone());
            candidate.steps_back.extend(self.lower_version(known, &candidate.skill));
            // Commits have an order, and a later one may have the files of an earlier one.
            if candidate.skill.revision.contains(':') {
                let mut earlier = history.of(&candidate.id);
                let again = earlier.find(|it| it.tree == candidate.skill.tree);
                let message = |it: &LockedSkill| format!("it is {} again", it.revision);
                candidate.steps_back.extend(again.map(message));
            }
        }
    }

    /// Returns that the version of a skill is lower than that of the installed one, which the lock
    /// has, or else the store. Without an order, nothing says that it is not.
    fn lower_version(&self, known: &LockedSkill, new: &LockedSkill) -> Option<String> {
        let before = match (&known.version, self.store.open(&known.tree)) {
            (Some(version), _) => Some(version.clone()),
            (None, Ok(installed)) => {
                let read = |file: &&str| installed.read(file, MAX_SKILL_MD).ok();
                let text = SKILL_MD_FILES.iter().find_map(read)?;
                let document = parse(&text, Profile::Lenient).document?;
                version(&document.frontmatter).map(Cow::into_owned)
            }
            // The lock is that of an earlier version of this program.
            (None, Err(_)) => {
                let after = new.version.as_ref()?;
                let why = "the installed version is neither in the lock file nor in the store";
                return Some(format!("it cannot be seen whether {after} follows: {why}"));
            }
        }?;
        let Some(after) = &new.version else {
            return Some(format!("it has no version any more, and the installed one is {before}"));
        };
        match order(after, &before) {
            _ if *after == before => None,
            Some(Ordering::Less) => Some(format!("its version goes from {before} down to {after}")),
            Some(_) => None,
            None => Some(format!("it cannot be seen whether its version {after} follows {before}")),
        }
    }
}

/// Returns the name of the branch or the tag of a skill.
fn name(skill: &LockedSkill) -> Option<&str> {
    let name = skill.reference.as_deref()?;
    let starts = ["refs/heads/", "refs/tags/"];
    Some(starts.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name))
}

/// Returns that a tag became a branch, which is another promise, or a branch a tag.
fn other_kind(known: &LockedSkill, new: &LockedSkill) -> Option<String> {
    let (was_tag, is_tag) = known.reference_is_tag.zip(new.reference_is_tag)?;
    let [was, is] = [was_tag, is_tag].map(|is_tag| if is_tag { "tag" } else { "branch" });
    let name = new.reference.as_deref().unwrap_or(&new.source);
    (was != is).then(|| format!("{} was a {was} and is a {is} now", quoted(name)))
}

/// Returns that a tag has another commit, if that is what a new version was found by.
fn moved_tag(new: &LockedSkill) -> Option<String> {
    let name = new.reference.as_deref().unwrap_or(&new.source);
    let is_other = name.starts_with("refs/") && !name.starts_with("refs/tags/");
    let is_tag = new.reference_is_tag == Some(true) && !is_other;
    let name = name.trim_start_matches("refs/tags/");
    is_tag.then(|| format!("the tag {} was moved", quoted(name)))
}

/// Compares versions by the rules of semantic versions for any number of parts, and others by
/// their numbers if nothing else differs. Other texts have no order.
fn order(version: &str, other: &str) -> Option<Ordering> {
    match (Version::read(version), Version::read(other)) {
        (Some(one), Some(other)) => one.partial_cmp(&other),
        _ => {
            let words = |text: &str| text.split(|c: char| c.is_ascii_digit()).collect::<String>();
            let numbers = |text: &str| -> Vec<_> {
                let numbers = text.split(|c: char| !c.is_ascii_digit());
                let numbers = numbers.map(|it| it.trim_start_matches('0').to_owned());
                numbers.map(|it| (it.len(), it)).collect()
            };
            let (one, two) = (numbers(version), numbers(other));
            let is_alike = words(version) == words(other) && one.len() == two.len();
            is_alike.then(|| one.cmp(&two))
        }
    }
}

/// The numbers of a version, whether it is a release, and the parts of one before it.
#[derive(PartialEq, PartialOrd)]
struct Version(Vec<u64>, bool, Vec<Part>);

#[derive(PartialEq, PartialOrd)]
enum Part {
    Number(u64),
    Text(String),
}

impl Version {
    fn read(text: &str) -> Option<Self> {
        let text = text.trim_start_matches(['v', 'V']);
        let text = text.split('+').next().unwrap_or_default();
        let (numbers, before) = text.split_once('-').map_or((text, None), |(a, b)| (a, Some(b)));
        let numbers: Option<Vec<u64>> = numbers.split('.').map(|it| it.parse().ok()).collect();
        let mut numbers = numbers?;
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        // A date, or a revision of a packager.
        if let ([_], Some(rest)) = (&*numbers, before)
            && let Some(rest) =
                rest.split('-').map(|it| it.parse().ok()).collect::<Option<Vec<_>>>()
        {
            return Some(Self([numbers, rest].concat(), true, Vec::new()));
        }
        let part = |it: &str| it.parse().map_or_else(|_| Part::Text(it.to_owned()), Part::Number);
        let parts = before.into_iter().flat_map(|it| it.split(['.', '-'])).map(part);
        Some(Self(numbers, before.is_none(), parts.collect()))
    }
}
