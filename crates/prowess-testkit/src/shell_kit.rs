//! The `# Behavior` list of `VirtualShell` as checks, one for each rule.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use prowess_core::{
    Cancel, Catalog, MemorySource, ReadLimit, Record, ResourcePath, SessionId, ShellError,
    ShellOutcome, ShellRequest, VirtualShell,
};

use crate::{KitReport, catalog_over};

type Check = fn(&Kit<'_>);

/// The rules of [`VirtualShell`] with their checks.
const RULES: &[(&str, Check)] = &[
    ("session-keeps-its-state", session_keeps_its_state),
    ("sessions-are-separate", sessions_are_separate),
    ("skills-are-mounted", skills_are_mounted),
    ("skill-that-is-not-mounted-is-an-error", skill_that_is_not_mounted_is_an_error),
    ("packages-do-not-change", packages_do_not_change),
    ("host-is-not-reached", host_is_not_reached),
    ("exit-code-is-an-outcome", exit_code_is_an_outcome),
    ("limit-is-an-outcome", limit_is_an_outcome),
    ("runs-from-any-thread", runs_from_any_thread),
    ("cancel-ends-a-command", cancel_ends_a_command),
];

/// The files of the kit's skill.
const FILES: [(&str, &str); 2] = [
    ("SKILL.md", "---\nname: kit\ndescription: Has files.\n---\nRead them.\n"),
    ("data/note.txt", "a note"),
];

/// Checks every rule of [`VirtualShell`] with commands of a POSIX shell. It must end a loop without
/// an end by a limit of its own.
///
/// A shell that panics breaks the rule of that check.
pub fn check_virtual_shell(shell: &dyn VirtualShell) -> KitReport {
    // Each rule has sessions of its own.
    KitReport::of(RULES, |rule, check| check(&Kit { shell, catalog: catalog(), rule }))
}

/// A shell, and the skills that are mounted for its commands.
struct Kit<'s> {
    shell: &'s dyn VirtualShell,
    catalog: Arc<Catalog>,
    rule: &'static str,
}

impl Kit<'_> {
    /// Runs a command in a session, of which each rule has two.
    fn execute(
        &self,
        session: &str,
        command: &str,
        cancel: &Cancel,
    ) -> Result<ShellOutcome, ShellError> {
        let session = SessionId::new(format!("kit-{}-{session}", self.rule));
        let session = session.expect("the ids of the kit are good");
        let request =
            ShellRequest { catalog: &self.catalog, session: &session, command, rule: None };
        self.shell.execute(&request, cancel)
    }

    /// Runs a command that has to have an outcome, in the first session.
    fn run(&self, command: &str) -> ShellOutcome {
        self.run_in("first", command)
    }

    fn run_in(&self, session: &str, command: &str) -> ShellOutcome {
        let outcome = self.execute(session, command, &Cancel::default());
        outcome.unwrap_or_else(|error| panic!("`{command}` has no outcome: {error}"))
    }

    fn record(&self) -> Record<'_> {
        self.catalog.get("kit").expect("the catalog of the kit has it")
    }

    fn mount_path(&self) -> String {
        let path = self.shell.mount_path(&self.catalog, self.record());
        path.expect("a good skill is mounted")
    }

    /// Returns a file of the skill, from its source.
    fn file(&self, path: &str) -> Vec<u8> {
        let resource = ResourcePath::new(path).expect("the paths of the kit are good");
        let bytes = self.catalog.read(self.record(), &resource, ReadLimit::default());
        bytes.expect("the files of the kit can be read")
    }
}

fn catalog() -> Arc<Catalog> {
    let mut source = MemorySource::builder("kit");
    for (path, text) in FILES {
        source = source.file(&format!("kit/{path}"), text);
    }
    let source = source.build().expect("the files of the kit are good");
    catalog_over(Arc::new(source), [("kit", "Has files.", &[][..])])
}

fn session_keeps_its_state(kit: &Kit<'_>) {
    kit.run("variable=kept; mkdir -p /tmp/kept; echo kept > /tmp/kept/file; cd /tmp/kept");
    let later = kit.run("echo \"$variable\"; pwd; cat /tmp/kept/file");
    assert_eq!(later.stdout, "kept\n/tmp/kept\nkept\n");
}

