//! The texts that a conversation needs again after the host has compacted it.

use prowess_core::{BodyDelivery, ReinjectionBudget, SessionState};
use prowess_prompt::{body_again, compaction_notice};
use prowess_session::ledger::{Injection, KeptDeliveries, injection};

use crate::{Error, Turn};

/// The skills that are delivered again after a compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reinjection {
    /// The text for the conversation, as a message of the host; empty if there is nothing to say.
    pub text: String,
    /// The delivered skills, the most recently loaded first; `text` has it last.
    pub skills: Vec<ReinjectedSkill>,
    /// The sum of their tokens.
    pub tokens: usize,
    /// The ids of loaded skills whose bodies do not fit into the budget.
    pub left_out: Vec<String>,
}

/// A skill that is delivered again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReinjectedSkill {
    /// The id.
    pub id: String,
    /// The tokens of its text, with its tags.
    pub tokens: usize,
    /// Whether the end of its body is left out.
    pub is_cut: bool,
}

impl Turn {
    /// Records that the host has compacted the conversation, and returns what to put into it again:
    /// the bodies of loaded skills that were in results of tools, except those of the skills in
    /// `in_context`, within the budget of the delivery policy, the most recently loaded first.
    ///
    /// Bodies in the instructions are not affected. If the delivery moves bodies to the
    /// instructions, those that fit are whole in the instructions of the next turn, and `text` only
    /// names the others. The example `compaction` of `examples/extension-points` shows one.
    ///
    /// # Errors
    ///
    /// The session is not open, or its store fails.
    pub fn compacted(&self, in_context: &[String]) -> Result<Reinjection, Error> {
        let delivery = *self.delivery();
        let kept = KeptDeliveries::OfSkills(in_context.to_vec());
        let mut state = self.session().compacted(&kept)?;
        state.active.retain(|skill| !self.catalog().is_withdrawn(&skill.location));
        let found = self.injection(&state);
        let skills = found.skills.iter().map(|injected| ReinjectedSkill {
            id: injected.skill.id.clone(),
            tokens: injected.tokens,
            is_cut: injected.is_cut(),
        });
        let skills: Vec<_> = skills.collect();
        let ids: Vec<_> = skills.iter().map(|skill| skill.id.clone()).collect();
        self.session().injected(&ids, delivery.bodies)?;
        let bodies: Vec<_> = match delivery.bodies {
            BodyDelivery::ToolResult => found.skills.iter(),
            _ => [].iter(),
        }
        .rev()
        .map(|injected| body_again(&injected.skill, injected.body(), delivery, self.boundary()))
        .collect();
        let text = compaction_notice(&bodies, &found.left_out, self.load_tool());
        Ok(Reinjection { text, skills, tokens: found.tokens, left_out: found.left_out })
    }

    fn injection(&self, state: &SessionState) -> Injection {
        let delivery = *self.delivery();
        let budget = if delivery.bodies.has_instructions() {
            // The instructions have whole bodies.
            ReinjectionBudget { skill_tokens: usize::MAX, ..delivery.reinjection }
        } else {
            delivery.reinjection
        };
        injection(state, budget, |skill, body| {
            let text = body_again(skill, body, delivery, self.boundary());
            self.counter().count(&text)
        })
    }
}
