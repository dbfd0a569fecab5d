//! The rules of the interface.

use prowess_testkit::check_script_runner;

use crate::fixture::Skill;

#[test]
fn runner_passes_the_kit() {
    let skill = Skill::new(&[]);
    let report = check_script_runner(skill.runner());
    assert!(report.is_passed(), "{report}");
}