fn sessions_are_separate(kit: &Kit<'_>) {
    kit.run("private=1; mkdir -p /tmp/private; echo private > /tmp/private/file");
    let other = kit.run_in("second", "echo \"[$private]\"; ls /tmp/private/file");
    assert_eq!(other.stdout, "[]\n", "another session has the state");
}

fn skills_are_mounted(kit: &Kit<'_>) {
    let mount = kit.mount_path();
    for (path, _) in FILES {
        let outcome = kit.run(&format!("cat '{mount}/{path}'"));
        assert_eq!(outcome.stdout.as_bytes(), kit.file(path), "{path}");
    }
}

fn skill_that_is_not_mounted_is_an_error(kit: &Kit<'_>) {
    let source = MemorySource::builder("kit").build().expect("it has no files");
    let catalog = catalog_over(Arc::new(source), [("..", "Is no directory.", &[][..])]);
    let record = catalog.get("..").expect("the catalog of the kit has it");
    let error = kit.shell.mount_path(&catalog, record);
    let error = error.expect_err("a skill with the id `..` is not mounted");
    assert!(!error.message.is_empty(), "the error has a message");
}

fn packages_do_not_change(kit: &Kit<'_>) {
    let mount = kit.mount_path();
    let (path, text) = FILES[1];
    let file = format!("'{mount}/{path}'");
    kit.run(&format!("echo changed > {file}; rm -rf '{mount}/SKILL.md'"));
    let other = kit.run_in("second", &format!("cat {file}"));
    assert!(!other.stdout.contains("changed"), "another session has the changed file");
    assert_eq!(kit.file(path), text.as_bytes(), "the file of the package has changed");
}

fn host_is_not_reached(kit: &Kit<'_>) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let canary = directory.path().join("canary");
    let secret = format!("secret-{}", std::process::id());
    std::fs::write(&canary, &secret).expect("the kit writes a file");
    let shown = canary.display();
    let read = kit.run(&format!("cat '{shown}'; cat < '{shown}'; sh -c \"cat '{shown}'\""));
    let is_read = format!("{}{}", read.stdout, read.stderr).contains(&secret);
    assert!(!is_read, "a command reads a file of the host");
    kit.run(&format!("mkdir -p '{}'; echo changed > '{shown}'", directory.path().display()));
    let text = std::fs::read_to_string(&canary).expect("the file is there");
    assert_eq!(text, secret, "a command changes a file of the host");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a port");
    let port = listener.local_addr().expect("a port").port();
    kit.run(&format!("echo canary > /dev/tcp/127.0.0.1/{port}; curl -s http://127.0.0.1:{port}/"));
    assert!(listener.accept().is_err(), "a command connects to the host");
}

fn exit_code_is_an_outcome(kit: &Kit<'_>) {
    let outcome = kit.run("echo out; echo err >&2; exit 3");
    assert_eq!(outcome.exit_code, 3);
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("out\n", "err\n"));
}

fn limit_is_an_outcome(kit: &Kit<'_>) {
    let outcome = kit.run("echo before; while :; do :; done; echo after");
    assert!(outcome.stopped.is_some(), "a limit ends it");
    assert_eq!(outcome.stdout, "before\n", "the output so far");
}

fn runs_from_any_thread(kit: &Kit<'_>) {
    let run = |number: usize| {
        let outcome = kit.run_in(&format!("thread-{number}"), &format!("echo {number}"));
        assert_eq!(outcome.stdout, format!("{number}\n"));
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || run(number))).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("it works in any thread"));
    });
}

/// Cancels a command after the shell has looked a few times, so that it may have started.
fn cancel_ends_a_command(kit: &Kit<'_>) {
    let looks = AtomicUsize::new(0);
    let cancel = Cancel::with_poll(move || looks.fetch_add(1, Ordering::SeqCst) >= 3);
    // It did not start, or it was ended.
    let outcome = kit.execute("first", "sleep 5", &cancel);
    assert!(outcome.is_err() || outcome.is_ok_and(|it| it.stopped.is_some()), "it runs to its end");
}
