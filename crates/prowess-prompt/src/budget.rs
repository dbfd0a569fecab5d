//! Fits a catalog into its budget: in full, then with shorter descriptions, then with fewer skills.

use std::borrow::Cow;

use prowess_core::{TokenCounter, character_count};
use prowess_text::one_line;

use crate::catalog::{CLOSING, OPENING, push_entry};
use crate::entries::Entries;
use crate::{PromptPolicy, SkillEntry};

/// The part of a catalog that is shown.
pub(crate) struct Fit {
    /// The maximum number of characters of a description; `None` for no limit.
    pub(crate) description: Option<usize>,
    /// The number of skills, from the first.
    pub(crate) skills: usize,
}

/// Finds the fullest catalog whose cost, counted skill by skill, stays within the policy's budget.
pub(crate) fn fit(skills: &Entries<'_>, policy: &PromptPolicy, counter: &dyn TokenCounter) -> Fit {
    let whole = Fit { description: None, skills: skills.len() };
    let Some(max) = policy.max_tokens else {
        return whole;
    };
    let scale = Scale { skills, policy, counter };
    let room = max.saturating_sub(counter.count(OPENING) + counter.count(CLOSING) + 1);
    if scale.fitting(None, room) == skills.len() {
        return whole;
    }
    let longest_note = note(skills.len(), skills.len(), policy);
    let room = room.saturating_sub(counter.count(&longest_note));
    scale.shortened(room)
}

/// Counts the tokens of skills.
struct Scale<'a> {
    skills: &'a Entries<'a>,
    policy: &'a PromptPolicy,
    counter: &'a dyn TokenCounter,
}

impl Scale<'_> {
    /// Returns the number of skills that fit, from the first, with descriptions of at most `bound`
    /// characters.
    fn fitting(&self, bound: Option<usize>, room: usize) -> usize {
        let mut left = room;
        let mut text = String::new();
        let mut location = String::new();
        for index in 0..self.skills.len() {
            let skill = self.skills.get(index, &mut location);
            text.clear();
            let shortened = shortened(&skill, bound);
            let shown = shortened.as_ref().unwrap_or(&skill);
            push_entry(&mut text, shown, self.policy.catalog_format);
            match left.checked_sub(self.counter.count(&text)) {
                Some(rest) => left = rest,
                None => return index,
            }
        }
        self.skills.len()
    }

    /// Returns the longest bound with which all skills fit, or the number of skills that fit with
    /// the shortest.
    fn shortened(&self, room: usize) -> Fit {
        let all = self.skills.len();
        let mut fits = self.policy.min_description;
        let skills = self.fitting(Some(fits), room);
        if skills == all {
            let mut too_long = self.skills.longest_description().max(fits) + 1;
            while too_long - fits > 1 {
                let middle = fits + (too_long - fits) / 2;
                if self.fitting(Some(middle), room) == all {
                    fits = middle;
                } else {
                    too_long = middle;
                }
            }
        }
        Fit { description: Some(fits), skills }
    }
}

/// Returns the skill with at most `bound` characters of description, if its own is longer.
pub(crate) fn shortened<'s>(
    skill: &'s SkillEntry<'_>,
    bound: Option<usize>,
) -> Option<SkillEntry<'s>> {
    // There are at most as many characters as bytes, and folding only shortens: most need no
    // counting.
    let bound = bound.filter(|&bound| skill.description.len() > bound)?;
    let folded = one_line(&skill.description);
    if character_count(&folded) <= bound {
        return None;
    }
    let kept = folded.char_indices().nth(bound.saturating_sub(1));
    let kept = &folded[..kept.map_or(folded.len(), |(end, _)| end)];
    Some(SkillEntry {
        name: Cow::Borrowed(&skill.name),
        description: Cow::Owned([kept.trim_end(), "…"].concat()),
        location: skill.location.as_deref().map(Cow::Borrowed),
    })
}

/// Returns the note about skills that were left out.
pub(crate) fn note(shown: usize, total: usize, policy: &PromptPolicy) -> String {
    format!(
        "{shown} of {total} shown: the rest is left out to save room. \
         Ask for others by name, with `{}`.\n",
        policy.load_tool
    )
}
