//! Audit events of shadowed skills and new catalogs.

use std::sync::{Arc, Mutex};

use prowess_core::{AuditEvent, AuditSink, Layer, ReloadEvent, RuntimeEvent, ShadowEvent, Trust};
use prowess_registry::Registry;
use prowess_testkit::ManualClock;

use crate::fixture::{Changing, skill_md};

#[derive(Default)]
struct Recorder(Mutex<Vec<ShadowEvent>>, Mutex<Vec<ReloadEvent>>);

impl AuditSink for Recorder {
    fn record(&self, event: &AuditEvent) {
        panic!("a registry calls no tool: {event:?}")
    }

    fn report(&self, event: &RuntimeEvent) {
        match event {
            RuntimeEvent::SkillShadowed(event) => {
                self.0.lock().expect("the lock is not poisoned").push(event.clone());
            }
            RuntimeEvent::CatalogReloaded(event) => {
                self.1.lock().expect("the lock is not poisoned").push(event.clone());
            }
            other => panic!("a registry does not cause {other:?}"),
        }
    }
}

impl Recorder {
    /// Removes and returns the events as `id@generation: used over shadowed`.
    fn take(&self) -> Vec<String> {
        let events = std::mem::take(&mut *self.0.lock().expect("the lock is not poisoned"));
        let line = |event: ShadowEvent| {
            let ShadowEvent { id, generation, used, shadowed, .. } = event;
            format!(
                "{id}@{generation}: {} {} over {} {}",
                used.layer, used.location, shadowed.layer, shadowed.location
            )
        };
        events.into_iter().map(line).collect()
    }
}

#[test]
fn new_shadows_are_reported_once() {
    let [user, project] = [(), ()].map(|()| Arc::new(Changing::default()));
    let recorder = Arc::new(Recorder::default());
    let registry = Registry::builder()
        .layer(Layer::new("user", Trust::Trusted))
        .layer(Layer::new("project", Trust::Untrusted))
        .source("user", user.clone())
        .source("project", project.clone())
        .audit(recorder.clone(), Arc::new(ManualClock::default()))
        .build()
        .expect("the layers exist");
    let reported = |why: &str, expected: &[&str]| {
        registry.reload();
        assert_eq!(recorder.take(), expected, "{why}");
    };
    user.set("deploy", skill_md("deploy", "first"), 1);
    reported("one skill shadows none", &[]);

    project.set("deploy", skill_md("deploy", "mine"), 1);
    let over = "user changing:/deploy/SKILL.md over project changing:/deploy/SKILL.md";
    reported("an untrusted layer never shadows a trusted one", &[&format!("deploy@2: {over}")]);
    reported("nothing has changed", &[]);

    user.set("other", skill_md("other", "first"), 1);
    reported("what was reported is not reported again", &[]);

    project.remove("deploy");
    reported("the shadow has gone", &[]);
    project.set("deploy", skill_md("deploy", "again"), 2);
    reported("and comes again", &[&format!("deploy@5: {over}")]);
}

#[test]
fn reload_reports_each_new_catalog_once() {
    let source = Arc::new(Changing::default());
    let recorder = Arc::new(Recorder::default());
    let registry = Registry::builder()
        .layer(Layer::new("user", Trust::Trusted))
        .source("user", source.clone())
        .audit(recorder.clone(), Arc::new(ManualClock::default()))
        .build()
        .expect("the layers exist");
    source.set("deploy", skill_md("deploy", "first"), 1);
    registry.reload();
    registry.reload();
    source.set("deploy", skill_md("deploy", "second"), 2);
    registry.reload();
    let events = std::mem::take(&mut *recorder.1.lock().expect("the lock is not poisoned"));
    let shown = events.iter().map(|event| {
        let ReloadEvent { cause, before, generation, skills, added, changed, .. } = event;
        format!("{cause} {before}>{generation}: {skills} skills, +{added} ~{changed}")
    });
    let expected = ["start 0>1: 1 skills, +1 ~0", "manual 1>2: 1 skills, +0 ~1"];
    assert_eq!(shown.collect::<Vec<_>>(), expected, "a reload without a change reports nothing");
}
