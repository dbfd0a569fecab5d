//! What is not a skill is reported by its path, a code and what to do, and the others are there.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use prowess_testkit::Tree;
use serde_json::Value;

use crate::program::{Program, Ran};
use crate::{accounts, plain_skill, run, skill_md};

/// Lists a root with a good skill and what `spoil` makes of it.
#[track_caller]
fn check(spoil: impl FnOnce(&Tree), path: &str, severity: &str, code: &str) {
    let tree = tree();
    spoil(&tree);
    let ran = run(tree.path(), &["list", "--format", "json"]);
    let listed = ran.json();
    accounts::check(tree.path(), &listed);
    check_reported(&ran, &listed, &tree.join(path), severity, code);
}

pub(crate) fn tree() -> Tree {
    let tree = Tree::new("");
    tree.write("good/SKILL.md", plain_skill("good"));
    tree.write("bad/note.txt", "a file");
    tree
}

#[track_caller]
fn check_reported(ran: &Ran, listed: &Value, path: &Path, severity: &str, code: &str) {
    assert_eq!(ran.code, Some(0), "a bad skill does not fail the list");
    let ids: Vec<_> = listed["skills"].as_array().unwrap().iter().map(|s| &s["id"]).collect();
    assert_eq!(ids, ["good"], "the good skill is there and nothing else");
    let place = path.display().to_string();
    let found: Vec<_> = listed["diagnostics"].as_array().unwrap().iter().collect();
    let report: Vec<_> = found.iter().filter(|found| found["path"] == *place).collect();
    let [report] = report.as_slice() else {
        panic!("`{place}` is reported once, not as {found:#?}");
    };
    assert_eq!((&report["severity"], &report["code"]), (&severity.into(), &code.into()));
    for key in ["message", "help"] {
        assert!(report[key].as_str().is_some_and(|text| !text.is_empty()), "there is a {key}");
    }
}

/// Runs commands over two roots, a bad one and a good one.
#[track_caller]
fn check_root(bad: &Path, code: &str) {
    let good = tree();
    for command in ["list", "serve", "doctor"] {
        let program = Program::new().root("user", good.path()).root("project", bad);
        let ran = program.run(&["--format", "json", command]);
        assert_eq!(ran.code, Some(1), "`{command}` fails: {ran:?}");
        let error = ran.error();
        assert_eq!(error["code"], code, "`{command}`: {error}");
        let message = error["message"].as_str().expect("a sentence");
        assert!(message.contains(&bad.display().to_string()), "it names the root: {error}");
    }
}

#[test]
fn a_root_that_is_missing() {
    check_root(&tree().join("nowhere"), "root-missing");
}

#[test]
fn a_root_that_is_a_file() {
    let tree = tree();
    check_root(&tree.join("bad/note.txt"), "root-not-a-directory");
}

#[test]
fn a_root_that_is_a_fifo() {
    let tree = tree();
    make_fifo(&tree.join("pipe"));
    check_root(&tree.join("pipe"), "root-not-a-directory");
}

#[test]
fn a_root_that_is_a_link_to_nowhere() {
    let tree = tree();
    symlink("nowhere", tree.join("link")).unwrap();
    check_root(&tree.join("link"), "root-missing");
}

#[test]
fn a_directory_that_may_not_be_read() {
    let tree = tree();
    tree.write("bad/SKILL.md", plain_skill("bad"));
    fs::set_permissions(tree.join("bad"), Permissions::from_mode(0o000)).unwrap();
    let ran = without_override(|| run(tree.path(), &["list", "--format", "json"]));
    fs::set_permissions(tree.join("bad"), Permissions::from_mode(0o700)).unwrap();
    let listed = ran.json();
    accounts::check(tree.path(), &listed);
    check_reported(&ran, &listed, &tree.join("bad"), "error", "directory-unreadable");
}

#[test]
fn a_file_that_may_not_be_read() {
    let tree = tree();
    tree.write("bad/SKILL.md", plain_skill("bad"));
    fs::set_permissions(tree.join("bad/SKILL.md"), Permissions::from_mode(0o000)).unwrap();
    let ran = without_override(|| run(tree.path(), &["list", "--format", "json"]));
    let listed = ran.json();
    accounts::check(tree.path(), &listed);
    check_reported(&ran, &listed, &tree.join("bad/SKILL.md"), "error", "file-unreadable");
    let help = listed["diagnostics"][0]["help"].as_str().unwrap();
    assert!(help.contains("permissions"), "it says what to change: {help}");
}

#[test]
fn a_directory() {
    let make = |tree: &Tree| fs::create_dir(tree.join("bad/SKILL.md")).unwrap();
    check(make, "bad/SKILL.md", "error", "not-a-file");
}

#[test]
fn a_fifo_that_nobody_writes_to() {
    let make = |tree: &Tree| make_fifo(&tree.join("bad/SKILL.md"));
    check(make, "bad/SKILL.md", "error", "not-a-file");
}

#[test]
fn a_link_to_nowhere() {
    let make = |tree: &Tree| symlink("nowhere.md", tree.join("bad/SKILL.md")).unwrap();
    check(make, "bad/SKILL.md", "error", "dangling-link");
}

#[test]
fn bytes_that_are_no_text() {
    let text = b"---\nname: bad\ndescription: caf\xe9 \xff\n---\nBody\n";
    check(|tree| tree.write("bad/SKILL.md", text), "bad/SKILL.md", "error", "not-utf8");
}

