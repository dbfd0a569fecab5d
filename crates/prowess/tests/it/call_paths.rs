//! Every way to call a tool passes one gate and one audit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use prowess::session::{ForkRequest, SessionHandle};
use prowess::tools::{Dispatched, NameStyle};
use prowess::vendor::WireFormat;
use prowess::{
    Audience, Cancel, Catalog, Outcome, Policies, Runtime, Tool, ToolCall, ToolContext,
    ToolDefinition, ToolProvider, ToolResult, Verdict,
};
use prowess_testkit::{AuditRecorder, Tree};
use serde_json::{Value, json};

use crate::dynamic;

const SKILLS: &str = include_str!("../data/call-paths-skills.txt");

/// A tool that counts its runs.
struct Query(Arc<AtomicUsize>);

impl Tool for Query {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        let input_schema = json!({ "type": "object" });
        let description = "Queries data.".to_owned();
        ToolDefinition { name: "data.query".to_owned(), description, input_schema }
    }

    fn other_names(&self) -> Vec<&str> {
        vec!["query.data"]
    }

    fn call(&self, _: &ToolContext<'_>, _: &Value) -> ToolResult {
        self.0.fetch_add(1, Ordering::Relaxed);
        ToolResult::text("the data")
    }
}

/// The same tool by its older name.
struct OlderName(Query);

impl Tool for OlderName {
    fn definition(&self, catalog: &Catalog) -> ToolDefinition {
        ToolDefinition { name: "query.data".to_owned(), ..self.0.definition(catalog) }
    }

    fn other_names(&self) -> Vec<&str> {
        vec!["data.query"]
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        self.0.call(context, arguments)
    }
}

struct Tools(Arc<AtomicUsize>);

impl ToolProvider for Tools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let query = || Query(Arc::clone(&self.0));
        vec![Arc::new(query()), Arc::new(OlderName(query()))]
    }
}

struct Place {
    runtime: Runtime,
    session: SessionHandle,
    runs: Arc<AtomicUsize>,
    audit: Arc<AuditRecorder>,
    style: NameStyle,
}

impl Place {
    fn new(mut policies: Policies, style: NameStyle) -> Self {
        policies.name_style = style;
        policies.layers.clear();
        let tree = Tree::new(SKILLS);
        let audit = Arc::new(AuditRecorder::default());
        let runs = Arc::new(AtomicUsize::new(0));
        let runtime = dynamic::builder()
            .policies(policies)
            .tools(Arc::new(Tools(Arc::clone(&runs))))
            .audit(Arc::clone(&audit) as _)
            .skills_directory("user", tree.path())
            .build()
            .expect("the runtime is complete");
        let session = runtime.open_session().expect("the store is in memory");
        Self { runtime, session, runs, audit, style }
    }

    fn turn(&self) -> prowess::Turn {
        self.runtime.turn(&self.session).expect("the session is open")
    }

    /// Returns a call of the tool by its present name.
    fn query(&self) -> ToolCall {
        self.named("data.query")
    }

    fn named(&self, canonical: &str) -> ToolCall {
        ToolCall::new(prowess::tools::ToolNaming::new(self.style).spell(canonical), json!({}))
    }

    /// Runs the tool as the host's own, behind the gate.
    fn run(&self) -> ToolResult {
        self.runs.fetch_add(1, Ordering::Relaxed);
        ToolResult::text("the data")
    }

    /// Passes the call through a message of a vendor's format.
    fn by_message(&self, format: WireFormat) -> Dispatched {
        let message = format.call("call_1", &self.query());
        let definitions = self.turn().tools();
        let mut received = format.calls(&message, &definitions);
        assert_eq!(received.len(), 1, "{format:?} has one call");
        self.turn().call(&received.remove(0).call.expect("its arguments are JSON"))
    }
}

/// A way to call a tool.
type Path = fn(&Place) -> Dispatched;

const PATHS: [(&str, Path); 16] = [
    ("Turn::call", |place| place.turn().call(&place.query())),
    ("Turn::call_until", |place| place.turn().call_until(&place.query(), &Cancel::default())),
    ("Turn::call_as_user", |place| place.turn().call_as_user(&place.query())),
    ("Turn::guard", |place| place.turn().guard(&place.query(), || place.run())),
    ("Turn::admit", |place| match place.turn().admit(&place.query()) {
        Ok(permit) => permit.finish(place.run()),
        Err(refused) => *refused,
    }),
    ("Runtime::guard", |place| {
        let answer = place.runtime.guard(&place.session, &place.query(), || place.run());
        answer.expect("the session is open")
    }),
    ("an older name", |place| place.turn().call(&place.named("query.data"))),
    ("a guarded older name", |place| {
        place.turn().guard(&place.named("query.data"), || place.run())
    }),
    ("a turn for an audience", |place| {
        let audience = Audience { agent: Some("writer".to_owned()), ..Audience::default() };
        let turn = place.runtime.turn_for(&place.session, &audience).expect("it is open");
        turn.call(&place.query())
    }),
    ("a resumed session", |place| {
        let session = place.runtime.resume_session(place.session.id()).expect("it is open");
        place.runtime.turn(&session).expect("it is open").call(&place.query())
    }),
    ("a forked session", |place| {
        let session = place.session.fork(&ForkRequest::default()).expect("there is room");
        place.runtime.turn(&session).expect("it is open").call(&place.query())
    }),
    ("OpenAI's Chat Completions", |place| place.by_message(WireFormat::OpenAiChat)),
    ("OpenAI's Responses", |place| place.by_message(WireFormat::OpenAiResponses)),
    ("Anthropic's Messages", |place| place.by_message(WireFormat::Anthropic)),
    ("Gemini", |place| place.by_message(WireFormat::Gemini)),
    ("MCP", |place| place.by_message(WireFormat::Mcp)),
];

