//! Completion scripts in the shells themselves, and manual pages in the reader of the system.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use prowess_testkit::Tree;

use crate::program::Program;

/// A place with the program in its path, and the completion script of a shell.
fn place(shell: &str, script: &str) -> Tree {
    let tree = Tree::new("//- /bin/.keep\n");
    let printed = Program::new().run(&["completions", shell]);
    tree.write(script, printed.text());
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_prowess"), tree.join("bin/prowess")).unwrap();
    tree
}

/// Runs a shell with the program in its path, and returns what it prints.
fn run(tree: &Tree, program: &str, args: &[&str]) -> String {
    let output = Command::new(program)
        .args(args)
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", tree.join("bin").display()))
        .env("HOME", tree.path())
        .env("LC_ALL", "C.UTF-8")
        .env("TERM", "dumb")
        .current_dir(tree.path())
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("`{program}` is installed: {error}"));
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`{program}` succeeds: {problem}");
    assert_eq!(problem, "", "`{program}` has no complaint");
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}

/// Checks that words are completed: each case is a command line and its candidates.
fn check(candidates: impl Fn(&str) -> String) {
    for (line, expected, unexpected) in [
        ("prowess vali", "validate", "list"),
        ("prowess list --for", "--format", "--root"),
        ("prowess list --format ", "json", "validate"),
        ("prowess list --format ", "text", "sarif"),
        ("prowess config sh", "show", "init"),
        ("prowess show prow", "prowess-usage", "--format"),
        ("prowess --color never prompt --load prow", "prowess-usage", "show"),
        ("prowess mcp install curs", "cursor", "config"),
        ("prowess config set prompt.max_t", "prompt.max_tokens", "list"),
    ] {
        let found = candidates(line);
        let words: Vec<_> = found.split_whitespace().collect();
        assert!(words.contains(&expected), "`{line}` is completed by `{expected}`: {found}");
        assert!(
            !words.contains(&unexpected),
            "`{line}` is not completed by `{unexpected}`: {found}"
        );
    }
}

#[test]
fn bash_completes() {
    let tree = place("bash", "prowess.bash");
    check(|line| {
        let script = include_str!("../../data/completes-bash.txt");
        run(&tree, "bash", &["--norc", "-c", script, "bash", line])
    });
}

#[test]
fn fish_completes() {
    let tree = place("fish", "prowess.fish");
    let candidates = |line: &str| {
        let script = "source prowess.fish; complete --do-complete $argv[1]";
        run(&tree, "fish", &["--no-config", "-c", script, line])
    };
    check(candidates);
    let formats = candidates("prowess validate --format ");
    assert!(formats.contains("sarif"), "`validate` has more formats: {formats}");
}

/// In zsh only an interactive line completes, so one is typed into a terminal of the shell's own.
#[test]
fn zsh_completes() {
    let tree = place("zsh", "functions/_prowess");
    check(|line| {
        let script = include_str!("../../data/completes-zsh.txt");
        run(&tree, "zsh", &["--no-rcs", "-c", script, "zsh", line])
    });
}

/// Every page is read without a warning, and names its command.
#[test]
fn manual_pages_are_read_without_a_warning() {
    let tree = Tree::new("//- /bin/.keep\n");
    let directory = tree.join("man1").display().to_string();
    Program::new().run(&["man", "--directory", &directory]).text();
    let mut pages: Vec<PathBuf> =
        fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    assert!(pages.len() > 40, "there is a page for each command: {}", pages.len());
    for page in &pages {
        let page = page.display().to_string();
        let read = run(&tree, "man", &["--warnings=w", "--local-file", &page]);
        assert!(read.contains("NAME") && read.contains("SYNOPSIS"), "{page}: {read}");
    }
    let whole = Program::new().run(&["man"]);
    assert!(whole.text().starts_with(".ie") || whole.text().contains(".TH"), "it is a page");
}
