//! Commands that other commands run: a denial holds for them, too.

use crate::support::{bash, check, word};

/// Returns the decision where `rm` and `git push` are denied, and everything else is granted.
fn decided(command: &str) -> &'static str {
    let policy = r#"{"grant": ["Bash"], "ceiling": {"deny": ["Bash(rm:*)", "Bash(git push:*)"]}}"#;
    word(&bash(command).with_policy(policy).decide())
}

#[test]
fn commands_behind_others_are_decided_as_the_table_says() {
    let mut expected = "";
    let mut wrong = Vec::new();
    for line in include_str!("../data/behind.txt").lines() {
        match line.strip_suffix(':').filter(|word| ["deny", "ask", "allow"].contains(word)) {
            Some(word) => expected = word,
            None if line.is_empty() || line.starts_with("# ") => {}
            None if decided(line) != expected => wrong.push((line, expected)),
            None => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Without a pattern that denies, nothing is read behind a command.
#[test]
fn wrapped_commands_ask_nothing_where_nothing_is_denied() {
    let policy = r#"{"grant": ["Bash"], "ceiling": {"deny": ["Write"]}}"#;
    for command in ["python x.py", "bash script.sh", "sudo rm x"] {
        check(&bash(command).with_policy(policy), "allow");
    }
}

#[test]
fn long_chain_of_wrappers_is_followed_or_asked_about() {
    assert_eq!(decided(&format!("{}rm x", "env ".repeat(100))), "deny");
    assert_eq!(decided(&format!("{}ls x", "timeout -z ".repeat(1000))), "ask");
}

/// A name means what it is a link to, on the search path too; a program of many names is asked for
/// one of them.
#[test]
fn denied_program_is_refused_behind_a_link() {
    const LINKS: &[(&str, &str)] = &[
        ("/tmp/x", "/bin/rm"),
        ("/usr/bin/cleanup", "/bin/rm"),
        ("/usr/bin/run", "/usr/bin/xargs"),
        ("/usr/bin/ls", "/bin/busybox"),
        ("/usr/bin/awk", "/usr/bin/mawk"),
        ("/usr/bin/which", "/usr/bin/which.debianutils"),
    ];
    let policy =
        r#"{"grant": ["Bash"], "ceiling": {"deny": ["Bash(rm:*)", "Bash(mkfs*)", "Bash(awk:*)"]}}"#;
    for (commands, expected) in [
        (
            "/tmp/x y; cleanup y; timeout 5 cleanup y; run rm; mkfs.ext4 /dev/x; /sbin/mkfs x; \
             sudo mkfs.btrfs x",
            "deny",
        ),
        ("ls rm; original-awk x; which rm; echo mkfs", "allow"),
        ("mawk x", "ask"),
    ] {
        for command in commands.split("; ") {
            check(&bash(command).with_files(LINKS).with_policy(policy), expected);
        }
    }
}

/// A denial of an argument holds for each spelling of its path. A grant is about one spelling.
#[test]
fn denied_path_is_refused_in_each_spelling() {
    let policy = r#"{"grant": ["Bash"],
        "ceiling": {"deny": ["Bash(cat .env*)", "Bash(ls /etc/x)", "Bash(du .)"]}}"#;
    for line in include_str!("../data/spellings.txt").lines() {
        let (expected, command) = line.split_once(' ').expect("what is decided about a command");
        check(&bash(command).with_files(&[]).with_policy(policy), expected);
    }
    check(&bash("cat ./.env").with_policy(policy), "deny");
}
