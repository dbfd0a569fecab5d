//! Tests with several processes: they race, and they are killed at each system call.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;

use prowess_core::{
    ApprovalDecision, ApprovalQuery, ApprovalScope, ApprovalStore, ApprovalStoreExt,
    ApprovalVerdict, OperationId, PutOutcome, SessionStore, Spend, Timestamp,
};
use prowess_state::{ApprovalDatabase, SessionDatabase};
use prowess_testkit::Tree;

use crate::steps::{self, Stores};

/// The variables by which a test starts a process: its work, and the database.
const WORK: &str = "PROWESS_STATE_TEST_WORK";
const DATABASE: &str = "PROWESS_STATE_TEST_DATABASE";

/// The number of processes or threads that race.
const RACERS: usize = 8;

/// The number of databases that threads create in a race.
const ROUNDS: usize = 50;

/// The system calls that change files.
const CHANGES: [&str; 11] = [
    "fallocate",
    "fdatasync",
    "fsync",
    "ftruncate",
    "linkat",
    "pwrite64",
    "rename",
    "renameat2",
    "unlink",
    "unlinkat",
    "write",
];

/// The number of kills for each kind of system call. A kill takes a tenth of a second.
const MOST_KILLS: usize = 75;

/// The work of another process, which is this program again. Without the variables, this process is
/// none of them.
#[test]
fn other_process() {
    let Ok(work) = std::env::var(WORK) else { return };
    let database = std::env::var_os(DATABASE).expect("there is a database");
    let database = Path::new(&database);
    match work.split_once(' ') {
        Some(("spend", number)) => spend(database, number.parse().unwrap()),
        Some(("put", number)) => put(database, number.parse().unwrap()),
        #[cfg(target_os = "linux")]
        Some(("trust", folders)) => {
            crate::power_cut::trust(Path::new(folders), database, || report("done"));
        }
        _ => run_steps(database),
    }
}

/// Writes a line for the test that started this process.
fn report(line: &str) {
    let mut output = std::io::stdout().lock();
    output.write_all(format!("\nreport {line}\n").as_bytes()).unwrap();
    output.flush().unwrap();
}

