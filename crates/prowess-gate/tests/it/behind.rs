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

/// A star that touches a word means behind options what `:*` means there.
#[test]
fn denial_with_a_star_in_a_word_holds_behind_options() {
    let policy = r#"{"grant": ["Bash"], "ceiling": {"deny": ["Bash(git push*)",
        "Bash(gh pr merge*)", "Bash(cat .env*)", "Bash(docker com*pose up)", "Bash(npm --pre*)"]}}"#;
    let denied = "git push; git -C . push; git --no-pager push -f; git -c a.b=c -C x push-all y; \
        sudo git -C . push; gh pr -R o/r merge 3; gh -R o/r pr --web merge 3; cat -A .env.local; \
        docker -D compose -f x up; docker compose compose up; npm --prefix x i";
    let allowed = "git pull; gh pr view merge; cat a.env";
    for (commands, expected) in [(denied, "deny"), (allowed, "allow")] {
        commands
            .split("; ")
            .for_each(|command| check(&bash(command).with_policy(policy), expected));
    }
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

/// `*` in a denial is any text, however many words.
#[test]
fn stars_of_a_denial_are_wide() {
    for (rule, denied, other) in [
        ("Bash(git * --force)", "git push origin --force", "git push origin"),
        ("Bash(* --force*)", "git -C x push --force-with-lease", "git push"),
        ("Bash(npm run deploy*)", "npm run deploy:prod --x", "npm view deploy"),
        ("Bash(*/rm:*)", "rm x", "ls x"),
        ("Bash(\"rm\" -rf *)", "rm -rf x", "rm -r x"),
        ("Bash(find * -delete)", "find . -name x -delete", "find . -name x"),
    ] {
        let policy =
            serde_json::json!({"grant": ["Bash"], "ceiling": {"deny": [rule]}}).to_string();
        check(&bash(denied).with_policy(&policy), "deny");
        check(&bash(other).with_policy(&policy), "allow");
    }
}
