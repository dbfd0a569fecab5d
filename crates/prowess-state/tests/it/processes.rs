//! Tests with several processes: they race, and a write of theirs is cut.

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
            crate::night::power_cut::trust(Path::new(folders), database, || report("done"));
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

/// Runs a process with a fault, and checks what it has stored. Returns whether the fault has
/// stopped it.
pub(crate) fn is_stopped(fault: &[&str], expected: &[steps::Snapshot]) -> bool {
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

/// No file may become larger than so many blocks of 512 bytes, so a write is cut there.
#[test]
fn write_that_is_cut_loses_nothing_acknowledged() {
    let expected = steps::snapshots();
    let mut cuts = 0;
    for blocks in (16..320).step_by(16) {
        // Without the trap, the signal would end the process.
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        cuts += usize::from(is_stopped(&["sh", "-c", &limit], &expected));
    }
    assert!(cuts > 5, "a write was cut {cuts} times");
}
