//! The decision.

use crate::call::{Call, Coverage};
use crate::files::Answered;
use crate::gap::Gap;
use crate::grounds::{GroundsBuilder, list_reference, operator_reference, skill_references};
use crate::policy::{Combine, EmptyList, ToolSemantics, Ungranted};
use crate::refusal;
use crate::{
    Consent, Decision, GateInput, GatedSkill, Grounds, HostFiles, Reason, ToolKind, approvals,
};
use prowess_core::{AllowedTools, ToolRule, Trust};

/// Decides whether a tool call may run, and says why.
///
/// 1. [`Ceiling::deny`](crate::Ceiling::deny), and for all but skill operations
///    [`Ceiling::only`](crate::Ceiling::only), refuse what nothing else can allow.
/// 2. Where a pattern denies commands, a line or a program that runs what cannot be read
///    here, such as `python`, needs the consent of a person.
///    A call that needs the [consent](crate::Consent) of a person runs with an approval alone,
///    and only if no list is a limit that excludes it. No list limits skill operations.
/// 3. Any other [skill operation](ToolKind::SkillOperation) may run.
/// 4. The `allowed-tools` of the active skills count as
///    [`tool_semantics`](crate::GatePolicy::tool_semantics) and
///    [`combine`](crate::GatePolicy::combine) say: as a limit, as a grant or as advice.
/// 5. If they are a grant and do not cover the call, an approval may cover it, and otherwise
///    [`ungranted`](crate::GatePolicy::ungranted) decides.
///
/// It depends on its input alone: equal input gives an equal decision.
pub fn decide(input: &GateInput<'_>) -> Decision {
    let answered = input.files.map(Answered::new);
    let files = answered.as_ref().map(|files| files as &dyn HostFiles);
    let input = &GateInput { files, ..*input };
    let call = Call::new(input);
    if let Some(denied) = beyond_ceiling(&call) {
        return denied;
    }
    let denials = input.policy.ceiling.deny.as_slice();
    if let Some((rule, doubt)) = call.may_be_denied(denials) {
        return with_doubt(&call, rule, &doubt);
    }
    let is_operation = input.tool.kind == ToolKind::SkillOperation;
    match &input.consent {
        Some(consent) => return with_consent(&call, consent),
        None if is_operation => {
            return GroundsBuilder::new(&call, Reason::SkillOperation).into_allow();
        }
        None => {}
    }
    match input.policy.tool_semantics {
        ToolSemantics::Restrict => restrict(&call),
        ToolSemantics::Preapprove => preapprove(&call),
        ToolSemantics::Advisory => advise(&call),
    }
}

/// Refuses what the operator's limits exclude.
fn beyond_ceiling(call: &Call<'_>) -> Option<Decision> {
    let ceiling = &call.input.policy.ceiling;
    let mut denying = ceiling.deny.as_slice().iter();
    if let Some(rule) = denying.find(|rule| call.is_denied_by(rule)) {
        let grounds = GroundsBuilder::new(call, Reason::DeniedByOperator)
            .rule(operator_reference(rule, "ceiling.deny"))
            .gap(call.uncertainty().as_ref());
        return Some(deny_by_operator(call, grounds.build()));
    }
    let only = ceiling.only.as_ref()?.as_slice();
    if call.input.tool.kind == ToolKind::SkillOperation {
        return None;
    }
    let gap = match call.coverage(only, &[], None) {
        Coverage::Covered(_) => return None,
        Coverage::NotNamed => None,
        Coverage::Not(_, gap) => Some(gap),
    };
    let grounds = GroundsBuilder::new(call, Reason::OutsideCeiling)
        .rules(only.iter().map(|rule| operator_reference(rule, "ceiling.only")))
        .gap(gap.as_ref());
    Some(deny_by_operator(call, grounds.build()))
}

fn deny_by_operator(call: &Call<'_>, grounds: Grounds) -> Decision {
    Decision::Deny { refusal: refusal::by_operator(call, &grounds), grounds }
}

/// A person has to approve the call, whatever grants it: the skill brings along what runs.
fn with_consent(call: &Call<'_>, consent: &Consent<'_>) -> Decision {
    let grounds = GroundsBuilder::new(call, Reason::Consent).detail(consent.reason);
    asked(call, grounds)
}

/// A person has to approve the call, whatever grants it: it cannot be seen whether a denied
/// command runs.
fn with_doubt(call: &Call<'_>, rule: &ToolRule, doubt: &str) -> Decision {
    let grounds = GroundsBuilder::new(call, Reason::Consent)
        .rule(operator_reference(rule, "ceiling.deny"))
        .detail(doubt);
    asked(call, grounds)
}

