//! The facts about this machine.

use prowess::{Facts, Runtime, SystemFacts};
use prowess_testkit::Tree;

#[test]
fn the_machine_is_asked() {
    let facts = SystemFacts::new(["browser.enabled".to_owned()]);
    assert_eq!(facts.system(), std::env::consts::OS);
    assert!(facts.has_program("sh"), "every Unix has a shell");
    for name in ["", "..", "/bin/sh", "../bin/sh", "a-program-that-nobody-has", "sh\0"] {
        assert!(!facts.has_program(name), "{name:?} is the name of no program");
    }
    assert!(facts.has_variable("PATH"));
    for name in ["", "A=B", "A_VARIABLE_THAT_NOBODY_HAS", "PATH\0"] {
        assert!(!facts.has_variable(name), "{name:?} is no variable that is set");
    }
    assert!(facts.has_config("browser.enabled") && !facts.has_config("browser"));
}

#[test]
fn a_skill_that_needs_what_is_there_is_offered() {
    let tree = Tree::new("");
    let skill = |name: &str, needs: &str| {
        let head = format!("---\nname: {name}\ndescription: Needs it.\n");
        let text = format!("{head}metadata:\n  openclaw:\n    requires: {needs}\n---\nBody\n");
        tree.write(&format!("{name}/SKILL.md"), text);
    };
    skill("a", "{bins: [sh], env: [PATH], anyBins: [nothing-of-this-kind, sh]}");
    skill("b", "{bins: [sh, nothing-of-this-kind]}");
    let runtime = Runtime::builder().skills_directory("user", tree.path()).build().unwrap();
    let catalog = runtime.catalog();
    assert!(catalog.skills().map(|skill| skill.id()).eq(["a"]), "the shell is there");
    let lack = catalog.excluded().next().and_then(|skill| skill.missing_requirement());
    assert_eq!(lack, Some("it needs the program `nothing-of-this-kind`, which is not there"));
}
