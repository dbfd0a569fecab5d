//! Texts that must not be printed: those of untrusted skills, and the arguments of calls.

use std::sync::{Arc, Mutex, PoisonError};

use prowess::{
    AuditEvent, AuditSink, CallIntent, Layer, Policies, RuntimeEvent, ToolCall, ToolResult, Trust,
};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

/// The presets under which a call that no list covers does not run.
const GUARDING: [&str; 5] = ["standard", "omniforge", "boxxy", "sandbox", "yodoca"];

/// Keeps every event as its JSON.
#[derive(Default)]
struct Lines(Mutex<Vec<String>>);

impl Lines {
    fn push(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
    }
}

impl AuditSink for Lines {
    fn intend(&self, intent: &CallIntent) -> Result<(), prowess::AuditError> {
        self.push(serde_json::to_string(intent).expect("an intent is data"));
        Ok(())
    }

    fn record(&self, event: &AuditEvent) {
        self.push(serde_json::to_string(event).expect("an event is data"));
    }

    fn report(&self, event: &RuntimeEvent) {
        self.push(format!("{event:?}"));
    }
}

#[test]
fn untrusted_skill_of_a_trusted_name_is_not_printed() {
    for preset in GUARDING {
        let tree = Tree::new("");
        let skill =
            |body: &str| format!("---\nname: deploy\ndescription: Deploys. Use it.\n---\n{body}\n");
        tree.write("personal/deploy/SKILL.md", skill("The trusted text."));
        tree.write("project/deploy/SKILL.md", skill("canary"));
        let mut policies = Policies::preset(preset).expect("there is one");
        policies.registry.collision = prowess::registry::Collision::Shadow;
        let trusted = Layer::new("personal", Trust::Trusted);
        // The weight would place it above the trusted layer.
        let untrusted = Layer { weight: Some(900), ..Layer::new("project", Trust::Untrusted) };
        policies.layers = vec![untrusted, trusted];
        let call = policies.tools.load_call("deploy").expect("a tool loads");
        let audit = Arc::new(Lines::default());
        let runtime = dynamic::builder().policies(policies).audit(Arc::clone(&audit) as _);
        let runtime = runtime.skills_directory("personal", tree.join("personal"));
        let runtime = runtime.skills_directory("project", tree.join("project")).build();
        let runtime = runtime.expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        let call = ToolCall::new(call.name.replace('.', "_"), call.arguments);
        let answer = runtime.turn(&session).expect("it is open").call(&call);
        assert!(!answer.result.is_error, "{preset}: {answer:?}");
        let prompt = runtime.turn(&session).expect("it is open").prompt().text.clone();
        let seen = format!("{prompt}{:?}", answer.result);
        assert!(seen.contains("The trusted text."), "{preset}: {seen}");
        assert!(!seen.contains("canary"), "{preset}: {seen}");
        assert!(audit.text().contains("project/deploy"), "{preset}: the audit has the shadow");
    }
}

#[test]
fn arguments_are_not_in_the_audit() {
    for preset in GUARDING {
        let audit = Arc::new(Lines::default());
        let policies = Policies::preset(preset).expect("there is one");
        let runtime = dynamic::builder().policies(policies).audit(Arc::clone(&audit) as _).build();
        let runtime = runtime.expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        for command in ["echo canary > canary", "git log --token=canary"] {
            let call = ToolCall::new("Bash", json!({ "command": command }));
            let answer = runtime.guard(&session, &call, || ToolResult::text("ran"));
            answer.expect("the session is open");
        }
        let audit = audit.text();
        assert!(audit.contains("Bash"), "{preset}: {audit}");
        assert!(!audit.contains("canary"), "{preset}: {audit}");
    }
}