fn asked(call: &Call<'_>, grounds: GroundsBuilder<'_>) -> Decision {
    let policy = call.input.policy;
    let is_operation = call.input.tool.kind == ToolKind::SkillOperation;
    if policy.tool_semantics == ToolSemantics::Restrict && !is_operation {
        let limited = restrict(call);
        if limited.is_denied() {
            return limited;
        }
    }
    if let Some(approval) = approvals::covering(call) {
        let grounds = GroundsBuilder::new(call, Reason::Approved).approval(approval.id.clone());
        return grounds.into_allow();
    }
    let grounds = grounds.build();
    if policy.ungranted == Ungranted::Deny {
        return Decision::Deny { refusal: refusal::not_granted(call, &grounds), grounds };
    }
    Decision::Ask { request: Box::new(approvals::request(call)), grounds }
}

/// The view of one skill on the call.
struct View<'c> {
    skill: &'c GatedSkill<'c>,
    verdict: Verdict,
}

enum Verdict {
    /// The skill has no list.
    Silent,
    /// Its list covers the call, by the rules at these indices.
    Covers(Vec<usize>),
    /// Its list does not name the tool.
    Omits,
    /// Its list names the tool, first by the rule at this index, and does not cover the arguments.
    Excludes(usize, Gap),
}

impl View<'_> {
    /// Returns whether the skill leaves the call possible.
    fn permits(&self) -> bool {
        matches!(self.verdict, Verdict::Silent | Verdict::Covers(_))
    }

    fn covers(&self) -> bool {
        matches!(self.verdict, Verdict::Covers(_))
    }
}

/// Returns the view of each active skill. The operator's rules, if there are any, count as rules of
/// each list.
fn views<'c>(call: &'c Call<'_>, granted: &'c [ToolRule]) -> Vec<View<'c>> {
    let view = |skill: &'c GatedSkill<'c>| View { skill, verdict: verdict(call, skill, granted) };
    call.input.skills.iter().map(view).collect()
}

fn verdict(call: &Call<'_>, skill: &GatedSkill<'_>, granted: &[ToolRule]) -> Verdict {
    let rules = match skill.allowed_tools {
        AllowedTools::Absent => return Verdict::Silent,
        AllowedTools::Empty => match call.input.policy.empty_list {
            EmptyList::All => return Verdict::Silent,
            EmptyList::None => &[],
        },
        AllowedTools::Rules(rules) => rules.as_slice(),
    };
    match call.coverage(rules, granted, Some(skill)) {
        Coverage::Covered(indices) => Verdict::Covers(indices),
        Coverage::NotNamed => Verdict::Omits,
        Coverage::Not(first, gap) => Verdict::Excludes(first, gap),
    }
}

/// Divides the skills into those that may grant and those that only narrow.
fn divided<'v, 'c>(
    call: &Call<'_>,
    views: &'v [View<'c>],
) -> (Vec<&'v View<'c>>, Vec<&'v View<'c>>) {
    let grant_from = call.input.policy.grant_from;
    views.iter().partition(|view| grant_from.includes(view.skill.trust))
}

/// The lists are a limit.
fn restrict(call: &Call<'_>) -> Decision {
    let views = views(call, &[]);
    let (granting, narrowing) = divided(call, &views);
    let refusing = |views: &[&View<'_>]| views.iter().rposition(|view| !view.permits());
    let refused = match call.input.policy.combine {
        Combine::Intersect => refusing(&granting),
        Combine::TopOfStack => {
            granting.len().checked_sub(1).filter(|top| !granting[*top].permits())
        }
        Combine::Union if granting.iter().any(|view| view.permits()) => None,
        Combine::Union => refusing(&granting),
    };
    let refused = refused.map(|at| granting[at]);
    match refused.or_else(|| refusing(&narrowing).map(|at| narrowing[at])) {
        Some(view) => {
            let grounds = against(call, view).build();
            Decision::Deny { refusal: refusal::by_skill(call, view.skill, &grounds), grounds }
        }
        None => permitted(call, &views).into_allow(),
    }
}

fn permitted<'c>(call: &'c Call<'_>, views: &[View<'c>]) -> GroundsBuilder<'c> {
    let is_listed = views.iter().any(View::covers);
    let reason = if is_listed { Reason::Listed } else { Reason::Unrestricted };
    GroundsBuilder::new(call, reason).rules(covering_rules(call, views))
}

