//! Unusable roots, files and texts: what a command reports about them, and what it never prints.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use prowess_testkit::Tree;
use serde_json::Value;

use crate::program::Program;
use crate::{plain_skill, run, skill_md};

/// A root with a good skill, and a directory that a test makes a bad one.
pub(crate) fn tree() -> Tree {
    let tree = Tree::new("");
    tree.write("good/SKILL.md", plain_skill("good"));
    tree.write("bad/note.txt", "a file");
    tree
}

/// Checks that each `SKILL.md` below `root` is listed once, or is what an error is about.
#[track_caller]
fn check_accounted(root: &Path, listed: &Value) {
    for entry in fs::read_dir(root).expect("the fixture can be listed") {
        let file = entry.expect("an entry").path().join("SKILL.md").display().to_string();
        let count = |list: &str, key: &str| {
            let entries = listed[list].as_array().expect("the key is a list").iter();
            let of_file = |entry: &&Value| entry[key] == *file && entry["severity"] != "warning";
            entries.filter(of_file).count()
        };
        let places = count("skills", "location") + count("shadowed", "location");
        let places = places + count("diagnostics", "path");
        assert_eq!(places, 1, "`{file}` is accounted for once in {listed:#}");
    }
}

#[test]
fn unusable_file_is_reported_and_the_others_are_listed() {
    type Spoil = fn(&Path);
    let cases: [(&str, Spoil); 8] = [
        ("not-a-file", |file| fs::create_dir(file).unwrap()),
        ("not-a-file", make_fifo),
        ("dangling-link", |file| symlink("nowhere.md", file).unwrap()),
        ("file-empty", |file| fs::write(file, "").unwrap()),
        ("frontmatter-missing", |file| fs::write(file, "# Only a heading\n").unwrap()),
        ("description-missing", |file| fs::write(file, "---\nname: bad\n- x\n---\n").unwrap()),
        ("not-utf8", |file| fs::write(file, b"---\nname: bad\n# \xff\n---\n").unwrap()),
        ("file-too-large", |file| fs::write(file, "all work\n".repeat(300_000)).unwrap()),
    ];
    for (code, spoil) in cases {
        let tree = tree();
        let file = tree.join("bad/SKILL.md");
        spoil(&file);
        let ran = run(tree.path(), &["list", "--format", "json"]);
        let listed = ran.json();
        assert_eq!(ran.code, Some(0), "a bad skill does not fail the list: {code}");
        check_accounted(tree.path(), &listed);
        assert_eq!(listed["skills"][0]["id"], "good", "{code}: {listed:#}");
        let found = &listed["diagnostics"][0];
        assert_eq!((&found["code"], &found["severity"]), (&code.into(), &"error".into()));
        for key in ["message", "help"] {
            assert!(found[key].as_str().is_some_and(|text| !text.is_empty()), "{code}: {key}");
        }
    }
}

#[test]
fn unusable_root_fails_each_command() {
    let tree = tree();
    let pipe = tree.join("pipe");
    make_fifo(&pipe);
    for (bad, code) in [
        (tree.join("nowhere"), "root-missing"),
        (tree.join("bad/note.txt"), "root-not-a-directory"),
        (pipe, "root-not-a-directory"),
    ] {
        let good = self::tree();
        for command in ["list", "serve"] {
            let program = Program::new().root("user", good.path()).root("project", &bad);
            let ran = program.run(&["--format", "json", command]);
            assert_eq!(ran.code, Some(1), "`{command}` fails: {ran:?}");
            let error = ran.error();
            assert_eq!(error["code"], code, "`{command}`: {error}");
            let message = error["message"].as_str().expect("a sentence");
            assert!(message.contains(&bad.display().to_string()), "it names the root: {error}");
        }
    }
}

/// A pipe gets skills alone; the findings are counted on standard error.
#[test]
fn findings_are_counted_on_standard_error() {
    let tree = tree();
    tree.write("bad/SKILL.md", "");
    let ran = run(tree.path(), &["list"]);
    assert_eq!(ran.code, Some(0), "a bad skill does not fail the list");
    assert!(!ran.stdout.contains("bad"), "the data is of the good skill alone");
    assert_eq!(ran.stderr, "1 skill; 1 error: see `prowess doctor`\n");
}

