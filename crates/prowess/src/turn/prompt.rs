//! The text for the model's instructions.

use std::cmp::Reverse;
use std::sync::Arc;

use prowess_core::{ActiveSkill, DeliveryPolicy, ShowLocation};
use prowess_prompt::{
    CatalogBaseline, CatalogPlace, ComposerInput, Overflow, Prompt, PromptInput, PromptPolicy,
    compose,
};

use super::Turn;

/// The maximum number of skills that a message prefers, which is more than a budget has room for.
const MOST_PREFERRED: usize = 512;

impl Turn {
    /// Passes the user's last message. Under the overflow policies `shorten` and `relevance`, a
    /// catalog that exceeds its budget keeps the skills that a search for it finds; under others it
    /// has no effect. Call it before [`Self::prompt`].
    #[must_use]
    pub fn with_message(mut self, message: &str) -> Self {
        if matches!(
            self.place.parts.policies.prompt.on_overflow,
            Overflow::Shorten | Overflow::Relevance
        ) {
            let found = self.search(message, MOST_PREFERRED);
            self.preferred = found.iter().map(|found| found.record.id().to_owned()).collect();
        }
        self
    }

    /// Passes how often each skill was used, in any unit. Under the overflow policy `usage`, the
    /// most used ones stay in a catalog that exceeds its budget; otherwise it has no effect. Call
    /// it before [`Self::prompt`].
    #[must_use]
    pub fn with_usage<'u>(mut self, counts: impl IntoIterator<Item = (&'u str, u64)>) -> Self {
        if self.place.parts.policies.prompt.on_overflow == Overflow::Usage {
            let mut counts: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
            counts.sort_unstable_by_key(|&(id, count)| (Reverse(count), id));
            self.preferred = counts.into_iter().map(|(id, _)| id.to_owned()).collect();
        }
        self
    }

    /// Returns the text for the model's instructions, with its token ledger. Turns without loaded
    /// skills share one prompt for as long as the catalog stays.
    ///
    /// By default, the calls of a session repeat the catalog of the first one, and a notice at the
    /// end lists the changes since, so that a provider's prompt cache keeps the catalog.
    ///
    /// Skips skills that were withdrawn after they were loaded, such as those of a folder that is
    /// no longer trusted.
    pub fn prompt(&self) -> Arc<Prompt> {
        let active = self.in_instructions().filter(|skill| !self.is_used_by_agent(&skill.id));
        self.compose(&active.cloned().collect::<Vec<_>>(), self.changed_in_prompt())
    }

    /// Returns a text of at most `most` bytes for the instructions of a client that receives them
    /// once, at the start: the policy's blocks, and a list of skills by their names and first words.
    /// It has no list if the blocks leave no room.
    pub fn short_instructions(&self, most: usize) -> String {
        let composer = &self.face.composer;
        let blocks = self.prompt();
        // The list follows behind a blank line.
        let room = most.saturating_sub(blocks.text.len() + 1);
        let delivery = DeliveryPolicy { show_location: ShowLocation::None, ..*self.delivery() };
        let listed = |characters: usize| {
            let policy = PromptPolicy {
                catalog_place: CatalogPlace::SystemPrompt,
                catalog_format: composer.policy().catalog_format.short(),
                max_characters: Some(characters),
                ..composer.policy().clone()
            };
            compose(&PromptInput {
                catalog: &self.place.catalog,
                active: &[],
                changed: &[],
                preferred: &self.preferred,
                baseline: None,
                policy: &policy,
                delivery: &delivery,
                boundary: &self.place.boundary,
                counter: self.counter(),
            })
        };
        let mut characters = room;
        loop {
            let listed = listed(characters);
            if listed.shown.is_empty() {
                return blocks.text.clone();
            }
            if listed.text.len() <= most {
                return listed.text;
            }
            // A character has up to four bytes, so what is too long gets fewer of them.
            let bytes = listed.text.len().saturating_sub(blocks.text.len()).max(room + 1);
            characters = characters * room / bytes;
        }
    }

    pub(super) fn compose(&self, active: &[Arc<ActiveSkill>], changed: &[String]) -> Arc<Prompt> {
        let input = ComposerInput { active, changed, ..self.catalog_input(self.baseline()) };
        self.face.composer.compose(&input)
    }

    /// Returns the catalog that the conversation repeats; `None` if it does not repeat one.
    pub(super) fn baseline(&self) -> Option<&Arc<CatalogBaseline>> {
        self.baseline.get_or_init(|| self.find_baseline()).as_ref()
    }

    /// Returns the baseline of the conversation, which is that of this turn's catalog if there is
    /// none that may be repeated.
    fn find_baseline(&self) -> Option<Arc<CatalogBaseline>> {
        let (composer, conversations) = (&self.face.composer, &self.place.parts.conversations);
        let known = conversations.baseline(self.place.session.id());
        let baseline = composer.baseline(&self.catalog_input(known.as_ref()))?;
        if known.is_none_or(|known| !Arc::ptr_eq(&known, &baseline)) {
            conversations.set_baseline(self.place.session.id(), &baseline);
        }
        Some(baseline)
    }

    /// Returns the input of a prompt without what is loaded.
    pub(super) fn catalog_input<'a>(
        &'a self,
        baseline: Option<&'a Arc<CatalogBaseline>>,
    ) -> ComposerInput<'a> {
        ComposerInput {
            catalog: &self.place.catalog,
            active: &[],
            changed: &[],
            preferred: &self.preferred,
            baseline,
            boundary: &self.place.boundary,
        }
    }

    /// Iterates over the loaded skills whose bodies are in the instructions, without those that
    /// were withdrawn.
    pub(super) fn in_instructions(&self) -> impl Iterator<Item = &Arc<ActiveSkill>> {
        let skills = self.state.in_instructions(self.body_delivery());
        skills.filter(|skill| !self.place.catalog.is_withdrawn(&skill.location))
    }

    pub(super) fn is_used_by_agent(&self, id: &str) -> bool {
        self.agent.is_some() && self.state.scope.bound.contains(id)
    }
}
