//! `add` as people know it from other installers: a list, a choice, the directories of several
//! clients, and a list in `AGENTS.md`.

use std::fs;

use crate::install::{Machine, states};
use crate::plain_skill;
use crate::program::{Program, Ran};
use crate::terminal;

/// A user with trust in the source of the skills and in a repository.
fn trusting() -> Machine {
    let machine = Machine::new();
    machine.tree.write("repo/.git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(machine.run(&["trust", "--source", &machine.path("skills")]).code, Some(0));
    assert_eq!(in_repository(&machine, &["trust"]).code, Some(0));
    machine
}

fn in_repository(machine: &Machine, arguments: &[&str]) -> Ran {
    let program = Program::new().at_home_in(&machine.tree.join("home"));
    program.working_in(&machine.tree.join("repo")).run(arguments)
}

#[test]
fn list_names_skills_and_installs_nothing() {
    let machine = Machine::new();
    machine.tree.write("skills/broken/SKILL.md", "text");
    let listed = machine.run(&["add", &machine.path("skills"), "--list", "--format", "json"]);
    assert_eq!(listed.code, Some(3), "one of them cannot be read");
    assert_eq!(states(&listed.json()), ["notes offered", "pdf offered", "broken left out"]);
    let text = machine.run(&["add", &machine.path("skills"), "--list"]);
    assert!(text.stdout.contains("Helps with pdf. (1 KiB)"), "{}", text.stdout);
    fs::create_dir(machine.tree.join("none")).unwrap();
    let none = machine.run(&["add", &machine.path("none"), "--list"]);
    assert!(none.code == Some(1) && none.stderr.contains("no `SKILL.md`"), "{none:?}");
    assert!(machine.listed().is_empty() && !machine.state("prowess.lock").exists());
    for option in ["--link", "--agent=codex", "--agents-md", "pdf"] {
        let refused = machine.run(&["add", &machine.path("skills"), "--list", option]);
        assert_eq!(refused.code, Some(2), "{option}");
    }
}

/// As a submodule next to skills is.
#[test]
fn part_of_a_skill_is_named_and_is_missed_by_its_name_alone() {
    let machine = Machine::new();
    machine.tree.write("skills/pdf/more/inner/SKILL.md", plain_skill("inner"));
    let skills = machine.path("skills");
    for (more, code) in [(&["--list"][..], 0), (&[], 0), (&["inner"], 1)] {
        let ran = machine.run(&[&["add", &skills], more].concat());
        let is_named = (ran.stdout.clone() + &ran.stderr).contains("a part of the skill in `pdf`");
        assert!(ran.code == Some(code) && is_named, "{more:?}: {ran:?}");
    }
}

#[test]
fn skill_behind_a_branch_is_written_in_own_words() {
    for list in [&["--list"][..], &[]] {
        let refused = Machine::new().run(&[&["add", "owner/repo#main@good"], list].concat());
        assert_eq!(refused.code, Some(1));
        let help = "prowess add owner/repo good --ref main";
        assert!(refused.stderr.contains(help), "{}", refused.stderr);
    }
}

#[test]
fn update_of_all_is_partial_if_one_source_is_gone() {
    let machine = Machine::new();
    for name in ["notes", "pdf"] {
        let source = machine.path(&format!("skills/{name}"));
        assert_eq!(machine.run(&["add", &source]).code, Some(0));
    }
    fs::remove_dir_all(machine.tree.join("skills/pdf")).unwrap();
    for names in [&[][..], &["notes", "pdf"]] {
        let updated = machine.run(&[&["update"], names].concat());
        assert_eq!(updated.code, Some(3), "{names:?}: {}", updated.stderr);
        assert!(updated.stderr.contains("not updated: pdf: "), "{}", updated.stderr);
    }
}

#[test]
fn list_and_names_decide_as_add_does() {
    let machine = Machine::new();
    let source = machine.path("skills");
    let skill = |directory: &str, name: &str, more: &str| {
        machine.tree.write(&format!("skills/{directory}/SKILL.md"), plain_skill(name) + more);
    };
    skill("x/dup", "dup", "");
    skill("y/dup", "dup", "Other.\n");
    skill("x/same", "same", "");
    skill("y/same", "same", "");
    skill("a", "PDF Tools", "");
    skill("b", "Pdf Tools", "");
    machine.tree.write("skills/notes/model", "version https://git-lfs.github.com/spec/v1\noid a\n");
    skill("lfs", "lfs", "");
    machine
        .tree
        .write("skills/lfs/SKILL.md", "version https://git-lfs.github.com/spec/v1\noid b\n");
    let words = |name: &str| machine.run(&["add", &source, name, "--format", "json"]);
    let listed = states(&machine.run(&["add", &source, "--list", "--format", "json"]).json());
    let expected =
        ["PDF Tools offered", "Pdf Tools offered", "notes offered", "pdf offered", "same offered"];
    assert_eq!(listed[..5], expected, "{listed:?}");
    assert!(listed.contains(&"dup left out".to_owned()) && listed.len() == 7, "{listed:?}");
    let unclear = words("pdf-tools");
    let message = unclear.error()["message"].to_string();
    assert!(message.contains("`PDF Tools` or `Pdf Tools`"), "{message}");
    skill("c", "pdf-tools", "");
    for name in ["PDF Tools", "Pdf Tools", "pdf-tools"] {
        assert_eq!(states(&words(name).json()), [format!("{name} added")]);
    }
    let pointer = words("notes").json().to_string();
    assert!(pointer.contains("left out: `model` is a pointer of Git LFS"), "{pointer}");
    let lost = words("lfs").error()["message"].to_string();
    assert!(lost.contains("pointer of Git LFS"), "{lost}");
}

#[test]
fn terminal_asks_which_skills() {
    for (typed, installed) in [
        ("2\n", &["pdf"][..]),
        ("\n", &["notes", "pdf"]),
        ("pdf notes\n", &["notes", "pdf"]),
        ("7\n1\n", &["notes"]),
        ("\u{4}", &[]),
    ] {
        let machine = Machine::new();
        let program = Program::new().at_home_in(&machine.tree.join("home"));
        let (mut command, _place) = program.into_command();
        command.args(["add", &machine.path("skills")]);
        let (code, _, shown) = terminal::run(command, typed);
        assert_eq!(machine.listed(), installed, "{typed:?}: {shown}");
        assert_eq!(code == Some(0), !installed.is_empty(), "{typed:?}: {shown}");
        assert!(shown.contains("1  notes  Helps with notes."), "{shown}");
        assert_eq!(shown.contains("no skill `7`"), typed.starts_with('7'), "{shown}");
    }
    let machine = Machine::new();
    let (mut command, _place) =
        Program::new().at_home_in(&machine.tree.join("home")).into_command();
    command.args(["add", &machine.path("skills/pdf")]);
    let (code, _, shown) = terminal::run(command, "");
    assert_eq!(code, Some(0), "one skill is no question: {shown}");
}

#[test]
fn agents_find_the_skills_in_their_directories() {
    let machine = trusting();
    let source = machine.path("skills");
    let agents = ["--agent", "Claude Code, cursor", "--agent", "gemini-cli", "--agent", "kimi-cli"];
    let unknown = ["add", &source, "--agent", "nobody", "--format", "json"];
    let unknown = machine.run(&unknown);
    assert_eq!((unknown.code, &unknown.error()["code"]), (Some(2), &"client-unknown".into()));
    assert!(machine.listed().is_empty(), "nothing is installed for a client that is not known");
    for (home, directory, is_link) in [(true, "home", true), (false, "repo", false)] {
        let arguments = [&["add", &source][..], &agents].concat();
        let added = match home {
            true => machine.run(&arguments),
            false => in_repository(&machine, &arguments),
        };
        assert_eq!(added.code, Some(0), "{}", added.stderr);
        for client in [".claude", ".cursor", ".gemini", ".agents"] {
            let skills = machine.tree.join(directory).join(client).join("skills");
            let placed = format!("placed in {}", skills.display());
            assert!(added.stderr.contains(&placed), "{placed}: {}", added.stderr);
            let pdf = skills.join("pdf");
            assert_eq!(pdf.is_symlink(), is_link, "{}", pdf.display());
            assert_eq!(fs::read_to_string(pdf.join("SKILL.md")).unwrap(), plain_skill("pdf"));
        }
    }
    let named = in_repository(&machine, &["remove", "gone", "--lock", "other.lock"]);
    assert!(named.stderr.contains("`prowess verify --lock "), "{}", named.stderr);
    let removed = in_repository(&machine, &["remove", "pdf"]);
    assert_eq!(removed.code, Some(0), "{}", removed.stderr);
    assert!(!machine.tree.join("repo/.cursor/skills/pdf").exists());
    assert!(machine.tree.join("home/.cursor/skills/pdf").exists());
}

#[test]
fn agents_md_lists_the_skills_of_the_repository() {
    let machine = trusting();
    let (source, file) = (machine.path("skills"), machine.tree.join("repo/AGENTS.md"));
    let hidden = "---\nname: hidden\ndescription: D.\ndisable-model-invocation: true\n---\nBody\n";
    machine.tree.write("skills/hidden/SKILL.md", hidden);
    let broken = plain_skill("odd").replace("Helps", "`x` <!-- prowess: end of the list --> helps");
    machine.tree.write("skills/odd/SKILL.md", broken);
    machine.tree.write("repo/AGENTS.md", "# Rules\n\nBe kind.");
    let added = in_repository(&machine, &["add", &source, "pdf", "--agents-md"]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let text = || fs::read_to_string(&file).unwrap();
    assert!(text().starts_with("# Rules\n\nBe kind.\n\n<!-- prowess: "), "{}", text());
    assert!(text().contains("- `pdf` (`prowess show pdf`): `Helps with pdf.`\n"), "{}", text());
    fs::write(&file, text() + "\nMine.\n").unwrap();
    let added = in_repository(&machine, &["add", &source, "--agent", "codex"]);
    assert_eq!(added.code, Some(0), "{}", added.stderr);
    let all = text();
    let path = ".codex/skills/pdf/SKILL.md";
    assert!(all.contains(&format!("- `pdf` (`{path}`)")) && all.contains("- `notes`"), "{all}");
    assert!(!all.contains("`hidden`"), "what is not meant for a model is not listed: {all}");
    assert!(all.contains("- `odd`") && all.ends_with("of the list -->\n\nMine.\n"), "{all}");
    for (arguments, is_listed) in
        [(&["remove", "pdf"][..], false), (&["add", &source, "pdf"], true)]
    {
        let ran = in_repository(&machine, arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(text().contains("- `pdf`"), is_listed, "{}", text());
        assert!(text().starts_with("# Rules\n\nBe kind.\n\n") && text().ends_with("\n\nMine.\n"));
    }
    // A list that is damaged is never guessed at, and files elsewhere are not written.
    let damaged = text().replace("<!-- prowess: end of the list -->\n", "");
    fs::write(&file, &damaged).unwrap();
    let refused = in_repository(&machine, &["remove", "odd", "--format", "json"]);
    assert_eq!(refused.error()["code"], "agents-md-invalid");
    let lock = fs::read_to_string(machine.tree.join("repo/prowess.lock")).unwrap();
    assert!(text() == damaged && lock.contains("odd"), "nothing is changed");
    fs::remove_file(&file).unwrap();
    machine.tree.write("elsewhere.md", "Theirs.\n");
    std::os::unix::fs::symlink(machine.tree.join("elsewhere.md"), &file).unwrap();
    let refused = in_repository(&machine, &["add", &source, "--agents-md", "--format", "json"]);
    assert_eq!(refused.error()["code"], "agents-md-invalid", "{}", refused.stderr);
    assert_eq!(text(), "Theirs.\n");
    let outside = machine.run(&["add", &source, "--agents-md"]);
    assert_eq!(outside.code, Some(2), "there is no repository");
    assert_eq!(in_repository(&machine, &["update"]).code, Some(0), "it has no list to update");
}

#[test]
fn agents_md_is_kept_current() {
    let machine = Machine::new();
    machine.tree.write("repo/.git/HEAD", "ref: refs/heads/main\n");
    machine.tree.write("repo/skills/pdf/SKILL.md", plain_skill("pdf"));
    machine.tree.write("repo/skills/notes/SKILL.md", plain_skill("notes"));
    let text = || fs::read_to_string(machine.tree.join("repo/AGENTS.md")).unwrap();
    machine.tree.write("repo/AGENTS.md", "Mine.\r\n");
    let run = |arguments: &[&str]| {
        let ran = in_repository(&machine, arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    };
    run(&["add", "./skills", "--agents-md"]);
    machine.tree.write("repo/skills/pdf/SKILL.md", plain_skill("pdf").replace("Helps", "Aids"));
    run(&["update"]);
    assert!(text().contains("Aids with pdf.") && text().contains("`notes`"), "{}", text());
    run(&["remove", "notes"]);
    assert!(!text().contains("`notes`") && text().starts_with("Mine.\r\n\n<!--"), "{}", text());
    machine.tree.write("repo/AGENTS.md", text().replace("Aids", "Lies"));
    run(&["sync"]);
    assert!(text().contains("Lies with pdf."), "the lock of a clone changes nothing: {}", text());
    run(&["trust"]);
    run(&["sync"]);
    assert!(text().contains("Aids with pdf."), "{}", text());
}

/// A skill that is gone costs itself, also where each is named, and one that cannot be read now is
/// not unknown.
#[test]
fn named_skills_are_updated_and_shown_one_by_one() {
    let machine = Machine::new();
    assert_eq!(machine.run(&["add", &machine.path("skills"), "pdf", "notes"]).code, Some(0));
    fs::remove_dir_all(machine.tree.join("skills/notes")).unwrap();
    let updated = machine.run(&["update", "pdf", "notes"]);
    assert_eq!(updated.code, Some(3), "{}", updated.stderr);
    assert!(updated.stderr.contains("not updated: notes: "), "{}", updated.stderr);
    assert!(updated.stderr.contains("`prowess remove` takes away"), "{}", updated.stderr);
    assert_eq!(machine.run(&["update", "notes"]).code, Some(1));
    for (id, state) in [("pdf", "up to date"), ("notes", "gone")] {
        let checked = machine.run(&["update", "--check", id]);
        let said = checked.stdout + &checked.stderr;
        assert!(said.lines().count() == 1 && said.contains(state), "{said}");
    }
    let unknown = machine.run(&["update", "--check", "other", "--format", "json"]);
    assert_eq!(unknown.error()["code"], "not-installed");

    machine.tree.write("skills/notes/SKILL.md", "");
    let root = format!("user={}", machine.path("skills"));
    for (id, code) in [("notes", "skill-invalid"), ("note", "skill-not-found")] {
        let shown = machine.run(&["--no-config", "--root", &root, "show", id, "--format", "json"]);
        assert_eq!(shown.error()["code"], code, "{}", shown.stderr);
    }
}
