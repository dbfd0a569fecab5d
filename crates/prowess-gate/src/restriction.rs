//! The tools that the active skills leave possible.

use prowess_core::AllowedTools;

use crate::policy::{Combine, EmptyList, ToolSemantics};
use crate::{GatePolicy, GatedSkill};

/// Returns the names of the tools that the active skills leave possible, each as the skill loaded
/// last writes it; `None` if they limit nothing. They limit tools under [`ToolSemantics::Restrict`]
/// alone.
///
/// A tool may be listed with a pattern, and then only some of its calls are possible.
pub fn allowed_tool_names<'s>(
    policy: &GatePolicy,
    skills: &[GatedSkill<'s>],
) -> Option<Vec<&'s str>> {
    if policy.tool_semantics != ToolSemantics::Restrict {
        return None;
    }
    let (granting, narrowing): (Vec<_>, Vec<_>) =
        skills.iter().partition(|skill| policy.grant_from.includes(skill.trust));
    let granting: Vec<_> = granting.into_iter().map(|skill| names(policy, skill)).collect();
    let granted = match policy.combine {
        Combine::Intersect => intersection(policy, granting),
        Combine::TopOfStack => granting.into_iter().next_back().flatten(),
        Combine::Union => union(policy, granting),
    };
    let narrowed = narrowing.into_iter().map(|skill| names(policy, skill));
    intersection(policy, narrowed.chain([granted]))
}

type Names<'s> = Option<Vec<&'s str>>;

fn names<'s>(policy: &GatePolicy, skill: &GatedSkill<'s>) -> Names<'s> {
    match skill.allowed_tools {
        AllowedTools::Absent => None,
        AllowedTools::Empty if policy.empty_list == EmptyList::All => None,
        tools => {
            let mut names = Vec::new();
            push_new(policy, &mut names, tools.rules().iter().map(|rule| rule.tool.as_str()));
            Some(names)
        }
    }
}

fn push_new<'s>(policy: &GatePolicy, names: &mut Vec<&'s str>, new: impl Iterator<Item = &'s str>) {
    for name in new {
        if !contains(policy, names, name) {
            names.push(name);
        }
    }
}

fn contains(policy: &GatePolicy, names: &[&str], name: &str) -> bool {
    names.iter().any(|other| policy.tool_match_case.matches(other, name))
}

fn intersection<'s>(policy: &GatePolicy, lists: impl IntoIterator<Item = Names<'s>>) -> Names<'s> {
    lists.into_iter().flatten().reduce(|earlier, mut later| {
        later.retain(|name| contains(policy, &earlier, name));
        later
    })
}

/// A skill without a list leaves everything possible.
fn union<'s>(policy: &GatePolicy, lists: Vec<Names<'s>>) -> Names<'s> {
    let lists: Vec<_> = lists.into_iter().collect::<Option<_>>()?;
    lists.into_iter().reduce(|mut all, list| {
        push_new(policy, &mut all, list.into_iter());
        all
    })
}
