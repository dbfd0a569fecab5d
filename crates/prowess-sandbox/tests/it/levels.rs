//! The levels that a machine offers.

use prowess_sandbox::{
    DemandedLevel, Isolation, Level, Native, Plan, Program, SandboxErrorKind, Streams,
};

use crate::host::{forbid_namespaces, native, stage};

#[test]
fn this_machine_offers_namespaces() {
    let report = native().probe().expect("the layers can be built");
    assert_eq!(report.level, Level::Namespaces, "tests run where all layers are: {report:?}");
    assert!(report.missing.is_empty(), "nothing is missing: {report:?}");
    assert!(report.layers.iter().any(|layer| layer.starts_with("landlock")), "{report:?}");
}

#[test]
fn floor_is_floor_when_demanded() {
    let mut plan = Plan::enter(stage());
    plan.confinement.level = DemandedLevel::Floor;
    let mut running = native().spawn(&plan, &Streams::null(), &[]).unwrap();
    assert_eq!(running.report.level, Level::Floor, "a plan can ask for less");
    assert!(running.child.wait().unwrap().success(), "a stage without a program ends in order");
}

#[test]
fn program_that_is_no_stage_is_an_error() {
    for (program, kind, reason) in [
        ("/nowhere/stage", SandboxErrorKind::NotStarted, "`/nowhere/stage` cannot be started: "),
        ("/bin/true", SandboxErrorKind::Failed, "ended before it confined itself"),
    ] {
        let error = Native::new(Program::new(program)).probe().unwrap_err();
        assert!(error.kind == kind && error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn missing_directory_is_an_error() {
    for level in [DemandedLevel::Floor, DemandedLevel::Namespaces] {
        let mut plan = Plan::run(&stage(), Program::new("/bin/true"));
        plan.confinement.level = level;
        plan.directory = "/nowhere/at/all".into();
        let error = native().spawn(&plan, &Streams::piped(), &[]).unwrap_err();
        assert_eq!(error.kind, SandboxErrorKind::NotStarted, "{level:?}: {error}");
        assert!(error.reason.contains("in `/nowhere/at/all`: No such file"), "{error}");
    }
}

#[test]
fn stage_that_hangs_is_an_error() {
    let mut plan = Plan::enter(Program::new("/bin/sleep").argument("600"));
    plan.start_ms = 50;
    let error = native().spawn(&plan, &Streams::null(), &[]).unwrap_err();
    assert!(error.reason.contains("did not confine itself within 50 ms"), "{error}");
}

#[test]
fn demanded_namespaces_that_are_forbidden_start_nothing() {
    let thread = std::thread::spawn(|| {
        forbid_namespaces();
        let mut plan = Plan::run(&stage(), Program::new("/bin/true"));
        plan.confinement.level = DemandedLevel::Namespaces;
        native().spawn(&plan, &Streams::null(), &[]).unwrap_err()
    });
    let error = thread.join().unwrap();
    assert_eq!(error.kind, SandboxErrorKind::Unavailable, "{error}");
    assert!(error.reason.contains("`namespaces`: Operation not permitted"), "{error}");
    assert!(error.help.contains("demand the level `floor`"), "{error}");
}

#[test]
fn best_level_names_what_is_missing() {
    let thread = std::thread::spawn(|| {
        forbid_namespaces();
        native().probe().unwrap()
    });
    let report = thread.join().unwrap();
    assert_eq!(report.level, Level::Floor, "{report:?}");
    assert!(report.missing.iter().any(|missing| missing.layer == "namespaces"), "{report:?}");
}