/// Returns the rules by which lists cover the call.
fn covering_rules(call: &Call<'_>, views: &[View<'_>]) -> Vec<crate::RuleReference> {
    let mut rules = Vec::new();
    for view in views {
        if let Verdict::Covers(indices) = &view.verdict {
            rules.extend(skill_references(call, view.skill, indices));
        }
    }
    rules
}

/// The grounds of a list that does not cover the call.
fn against<'c>(call: &'c Call<'_>, view: &View<'c>) -> GroundsBuilder<'c> {
    match &view.verdict {
        Verdict::Excludes(first, gap) => GroundsBuilder::new(call, Reason::ArgumentsNotCovered)
            .rules(skill_references(call, view.skill, &[*first]))
            .gap(Some(gap)),
        Verdict::Silent | Verdict::Covers(_) | Verdict::Omits => {
            GroundsBuilder::new(call, Reason::NotListed).rule(list_reference(view.skill))
        }
    }
}

/// The lists are a grant.
fn preapprove(call: &Call<'_>) -> Decision {
    let granted = call.input.policy.grant.as_slice();
    if let Coverage::Covered(indices) = call.coverage(granted, &[], None) {
        let references = indices.iter().map(|at| operator_reference(&granted[*at], "grant"));
        let grounds = GroundsBuilder::new(call, Reason::OperatorGrant).rules(references);
        return grounds.into_allow();
    }
    let views = views(call, granted);
    if is_granted(call, &views) {
        return permitted(call, &views).into_allow();
    }
    if let Some(approval) = approvals::covering(call) {
        let grounds = GroundsBuilder::new(call, Reason::Approved).approval(approval.id.clone());
        return grounds.into_allow();
    }
    ungranted(call, &views)
}

/// A skill that may not grant has to cover the call as well: the call may come from what it says.
fn is_granted(call: &Call<'_>, views: &[View<'_>]) -> bool {
    let (granting, narrowing) = divided(call, views);
    let is_granted = match call.input.policy.combine {
        Combine::Intersect => {
            granting.iter().all(|view| view.permits()) && granting.iter().any(|view| view.covers())
        }
        Combine::TopOfStack => granting.last().is_some_and(|view| view.covers()),
        Combine::Union => granting.iter().any(|view| view.covers()),
    };
    is_granted && narrowing.iter().all(|view| view.covers())
}

fn ungranted(call: &Call<'_>, views: &[View<'_>]) -> Decision {
    let grounds = not_granted(call, views);
    match call.input.policy.ungranted {
        Ungranted::Ask => {
            let request = Box::new(approvals::request(call));
            Decision::Ask { request, grounds: grounds.build() }
        }
        Ungranted::Allow => grounds.reason(Reason::Ungranted).into_allow(),
        Ungranted::Deny => {
            let grounds = grounds.build();
            Decision::Deny { refusal: refusal::not_granted(call, &grounds), grounds }
        }
    }
}

/// The grounds of a call that nothing grants: the list that does not cover it, or the skill that
/// may not grant it.
fn not_granted<'c>(call: &'c Call<'_>, views: &[View<'c>]) -> GroundsBuilder<'c> {
    if let Some(view) = views.iter().rev().find(|view| !view.permits()) {
        return against(call, view);
    }
    let (_, narrowing) = divided(call, views);
    let is_covered = views.iter().any(View::covers);
    match narrowing.last().filter(|_| is_covered) {
        Some(view) => GroundsBuilder::new(call, Reason::MayNotGrant)
            .rule(list_reference(view.skill))
            .detail(no_grant_from(narrowing.iter().map(|view| view.skill.trust).min())),
        None => GroundsBuilder::new(call, Reason::Ungranted),
    }
}

/// Returns why skills may not grant, the least trusted of which has this trust, and the key that
/// changes it.
fn no_grant_from(trust: Option<Trust>) -> &'static str {
    match trust {
        Some(Trust::Untrusted) => {
            "skills of untrusted layers never grant; `gate.grant` has the calls that the operator \
             grants"
        }
        _ => {
            "skills of layers with the trust `ask_first` grant only if `gate.grant_from` is \
             `ask_first`"
        }
    }
}

/// The lists are advice.
fn advise(call: &Call<'_>) -> Decision {
    let views = views(call, &[]);
    let grounds = match views.iter().rev().find(|view| !view.permits()) {
        Some(view) => against(call, view).reason(Reason::AdvisedAgainst),
        None if views.iter().any(View::covers) => {
            permitted(call, &views).reason(Reason::AdvisedFor)
        }
        None => permitted(call, &views),
    };
    grounds.into_allow()
}
