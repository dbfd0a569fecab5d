//! Attacks on the runtime, with a canary that must be neither created nor printed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use prowess::session::SessionHandle;
use prowess::tools::ToolNaming;
use prowess::{
    AuditEvent, AuditSink, CallIntent, Layer, Policies, Runtime, RuntimeEvent, SessionId, ToolCall,
    ToolResult, Trust,
};
use prowess_testkit::Tree;
use serde_json::json;

use crate::dynamic;

/// The presets under which a call that no list covers does not run.
const GUARDING: [&str; 5] = ["standard", "omniforge", "boxxy", "sandbox", "yodoca"];

/// Those of them in whose sessions skills are loaded.
const WITH_SKILLS: [&str; 2] = ["standard", "omniforge"];

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

/// A host with a shell in a directory of its own.
struct Host {
    tree: Tree,
    policies: Policies,
    runtime: Runtime,
    session: SessionHandle,
    audit: Arc<Lines>,
}

impl Host {
    /// Creates a host by a preset, with trusted skills: name and `allowed-tools`.
    fn new(preset: &str, skills: &[(&str, &str)]) -> Self {
        let tree = Tree::new("//- /cell/kept\nkept\n");
        for (name, tools) in skills {
            let text = format!(
                "---\nname: {name}\ndescription: Does {name}. Use it.\nallowed-tools: \
                 {tools}\n---\nBody of {name}\n"
            );
            tree.write(&format!("skills/{name}/SKILL.md"), text);
        }
        fs::create_dir_all(tree.join("skills")).expect("there is room");
        for program in ["git", "curl"] {
            let path = format!("bin/{program}");
            tree.write(&path, format!("#!/bin/sh\necho {program} >> ran\n"));
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(tree.join(&path), executable).expect("it is ours");
        }
        let mut policies = Policies::preset(preset).expect("there is one");
        policies.layers = vec![Layer::new("personal", Trust::Trusted)];
        let audit = Arc::new(Lines::default());
        let runtime = dynamic::builder()
            .policies(policies.clone())
            .audit(Arc::clone(&audit) as _)
            .skills_directory("personal", tree.join("skills"))
            .build()
            .expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        let host = Self { tree, policies, runtime, session, audit };
        skills.iter().for_each(|(name, _)| host.load(name));
        host
    }

    fn load(&self, name: &str) {
        let call = self.policies.tools.load_call(name).expect("a tool loads");
        let naming = ToolNaming::new(self.policies.name_style);
        let call = ToolCall::new(naming.spell(&call.name), call.arguments);
        let answer = self.runtime.turn(&self.session).expect("it is open").call(&call);
        assert!(!answer.result.is_error, "{answer:?}");
    }

    /// Runs a command in a real shell, if the gate permits it; returns whether it ran.
    fn bash(&self, command: &str) -> bool {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let answer = self.runtime.guard(&self.session, &call, || {
            let mut shell = Command::new("bash");
            shell.args(["-c", command]).env_clear().current_dir(self.tree.join("cell"));
            shell.env("PATH", format!("{}:/usr/bin:/bin", self.tree.join("bin").display()));
            shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            shell.status().expect("there is a shell");
            ToolResult::text("ran")
        });
        !answer.expect("the session is open").result.is_error
    }

