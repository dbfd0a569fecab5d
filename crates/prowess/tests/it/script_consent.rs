//! Scripts that run only with the consent of a person.

use std::sync::Arc;

use prowess::ApprovalStoreExt as _;
use prowess::session::{MemoryApprovals, SessionHandle};
use prowess::tools::Dispatched;
use prowess::{
    ApprovalDecision, ApprovalId, ApprovalScope, ApprovalVerdict, Layer, Policies, Runtime,
    Timestamp, ToolCall, Trust,
};
use prowess_testkit::{ShellRunner, Tree};
use serde_json::json;

const FILES: &str = include_str!("../data/script_consent.txt");

struct Host {
    tree: Tree,
    runtime: Runtime,
    session: SessionHandle,
}

impl Host {
    fn new(trust: Trust, yaml: &str) -> Self {
        Self::sharing(&Arc::new(MemoryApprovals::new()), trust, yaml)
    }

    /// Creates a host that has the approvals of others.
    fn sharing(approvals: &Arc<MemoryApprovals>, trust: Trust, yaml: &str) -> Self {
        let tree = Tree::new(FILES);
        let runtime = Runtime::builder()
            .policies(Policies::from_yaml(yaml).expect("the policies are valid"))
            .layers([Layer::new("layer", trust)])
            .skills_directory("layer", tree.path())
            .script_runner(Arc::new(ShellRunner))
            .approvals(Arc::clone(approvals) as _)
            .build()
            .expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        let host = Self { tree, runtime, session };
        for name in ["report", "other"] {
            let loaded = host.call("skills_load", json!({ "names": [name], "mode": "add" }));
            assert!(!loaded.result.is_error, "{loaded:?}");
        }
        host
    }

    fn call(&self, name: &str, arguments: serde_json::Value) -> Dispatched {
        let turn = self.runtime.turn(&self.session).expect("the session is open");
        turn.call(&ToolCall::new(name, arguments))
    }

    fn run(&self) -> Dispatched {
        let path = "scripts/report.sh";
        self.call("skills_run", json!({ "skill": "report", "path": path, "workdir": "scripts" }))
    }

    fn grant(&self, id: &ApprovalId, scope: ApprovalScope) {
        let verdict = ApprovalVerdict::Grant { scope, expires: None };
        let decision = ApprovalDecision { verdict, by: "ann".to_owned(), at: Timestamp(0) };
        self.runtime.approvals().decide(id, &decision).expect("it is pending");
    }

    /// Makes a call that has to be asked for, and returns the pending approval.
    #[track_caller]
    fn asked(&self) -> ApprovalId {
        let answer = self.run();
        let code = answer.result.code.as_ref().map(prowess::Code::as_str);
        assert_eq!(code, Some("approval-required"), "{answer:?}");
        answer.approval.expect("a person is asked")
    }

    #[track_caller]
    fn ran(&self) -> String {
        let answer = self.run();
        assert!(!answer.result.is_error, "{answer:?}");
        let result = answer.result.structured.expect("the result is data");
        result["stdout"].as_str().expect("it is a text").to_owned()
    }
}

#[test]
fn trusted_script_needs_no_consent() {
    assert_eq!(Host::new(Trust::Trusted, "preset: standard").ran(), "one\n");
}

#[test]
fn script_of_an_untrusted_layer_needs_an_approval() {
    for trust in [Trust::Untrusted, Trust::AskFirst] {
        let host = Host::new(trust, "preset: standard");
        let approval = host.asked();
        let entry = host.runtime.approvals().load(&approval).unwrap().expect("it is pending");
        let request = entry.request;
        assert_eq!(request.skill.as_deref(), Some("report"), "not the skill that was loaded last");
        assert!(request.package.is_some(), "it is bound to the digest of the package");
        host.grant(&approval, ApprovalScope::Session);
        assert_eq!([host.ran(), host.ran()], ["one\n", "one\n"], "{trust:?}");
    }
}

