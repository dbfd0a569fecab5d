//! The `# Behavior` list of `VirtualShell` as checks, one for each rule.

use std::fmt;
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use prowess_core::{
    Cancel, Catalog, MemorySource, ReadLimit, Record, ResourcePath, SessionId, ShellError,
    ShellOutcome, ShellRequest, VirtualShell,
};

use crate::{KitReport, RuleOutcome, catalog_over};

/// The result of a check: the reason of a failure.
type Checked = Result<(), String>;

type Check = fn(&Kit<'_>) -> Checked;

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
/// A check that panics has failed, like one that finds a broken rule.
pub fn check_virtual_shell(shell: &dyn VirtualShell) -> KitReport {
    let check = |&(rule, check): &(&'static str, Check)| {
        // Each rule has sessions of its own.
        let kit = Kit { shell, catalog: catalog(), rule };
        let checked = catch_unwind(AssertUnwindSafe(|| check(&kit)));
        RuleOutcome { rule, outcome: checked.unwrap_or_else(|_| Err("it panics".to_owned())) }
    };
    KitReport { rules: RULES.iter().map(check).collect() }
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
        let request = ShellRequest { catalog: &self.catalog, session: &session, command };
        self.shell.execute(&request, cancel)
    }

    /// Runs a command that has to have an outcome, in the first session.
    fn run(&self, command: &str) -> Result<ShellOutcome, String> {
        self.run_in("first", command)
    }

    fn run_in(&self, session: &str, command: &str) -> Result<ShellOutcome, String> {
        let outcome = self.execute(session, command, &Cancel::default());
        outcome.map_err(|error| format!("`{command}` has no outcome: {error}"))
    }

    fn record(&self) -> Record<'_> {
        self.catalog.get("kit").expect("the catalog of the kit has it")
    }

    fn mount_path(&self) -> Result<String, String> {
        let path = self.shell.mount_path(&self.catalog, self.record());
        path.map_err(|error| format!("a good skill is not mounted: {error}"))
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

/// Compares a part of an outcome.
fn same<T: PartialEq + fmt::Debug>(subject: &str, found: &T, expected: &T) -> Checked {
    if found == expected {
        return Ok(());
    }
    Err(format!("{subject} is {found:?} and should be {expected:?}"))
}

fn session_keeps_its_state(kit: &Kit<'_>) -> Checked {
    kit.run("variable=kept; mkdir -p /tmp/kept; echo kept > /tmp/kept/file; cd /tmp/kept")?;
    let later = kit.run("echo \"$variable\"; pwd; cat /tmp/kept/file")?;
    same("the state", &later.stdout, &"kept\n/tmp/kept\nkept\n".to_owned())
}

fn sessions_are_separate(kit: &Kit<'_>) -> Checked {
    kit.run("private=1; mkdir -p /tmp/private; echo private > /tmp/private/file")?;
    let other = kit.run_in("second", "echo \"[$private]\"; ls /tmp/private/file")?;
    same("the state of another session", &other.stdout, &"[]\n".to_owned())
}

fn skills_are_mounted(kit: &Kit<'_>) -> Checked {
    let mount = kit.mount_path()?;
    for (path, _) in FILES {
        let resource = ResourcePath::new(path).expect("the paths of the kit are good");
        let bytes = kit.catalog.read(kit.record(), &resource, ReadLimit::default());
        let bytes = bytes.map_err(|error| error.to_string())?;
        let outcome = kit.run(&format!("cat '{mount}/{path}'"))?;
        same(path, &outcome.stdout.as_bytes(), &&*bytes)?;
    }
    Ok(())
}

fn skill_that_is_not_mounted_is_an_error(kit: &Kit<'_>) -> Checked {
    let source = MemorySource::builder("kit").build().expect("it has no files");
    let catalog = catalog_over(Arc::new(source), [("..", "Is no directory.", &[][..])]);
    let record = catalog.get("..").expect("the catalog of the kit has it");
    match kit.shell.mount_path(&catalog, record) {
        Err(error) if error.message.is_empty() => Err("the error has no message".to_owned()),
        Err(_) => Ok(()),
        Ok(path) => Err(format!("a skill with the id `..` is mounted at `{path}`")),
    }
}

fn packages_do_not_change(kit: &Kit<'_>) -> Checked {
    let mount = kit.mount_path()?;
    let (path, text) = FILES[1];
    let file = format!("'{mount}/{path}'");
    kit.run(&format!("echo changed > {file}; rm -rf '{mount}/SKILL.md'"))?;
    let other = kit.run_in("second", &format!("cat {file}"))?;
    if other.stdout.contains("changed") {
        return Err("another session has the changed file".to_owned());
    }
    let resource = ResourcePath::new(path).expect("the paths of the kit are good");
    let bytes = kit.catalog.read(kit.record(), &resource, ReadLimit::default());
    same("the file of the package", &bytes.map_err(|error| error.to_string())?, &text.into())
}

fn host_is_not_reached(kit: &Kit<'_>) -> Checked {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let canary = directory.path().join("canary");
    let secret = format!("secret-{}", std::process::id());
    std::fs::write(&canary, &secret).map_err(|error| error.to_string())?;
    let shown = canary.display();
    let read = kit.run(&format!("cat '{shown}'; cat < '{shown}'; sh -c \"cat '{shown}'\""))?;
    if format!("{}{}", read.stdout, read.stderr).contains(&secret) {
        return Err("a command reads a file of the host".to_owned());
    }
    kit.run(&format!("mkdir -p '{}'; echo changed > '{shown}'", directory.path().display()))?;
    let text = std::fs::read_to_string(&canary).map_err(|error| error.to_string())?;
    same("the file of the host", &text, &secret)?;
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    listener.set_nonblocking(true).map_err(|error| error.to_string())?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    kit.run(&format!("echo canary > /dev/tcp/127.0.0.1/{port}; curl -s http://127.0.0.1:{port}/"))?;
    match listener.accept() {
        Ok(_) => Err("a command connects to the host".to_owned()),
        Err(_) => Ok(()),
    }
}

fn exit_code_is_an_outcome(kit: &Kit<'_>) -> Checked {
    let outcome = kit.run("echo out; echo err >&2; exit 3")?;
    same("the exit code", &outcome.exit_code, &3)?;
    same("the output", &outcome.stdout, &"out\n".to_owned())?;
    same("the standard error", &outcome.stderr, &"err\n".to_owned())
}

fn limit_is_an_outcome(kit: &Kit<'_>) -> Checked {
    let outcome = kit.run("echo before; while :; do :; done; echo after")?;
    same("whether a limit ended it", &outcome.stopped.is_some(), &true)?;
    same("the output so far", &outcome.stdout, &"before\n".to_owned())
}

fn runs_from_any_thread(kit: &Kit<'_>) -> Checked {
    let run = |number: usize| {
        let outcome = kit.run_in(&format!("thread-{number}"), &format!("echo {number}"))?;
        same("the output", &outcome.stdout, &format!("{number}\n"))
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || run(number))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("it panics".to_owned())))
    })
}

/// Cancels a command after the shell has looked a few times, so that it may have started.
fn cancel_ends_a_command(kit: &Kit<'_>) -> Checked {
    let looks = AtomicUsize::new(0);
    let cancel = Cancel::with_poll(move || looks.fetch_add(1, Ordering::SeqCst) >= 3);
    match kit.execute("first", "sleep 5", &cancel) {
        Ok(outcome) if outcome.stopped.is_none() => Err("it runs to its end".to_owned()),
        // It did not start, or it was ended.
        _ => Ok(()),
    }
}
