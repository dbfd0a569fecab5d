//! The facts about this machine.

use prowess::{Facts, SystemFacts};

#[test]
fn the_machine_is_asked() {
    let facts = SystemFacts::new(["browser.enabled".to_owned()]);
    assert_eq!(facts.system(), std::env::consts::OS);
    assert!(facts.has_program("sh"), "every Unix has a shell");
    for name in ["", "..", "/bin/sh", "../bin/sh", "no-such-program", "sh\0"] {
        assert!(!facts.has_program(name), "{name:?} is the name of no program");
    }
    assert!(facts.has_variable("PATH"));
    for name in ["", "A=B", "NO_SUCH_VARIABLE", "PATH\0"] {
        assert!(!facts.has_variable(name), "{name:?} is no variable that is set");
    }
    assert!(facts.has_config("browser.enabled") && !facts.has_config("browser"));
}
