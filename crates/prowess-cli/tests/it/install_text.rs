//! The texts that people read when they install, check and update skills.

use std::fs;

use crate::install::Machine;
use crate::plain_skill;
use crate::program::Ran;

/// Runs a command that may reach the site, for people.
fn run(machine: &Machine, arguments: &[&str]) -> Ran {
    machine.run(&[arguments, &["--host", machine.host()]].concat())
}

#[cfg(feature = "remotes")]
#[test]
fn skills_are_listed_in_columns() {
    let machine = Machine::new();
    let added = run(&machine, &["add", &machine.address()]);
    assert_eq!(added.stdout, "added        notes  unsigned\nadded        pdf    unsigned\n");
    let verified = run(&machine, &["verify"]);
    assert_eq!(verified.stdout, "intact       notes\nintact       pdf\n");
    assert_eq!(verified.stderr, "", "there is nothing to do");
}

#[test]
fn empty_list_says_why() {
    let machine = Machine::new();
    for (words, remark) in [
        (&["verify"][..], "no skill is installed\n"),
        (&["sync"], "no skill is installed\n"),
        (&["sync", "--check"], "no skill is installed\n"),
        (&["update", "--check"], "no skill is installed\n"),
        (&["update"], "no skill is installed\n"),
    ] {
        let ran = run(&machine, words);
        assert_eq!((&*ran.stdout, &*ran.stderr), ("", remark), "{words:?}");
    }
    let listed = machine.run(&["sync", "--quarantine"]);
    assert_eq!((&*listed.stdout, &*listed.stderr), ("", "nothing is in quarantine\n"));
}

#[test]
fn next_step_of_an_update_is_named() {
    let machine = Machine::new();
    machine.add();
    let change = |text: &str| {
        machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + text);
        machine.publish();
    };
    change("More.\n");
    let outdated = run(&machine, &["update", "--check"]);
    assert!(outdated.stderr.contains("help: `prowess update --preview`"), "{}", outdated.stderr);
    let preview = run(&machine, &["update", "--preview"]);
    assert_eq!(preview.stderr, "  help: `prowess update` installs them\n");
    change(&format!("See https://example.org/forms.{}; rm -rf ~\n", " ".repeat(300)));
    let preview = run(&machine, &["update", "--preview"]);
    assert!(preview.stdout.contains("forms.[300 × U+0020]; rm"), "{}", preview.stdout);
    let (_, rest) = preview.stderr.split_once("`prowess update --accept pdf@sha256:").unwrap();
    let accepted = format!("pdf@sha256:{}", rest.split('`').next().unwrap());
    let other = format!("pdf@sha256:{}", "0".repeat(64));
    let refused = run(&machine, &["update", "--accept", &other]);
    assert!(refused.stderr.contains("artifact-changed"), "{}", refused.stderr);
    let updated = run(&machine, &["update", "--accept", &accepted]);
    assert_eq!(updated.stderr, "1 skill updated\n");
}

#[test]
fn preview_names_the_revisions_of_the_lock() {
    let machine = Machine::new();
    machine.add();
    let revision = || {
        let lock = machine.state("prowess.lock");
        let text = fs::read_to_string(lock).unwrap();
        let (_, pdf) = text.split_once("[skill.pdf]").unwrap();
        pdf.split_once("revision = \"").unwrap().1.split('"').next().unwrap().to_owned()
    };
    let from = revision();
    machine.tree.write("skills/pdf/SKILL.md", plain_skill("pdf") + "More.\n");
    machine.publish();
    let preview = run(&machine, &["update", "--preview"]).stdout;
    assert_eq!(run(&machine, &["update"]).code, Some(0));
    let expected = format!("pdf\n  from     {from}\n  to       {}\n", revision());
    assert!(preview.starts_with(&expected), "{preview}");
}

#[test]
fn lost_packages_name_the_command_that_restores_them() {
    let machine = Machine::new();
    machine.add();
    fs::remove_dir_all(machine.state("store/packages")).unwrap();
    let verified = run(&machine, &["verify"]);
    assert_eq!(verified.code, Some(1));
    let expected = "  help: `prowess sync` installs damaged packages again\n";
    assert_eq!(verified.stderr, expected, "it is said once");
    let quiet = run(&machine, &["verify", "--quiet"]);
    assert_eq!(quiet.stderr, "", "remarks can be left out");
}

#[test]
fn rollback_without_an_update_says_when_there_is_one() {
    let machine = Machine::new();
    machine.add();
    let refused = run(&machine, &["update", "--rollback", "pdf"]);
    assert_eq!(refused.code, Some(1));
    let expected = "help: a skill has an earlier version after an update or a removal";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
}
