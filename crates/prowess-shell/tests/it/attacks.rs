//! Hostile commands: each ends by a limit, and none reaches the host.

use std::fs;

use prowess_core::ShellOutcome;
use prowess_shell::{ShellLimits, ShellPolicy};

use crate::fixture::{Setup, empty};

/// A text that is in a file, in the environment of this process and in its arguments.
fn canary() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let canary = "CANARY-5f2b".to_owned();
    fs::write(directory.path().join("canary.txt"), &canary).unwrap();
    (directory, canary)
}

#[test]
fn host_is_not_reachable() {
    let (directory, canary) = canary();
    let path = directory.path().join("canary.txt");
    let path = path.display();
    let links = format!("ln -s {path} /tmp/link; cat /tmp/link");
    let commands = [
        format!("cat {path}"),
        format!("cat ../../../../../../../..{path}"),
        format!("cat //{path}"),
        format!("cat /proc/self/root{path}"),
        format!("cat /proc/self/cwd/{path}"),
        format!("cat < {path}"),
        format!("source {path}"),
        format!("sh {path}"),
        format!("mapfile -t x < {path}; echo ${{x[@]}}"),
        format!("tar cf - {path} | tar tf -"),
        format!("cp {path} /tmp/x; cat /tmp/x"),
        format!("find {} -name '*'", directory.path().display()),
        format!("ls {}/*", directory.path().display()),
        format!("grep -r CANARY {}", directory.path().display()),
        format!("awk 1 {path}; sed p {path}; head {path}; od -c {path}; file {path}"),
        format!("exec 3< {path}; cat <&3"),
        format!("cat <<< $(< {path})"),
        links,
        "cat /proc/self/environ /proc/1/environ /proc/self/cmdline /proc/self/maps".to_owned(),
        "env; printenv; set; export -p; declare -p".to_owned(),
        "cat /dev/mem /dev/sda /dev/kmsg; ls -la /dev".to_owned(),
        "cat /etc/shadow /etc/hostname /root/.ssh/id_rsa ~/.ssh/id_rsa".to_owned(),
        "for f in /proc/*/environ; do cat $f; done; ls -R /proc".to_owned(),
        "cat /proc/self/fd/0 /proc/self/fd/1 /dev/fd/5".to_owned(),
    ];
    let host = fs::read_to_string("/proc/self/cmdline").unwrap();
    let program = host.split('\0').next().unwrap().rsplit('/').next().unwrap();
    for command in commands {
        let outcome = empty().run(&command);
        let output = format!("{}{}", outcome.stdout, outcome.stderr);
        for secret in [canary.as_str(), program, "CARGO", "RUSTUP"] {
            assert!(!output.contains(secret), "`{command}` shows {secret}: {output}");
        }
    }
}

#[test]
fn host_is_not_changed() {
    let (directory, canary) = canary();
    let path = directory.path().join("canary.txt");
    let shown = path.display();
    let parent = directory.path().display();
    for command in [
        format!("echo changed > {shown}"),
        format!("rm -rf {parent}"),
        format!(
            "mkdir -p {parent}; echo changed > {shown}; ln -sf {shown} /tmp/l; echo x >> /tmp/l"
        ),
        format!("mkdir -p {parent}/new; touch {parent}/new/file"),
        format!("mv /etc/passwd {shown}; chmod 777 {shown}; truncate -s 0 {shown}"),
        "rm -rf / ; rm -rf /*".to_owned(),
        "kill -9 -1; kill -9 1; pkill -f test; kill $PPID $$".to_owned(),
    ] {
        empty().run(&command);
        let names: Vec<_> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["canary.txt"], "`{command}` changes the host's directory");
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            canary,
            "`{command}` changes the host's file"
        );
    }
}

#[test]
fn network_is_not_reachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    for command in [
        format!("curl -s http://127.0.0.1:{port}/"),
        format!("wget -q http://127.0.0.1:{port}/"),
        format!("http GET http://127.0.0.1:{port}/"),
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}; echo x >&3"),
        format!("echo x > /dev/tcp/127.0.0.1/{port}"),
        format!("echo x > /dev/udp/127.0.0.1/{port}"),
        format!("nc 127.0.0.1 {port}; telnet 127.0.0.1 {port}; ssh 127.0.0.1"),
        format!("openssl s_client -connect 127.0.0.1:{port}"),
    ] {
        empty().run(&command);
        let accepted = listener.accept().map_err(|error| error.kind());
        assert_eq!(accepted.unwrap_err(), std::io::ErrorKind::WouldBlock, "`{command}` connects");
    }
}

