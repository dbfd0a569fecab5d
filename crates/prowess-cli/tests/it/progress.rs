//! Progress bars: on a terminal only, and only next to text.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use prowess_testkit::Tree;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::FdFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::plain_skill;

/// The text of a progress bar.
const BAR: &str = "checking";

/// The start of an escape sequence, of which there is none without a terminal.
const ESCAPE: char = '\u{1b}';

/// Runs a line of a shell in the directory of three skills, in a terminal of its own, and returns
/// everything that the terminal gets.
fn on_a_terminal(line: &str) -> String {
    let tree = skills();
    let (mut terminal, end) = terminal();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
    shell.env("TERM", "xterm").env("LC_ALL", "C.UTF-8").env("HOME", tree.join("home"));
    shell.current_dir(tree.path()).stdin(Stdio::null());
    shell.stdout(end.try_clone().expect("a descriptor")).stderr(end);
    let mut child = shell.spawn().expect("a shell starts");
    drop(shell);
    let mut text = Vec::new();
    // The last read fails once the shell and its processes have closed the terminal.
    let _ = terminal.read_to_end(&mut text);
    let text = String::from_utf8(text).expect("a terminal gets UTF-8");
    assert!(child.wait().expect("it ends").success(), "{line}: {text}");
    text
}

/// Opens both ends of a terminal.
fn terminal() -> (File, OwnedFd) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there is a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("it can be opened");
    let path = ptsname(&terminal, Vec::new()).expect("it has a name");
    let end = open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty());
    rustix::io::fcntl_setfd(&terminal, FdFlags::CLOEXEC).expect("a flag");
    (File::from(terminal), end.expect("it opens"))
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
