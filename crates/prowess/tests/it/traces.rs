//! The spans and events of a conversation, received by a real subscriber.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use prowess::registry::ReloadCause;
use prowess::{Clock, Policies, Runtime, ToolCall};
use prowess_testkit::{ManualClock, Tree};
use serde_json::json;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

const SKILL: &str = "\
//- /pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
Body
";

/// A span or an event of prowess.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// The id of a span while it is open; `None` for an event.
    id: Option<u64>,
    name: &'static str,
    /// The name of the span around it.
    parent: Option<&'static str>,
    fields: BTreeMap<&'static str, String>,
}

/// Collects what prowess traces, in the order of its beginnings.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Seen>>>);

impl Collector {
    fn push(&self, seen: Seen) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
    }

    fn all(&self, name: &str) -> Vec<Seen> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().filter(|seen| seen.name == name).cloned().collect()
    }

    /// Returns the one span or event with this name.
    fn only(&self, name: &str) -> Seen {
        let [one] = <[Seen; 1]>::try_from(self.all(name)).expect("there is one of this name");
        one
    }

    fn causes(&self) -> Vec<String> {
        self.all("reload")
            .into_iter()
            .map(|mut seen| seen.fields.remove("cause").unwrap_or_default())
            .collect()
    }
}

impl tracing::field::Visit for Seen {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

impl<S: tracing::Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Collector {
    fn on_new_span(
        &self,
        attributes: &tracing::span::Attributes<'_>,
        id: &tracing::Id,
        context: Context<'_, S>,
    ) {
        let metadata = attributes.metadata();
        if metadata.target() != "prowess" {
            return;
        }
        let parent = context.span(id).and_then(|span| Some(span.parent()?.name()));
        let mut seen =
            Seen { id: Some(id.into_u64()), name: metadata.name(), parent, ..Seen::default() };
        attributes.record(&mut seen);
        self.push(seen);
    }

    fn on_record(&self, id: &tracing::Id, values: &tracing::span::Record<'_>, _: Context<'_, S>) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // An id is used again after its span has closed, so the newest is meant.
        let span = seen.iter_mut().rev().find(|span| span.id == Some(id.into_u64()));
        if let Some(span) = span {
            values.record(span);
        }
    }

    fn on_event(&self, event: &tracing::Event<'_>, context: Context<'_, S>) {
        if event.metadata().target() == "prowess" {
            let parent = context.event_span(event).map(|span| span.name());
            let mut seen = Seen { name: event.metadata().name(), parent, ..Seen::default() };
            event.record(&mut seen);
            self.push(seen);
        }
    }
}

/// Runs `work` and returns what it traced.
fn traced(work: impl FnOnce()) -> Collector {
    let collector = Collector::default();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(collector.clone()), work);
    collector
}

fn runtime(tree: &Tree, policies: Policies, clock: &Arc<ManualClock>) -> Runtime {
    let clock: Arc<dyn Clock> = clock.clone();
    let builder = Runtime::builder().policies(policies).clock(clock);
    builder.skills_directory("user", tree.path()).build().expect("the runtime is complete")
}

#[test]
fn conversation_has_spans_of_reload_turn_and_call() {
    let tree = Tree::new(SKILL);
    let collector = traced(|| {
        let runtime = runtime(&tree, Policies::default(), &Arc::default());
        let session = runtime.open_session().expect("memory");
        let turn = runtime.turn(&session).expect("the session is open");
        turn.call(&ToolCall::new("skills_load", json!({ "names": ["pdf"] })));
        turn.call(&ToolCall::new("skills_lod", json!({})));
    });
    let reload = collector.only("reload");
    assert_eq!(reload.fields["cause"], "start", "the first scan starts the runtime");
    let scan = collector.only("scan");
    assert_eq!(scan.parent, Some("reload"), "a scan is a part of its reload");
    assert_eq!(scan.fields["added"], "1", "the span has the result of the scan: {scan:?}");
    assert_eq!(collector.only("resolve").parent, Some("reload"));
    let swap = collector.only("swap");
    assert_eq!((&*swap.fields["generation"], &*swap.fields["skills"]), ("1", "1"));
    let turn = collector.only("turn");
    assert_eq!(turn.fields["generation"], "1", "the span has the catalog that the turn pins");
    let calls = collector.all("call");
    let [load, unknown] = &calls[..] else { panic!("each call has a span: {calls:?}") };
    assert_eq!(load.parent, Some("turn"), "a call is a part of its turn");
    assert_eq!((&*load.fields["tool"], &*load.fields["outcome"]), ("skills.load", "done"));
    assert_eq!(unknown.fields["outcome"], "refused");
    assert_eq!(unknown.fields["code"], "unknown-tool");
    assert!(!unknown.fields.contains_key("tool"), "a name that the model made up is not traced");
}

#[test]
fn reload_names_its_cause() {
    let tree = Tree::new(SKILL);
    let clock = Arc::new(ManualClock::default());
    let collector = traced(|| {
        let yaml = "refresh: { mode: ttl, ttl_seconds: 10, cool_down_seconds: 0 }";
        let policies = Policies::from_yaml(yaml).expect("the policies are good");
        let runtime = runtime(&tree, policies, &clock);
        assert_eq!(runtime.reload().cause, ReloadCause::Manual);
        assert_eq!(runtime.reload_for(ReloadCause::Signal).cause, ReloadCause::Signal);
        let session = runtime.open_session().expect("memory");
        clock.advance(std::time::Duration::from_secs(11));
        runtime.turn(&session).expect("the session is open");
    });
    assert_eq!(collector.causes(), ["start", "manual", "signal", "ttl"]);
    assert_eq!(collector.all("reload")[3].parent, Some("turn"), "the turn waited for it");
}
