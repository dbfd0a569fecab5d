use super::*;

#[test]
fn store_passes_its_kit() {
    let report = prowess_testkit::check_approval_store(&Chat(MemoryApprovals::default()));
    assert!(report.is_passed(), "{report}");
}
