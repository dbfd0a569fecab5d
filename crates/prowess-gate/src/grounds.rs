//! Builds the grounds of a decision.

use prowess_core::{ApprovalId, ToolRule};
use prowess_text::clipped;

use crate::call::Call;
use crate::gap::Gap;
use crate::{Decision, GatedSkill, Grounds, Reason, RuleOrigin, RuleReference, diagnostics};

/// The maximum length of a list of rules in a message.
const MAX_LIST_CHARS: usize = 400;

pub(crate) struct GroundsBuilder<'c> {
    call: &'c Call<'c>,
    grounds: Grounds,
}

impl<'c> GroundsBuilder<'c> {
    pub(crate) fn new(call: &'c Call<'_>, reason: Reason) -> Self {
        let grounds = Grounds {
            tool: call.input.tool.name.to_owned(),
            reason,
            rules: Vec::new(),
            detail: None,
            approval: None,
            files: Vec::new(),
            warnings: Vec::new(),
        };
        Self { call, grounds }
    }

    pub(crate) fn reason(mut self, reason: Reason) -> Self {
        self.grounds.reason = reason;
        self
    }

    pub(crate) fn rule(self, rule: RuleReference) -> Self {
        self.rules([rule])
    }

    pub(crate) fn rules(mut self, rules: impl IntoIterator<Item = RuleReference>) -> Self {
        self.grounds.rules.extend(rules);
        self
    }

    pub(crate) fn gap(mut self, gap: Option<&Gap>) -> Self {
        self.grounds.detail = gap.map(Gap::to_string);
        self
    }

    pub(crate) fn detail(mut self, detail: &str) -> Self {
        self.grounds.detail = Some(detail.to_owned());
        self
    }

    pub(crate) fn approval(mut self, approval: ApprovalId) -> Self {
        self.grounds.approval = Some(approval);
        self
    }

    pub(crate) fn build(mut self) -> Grounds {
        self.grounds.files = self.call.references();
        for skill in self.call.input.skills {
            self.grounds.warnings.extend(diagnostics::of_skill(self.call, skill));
        }
        self.grounds
    }

    pub(crate) fn into_allow(self) -> Decision {
        Decision::Allow { grounds: self.build() }
    }
}

/// Returns references to rules of a skill. Indices beyond them are of the operator's grant.
pub(crate) fn skill_references(
    call: &Call<'_>,
    skill: &GatedSkill<'_>,
    indices: &[usize],
) -> Vec<RuleReference> {
    let rules = skill.allowed_tools.rules();
    let reference = |at: &usize| match rules.get(*at) {
        Some(rule) => skill_reference(skill, rule.to_string(), *at),
        None => {
            let granted = call.input.policy.grant.as_slice();
            operator_reference(&granted[*at - rules.len()], "grant")
        }
    };
    indices.iter().map(reference).collect()
}

/// Returns a reference to a skill's whole list.
pub(crate) fn list_reference(skill: &GatedSkill<'_>) -> RuleReference {
    let list = clipped(&skill.allowed_tools.to_string(), MAX_LIST_CHARS);
    skill_reference(skill, list, 0)
}

fn skill_reference(skill: &GatedSkill<'_>, rule: String, at: usize) -> RuleReference {
    let position = skill.positions.get(at);
    let origin = RuleOrigin::Skill {
        skill: skill.id.to_owned(),
        location: skill.location.to_owned(),
        line: position.map(|position| position.line),
        column: position.map(|position| position.column),
    };
    RuleReference { rule, origin }
}

pub(crate) fn operator_reference(rule: &ToolRule, setting: &'static str) -> RuleReference {
    RuleReference { rule: rule.to_string(), origin: RuleOrigin::Operator { setting } }
}
