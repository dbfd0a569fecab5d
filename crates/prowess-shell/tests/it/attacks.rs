//! Hostile commands: each ends by a limit, and none reaches the host.

use std::fs;
use std::path::Path;

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

/// Returns commands that name a file, and the directory that it is in.
fn named(commands: &'static str, path: &Path) -> impl Iterator<Item = String> {
    let directory = path.parent().unwrap().display().to_string();
    let path = path.display().to_string();
    commands.lines().map(move |line| line.replace("{path}", &path).replace("{dir}", &directory))
}

#[test]
fn host_is_not_reachable() {
    let (directory, canary) = canary();
    let path = directory.path().join("canary.txt");
    let host = fs::read_to_string("/proc/self/cmdline").unwrap();
    let program = host.split('\0').next().unwrap().rsplit('/').next().unwrap();
    for command in named(include_str!("../data/reads.txt"), &path) {
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
    for command in named(include_str!("../data/changes.txt"), &path) {
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
    let port = listener.local_addr().unwrap().port().to_string();
    for command in include_str!("../data/network.txt").lines() {
        empty().run(&command.replace("{port}", &port));
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
    for command in include_str!("../data/endless.txt").lines() {
        bounded(command);
    }
}

#[test]
fn growing_data_ends() {
    let deep = [
        ("", "$(", 200, "echo x", ")"),
        ("", "( ", 3000, ":", " )"),
        ("", "if :; then ", 2000, ":", "; fi"),
        ("echo $", "(", 5002, "1", ")"),
        ("mkdir -p /tmp/", "d/", 500, "", ""),
        ("touch /tmp/", "n", 5000, "", ""),
    ];
    let deep = deep.map(|(begin, open, times, inside, close)| {
        format!("{begin}{}{inside}{}", open.repeat(times), close.repeat(times))
    });
    for command in
        include_str!("../data/growing.txt").lines().chain(deep.iter().map(String::as_str))
    {
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
