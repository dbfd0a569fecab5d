//! Eight processes race; their histories are those of one process that makes one call at a time.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use prowess_core::{
    ApprovalQuery, ApprovalStoreExt, OperationId, PutOutcome, SessionStore, Spend, Timestamp,
};
use prowess_postgres::Database;
use prowess_testkit::PostgresServer;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use super::samples::{approval_id, granted, id, session};

/// The variable by which a test starts a process: the URL of the database.
const DATABASE: &str = "PROWESS_POSTGRES_TEST_DATABASE";

const RACERS: usize = 8;

/// The number of histories: each has one session and one approval.
const HISTORIES: u64 = 1_000;

/// The work of another process, which is this program again.
#[test]
fn other_process() {
    let Ok(url) = std::env::var(DATABASE) else { return };
    let database = Database::open(&url).unwrap();
    let mut input = std::io::stdin().lines();
    while let Some(Ok(line)) = input.next() {
        let (history, own) = line.split_once(' ').unwrap();
        let done = race(&database, history.parse().unwrap(), own.parse().unwrap());
        let mut output = std::io::stdout().lock();
        output.write_all(format!("\nreport {}\n", Value::from(done)).as_bytes()).unwrap();
        output.flush().unwrap();
    }
}

/// Makes the calls of one process in one history, and returns each with its times and result.
fn race(database: &Database, history: u64, own: u64) -> Vec<Value> {
    let mut calls = Vec::new();
    let mut timed = |call: Value, run: &dyn Fn() -> Value| {
        let begun = now();
        let result = run();
        calls.push(json!({ "begun": begun, "ended": now(), "call": call, "result": result }));
        calls.last().expect("it was pushed")["result"].clone()
    };
    let load = || json!(database.load(&id(history)).unwrap().map(|it| it.operation.0));
    let loaded = timed(json!("load"), &load);
    let put = || {
        let expected = loaded.as_u64().map(OperationId);
        json!(outcome(database.put(&session(history, own), &[], expected).unwrap()))
    };
    timed(json!({ "put": own, "expected": loaded }), &put);
    timed(json!({ "put": own, "expected": loaded }), &put);
    timed(json!("load"), &load);
    let session = id(1);
    let (tool, tenant) = ("Bash", Some("acme"));
    let query = ApprovalQuery { tool, tenant, session: &session, now: Timestamp(5) };
    let spent = database.spend(&approval_id(history), &query, OperationId(own)).unwrap();
    timed(json!("spend"), &|| json!(spent == Spend::Allowed));
    calls
}

fn outcome(outcome: PutOutcome) -> &'static str {
    match outcome {
        PutOutcome::Stored => "stored",
        PutOutcome::AlreadyStored => "already",
        PutOutcome::Conflict => "conflict",
    }
}

/// Returns nanoseconds on a clock that all processes share.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    u64::try_from(now.tv_sec * 1_000_000_000 + now.tv_nsec).unwrap()
}

/// One call of a process.
struct Call<'c> {
    begun: u64,
    ended: u64,
    call: &'c Value,
    result: &'c Value,
}

/// Returns whether the calls of all processes could have been made one after another, each between
/// its begin and its end.
fn is_linearizable(processes: &[Vec<Value>]) -> bool {
    let time = |call: &Value, name: &str| call[name].as_u64().unwrap();
    let calls = processes.iter().flatten().filter(|call| call["call"] != "spend");
    let calls: Vec<_> = calls
        .map(|it| Call {
            begun: time(it, "begun"),
            ended: time(it, "ended"),
            call: &it["call"],
            result: &it["result"],
        })
        .collect();
    let mut seen = HashSet::new();
    let mut left = vec![(0_u64, None)];
    while let Some((made, stored)) = left.pop() {
        let open = || calls.iter().enumerate().filter(|(at, _)| made & (1 << at) == 0);
        let Some(first_end) = open().map(|(_, call)| call.ended).min() else { return true };
        for (at, call) in open().filter(|(_, call)| call.begun <= first_end) {
            let (result, stored) = made_alone(call.call, stored);
            let next = (made | 1 << at, stored);
            if result == *call.result && seen.insert(next) {
                left.push(next);
            }
        }
    }
    false
}

/// Returns the result of a call that is made alone, and the operation that is stored then.
fn made_alone(call: &Value, stored: Option<u64>) -> (Value, Option<u64>) {
    let Some(own) = call["put"].as_u64() else { return (json!(stored), stored) };
    if stored == Some(own) {
        return (json!("already"), stored);
    }
    if stored != call["expected"].as_u64() {
        return (json!("conflict"), stored);
    }
    (json!("stored"), Some(own))
}

fn start(url: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let arguments = ["night::processes::other_process", "--exact", "--nocapture"];
    command.args(arguments).env(DATABASE, url);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

#[test]
fn histories_of_eight_processes_are_linearizable() {
    let server = PostgresServer::start();
    let url = server.database();
    let database = Database::open(&url).unwrap();
    let mut children: Vec<_> = (0..RACERS).map(|_| start(&url)).collect();
    let mut inputs: Vec<_> = children.iter_mut().map(|it| it.stdin.take().unwrap()).collect();
    let outputs = children.iter_mut().map(|it| BufReader::new(it.stdout.take().unwrap()).lines());
    let mut outputs: Vec<_> = outputs.collect();
    for history in 1..=HISTORIES {
        granted(&database, history);
        for (input, own) in inputs.iter_mut().zip(1..) {
            writeln!(input, "{history} {own}").unwrap();
        }
        let reports = outputs.iter_mut().map(|output| {
            let mut lines = output.map_while(Result::ok);
            let report = lines.find_map(|line| Some(line.strip_prefix("report ")?.to_owned()));
            serde_json::from_str::<Vec<Value>>(&report.expect("it reports")).unwrap()
        });
        let reports: Vec<_> = reports.collect();
        assert!(is_linearizable(&reports), "{reports:?}");
        let results = |result: &Value| {
            reports.iter().flatten().filter(|call| call["result"] == *result).count()
        };
        assert_eq!(results(&json!(true)), 1, "one process uses the approval: {reports:?}");
    }
    drop(inputs);
    children.iter_mut().for_each(|child| assert!(child.wait().unwrap().success()));
    assert_eq!(database.approvals_spent_twice().unwrap(), []);
}

/// The check finds what a store does that compares nothing, or answers from what it knew before.
#[test]
fn planted_faults_are_found() {
    let call = |call: &Value, result: &Value, begun: u64| json!({ "begun": begun, "ended": begun + 2, "call": call, "result": result });
    let put = |own: u64, expected: Value| json!({ "put": own, "expected": expected });
    let (load, stored, none) = (json!("load"), json!("stored"), Value::Null);
    for (name, calls) in [
        (
            "two winners",
            [(put(1, none.clone()), stored.clone()), (put(2, none.clone()), stored.clone())],
        ),
        ("a lost change", [(put(1, none.clone()), stored.clone()), (load.clone(), none.clone())]),
        ("a change that failed", [(put(1, json!(9)), json!("conflict")), (load.clone(), json!(1))]),
        (
            "a repeated change",
            [(put(1, none.clone()), stored.clone()), (put(1, none.clone()), stored)],
        ),
    ] {
        let processes: Vec<_> = calls
            .iter()
            .zip([0, 10])
            .map(|((op, result), at)| vec![call(op, result, at)])
            .collect();
        assert!(!is_linearizable(&processes), "{name}");
    }
}