/// Creates a FIFO without a writer: a program that opens it and waits, waits forever.
pub(crate) fn make_fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode};
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .expect("a FIFO can be made");
}

/// Runs `work` on a thread whose children do not get root's right to read everything back. The
/// bound belongs to a thread, so the other tests keep theirs; a user other than root has none.
pub(crate) fn without_override<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

    let work = || {
        if rustix::process::geteuid().is_root() {
            for right in [CapabilitySet::DAC_OVERRIDE, CapabilitySet::DAC_READ_SEARCH] {
                remove_capability_from_bounding_set(right).expect("a right can be given up");
            }
        }
        work()
    };
    let joined = std::thread::scope(|scope| scope.spawn(work).join());
    joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A file that a person names may be a pipe, but never one that nothing comes from.
#[test]
fn files_that_never_end_are_refused() {
    let tree = Tree::new("");
    make_fifo(&tree.join("pipe"));
    fs::create_dir_all(tree.join("home/.config/prowess/config.yaml")).unwrap();
    let home = || Program::new().at_home_in(&tree.join("home"));
    let list = home().run(&["list"]);
    assert!(list.stderr.contains("it is a directory\n  help: correct or remove it"), "{list:?}");
    for (args, code) in [
        (&["--config", "/dev/zero", "list"][..], "config-unreadable"),
        (&["--config", "pipe", "list"], "config-unreadable"),
        (&["config", "check", "pipe"], "config-unreadable"),
        (&["--no-config", "search", "--probe", "pipe"], "probe-unreadable"),
        (&["add", "./x", "--signer", "pipe"], "signer-invalid"),
        (&["audit", "verify", "pipe"], "audit-log-unreadable"),
    ] {
        let program = home().working_in(tree.path());
        let ran = program.run(&[args, &["--format", "json"]].concat());
        assert_eq!(ran.error()["code"], code, "{args:?}: {ran:?}");
    }
}

/// A terminal obeys C1 controls also where they stand in JSON.
#[test]
fn json_on_a_terminal_has_no_control_characters() {
    let tree = Tree::new("");
    let description = "Fills \u{9b}31m forms \u{90}dcs \u{202e}rtl \u{e0041}";
    let written = r#""Fills \x9b31m forms \x90dcs \u202ertl \U000e0041""#;
    let text = format!("---\nname: pdf\ndescription: {written}\n---\nBody\u{9b}\n");
    tree.write("pdf/SKILL.md", text);
    let package = tree.join("pdf").display().to_string();
    for args in [
        &["--format", "json", "list"][..],
        &["--format", "json", "show", "pdf"],
        &["--format", "json", "call", "skills_load", r#"{"names":["pdf"]}"#],
        &["read-properties", &package],
        &["--format", "json", "show", "\u{9b}"],
    ] {
        let ran = Program::new().root("user", tree.path()).run(args);
        for text in [&ran.stdout, &ran.stderr] {
            assert_eq!(prowess_text::find_invisible(text), None, "{args:?} prints none");
        }
    }
    let shown = Program::new().run(&["--quiet", "read-properties", &package]).json();
    assert_eq!(shown["description"], description, "a parser reads the same text");
}

#[test]
fn terminal_controls_of_skills_are_escaped() {
    let tree = Tree::new("");
    let text = "name: alpha\ndescription: \"x\\e[2J\\ay\"";
    tree.write("alpha/SKILL.md", skill_md(text) + "\u{1b}]0;owned\u{7}\n");
    tree.write("\u{1b}[31mred/SKILL.md", "");
    for args in [
        &["list"][..],
        &["show", "alpha"],
        &["prompt", "--load", "alpha"],
        &["validate", "."],
        &["validate", ".", "--format", "github"],
    ] {
        // In a pipe every sequence is removed; with colours, each must be the program's.
        let args: Vec<_> = args.iter().chain(&["--color", "always"]).copied().collect();
        let program = Program::new().root("user", tree.path()).working_in(tree.path());
        let ran = program.run(&args);
        for bad in ["\u{1b}[2J", "\u{1b}]0;", "\u{1b}[31mred", "\u{7}"] {
            let is_obeyed = ran.stdout.contains(bad) || ran.stderr.contains(bad);
            assert!(!is_obeyed, "{args:?} obeys no skill: {bad:?} in {ran:?}");
        }
    }
}