fn spend(database: &Path, number: u64) {
    let approvals = ApprovalDatabase::open(database).unwrap();
    report("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let session = steps::session_id(0);
    let now = Timestamp(5);
    let query = ApprovalQuery { tool: "Bash", tenant: None, session: &session, now };
    let spent = approvals.spend(&steps::approval_id(0), &query, OperationId(number)).unwrap();
    report(if spent == Spend::Allowed { "won" } else { "lost" });
}

fn put(database: &Path, number: u64) {
    let sessions = SessionDatabase::open(database).unwrap();
    report("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let session = steps::stored_session(1, number, &[]);
    let outcome = sessions.put(&session, &[], None).unwrap();
    report(if outcome == PutOutcome::Stored { "won" } else { "lost" });
}

fn run_steps(database: &Path) {
    let stores = Stores::open(database).unwrap();
    for step in steps::steps() {
        step.run(&stores).unwrap();
        report("done");
    }
}

/// Returns the command that starts another process, with the words of a program that runs it first.
pub(crate) fn process(before: &[&str], work: &str, database: &Path) -> Command {
    let program = std::env::current_exe().unwrap();
    let arguments = ["processes::other_process", "--exact", "--nocapture", "--test-threads", "1"];
    let words = before.iter().map(OsStr::new).chain([program.as_os_str()]);
    let mut words = words.chain(arguments.iter().map(OsStr::new));
    let mut command = Command::new(words.next().expect("there is a program"));
    command.args(words).env(WORK, work).env(DATABASE, database);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn reports(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let output = child.stdout.take().expect("it is a pipe");
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    lines.filter_map(|line| line.strip_prefix("report ").map(str::to_owned))
}

/// Starts processes that wait for each other, and returns how many of them won.
fn winners(work: &str, database: &Path) -> usize {
    let start = |number| process(&[], &format!("{work} {number}"), database).spawn().unwrap();
    let mut children: Vec<_> = (1..=RACERS).map(start).collect();
    let mut outputs: Vec<_> = children.iter_mut().map(reports).collect();
    for output in &mut outputs {
        assert_eq!(output.next().as_deref(), Some("ready"), "each process opens the database");
    }
    for child in &mut children {
        child.stdin.take().expect("it is a pipe").write_all(b"go\n").unwrap();
    }
    let results: Vec<_> = outputs.iter_mut().filter_map(Iterator::next).collect();
    children.iter_mut().for_each(|child| assert!(child.wait().unwrap().success()));
    assert_eq!(results.len(), RACERS, "each process gets an answer");
    results.iter().filter(|result| *result == "won").count()
}

#[test]
fn one_of_eight_processes_spends_an_approval() {
    let tree = Tree::new("");
    let path = tree.join("state.db");
    let approvals = ApprovalDatabase::open(&path).unwrap();
    approvals.ask(steps::new_approval(0)).unwrap();
    let verdict = ApprovalVerdict::Grant { scope: ApprovalScope::Once, expires: None };
    let decision = ApprovalDecision { verdict, by: "ada".into(), at: Timestamp(2) };
    approvals.decide(&steps::approval_id(0), &decision).unwrap();
    assert_eq!(winners("spend", &path), 1);
    let entry = approvals.load(&steps::approval_id(0)).unwrap().unwrap();
    assert_eq!(entry.state.word(), "spent");
}

#[test]
fn one_of_eight_processes_stores_a_session() {
    let tree = Tree::new("");
    let path = tree.join("state.db");
    assert_eq!(winners("put", &path), 1, "the processes also create the database together");
}

/// A database looked like another program's to a process that opened it while a second one created
/// its tables.
#[test]
fn racing_threads_open_the_database_that_one_creates() {
    for _ in 0..ROUNDS {
        let tree = Tree::new("");
        let path = tree.join("state.db");
        let start = Barrier::new(RACERS);
        let open = || {
            start.wait();
            SessionDatabase::open(&path).map(drop)
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..RACERS).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for result in results {
            assert!(result.is_ok(), "each thread opens the database: {result:?}");
        }
    }
}

/// A process is killed at its system calls that change files, from the creation of the database to
/// its last change: at each call of a kind of which there are few, else at every second or third. What it acknowledged is stored, and no half of a change is.
#[cfg(target_os = "linux")]
#[test]
fn killed_process_loses_nothing_acknowledged() {
    let expected = steps::snapshots();
    let mut kills = 0;
    for (call, count) in counted_calls() {
        for number in (1..=count).step_by(count.div_ceil(MOST_KILLS)) {
            let inject = format!("inject={call}:signal=KILL:when={number}");
            let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject];
            kills += usize::from(is_stopped(&strace, &expected));
        }
    }
    assert!(kills > 80, "a process was killed {kills} times");
}

/// Runs a process with a fault, and checks what it has stored. Returns whether the fault has
/// stopped it.
fn is_stopped(fault: &[&str], expected: &[steps::Snapshot]) -> bool {
    let tree = Tree::new("");
    let path = tree.join("state/state.db");
    let mut child = process(fault, "steps", &path).stderr(Stdio::null()).spawn().unwrap();
    let acknowledged = reports(&mut child).filter(|report| report == "done").count();
    let is_stopped = !child.wait().unwrap().success();
    let stores = Stores::open(&path).unwrap();
    let stored = stores.snapshot().unwrap();
    let next = expected.get(acknowledged + 1).filter(|_| is_stopped);
    let is_expected = stored == expected[acknowledged] || Some(&stored) == next;
    assert!(is_expected, "{fault:?}, after {acknowledged} changes");
    is_stopped
}

/// A signal interrupts a call, which then has done nothing.
#[cfg(target_os = "linux")]
#[test]
fn interrupted_call_loses_nothing_acknowledged() {
    let expected = steps::snapshots();
    for call in ["openat", "pwrite64", "fdatasync", "fsync", "ftruncate", "write"] {
        for number in [1, 2, 5, 9] {
            let inject = format!("inject={call}:error=EINTR:when={number}");
            is_stopped(&["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject], &expected);
        }
    }
}

/// No file may become larger than so many kibibytes: the write that would cross it is cut there.
#[test]
fn write_that_is_cut_loses_nothing_acknowledged() {
    let expected = steps::snapshots();
    let mut cuts = 0;
    for kibibytes in (8..160).step_by(8) {
        // Without the trap, the signal would end the process.
        let limit = format!("trap '' XFSZ; ulimit -f {kibibytes}; exec \"$0\" \"$@\"");
        cuts += usize::from(is_stopped(&["bash", "-c", &limit], &expected));
    }
    assert!(cuts > 5, "a write was cut {cuts} times");
}

/// Returns how often a process makes each call that changes files.
#[cfg(target_os = "linux")]
fn counted_calls() -> BTreeMap<String, usize> {
    let tree = Tree::new("");
    let log = tree.join("calls");
    let trace = format!("trace={}", CHANGES.join(","));
    let path = log.to_str().expect("it is UTF-8");
    let strace = ["strace", "-f", "-qq", "-o", path, "-e", &trace];
    let done = process(&strace, "steps", &tree.join("state/state.db")).output();
    let done = done.expect("`strace` can be started; it is needed for this test");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut counts = BTreeMap::new();
    for line in std::fs::read_to_string(log).unwrap().lines() {
        let call = line.split_once(' ').and_then(|(_, call)| call.trim().split_once('('));
        if let Some((call, _)) = call.filter(|(call, _)| CHANGES.contains(call)) {
            *counts.entry(call.to_owned()).or_default() += 1;
        }
    }
    counts
}