/// Limits that are reached soon.
fn small() -> ShellPolicy {
    let limits = ShellLimits {
        seconds: 3,
        steps: 2000,
        files: 200,
        file_bytes: 100_000,
        total_bytes: 1_000_000,
        ..ShellLimits::default()
    };
    ShellPolicy { limits, ..Default::default() }
}

/// Runs a command that needs more than the limits, and returns its outcome. That it returns is the
/// first thing that is tested: without a limit these commands run for hours, or need all memory.
fn bounded(command: &str) -> ShellOutcome {
    bounded_in(&Setup::in_this_process(small()), command);
    bounded_in(&Setup::new(&[], small()), command)
}

fn bounded_in(setup: &Setup, command: &str) -> ShellOutcome {
    let outcome = setup.in_session("session", command);
    let outcome = outcome.unwrap_or_else(|error| panic!("`{command}` has an outcome: {error}"));
    let bytes = outcome.stdout.len() + outcome.stderr.len();
    assert!(bytes < 200_000, "`{command}` has {bytes} bytes of output");
    assert_eq!(setup.run("echo on").stdout, "on\n", "the session goes on after `{command}`");
    outcome
}

#[test]
fn endless_loops_are_stopped() {
    for command in [
        "while true; do :; done",
        "until false; do :; done",
        "for ((;;)); do :; done",
        "while :; do true & done",
    ] {
        let outcome = bounded(command);
        assert_eq!(outcome.exit_code, 124, "`{command}`: {outcome:?}");
        assert!(outcome.stopped.is_some(), "the outcome says why it ended: {outcome:?}");
    }
}

#[test]
fn endless_work_ends() {
    for command in [
        "f() { f; }; f",
        "f() { f | f & }; f; wait; f() { g; }; g() { f; }; f",
        ":(){ :|:& };:; wait",
        "yes",
        "yes | cat > /tmp/full",
        "cat /dev/zero",
        "cat /dev/zero | head -c 100000000000",
        "head -c 10000000000 /dev/zero > /tmp/full",
        "echo 'sh /tmp/self' > /tmp/self; sh /tmp/self",
        "echo '/tmp/self' > /tmp/self; chmod +x /tmp/self; /tmp/self",
        "echo 'source /tmp/self' > /tmp/self; source /tmp/self",
        "x='eval \"$x\"'; eval \"$x\"",
        "x='command eval \"$x\"'; eval \"$x\"",
        "x='builtin eval \"$x\"'; eval \"$x\"",
        "x='eval \"$x\" | cat'; eval \"$x\"",
        "x='y=$(eval \"$x\")'; eval \"$x\"",
        "x='( eval \"$x\" )'; eval \"$x\"",
        "x='{ eval \"$x\"; }'; eval \"$x\"",
        "trap 'kill -USR1 $$' USR1; kill -USR1 $$",
        "alias a='a a'; shopt -s expand_aliases; while true; do a; done",
        "while true; do sh -c 'while true; do :; done'; done",
        "timeout 100 sh -c 'while :; do :; done'; while :; do :; done",
        "seq 1 100000000000",
        "seq 1 100000000 | sort | uniq | wc -l",
        "watch -n 0 true; while :; do :; done",
        "find / -exec find / -exec find / \\; \\; \\;",
    ] {
        bounded(command);
    }
}

