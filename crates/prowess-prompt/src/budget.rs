//! Fits a catalog into its budget: in full, then without locations, then with shorter descriptions,
//! then with fewer skills.

use std::borrow::Cow;

use prowess_core::{TokenCounter, character_count};
use prowess_text::{counted, one_line};

use crate::catalog::push_entry;
use crate::entries::Entries;
use crate::{Block, CatalogFormat, Overflow, PromptPolicy, SkillEntry};

/// The part of a catalog that is shown.
pub(crate) struct Fit {
    /// The maximum number of characters of a description; 0 for names alone, `None` for no limit.
    pub(crate) description: Option<usize>,
    /// The positions of the skills, in the order of the text; `None` for all.
    pub(crate) positions: Option<Vec<usize>>,
    /// Whether the locations are shown.
    pub(crate) has_locations: bool,
    /// Whether the budget has shortened or dropped anything.
    pub(crate) is_cut: bool,
}

/// Finds the fullest catalog whose cost, counted skill by skill, stays within the policy's budget.
/// If skills have to be left out, the overflow policy decides which; `preferred` are ids for it.
pub(crate) fn fit(
    skills: &Entries<'_>,
    preferred: &[String],
    policy: &PromptPolicy,
    counter: &dyn TokenCounter,
) -> Fit {
    let description = policy.description_limit();
    let has_locations = skills.has_locations();
    let whole = Fit { description, positions: None, has_locations, is_cut: false };
    let Some(max) = policy.max_tokens else {
        return whole;
    };
    let scale = Scale { skills, policy, counter };
    let frame = policy.catalog_format.frame();
    let around = [frame.opening, frame.closing, &hint(policy)];
    let around: usize = around.iter().map(|text| counter.count(text)).sum();
    let room = max.saturating_sub(around + 1);
    if scale.all_fit(description, room) {
        return whole;
    }
    // A tool loads a skill by its id. Only a model that reads files by itself needs the location.
    let is_read_as_file = policy.blocks.of(policy.model_family).contains(&Block::FileReading);
    let has_locations = has_locations && is_read_as_file;
    let bare = skills.without_locations();
    let skills = if has_locations { skills } else { &bare };
    let scale = Scale { skills, policy, counter };
    if scale.all_fit(description, room) {
        return Fit { has_locations, is_cut: true, ..whole };
    }
    let longest_note = note(skills.len(), skills.len(), policy);
    scale.cut(preferred, room.saturating_sub(counter.count(&longest_note)))
}

/// Counts the tokens of skills.
struct Scale<'a> {
    skills: &'a Entries<'a>,
    policy: &'a PromptPolicy,
    counter: &'a dyn TokenCounter,
}

impl Scale<'_> {
    /// Returns how many of the skills at these positions fit, from the first, with descriptions of
    /// at most `bound` characters.
    fn fitting(
        &self,
        positions: impl Iterator<Item = usize>,
        bound: Option<usize>,
        room: usize,
    ) -> usize {
        let mut left = room;
        let mut fitting = 0;
        let mut text = String::new();
        let mut location = String::new();
        for position in positions {
            let skill = self.skills.get(position, &mut location);
            text.clear();
            let shortened = shortened(&skill, bound);
            let shown = shortened.as_ref().unwrap_or(&skill);
            push_entry(&mut text, shown, self.policy.catalog_format);
            match left.checked_sub(self.counter.count(&text)) {
                Some(rest) => left = rest,
                None => break,
            }
            fitting += 1;
        }
        fitting
    }

    fn all_fit(&self, bound: Option<usize>, room: usize) -> bool {
        self.fitting(0..self.skills.len(), bound, room) == self.skills.len()
    }

    /// Returns the catalog with the longest descriptions with which all skills fit, or with the
    /// skills that fit with the shortest.
    fn cut(&self, preferred: &[String], room: usize) -> Fit {
        let least = match self.policy.on_overflow {
            Overflow::NamesOnly => 0,
            _ => self.least_description(),
        };
        let positions = match self.skills.order(self.policy.on_overflow, preferred) {
            None => self.first_fitting(least, room),
            Some(order) => self.fitting_in_order(order, least, room),
        };
        let is_longest = positions.is_some() || least == 0;
        let description = if is_longest { least } else { self.longest_bound(least, room) };
        Fit {
            description: Some(description),
            positions,
            has_locations: self.skills.has_locations(),
            is_cut: true,
        }
    }

    fn least_description(&self) -> usize {
        let min = self.policy.min_description;
        self.policy.description_limit().map_or(min, |max| max.min(min))
    }

    /// Returns the positions of the first skills by id that fit; `None` if all do.
    fn first_fitting(&self, bound: usize, room: usize) -> Option<Vec<usize>> {
        let all = self.skills.len();
        let fitting = self.fitting(0..all, Some(bound), room);
        (fitting < all).then(|| (0..fitting).collect())
    }

    /// Returns the positions of the first skills of `order` that fit; `None` if all do.
    fn fitting_in_order(
        &self,
        mut order: Vec<usize>,
        bound: usize,
        room: usize,
    ) -> Option<Vec<usize>> {
        let fitting = self.fitting(order.iter().copied(), Some(bound), room);
        (fitting < order.len()).then(|| {
            order.truncate(fitting);
            order.sort_unstable();
            order
        })
    }

    /// Returns the longest bound with which all skills fit, which `fits` is known to be.
    fn longest_bound(&self, mut fits: usize, room: usize) -> usize {
        let longest = self.skills.longest_description();
        let longest = self.policy.description_limit().map_or(longest, |max| max.min(longest));
        let mut too_long = longest.max(fits) + 1;
        while too_long - fits > 1 {
            let middle = fits + (too_long - fits) / 2;
            if self.all_fit(Some(middle), room) {
                fits = middle;
            } else {
                too_long = middle;
            }
        }
        fits
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
    let description = clipped(&skill.description, bound)?;
    Some(SkillEntry {
        name: Cow::Borrowed(&skill.name),
        description: Cow::Owned(description),
        location: skill.location.as_deref().map(Cow::Borrowed),
    })
}

/// Returns at most `bound` characters of a description, with a mark at the end; `None` if it is not
/// longer.
fn clipped(description: &str, bound: usize) -> Option<String> {
    if bound == 0 {
        return Some(String::new());
    }
    let folded = one_line(description);
    if character_count(&folded) <= bound {
        return None;
    }
    let kept = folded.char_indices().nth(bound - 1);
    let kept = &folded[..kept.map_or(folded.len(), |(end, _)| end)];
    Some([kept.trim_end(), "…"].concat())
}

/// Returns the note about skills that were left out, which names the tools that find them.
pub(crate) fn note(shown: usize, total: usize, policy: &PromptPolicy) -> String {
    let how = match (&policy.search_tool, &policy.list_tool) {
        (Some(search), Some(list)) => {
            format!("To find others, call `{search}`, or `{list}` to page through all.")
        }
        (Some(search), None) => format!("To find others, call `{search}`."),
        (None, Some(list)) => format!("To see the others, call `{list}`."),
        (None, None) => format!("Ask for others by name, with `{}`.", policy.load_tool),
    };
    let skills = counted(total, "skill");
    let verb = if total == 1 { "is" } else { "are" };
    format!("{shown} of {skills} {verb} shown, to save room. {how}\n")
}

/// Returns the hint behind the skills: how to load one, in the format that has no other place for
/// it.
pub(crate) fn hint(policy: &PromptPolicy) -> String {
    if policy.catalog_format == CatalogFormat::Bullets {
        return format!("\nUse {}(skill_id) to load full instructions.\n", policy.load_tool);
    }
    String::new()
}
