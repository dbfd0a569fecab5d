//! The gate of the runtime as its toolbox sees it.

use prowess_core::{
    ActiveSkill, ApprovalStore as _, ApprovalStoreError, AuditedDecision, Code, Digest, Record,
    SkillError, ToolContext, Verdict,
};
use prowess_gate::{Decision, Grounds, RuleOrigin, codes};
use prowess_session::AskAnswer;
use prowess_text::quoted;
use prowess_tools::{
    Gate, GateAnswer, GateRequest, Refusal, SkillTools, no_runner, unrunnable_script,
};
use serde_json::Value;

use super::{GatedCall, RuntimeGate};

impl Gate for RuntimeGate {
    fn check(&self, request: &GateRequest<'_>) -> GateAnswer {
        let context = request.context;
        let state = match context.session.state() {
            Ok(state) => state,
            Err(error) => {
                let refusal = Refusal::new(Code::new(error.code()), error.to_string());
                return GateAnswer::deny(refusal);
            }
        };
        let GateRequest { arguments, subject, .. } = *request;
        let call = GatedCall {
            tool: request.tool,
            aliases: request.aliases,
            arguments: &self.covered(request.tool, arguments, context.catalog, subject),
            catalog: context.catalog,
            state: &state,
            origin: context.origin,
            subject,
        };
        if let Some(refusal) = self.script_read(&call) {
            return GateAnswer::deny(refusal);
        }
        self.answer(&call).unwrap_or_else(|error| unavailable(request.spelled, &error))
    }
}

impl RuntimeGate {
    /// Decides on a call, uses the approval that lets it run, or asks a person.
    fn answer(&self, call: &GatedCall<'_>) -> Result<GateAnswer, ApprovalStoreError> {
        let mut decision = self.decide(call)?;
        if let Decision::Allow { grounds } = &decision
            && let Some(approval) = grounds.approval.clone()
            && !self.approvals.spend(&call.approved(), &approval, &self.query(call))?
        {
            // Another call has used it, or it was revoked in between.
            decision = self.decide(call)?;
            if decision.grounds().approval.is_some() {
                return Ok(GateAnswer::deny(contended(call.tool)));
            }
        }
        match decision {
            Decision::Allow { grounds } => {
                let package = self.approved_package(call, &grounds)?;
                let decision = audited(Verdict::Allowed, &grounds);
                Ok(GateAnswer { decision, package, ..GateAnswer::allow() })
            }
            Decision::Deny { refusal, grounds } => {
                let decision = audited(Verdict::Denied, &grounds);
                Ok(GateAnswer { decision, ..GateAnswer::deny(denied(&refusal)) })
            }
            Decision::Ask { request, grounds } => {
                if let Some(refusal) = self.unrunnable(call) {
                    return Ok(GateAnswer::deny(refusal));
                }
                let answer = self.approvals.ask(&call.approved(), *request, self.clock.now())?;
                Ok(asked(call.tool, answer, &grounds))
            }
        }
    }

    /// Returns why the script of a call cannot be run with any approval: a person is not asked.
    pub(crate) fn unrunnable(&self, call: &GatedCall<'_>) -> Option<Refusal> {
        let GatedCall { tool, catalog, subject, arguments, .. } = *call;
        if tool != SkillTools::RUN {
            return None;
        }
        if self.run_tool.is_none() {
            return Some(no_runner());
        }
        unrunnable_script(catalog, subject?, &self.skill_tools.script_directories, arguments)
    }

