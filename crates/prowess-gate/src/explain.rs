//! Decisions as text, in the form of a compiler's message.

use std::fmt::{self, Display, Formatter};

use prowess_text::{quoted, terminal_line};

use crate::{Decision, Grounds, Reason, RuleOrigin, RuleReference};

/// Writes the decision, the rules with their positions, and the warnings, for a terminal:
///
/// ```text
/// ask: `Bash` is listed by a skill, but not with these arguments
///   --> /skills/release/SKILL.md:4:16
///    | Bash(git:*)
///   = skill: `release`
///   = the command has a redirection (character 9)
/// ```
impl Display for Decision {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Allow { .. } => "allow",
            Self::Ask { .. } => "ask",
            Self::Deny { .. } => "deny",
        };
        let grounds = self.grounds();
        write!(formatter, "{word}: {} {}", quoted(&grounds.tool), sentence(grounds.reason))?;
        if let Some(approval) = &grounds.approval {
            write!(formatter, " (approval {})", quoted(approval.as_str()))?;
        }
        notes(grounds, formatter)
    }
}

fn sentence(reason: Reason) -> &'static str {
    match reason {
        Reason::SkillOperation => "manages skills, which is always possible",
        Reason::Unrestricted => "is not limited by an active skill",
        Reason::Listed => "is covered by `allowed-tools`",
        Reason::OperatorGrant => "is granted by the operator",
        Reason::Approved => "was approved",
        Reason::AdvisedFor => "is covered by `allowed-tools`, which are advice here",
        Reason::AdvisedAgainst => "is not covered by `allowed-tools`, which are advice here",
        Reason::MayNotGrant => {
            "is listed, but an active skill comes from a layer whose skills grant nothing"
        }
        Reason::Consent => "needs the consent of a person",
        Reason::Ungranted => "is granted neither by a loaded skill nor by the operator",
        Reason::NotListed => "is not listed by an active skill",
        Reason::ArgumentsNotCovered => "is listed by a skill, but not with these arguments",
        Reason::DeniedByOperator => "is denied by the operator",
        Reason::OutsideCeiling => "is outside the operator's limits",
        Reason::Refused => "refuses the call",
        Reason::ScriptRead => "would read a script of a skill, which is run and not read",
    }
}

fn notes(grounds: &Grounds, formatter: &mut Formatter<'_>) -> fmt::Result {
    for rule in &grounds.rules {
        write_rule(rule, formatter)?;
    }
    if let Some(detail) = &grounds.detail {
        write!(formatter, "\n  = {}", terminal_line(detail))?;
    }
    for warning in &grounds.warnings {
        write!(formatter, "\n{}", terminal_line(&warning.to_string()))?;
        write!(formatter, "\n  = help: {}", terminal_line(&warning.help))?;
    }
    Ok(())
}

fn write_rule(rule: &RuleReference, formatter: &mut Formatter<'_>) -> fmt::Result {
    match &rule.origin {
        RuleOrigin::Skill { skill, location, line, column } => {
            write!(formatter, "\n  --> {}", terminal_line(location))?;
            if let (Some(line), Some(column)) = (line, column) {
                write!(formatter, ":{line}:{column}")?;
            }
            if rule.rule.is_empty() {
                write!(formatter, "\n  = its `allowed-tools` has no valid rule")?;
            } else {
                write!(formatter, "\n   | {}", terminal_line(&rule.rule))?;
            }
            write!(formatter, "\n  = skill: {}", quoted(skill))
        }
        RuleOrigin::Operator { setting } => {
            write!(formatter, "\n  --> `{setting}` of the gate's policy")?;
            write!(formatter, "\n   | {}", terminal_line(&rule.rule))
        }
    }
}