    /// Returns the names of the files in the working directory.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.tree.join("cell")).expect("it is there");
        let names = entries.map(|entry| entry.expect("it can be listed").file_name());
        let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// Commands that begin like a granted one, and create the canary.
const HOSTILE: [&str; 28] = [
    "git log | touch canary",
    "git log |& touch canary",
    "git status & touch canary",
    "git status\ntouch canary",
    "git status\r\ntouch canary",
    "git status # nothing\ntouch canary",
    "git log $(touch canary)",
    "git log `touch canary`",
    "git log \"$(touch canary)\"",
    "git log $((a[$(touch canary)0]))",
    "git log ${none:-$(touch canary)}",
    "git log ${none:=$(touch canary)}",
    "git log <<end\n$(touch canary)\nend",
    "git log <<< \"$(touch canary)\"",
    "git log <(touch canary); wait $!",
    "git log > canary",
    "git log >> canary",
    "git log 2> canary",
    "git log &> canary",
    "git log >| canary",
    "git\u{a0}status; touch canary",
    "git status \u{202e}; touch canary",
    "git status || touch canary; touch canary",
    "git() { touch canary; }; git",
    "if git status; then touch canary; fi",
    "{ git status; touch canary; }",
    "(git status; touch canary)",
    "GIT=canary; git status && touch \"$GIT\"",
];

/// Commands with the same characters in words of the granted program.
const HARMLESS: [&str; 4] = [
    "git log --grep='a; touch canary'",
    "git commit -m \"fix; touch canary && y | z\"",
    "git log --grep=a\\;touch\\ canary",
    "git add . && git commit -m '$(touch canary)'",
];

#[test]
fn granted_program_creates_no_canary() {
    for preset in GUARDING {
        let host = Host::new(preset, &[("release", "Bash(git:*)")]);
        for command in HOSTILE {
            assert!(!host.bash(command), "{preset}: {command:?} is not run");
        }
        let oversized = ["git $( ".repeat(9_000), format!("git {}", "x".repeat(1 << 20))];
        let separators = ";".repeat(100_000);
        for command in oversized.iter().chain([&separators]) {
            assert!(!host.bash(command), "{preset}: {} bytes are not run", command.len());
        }
        assert_eq!(host.files(), ["kept"], "{preset}: no shell has run");
    }
}

/// The oracle of the test above: in a shell without a gate, the commands do what they are for.
#[test]
fn hostile_commands_create_the_canary_without_a_gate() {
    let host = Host::new("flexigpt", &[("release", "Bash(git:*)")]);
    let canary = host.tree.join("cell/canary");
    let mut created = BTreeMap::new();
    for command in HOSTILE {
        assert!(host.bash(command), "the preset only advises");
        created.insert(command, fs::remove_file(&canary).is_ok());
    }
    let harmless: Vec<_> = created.iter().filter(|(_, created)| !**created).collect();
    assert!(harmless.is_empty(), "these create nothing in this shell: {harmless:?}");
}

#[test]
fn quoted_operators_run_the_granted_program_alone() {
    for preset in WITH_SKILLS {
        let host = Host::new(preset, &[("release", "Bash(git:*)")]);
        for command in HARMLESS {
            assert!(host.bash(command), "{preset}: {command:?} runs");
        }
        assert_eq!(host.files(), ["kept", "ran"], "{preset}");
        let ran = fs::read_to_string(host.tree.join("cell/ran")).expect("the program has run");
        assert_eq!(ran, "git\n".repeat(5), "{preset}");
    }
}

#[test]
fn rules_outside_the_grammar_grant_nothing() {
    for preset in WITH_SKILLS {
        for rule in ["Bash(git:* touch:*)", "Bash(:*)", "Bash()", "Bash((git:*))", "Ba\u{455}h"] {
            let host = Host::new(preset, &[("release", &format!("['{rule}']"))]);
            assert!(!host.bash("touch canary"), "{preset}: {rule}");
            assert_eq!(host.files(), ["kept"], "{preset}: {rule}");
        }
        for rule in ["Bash", "Bash(*)", "bash(touch:*)"] {
            let host = Host::new(preset, &[("release", rule)]);
            assert!(host.bash("touch made"), "{preset}: {rule}");
            assert_eq!(host.files(), ["kept", "made"], "{preset}: {rule}");
        }
    }
}

#[test]
fn one_skill_does_not_run_the_program_of_another() {
    for preset in WITH_SKILLS {
        let host = Host::new(preset, &[("release", "Bash(git:*)"), ("fetch", "Bash(curl:*)")]);
        for command in ["curl http://x", "git log && curl http://x", "git log"] {
            assert!(!host.bash(command), "{preset}: {command}");
        }
        assert_eq!(host.files(), ["kept"], "{preset}");
    }
}

#[test]
fn unloaded_skill_grants_nothing() {
    let host = Host::new("standard", &[("release", "Bash(git:*)")]);
    assert!(host.bash("git status"));
    let unload = ToolCall::new("skills_unload", json!({ "names": ["release"] }));
    host.runtime.turn(&host.session).expect("it is open").call(&unload);
    fs::remove_file(host.tree.join("cell/ran")).expect("it has run");
    assert!(!host.bash("git status"));
    assert_eq!(host.files(), ["kept"]);
}

#[test]
fn limits_survive_a_panic_of_a_tool() {
    let host = Host::new("omniforge", &[("release", "Bash(git:*)")]);
    let git = ToolCall::new("Bash", json!({ "command": "git status" }));
    let answer = host.runtime.guard(&host.session, &git, || panic!("the tool panics"));
    let code = answer.expect("the session is open").result.code.map(|code| code.to_string());
    assert_eq!(code.as_deref(), Some("tool-failed"));
    assert!(!host.bash("touch canary"), "the skill is still loaded");
    assert_eq!(host.files(), ["kept"]);
}

#[test]
fn limits_end_with_their_task() {
    let host = Host::new("omniforge", &[]);
    host.tree.write(
        "skills/late/SKILL.md",
        "---\nname: late\ndescription: Is late. Use it.\nallowed-tools: Read\n---\n",
    );
    host.runtime.reload();
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _task = host.session.task();
        host.load("late");
        assert!(!host.bash("touch canary"), "the skill lists another tool");
        std::panic::resume_unwind(Box::new("an error of the host"));
    }));
    let payload = unwound.expect_err("the panic goes on");
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"an error of the host"));
    let decision = host.runtime.decide(&host.session, "Bash", &json!({ "command": "touch x" }));
    assert!(decision.expect("it decides").is_allowed(), "nothing limits the session any more");
    assert_eq!(host.files(), ["kept"]);
}

#[test]
fn session_id_of_another_gives_nothing() {
    let host = Host::new("standard", &[("release", "Bash(git:*)")]);
    let id = host.session.id().clone();
    assert!(host.runtime.open_session_with(id).is_err(), "an open session is not opened again");
    let unknown = SessionId::new("aaaa").expect("a valid id");
    assert!(host.runtime.resume_session(&unknown).is_err(), "no session of this id is open");
    let own = host.runtime.open_session_with(unknown).expect("the host chooses ids");
    let decision = host.runtime.decide(&own, "Bash", &json!({ "command": "git status" }));
    assert!(!decision.expect("it decides").is_allowed(), "it has no skill of another session");
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
        let host = Host::new(preset, &[]);
        host.bash("echo canary > canary");
        host.bash("git log --token=canary");
        let audit = host.audit.text();
        assert!(audit.contains("Bash"), "{preset}: {audit}");
        assert!(!audit.contains("canary"), "{preset}: {audit}");
    }
}