#[test]
fn growing_data_ends() {
    let deep_command = format!("{}echo x{}", "$(".repeat(200), ")".repeat(200));
    let deep_group = format!("{}:{}", "( ".repeat(3000), " )".repeat(3000));
    let deep_condition = format!("{}:{}", "if :; then ".repeat(2000), "; fi".repeat(2000));
    let deep_arithmetic = format!("echo $(({}1{}))", "(".repeat(5000), ")".repeat(5000));
    let deep_directory = format!("mkdir -p /tmp/{}", "d/".repeat(500));
    let long_name = format!("touch /tmp/{}", "n".repeat(5000));
    for command in [
        "x=aaaaaaaaaa; while true; do x=$x$x; done",
        "x=(a a); while true; do x+=(\"${x[@]}\" \"${x[@]}\"); done",
        "echo {1..1000000000}",
        "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "i=0; while true; do touch /tmp/f$i; i=$((i+1)); done",
        "i=0; while true; do mkdir /tmp/d$i; i=$((i+1)); done",
        "echo x > /tmp/f; while true; do cat /tmp/f /tmp/f > /tmp/g; mv /tmp/g /tmp/f; done",
        "printf '%1000000000s' x",
        "printf '%*d' 2000000000 1",
        "truncate -s 100G /tmp/f",
        "dd if=/dev/zero of=/tmp/f bs=1G count=100",
        "awk 'BEGIN { while (1) x = x \"aaaaaaaa\" }'",
        "awk 'BEGIN { while (1); }'",
        "sed ':a;s/^/x/;ba' <<< x",
        "bc <<< '9^9^9^9'",
        "echo $((9**9**9**9)); factor 170141183460469231731687303715884105727",
        "expr 9999999999999999999999999 '*' 9999999999999999999999999",
        "grep -E '(a+)+$' <<< aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
        "[[ aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab =~ ^(a+)+$ ]]",
        "cd /; ls */*/../*/../*/../*/../*/../*/../*/../*/../*/../*/..",
        "ln -s /tmp/a /tmp/b; ln -s /tmp/b /tmp/a; cat /tmp/a",
        "ln -s / /tmp/root; find -L /tmp/root | wc -l",
        "head -c 90000 /dev/zero | gzip > /tmp/z; for i in 1 2 3 4; do cat /tmp/z /tmp/z > /tmp/y; mv /tmp/y /tmp/z; done; zcat /tmp/z > /tmp/big; gunzip -c /tmp/z > /tmp/big",
        deep_command.as_str(),
        deep_group.as_str(),
        deep_condition.as_str(),
        deep_arithmetic.as_str(),
        deep_directory.as_str(),
        long_name.as_str(),
    ] {
        bounded(command);
    }
}

#[test]
fn large_here_document_does_not_run() {
    let command = format!("cat > /tmp/f <<'E'\n{}\nE\n", "x".repeat(64 << 20));
    let error = empty().in_session("session", &command).unwrap_err();
    assert_eq!(error.code.as_str(), "command-too-long", "it is refused before it is parsed");
}

#[test]
fn written_files_stay_under_the_limit() {
    let outcome =
        bounded("i=0; while :; do head -c 90000 /dev/zero > /tmp/f$i || exit 9; i=$((i+1)); done");
    assert_eq!(outcome.exit_code, 9, "the write fails: {outcome:?}");
    assert!(outcome.stderr.contains("filesystem full"), "{outcome:?}");
}

#[test]
fn any_bytes_have_an_outcome() {
    let setup = Setup::new(&[], small());
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let parts = [
        "$(", ")", "\"", "'", "`", "{", "}", "((", "))", "<<E\n", "E\n", "|", "&", ";", "\n", "$x",
        "${", "echo ", "cat ", "*", "[", "]", "if ", "then ", "fi ", "for i in ", "do ", "done ",
        "while ", ">", "<", "\\", "=", "\u{0}", "\u{e9}", "\u{202e}", "case ", "esac ", "!", "#",
        "~", "[[ ", "]] ", "=~ ",
    ];
    for _ in 0..400 {
        let mut command = String::new();
        for _ in 0..24 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            command.push_str(parts[usize::try_from(seed % parts.len() as u64).unwrap()]);
        }
        if let Err(error) = setup.in_session("session", &command) {
            panic!("{command:?} has no outcome: {error}");
        }
    }
}

#[test]
fn nesting_without_a_limit_of_its_own_ends() {
    for command in [
        "x='eval \"$x\"'; eval \"$x\"",
        "echo '/tmp/self' > /tmp/self; chmod +x /tmp/self; /tmp/self",
    ] {
        let setup = empty();
        setup.run(command);
        assert_eq!(setup.run("echo on").stdout, "on\n", "the session goes on after `{command}`");
    }
}
