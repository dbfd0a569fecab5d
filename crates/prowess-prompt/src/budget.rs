//! Fits a catalog into its budget: in full, then with shorter descriptions, then with fewer skills.

use prowess_core::TokenCounter;
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
        for (at, skill) in self.skills.iter().enumerate() {
            text.clear();
            push_entry(&mut text, &shorten(skill, bound), self.policy.catalog_format);
            match left.checked_sub(self.counter.count(&text)) {
                Some(rest) => left = rest,
                None => return at,
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
            let mut too_long = self.longest_description().max(fits) + 1;
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

    fn longest_description(&self) -> usize {
        let length = |skill: SkillEntry<'_>| skill.description.chars().count();
        self.skills.iter().map(length).max().unwrap_or_default()
    }
}

/// Returns the skill with at most `bound` characters of description.
pub(crate) fn shorten(mut skill: SkillEntry<'_>, bound: Option<usize>) -> SkillEntry<'_> {
    if let Some(bound) = bound.filter(|&bound| is_longer(&skill.description, bound)) {
        let folded = one_line(&skill.description).into_owned();
        let kept = folded.char_indices().nth(bound.saturating_sub(1));
        let kept = &folded[..kept.map_or(folded.len(), |(end, _)| end)];
        skill.description = format!("{}…", kept.trim_end()).into();
    }
    skill
}

/// Returns whether a description is cut to fit this bound.
pub(crate) fn is_longer(description: &str, bound: usize) -> bool {
    // There are at most as many characters as bytes, and folding only shortens: most need no
    // counting.
    description.len() > bound && one_line(description).chars().count() > bound
}

/// Returns the note about skills that were left out.
pub(crate) fn note(shown: usize, total: usize, policy: &PromptPolicy) -> String {
    format!(
        "{shown} of {total} shown: the rest is left out to save room. \
         Ask for others by name, with `{}`.\n",
        policy.load_tool
    )
}
