//! Commands that other commands run: a denial holds for them, too.

use crate::support::{bash, check, word};

/// What is decided where `rm` and `git push` are denied, and everything else is granted.
#[track_caller]
fn decided(commands: &[&str], expected: &str) {
    let policy = r#"{"grant": ["Bash"], "ceiling": {"deny": ["Bash(rm:*)", "Bash(git push:*)"]}}"#;
    let decision = |command: &&&str| word(&bash(command).with_policy(policy).decide());
    let wrong: Vec<_> = commands.iter().filter(|command| decision(command) != expected).collect();
    assert!(wrong.is_empty(), "not `{expected}`: {wrong:#?}");
}

#[test]
fn denied_command_is_refused_behind_a_wrapper() {
    decided(
        &[
            "/bin/rm x",
            "./rm x",
            "../../bin/rm x",
            "git log | xargs rm",
            "xargs -0 -n 1 rm -f",
            "xargs -I{} rm {}",
            "xargs --max-args=1 rm",
            "xargs git",
            "timeout 5 rm x",
            "timeout -s KILL 5s rm x",
            "timeout --signal=KILL -k 5 5s rm x",
            "sudo rm x",
            "sudo -u bob -- rm x",
            "sudo -nE A=1 rm x",
            "sudo --user bob rm x",
            "sudo --us bob rm x",
            "doas -u bob rm x",
            "nohup rm x",
            "nice rm x",
            "nice -n 5 rm x",
            "nice -5 /bin/rm x",
            "ionice -c2 -n 0 rm x",
            "stdbuf -oL rm x",
            "setsid -w rm x",
            "taskset 3 rm x",
            "taskset -c 0 rm x",
            "chrt -r 1 rm x",
            "flock /tmp/lock rm x",
            "flock /tmp/lock -c 'rm x'",
            "/usr/bin/time -f %e rm x",
            "chroot / rm x",
            "chroot --userspec=a / rm x",
            "env rm x",
            "env A=1 B=2 rm x",
            "env -i -u A rm x",
            "/usr/bin/env -S 'rm -rf' x",
            "env --split-string='A rm' rm x",
            "env - rm x",
            "bash -c 'rm x'",
            "bash -lc 'ls; rm x'",
            "bash -e -o pipefail -c 'ls && rm x'",
            "sh -c 'sh -c \"rm x\"'",
            "/bin/dash -c 'rm x' name argument",
            "fish --command='rm x'",
            "bash -c 'echo $X'",
            "bash -c 'command rm x'",
            "find . -exec rm {} +",
            "find . -name x -execdir rm -f {} \\;",
            "find . -exec echo {} \\; -ok rm {} \\;",
            "find . -exec sh -c 'rm \"$1\"' _ {} \\;",
            "fd -x rm",
            "busybox rm x",
            "busybox sh -c 'rm x'",
            "su bob -c 'rm x'",
            "su -c 'rm x' bob",
            "runuser -u bob rm x",
            "ssh host rm x",
            "ssh -p 22 host 'cd y && rm x'",
            "watch -n 1 rm x",
            "watch 'ls; rm x'",
            "parallel rm ::: x",
            "script -c 'rm x' out",
            "strace -f -o log rm x",
            "unshare -r --mount rm x",
            "systemd-run --user --wait rm x",
            "npx rm x",
            "uv run rm x",
            "timeout 5 sudo -u bob nice env A=1 bash -c 'find . -exec rm {} +'",
            "git -c 'alias.x=!rm x' x",
            "git -C y -c core.pager='rm x' log",
            "git config alias.x '!rm x'",
            "git bisect run rm x",
            "git submodule foreach 'rm x'",
            "git submodule foreach --recursive rm x",
            "git rebase --exec 'rm x' main",
            "git rebase -x 'rm x' main",
            "git grep --open-files-in-pager=rm x",
            "env git push",
            "sudo git push --force",
            "tar --to-command='rm x' -xf a",
            "tar -xf a --checkpoint-action=exec='rm x'",
            "tar -I 'rm x' -xf a",
            "rsync -e 'rm x' a b",
            "sort --compress-prog='rm' a",
        ],
        "deny",
    );
}

#[test]
fn program_that_runs_what_cannot_be_seen_needs_a_person() {
    decided(
        &[
            "python -c 'x'",
            "python3.11 script.py",
            "/usr/bin/perl -e 'unlink 1'",
            "node x.js",
            "bash script.sh",
            "echo rm x | sh",
            "xargs bash -c",
            "xargs env",
            "xargs -I{} {} x",
            "xargs sh",
            "parallel",
            "make clean",
            "npm run clean",
            "docker run x",
            "awk 'BEGIN { system(\"rm x\") }'",
            "awk -f program x",
            "sed -n '1e rm x' y",
            "sed 's/a/b/ge' y",
            "sed -f script y",
            "git -c core.editor=vi commit",
            "git --exec-path=/tmp/x status",
            "git filter-branch",
            "timeout 5 python x.py",
        ],
        "ask",
    );
}

#[test]
fn other_commands_behind_a_wrapper_run() {
    decided(
        &[
            "echo rm",
            "grep rm x",
            "ls rm",
            "find . -name rm",
            "find . -exec grep x {} +",
            "git log | xargs echo rm",
            "xargs",
            "xargs ls -l",
            "timeout 5 ls rm",
            "sudo ls rm",
            "sudo -n ls rm",
            "sudo -u bob ls rm",
            "env",
            "env A=1 echo rm",
            "nice -n 5 echo rm",
            "nohup echo rm",
            "bash -c 'echo rm'",
            "bash -c 'ls | grep rm'",
            "git log rm",
            "git -c color.ui=never log",
            "git -c user.name=x commit -m 'rm x'",
            "git pull",
            "tar -xf rm",
            "tar -czf rm x",
            "awk '{print $1}' rm",
            "sed 's/rm/the end/' x",
            "sed -n 5p x",
            "python --version",
            "npm install rm",
            "rmdir x",
            "man rm",
            "which rm",
            "ssh host",
        ],
        "allow",
    );
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
    decided(&[&format!("{}rm x", "env ".repeat(100))], "deny");
    decided(&[&format!("{}ls x", "timeout -z ".repeat(1000))], "ask");
}