const STYLES: [NameStyle; 3] = [NameStyle::Dot, NameStyle::Dash, NameStyle::Underscore];

/// The policies of a preset, with one denied tool.
fn denying(preset: &str, tool: &str) -> Policies {
    let yaml = format!("{{ preset: {preset}, gate: {{ ceiling: {{ deny: [\"{tool}\"] }} }} }}");
    Policies::from_yaml(&yaml).expect("the policies are valid")
}

/// Checks that the gate has denied one call, and that the audit has one record of it.
fn check_denied(place: &Place, answer: &Dispatched, path: &str) {
    let code = answer.result.code.as_ref().map(prowess::Code::as_str);
    assert_eq!(code, Some("tool-denied"), "{path}: {answer:?}");
    assert_eq!(place.runs.load(Ordering::Relaxed), 0, "{path} runs nothing");
    assert!(answer.approval.is_none(), "{path} asks no person");
    let audit = &place.audit;
    assert!(audit.take_intents().is_empty(), "{path} stores no intent");
    let events = audit.take_calls();
    let [event] = events.as_slice() else { panic!("{path} has {} records", events.len()) };
    assert!(matches!(&event.outcome, Outcome::Refused(code) if code.as_str() == "tool-denied"));
    let decision = event.intent.decision.as_ref().expect("the gate has decided");
    assert_eq!(decision.verdict, Verdict::Denied, "{path}");
    assert_eq!(decision.location.as_deref(), Some("gate.ceiling.deny"), "{path}");
}

#[test]
fn denied_tool_is_denied_on_every_path() {
    for style in STYLES {
        for (path, call) in PATHS {
            let place = Place::new(denying("standard", "data.query"), style);
            check_denied(&place, &call(&place), path);
        }
    }
}

#[test]
fn one_rule_covers_every_name() {
    for denied in ["data.query", "data_query", "query.data", "query_data", "DATA_Query"] {
        for (path, call) in PATHS {
            let place = Place::new(denying("standard", denied), NameStyle::Underscore);
            check_denied(&place, &call(&place), &format!("{path}, {denied}"));
        }
    }
}

#[test]
fn permitted_tool_runs_once_on_every_path() {
    let policies = "{ preset: standard, gate: { grant: [data.query] } }";
    for (path, call) in PATHS {
        let policies = Policies::from_yaml(policies).expect("the policies are valid");
        let place = Place::new(policies, NameStyle::Underscore);
        let answer = call(&place);
        assert!(!answer.result.is_error, "{path}: {answer:?}");
        assert_eq!(place.runs.load(Ordering::Relaxed), 1, "{path}");
        assert_eq!(place.audit.take_intents().len(), 1, "{path}");
        let events = place.audit.take_calls();
        let outcomes: Vec<_> = events.iter().map(|event| event.outcome.clone()).collect();
        assert_eq!(outcomes, [Outcome::Done], "{path}");
    }
}

#[test]
fn decisions_are_those_of_calls() {
    for style in STYLES {
        for name in ["data.query", "query.data"] {
            let place = Place::new(denying("standard", "data.query"), style);
            let call = place.named(name);
            let decision = place.turn().decide(&call.name, &call.arguments).expect("it decides");
            assert!(decision.is_denied(), "{}: {decision}", call.name);
            let decision = place.runtime.decide(&place.session, &call.name, &call.arguments);
            assert!(decision.expect("it decides").is_denied(), "{}", call.name);
            assert!(place.audit.take_calls().is_empty(), "nothing ran");
        }
    }
}

#[test]
fn denied_load_is_denied_on_every_surface() {
    for preset in ["standard", "flexigpt", "omniforge", "boxxy", "sandbox", "yodoca"] {
        let tools = Policies::preset(preset).expect("there is one").tools;
        let call = tools.load_call("pdf").expect("each preset has a tool that loads");
        let place = Place::new(denying(preset, &call.name), NameStyle::Underscore);
        let spelled = place.named(&call.name).name;
        let answer = place.turn().call(&ToolCall::new(spelled, call.arguments));
        check_denied(&place, &answer, preset);
        assert!(place.turn().state().active.is_empty(), "{preset} loads nothing");
    }
}

#[test]
fn denied_load_is_denied_to_a_user() {
    let place = Place::new(denying("standard", "skills.load"), NameStyle::Underscore);
    let turn = place.turn();
    let (call, _) = turn.explicit_activation("/pdf fill this").expect("it names a skill");
    check_denied(&place, &turn.call_as_user(&call), "a command of the user");
}
