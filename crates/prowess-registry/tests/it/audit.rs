//! Audit events of shadowed skills and new catalogs.

use std::sync::Arc;

use prowess_core::{Layer, ReloadEvent, RuntimeEvent, ShadowEvent, Trust};
use prowess_registry::Registry;
use prowess_testkit::{AuditRecorder, ManualClock};

use crate::fixture::{Changing, skill_md, user};

/// Returns the shadowed skills since the last call as `id@generation: used over shadowed`.
fn take_shadows(recorder: &AuditRecorder) -> Vec<String> {
    let changes = recorder.take_changes().into_iter();
    let shadows = changes.filter_map(|event| match event {
        RuntimeEvent::SkillShadowed(event) => Some(event),
        RuntimeEvent::CatalogReloaded(_) => None,
        other => panic!("a registry does not cause {other:?}"),
    });
    let line = |event: ShadowEvent| {
        let ShadowEvent { id, generation, used, shadowed, .. } = event;
        format!(
            "{id}@{generation}: {} {} over {} {}",
            used.layer, used.location, shadowed.layer, shadowed.location
        )
    };
    shadows.map(line).collect()
}

#[test]
fn new_shadows_are_reported_once() {
    let [user, project] = [(), ()].map(|()| Arc::new(Changing::default()));
    let recorder = Arc::new(AuditRecorder::default());
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
        assert_eq!(take_shadows(&recorder), expected, "{why}");
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
    let recorder = Arc::new(AuditRecorder::default());
    let builder = user(source.clone()).audit(recorder.clone(), Arc::new(ManualClock::default()));
    let registry = builder.build().expect("the layers exist");
    source.set("deploy", skill_md("deploy", "first"), 1);
    registry.reload();
    registry.reload();
    source.set("deploy", skill_md("deploy", "second"), 2);
    registry.reload();
    let changes = recorder.take_changes();
    let shown = changes.iter().map(|event| {
        let RuntimeEvent::CatalogReloaded(event) = event else { panic!("{event:?} is no reload") };
        let ReloadEvent { cause, before, generation, skills, added, changed, .. } = event;
        format!("{cause} {before}>{generation}: {skills} skills, +{added} ~{changed}")
    });
    let expected = ["start 0>1: 1 skills, +1 ~0", "manual 1>2: 1 skills, +0 ~1"];
    assert_eq!(shown.collect::<Vec<_>>(), expected, "a reload without a change reports nothing");
}