#[test]
fn three_megabytes_of_text() {
    let tree = tree();
    tree.write("bad/SKILL.md", plain_skill("bad") + &"all work and no play\n".repeat(150_000));
    // It could never be loaded, so discovery rejects it.
    let path = tree.join("bad").display().to_string();
    let validated = run(tree.path(), &["validate", &path, "--format", "json"]);
    assert!(validated.stdout.contains("file-too-large"), "{}", validated.stdout);
    let shown = run(tree.path(), &["show", "bad"]);
    assert!(shown.stderr.contains("skill-not-found"), "{}", shown.stderr);
    assert_eq!((validated.code, shown.code), (Some(1), Some(1)), "both fail");
    let found = &validated.json()["packages"][0]["diagnostics"][0];
    assert!(found["message"].as_str().unwrap().contains("2097152"), "the limit is named: {found}");
    assert!(found["help"].as_str().unwrap().starts_with("move parts of it"), "{found}");
    let write = |tree: &Tree| {
        let text = plain_skill("bad") + &"all work and no play\n".repeat(150_000);
        tree.write("bad/SKILL.md", text);
    };
    check(write, "bad/SKILL.md", "error", "file-too-large");
}

/// Returns a skill whose file is estimated at this many tokens.
fn skill_of_tokens(tokens: usize) -> String {
    let text = skill_md("name: big\ndescription: Use it.");
    let rest = "x".repeat(tokens * 4 - text.len());
    text + &rest
}

#[test]
fn a_skill_of_8001_tokens_is_listed_with_one_warning() {
    let tree = Tree::new("");
    tree.write("big/SKILL.md", skill_of_tokens(8000));
    let list = ["list", "--format", "json"];
    let within = run(tree.path(), &list).json();
    assert_eq!(within["diagnostics"], serde_json::json!([]), "8,000 are the limit");
    tree.write("big/SKILL.md", skill_of_tokens(8001));
    let listed = run(tree.path(), &list).json();
    assert_eq!(listed["skills"][0]["id"], "big", "it is listed all the same");
    let [found] = listed["diagnostics"].as_array().unwrap().as_slice() else {
        panic!("there is one finding: {listed:#}");
    };
    assert_eq!(found["code"], "body-tokens-soft-limit");
    assert_eq!(found["severity"], "warning");
    assert!(found["message"].as_str().unwrap().contains("approx. 8001 tokens"), "{found}");
    let doctor = run(tree.path(), &["doctor"]);
    let warnings = doctor.text().matches("warning[body-tokens-soft-limit]").count();
    assert_eq!(warnings, 1, "doctor shows it once: {}", doctor.stdout);
}

#[test]
fn broken_yaml() {
    let text = "---\nname: bad\n- x\ndescription: y\n---\nBody\n";
    check(|tree| tree.write("bad/SKILL.md", text), "bad/SKILL.md", "error", "yaml-invalid");
    let tree = tree();
    tree.write("bad/SKILL.md", text);
    let listed = run(tree.path(), &["list", "--format", "json"]).json();
    assert_eq!(listed["diagnostics"][0]["line"], 3, "the fault is on line 3: {listed}");
    let package = tree.join("bad").display().to_string();
    let validated = Program::new().run(&["validate", &package]);
    let place = format!(" --> {package}/SKILL.md:3:");
    assert!(validated.stdout.contains(&place), "{}", validated.stdout);
}

#[test]
fn an_empty_file() {
    check(|tree| tree.write("bad/SKILL.md", ""), "bad/SKILL.md", "error", "file-empty");
}

#[test]
fn no_frontmatter() {
    let make = |tree: &Tree| tree.write("bad/SKILL.md", "# Only a heading\n");
    check(make, "bad/SKILL.md", "error", "frontmatter-missing");
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
    let doctor = run(tree.path(), &["doctor"]);
    assert!(doctor.stdout.contains("error[file-empty]"), "doctor shows it: {}", doctor.stdout);
}

/// A FIFO without a writer: a program that opens it and waits, waits for ever.
pub(crate) fn make_fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode};
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR, 0).expect("a FIFO can be made");
}

/// Runs `work` on a thread whose children do not get root's right to read everything back. The
/// bound belongs to a thread, so the other tests keep theirs; somebody who is not root has none to
/// give up.
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

#[test]
fn endless_configuration_is_refused() {
    let zeros = Path::new("/dev/zero");
    let ran = Program::new().config(zeros).run(&["--format", "json", "list"]);
    assert_eq!(ran.code, Some(2), "the command line is wrong");
    assert_eq!(ran.error()["code"], "config-unreadable", "{ran:?}");
}

/// A terminal obeys C1 controls also where they stand in JSON.
#[test]
fn json_on_a_terminal_has_no_control_characters() {
    let tree = Tree::new("");
    let description = "Fills \u{9b}31m forms \u{90}dcs \u{202e}rtl \u{e0041}";
    let written = r#""Fills \x9b31m forms \x90dcs \u202ertl \U000e0041""#;
    tree.write(
        "pdf/SKILL.md",
        format!("---\nname: pdf\ndescription: {written}\n---\nBody\u{9b}\n"),
    );
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
            let found = prowess_text::find_invisible(text);
            assert_eq!(found, None, "{args:?} prints none");
        }
    }
    let shown = Program::new().run(&["--quiet", "read-properties", &package]).json();
    assert_eq!(shown["description"], description, "a parser reads the same text");
}

#[test]
fn skill_is_loaded_under_every_preset() {
    let tree = Tree::new("");
    tree.write("pdf/SKILL.md", plain_skill("pdf"));
    let shell = cfg!(feature = "virtual-shell").then_some("sandbox");
    for preset in ["standard", "flexigpt"].into_iter().chain(shell) {
        let program = Program::new().root("user", tree.path());
        let ran = program.run(&["--preset", preset, "prompt", "--load", "pdf"]);
        assert_eq!(ran.code, Some(0), "`{preset}` spells the tool's name: {}", ran.stderr);
    }
}
