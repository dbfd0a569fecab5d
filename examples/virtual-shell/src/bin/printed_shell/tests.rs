use prowess::shell::ShellLimits;

use super::*;

#[test]
fn shell_passes_its_kit() {
    // The kit runs a loop without an end.
    let limits = ShellLimits { steps: 2000, ..ShellLimits::default() };
    let shell = InMemoryShell::new(ShellPolicy { limits, ..ShellPolicy::default() });
    let report = prowess_testkit::check_virtual_shell(&Printed(shell));
    assert!(report.is_passed(), "{report}");
}