    /// Refuses hooks of skills that become active without a call: no person can be asked.
    pub(crate) fn check_hooks(
        &self,
        context: &ToolContext<'_>,
        skills: &[(Record<'_>, &ActiveSkill)],
    ) -> Result<(), Refusal> {
        let state = &context.session.state()?;
        let ToolContext { catalog, origin, .. } = *context;
        let (tool, arguments) = (SkillTools::RUN, &Value::Null);
        let call =
            GatedCall { tool, aliases: &[], arguments, catalog, state, origin, subject: None };
        for (record, skill) in skills.iter().filter(|(_, skill)| state.find(&skill.id).is_none()) {
            let (code, reason) = match self.decide_hooks(&call, *record) {
                Some((Decision::Deny { refusal, .. }, _)) => {
                    (refusal.code.clone(), refusal.message())
                }
                Some((Decision::Ask { .. }, hooks)) => (codes::APPROVAL_REQUIRED, hooks),
                _ => continue,
            };
            let error = SkillError::Activation { skill: skill.id.clone(), reason: reason.clone() };
            return Err(Refusal::new(code, reason).with_error(error));
        }
        Ok(())
    }

    /// Returns the package that the approval of a call is bound to, for the check of what runs.
    fn approved_package(
        &self,
        call: &GatedCall<'_>,
        grounds: &Grounds,
    ) -> Result<Option<Digest>, ApprovalStoreError> {
        let (Some(id), Some(_)) = (&grounds.approval, call.subject) else { return Ok(None) };
        Ok(self.approvals.store().load(id)?.and_then(|entry| entry.request.package))
    }
}

/// Returns the answer to a call that a person has to approve.
fn asked(tool: &str, answer: AskAnswer, grounds: &Grounds) -> GateAnswer {
    let decision = audited(Verdict::Asked, grounds);
    let tool = quoted(tool);
    match answer {
        AskAnswer::Pending(approval) => {
            let decision = AuditedDecision { approval: Some(approval.clone()), ..decision };
            let message = format!(
                "{tool} was not run: a person has to approve this call first; tell the user, and \
                 repeat the same call when it is approved"
            );
            let refusal = Refusal::new(codes::APPROVAL_REQUIRED, message);
            GateAnswer { decision, ..GateAnswer::ask(refusal, approval) }
        }
        AskAnswer::Denied => {
            let message = format!("{tool} was not run: a person has refused it; go on without it");
            let decision = AuditedDecision { verdict: Verdict::Denied, ..decision };
            GateAnswer {
                decision,
                ..GateAnswer::deny(Refusal::new(codes::APPROVAL_DENIED, message))
            }
        }
        AskAnswer::NotAsked(reason) => {
            let message =
                format!("{tool} was not run: it needs an approval, and {reason}; tell the user");
            let decision = AuditedDecision { verdict: Verdict::Denied, ..decision };
            GateAnswer {
                decision,
                ..GateAnswer::deny(Refusal::new(codes::APPROVAL_REQUIRED, message))
            }
        }
    }
}

fn contended(tool: &str) -> Refusal {
    let message = format!(
        "{} was not run: other calls used its approval at the same time; repeat the call",
        quoted(tool)
    );
    Refusal::new(codes::APPROVAL_REQUIRED, message)
}

fn unavailable(tool: &str, error: &ApprovalStoreError) -> GateAnswer {
    let message = format!("{} was not run: {error}; tell the user", quoted(tool));
    GateAnswer::deny(Refusal::new(codes::APPROVALS_UNAVAILABLE, message))
}

fn denied(refusal: &prowess_gate::Refusal) -> Refusal {
    let message = refusal.message();
    Refusal::new(refusal.code.clone(), message).with_error(refusal.error.clone())
}

/// Returns a decision for the audit, with the first rule that decided.
fn audited(verdict: Verdict, grounds: &Grounds) -> AuditedDecision {
    let approval = grounds.approval.clone();
    let Some(rule) = grounds.rules.first() else {
        return AuditedDecision { approval, ..AuditedDecision::new(verdict) };
    };
    let (skill, location) = match &rule.origin {
        RuleOrigin::Skill { skill, location, line, column } => {
            let position = line.zip(*column).map(|(line, column)| format!(":{line}:{column}"));
            let location = [location.as_str(), &position.unwrap_or_default()].concat();
            (Some(skill.clone()), location)
        }
        RuleOrigin::Operator { setting } => (None, format!("gate.{setting}")),
    };
    let rule = Some(rule.rule.clone());
    AuditedDecision { verdict, rule, skill, location: Some(location), approval }
}
