//! Progress bars: on a terminal only, and only next to text.

use std::process::{Command, Stdio};

use prowess_testkit::Tree;

use crate::plain_skill;

/// The text of a progress bar.
const BAR: &str = "checking";

/// The start of an escape sequence, of which there is none without a terminal.
const ESCAPE: char = '\u{1b}';

/// Runs a line of a shell in the directory of three skills, in a terminal of its own, and returns
/// everything that the terminal gets.
fn on_a_terminal(line: &str) -> String {
    let tree = skills();
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", line, "/dev/null"]);
    script.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("SHELL", "/bin/sh");
    script.env("TERM", "xterm").env("LC_ALL", "C.UTF-8").env("HOME", tree.join("home"));
    script.current_dir(tree.path()).stdin(Stdio::null());
    let output = script.output().expect("`script` is a part of every Linux system");
    let text = String::from_utf8(output.stdout).expect("a terminal gets UTF-8");
    assert!(output.status.success(), "{line}: {text}");
    text
}

fn skills() -> Tree {
    let tree = Tree::new("//- /home/.keep\n");
    for name in ["pdf", "notes", "forms"] {
        tree.write(&format!("skills/{name}/SKILL.md"), plain_skill(name));
    }
    tree
}

fn prowess(arguments: &str) -> String {
    format!("{} {arguments}", env!("CARGO_BIN_EXE_prowess"))
}

#[test]
fn terminal_gets_a_bar_and_keeps_the_result() {
    let text = on_a_terminal(&prowess("validate skills"));
    let (before, after) = text.rsplit_once(BAR).unwrap_or_else(|| panic!("no bar: {text}"));
    assert!(before.is_empty() || !before.contains("pdf"), "the bar is drawn before the result");
    assert!(after.contains("/3"), "it counts the skills: {after}");
    assert!(after.contains(&format!("{ESCAPE}[2K")), "its line is cleared: {after}");
    let only_stderr = on_a_terminal(&prowess("validate skills >result"));
    assert!(only_stderr.contains(BAR), "the bar needs no terminal for the result");
}

#[test]
fn quiet_and_json_have_no_bar() {
    for arguments in ["--quiet validate skills", "validate skills --format json"] {
        let text = on_a_terminal(&prowess(arguments));
        assert!(!text.contains(BAR), "{arguments}: {text}");
    }
    let text = on_a_terminal(&prowess("validate skills --format json"));
    let result: serde_json::Value = serde_json::from_str(&text).expect("it is only the result");
    assert!(result.is_object(), "{result}");
}

#[test]
fn pipe_has_no_bar_and_no_escape() {
    let text = on_a_terminal(&format!("{} 2>&1 | cat", prowess("validate skills")));
    assert!(!text.contains(BAR) && !text.contains(ESCAPE), "{text}");
    assert!(!text.is_empty(), "the result is there");
}