#[test]
fn denied_script_does_not_run() {
    for yaml in ["{ preset: standard }", "{ preset: standard, scripts: { ask: [network] } }"] {
        let host = Host::new(Trust::Untrusted, yaml);
        let decision = ApprovalDecision {
            verdict: ApprovalVerdict::Deny,
            by: "ann".to_owned(),
            at: Timestamp(0),
        };
        host.runtime.approvals().decide(&host.asked(), &decision).expect("it is pending");
        let answer = host.run();
        assert!(answer.result.is_error && answer.result.structured.is_none(), "{answer:?}");
    }
}

#[test]
fn changed_package_needs_another_approval() {
    let host = Host::new(Trust::Untrusted, "preset: standard");
    host.grant(&host.asked(), ApprovalScope::Always);
    assert_eq!(host.ran(), "one\n");
    // A file that the script uses, not the script itself.
    host.tree.write("report/scripts/part.sh", "echo two\n");
    let approval = host.asked();
    host.grant(&approval, ApprovalScope::Once);
    assert_eq!(host.ran(), "two\n");
    host.asked();
}

#[test]
fn consent_is_not_granted_by_other_means() {
    let host = Host::new(Trust::Untrusted, "gate: { grant: [skills.run], ungranted: allow }");
    host.asked();
    let host = Host::new(Trust::Untrusted, "gate: { ungranted: deny }");
    let answer = host.run();
    assert_eq!(answer.result.code.expect("it is refused").as_str(), "tool-not-granted");
}

#[cfg(feature = "scripts")]
#[test]
fn grants_of_the_policy_ask_where_it_says_so() {
    let ask = "scripts: { network: [api.example.com], write: [/srv/out], ask: [GRANT] }";
    for grant in ["network", "write"] {
        Host::new(Trust::Trusted, &ask.replace("GRANT", grant)).asked();
    }
    for yaml in [
        "scripts: { network: [api.example.com], write: [/srv/out] }",
        "scripts: { network: [api.example.com], ask: [write] }",
        "scripts: { write: [/srv/out], ask: [network] }",
    ] {
        assert_eq!(Host::new(Trust::Trusted, yaml).ran(), "one\n", "{yaml}");
    }
    let host = Host::new(Trust::Untrusted, "scripts: { trust: untrusted }");
    assert_eq!(host.ran(), "one\n", "the operator needs no approval for any source");
}

#[cfg(feature = "scripts")]
#[test]
fn approval_covers_no_right_that_it_was_not_granted_with() {
    let approvals = Arc::new(MemoryApprovals::new());
    let host = |rights: &str| {
        let yaml = format!("scripts: {{ {rights} }}");
        Host::sharing(&approvals, Trust::Untrusted, &yaml)
    };
    let approve = |host: &Host| {
        let approval = host.asked();
        host.grant(&approval, ApprovalScope::Always);
        host.runtime.approvals().load(&approval).unwrap().expect("it is granted").preview
    };
    let plain = approve(&host(""));
    assert!(!plain.contains("rights"), "what every script may do is not named: {plain}");
    for (rights, shown) in [
        ("read: [/srv/b, /srv/a]", r#""read":["/srv/a","/srv/b"]"#),
        ("write: [/srv/a]", r#""write":["/srv/a"]"#),
        ("network: [a.example]", r#""network":["a.example"]"#),
        ("network: [a.example], private_hosts: [a.example]", r#""private_hosts":["a.example"]"#),
        ("environment: { NODE_OPTIONS: x }", r#""environment":{"NODE_OPTIONS":"sha256:"#),
        ("search_path: [/srv/bin]", r#""search_path":["/srv/bin"]"#),
        ("level: unconfined", r#""level":"unconfined""#),
        ("limits: { processes: 1000 }", r#""processes":1000"#),
    ] {
        let preview = approve(&host(rights));
        assert!(preview.contains(shown), "a person sees {rights}: {preview}");
        assert_eq!(host(rights).ran(), "one\n", "{rights} was approved");
    }
    assert_eq!(host("read: [/srv/a, /srv/b]").ran(), "one\n", "the order has no effect");
    host("write: [/srv/a, /srv/b]").asked();
    host("environment: { NODE_OPTIONS: y }").asked();
    host("secrets: [{ variable: TOKEN, environment: TOKEN }], write: [/srv/a]").ran();
}
