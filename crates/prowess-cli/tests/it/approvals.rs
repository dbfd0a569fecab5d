//! A person lists the calls that wait for an approval, and decides on them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use prowess::state::ApprovalDatabase;
use prowess::{
    ApprovalId, ApprovalLog, ApprovalQuery, ApprovalRequest, ApprovalStore, ApprovalStoreExt,
    ArgumentPattern, AuditPolicy, Clock, Digest, NewApproval, OperationId, SessionId, Spend,
    SystemClock, Timestamp,
};
use prowess_audit::{JsonLinesLog, LogOptions, Redactor};
use prowess_testkit::{Tree, hostile_texts, invisible_in};
use rustix::process::{Signal, getuid};
use serde_json::{Value, json};

use crate::program::{Program, Ran, signal};
use crate::terminal;

fn database(home: &Tree) -> PathBuf {
    home.join(".local/state/prowess/state.db")
}

fn run(home: &Tree, args: &[&str]) -> Ran {
    Program::new().at_home_in(&home.join("")).run(&[&["approvals"], args].concat())
}

fn json(home: &Tree, args: &[&str]) -> Value {
    run(home, &[args, &["--format", "json"]].concat()).json()
}

fn now() -> Timestamp {
    SystemClock::default().now()
}

fn session() -> SessionId {
    SessionId::new("s1").unwrap()
}

/// Returns a request of a skill, as a host makes it.
fn new_approval(id: &str, package: &[u8]) -> NewApproval {
    let now = now();
    let words = ["git".to_owned(), "push".to_owned()];
    NewApproval {
        id: ApprovalId::new(id),
        request: ApprovalRequest {
            tool: "Bash".into(),
            arguments: ArgumentPattern::CommandPrefix(words.into()),
            skill: Some("deploy".into()),
            package: Some(Digest::of(package)),
            tenant: Some("acme".into()),
        },
        session: session(),
        preview: "git push origin main".into(),
        now,
        expires: Timestamp(now.0 + 600_000),
        log: None,
    }
}

/// Returns a home in which a host has asked for these.
fn home(asked: impl IntoIterator<Item = NewApproval>) -> (Tree, ApprovalDatabase) {
    let home = Tree::new("");
    let approvals = ApprovalDatabase::open(database(&home)).unwrap();
    asked.into_iter().for_each(|new| drop(approvals.ask(new).unwrap()));
    (home, approvals)
}

/// Uses an approval as a host does that has a call of this tenant in this session.
fn spend(store: &ApprovalDatabase, tenant: &str, session: &SessionId, operation: u64) -> Spend {
    let query = ApprovalQuery { tool: "Bash", tenant: Some(tenant), session, now: now() };
    store.spend(&ApprovalId::new("a1"), &query, OperationId(operation)).unwrap()
}

#[test]
fn request_is_listed_and_granted_for_one_call() {
    let (home, store) = home([new_approval("a1", b"package")]);
    let listed = json(&home, &["list"]);
    let entry = &listed["approvals"][0];
    assert_eq!(entry["state"], "pending", "{listed}");
    assert_eq!(entry["arguments"], "commands that begin with `git push`");
    assert_eq!(entry["package"], json!(Digest::of(b"package")));
    let ran = run(&home, &["list"]);
    let text = ran.text();
    for part in ["a1", "Bash", "git push origin main", "skill deploy", "tenant acme", "session s1"]
    {
        assert!(text.contains(part), "`{part}` is shown: {text}");
    }
    assert_eq!(
        spend(&store, "acme", &session(), 1),
        Spend::NotApplicable,
        "nothing is granted yet"
    );
    let granted = json(&home, &["grant", "a1", "--for", "10m"]);
    let by = granted["granted"]["by"].as_str().expect("a person has decided");
    assert!(by.contains(&format!("uid {}", getuid().as_raw())), "{by}");
    assert_eq!(granted["granted"]["scope"], "once", "the narrowest scope is the default");
    assert!(granted["granted"]["expires"].is_string(), "{granted}");
    assert_eq!(spend(&store, "globex", &session(), 1), Spend::NotApplicable, "another tenant's");
    assert_eq!(spend(&store, "acme", &session(), 1), Spend::Allowed);
    assert_eq!(spend(&store, "acme", &session(), 2), Spend::SpentByAnother, "it is for one call");
    assert_eq!(json(&home, &[]), json!({"approvals": []}), "nothing waits");
    let spent = &json(&home, &["list", "--all"])["approvals"][0];
    assert_eq!((&spent["state"], &spent["by"]), (&json!("spent"), &json!(by)));
    let again = run(&home, &["grant", "a1"]).stderr;
    assert!(again.contains(&format!("is spent, granted by {by}")), "a call has spent it: {again}");
}

/// A person sees the whole of a call, also behind the longest words of a model.
#[test]
fn rights_of_a_call_are_never_cut() {
    let write = format!("/home/ada/{}/autostart", "deep/".repeat(60));
    let rights = json!({ "write": [write], "network": ["a.example"] });
    for (count, is_whole) in [(1, true), (2_000, false)] {
        let mut new = new_approval("a1", b"package");
        let arguments = json!({ "skill": "wr", "args": "b ".repeat(count), "rights": rights,
            "note": format!("a{}b\u{202e}", " ".repeat(300)) });
        new.preview = arguments.to_string();
        let (home, _store) = home([new]);
        let listed = run(&home, &[]);
        for line in ["skill: \"wr\"", "rights.network: [\"a.example\"]"] {
            assert!(listed.text().contains(&format!("   {line}\n")), "{listed:?}");
        }
        assert!(listed.text().contains(&format!("rights.write: [\"{write}\"]\n")), "{listed:?}");
        let more = "all of it: prowess approvals show 1";
        assert_eq!(listed.text().contains(more), !is_whole, "{listed:?}");
        // Neither blanks nor the direction hide an end.
        let shown = run(&home, &["show", "a1"]);
        assert_eq!(shown.text().matches("a[300 × U+0020]b\\u{202e}").count(), 2, "{shown:?}");
    }
}

#[test]
fn refusal_is_replaced_only_by_a_person_who_is_shown_it() {
    let (home, _store) = home([new_approval("a1", b"package")]);
    let by = json(&home, &["deny", "a1"])["denied"]["by"].as_str().unwrap().to_owned();
    let granted = run(&home, &["grant", "a1"]);
    assert!(granted.stderr.contains(&format!("this replaces the refusal by {by}")), "{granted:?}");
}

#[test]
fn impossible_decision_names_the_next_step() {
    let expired =
        NewApproval { now: Timestamp(1), expires: Timestamp(2), ..new_approval("old", b"") };
    let mut unbound = new_approval("unbound", b"");
    unbound.request.package = None;
    let (home, _) = home([new_approval("a1", b"package"), expired, unbound]);
    let cases: [(&[&str], &str, i32); 6] = [
        (&["grant", "nothing"], "approval-not-found", 2),
        (&["revoke", "a1"], "approval-state", 1),
        (&["grant", "old"], "approval-expired", 1),
        (&["grant", "unbound", "--scope", "always"], "approval-unbound", 2),
        (&["grant", "a1", "--for", "0s"], "usage", 2),
        (&["grant", "a1", "--for", "soon"], "usage", 2),
    ];
    for (args, code, exit) in cases {
        let ran = run(&home, &[args, &["--format", "json"]].concat());
        let failure: Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(
            (failure["error"]["code"].as_str(), ran.code),
            (Some(code), Some(exit)),
            "{ran:?}"
        );
        assert!(!failure["error"]["help"].as_str().unwrap().is_empty(), "{code} has a next step");
    }
    assert_eq!(json(&home, &["grant", "unbound"])["granted"]["scope"], "once");
}

#[test]
fn home_without_database_has_no_approvals() {
    let home = Tree::new("");
    assert_eq!(json(&home, &["list"]), json!({"approvals": []}));
    assert_eq!(run(&home, &["grant", "a1"]).code, Some(2));
    assert!(!database(&home).exists(), "looking creates nothing");
}

/// Text of a model reaches the terminal of the person who decides.
#[test]
fn texts_of_a_model_are_encoded() {
    let hostile = |(number, text): (usize, String)| {
        let mut new = new_approval(&format!("a{number}"), b"package");
        new.session = SessionId::new(format!("s{number}")).unwrap();
        new.request.tool = text.clone();
        new.request.skill = Some(text.clone());
        new.request.tenant = Some(text.clone());
        new.request.arguments = ArgumentPattern::CommandPrefix(vec![text.clone()]);
        new.preview = text;
        new
    };
    let texts = hostile_texts();
    let count = texts.len();
    let (home, _) = home(texts.into_iter().enumerate().map(hostile));
    for format in ["text", "json"] {
        let ran = run(&home, &["list", "--format", format]);
        assert_eq!(ran.text().matches("pending").count(), count, "each request is shown: {format}");
        assert_eq!(invisible_in(&ran.stdout.replace('\n', "")), None, "{format}");
    }
}

/// Returns a request of another session, which was asked for later.
fn later(id: &str, seconds: u64) -> NewApproval {
    let new = new_approval(id, b"package");
    let now = Timestamp(new.now.0 + 1_000 * seconds);
    NewApproval { session: SessionId::new(id).unwrap(), now, ..new }
}

#[test]
fn number_stays_with_its_approval() {
    let (home, store) = home([later("first", 0), later("second", 1), later("other", 2)]);
    let numbers = |args: &[&str]| -> Vec<(u64, String)> {
        let listed = json(&home, args);
        let entries = listed["approvals"].as_array().unwrap().iter();
        let id = |entry: &Value| entry["id"].as_str().unwrap().to_owned();
        entries.map(|entry| (entry["number"].as_u64().unwrap(), id(entry))).collect()
    };
    let all = [(1, "first".into()), (2, "second".into()), (3, "other".into())];
    assert_eq!(numbers(&[]), all);
    assert_eq!(json(&home, &["grant", "1"])["granted"]["id"], "first");
    store.ask(later("fourth", 3)).unwrap();
    let left = [(2, "second".into()), (3, "other".into()), (4, "fourth".into())];
    assert_eq!(numbers(&["list"]), left, "no number moves to another approval");
    let by = json(&home, &["show", "1"])["approval"]["by"].as_str().unwrap().to_owned();
    let granted = format!("approval `first` is granted by {by}");
    let cases = [
        ("1", "approval-state", &*granted),
        ("9", "approval-not-found", "there is no approval `9`"),
        ("", "approval-not-found", "there is no approval ``"),
        ("f", "approval-ambiguous", "`f` is the start of `first`, `fourth`"),
        ("sec", "approval-ambiguous", "`sec` is the start of `second`"),
    ];
    for (named, code, message) in cases {
        let failure = run(&home, &["grant", named, "--format", "json"]).error();
        assert_eq!((&failure["code"], &failure["message"]), (&json!(code), &json!(message)));
    }
    assert_eq!(json(&home, &["deny", "four"])["denied"]["id"], "fourth");
    assert_eq!(json(&home, &["revoke", "1"])["revoked"]["id"], "first");
}

#[test]
fn only_request_is_granted_by_its_number_unseen() {
    let (one, _store) = home([later("first", 0)]);
    assert_eq!(json(&one, &["grant", "1"])["granted"]["id"], "first");
    let (two, _store) = home([later("first", 0), later("second", 1)]);
    let failure = run(&two, &["grant", "1", "--format", "json"]).error();
    assert_eq!(failure["code"], "approval-not-found", "of two, a person sees which is the first");
}

/// A random id of a session is a secret, so the log has another name for it.
#[test]
fn session_is_named_as_in_the_log() {
    let id = SessionId::new("0123456789abcdef0123456789abcdef").unwrap();
    let new = NewApproval { session: id.clone(), ..new_approval("a1", b"package") };
    let (home, _) = home([new]);
    let listed = run(&home, &[]);
    let text = listed.text();
    assert!(text.contains(&*id.log_name()) && !text.contains(id.as_str()), "{text}");
}

/// The program that asked keeps a log, and the one in which the person decides is not told so.
#[test]
fn decision_is_in_the_log_of_the_host() {
    let location = |home: &Tree| home.join(".local/state/prowess/audit.jsonl");
    let asked = |home: &Tree, policy| {
        let location = location(home).display().to_string();
        let log = Some(ApprovalLog { location, policy });
        let approvals = ApprovalDatabase::open(database(home)).unwrap();
        approvals.ask(NewApproval { log, ..new_approval("a1", b"one") }).unwrap();
    };
    let home = Tree::new("");
    asked(&home, AuditPolicy::BestEffort);
    let clock = Arc::new(SystemClock::default());
    let options = LogOptions::default();
    let host = JsonLinesLog::open(location(&home), options, Redactor::default(), clock);
    let host = host.expect("there is room");
    assert_eq!(run(&home, &["grant", "a1"]).code, Some(0));
    host.sync().expect("the host goes on");
    let text = fs::read_to_string(location(&home)).expect("the log is kept");
    assert!(text.contains(r#""action":"granted","approval_id":"a1""#), "{text}");
    assert!(text.contains("(uid ") || text.contains(r#""by":"uid "#), "{text}");

    for (policy, is_made) in [(AuditPolicy::Required, false), (AuditPolicy::BestEffort, true)] {
        let home = Tree::new("");
        asked(&home, policy);
        // No file can be opened there.
        fs::create_dir_all(location(&home)).unwrap();
        let ran = run(&home, &["deny", "a1", "--format", "json"]);
        assert_eq!(ran.code, Some(i32::from(!is_made)), "{policy:?}: {ran:?}");
        let said = if is_made { "is not in the audit log" } else { "audit-log-unavailable" };
        assert!(ran.stderr.contains(said), "{policy:?}: {}", ran.stderr);
        assert_eq!(json(&home, &["list"]) == json!({"approvals": []}), is_made, "{policy:?}");
    }
}

#[test]
fn decision_is_in_the_log_of_the_configuration() {
    let (home, _approvals) = home([new_approval("a1", b"one")]);
    home.write("prowess.yaml", "audit: { log: keep }");
    let config = home.join("prowess.yaml");
    let config = config.to_str().expect("the test's directory is UTF-8");
    let ran = run(&home, &["grant", "a1", "--config", config]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let log = home.join(".local/state/prowess/audit.jsonl");
    let text = fs::read_to_string(log).expect("the log is kept");
    assert!(text.contains(r#""action":"granted","approval_id":"a1""#), "{text}");
}

#[test]
fn watch_prints_requests_as_they_come() {
    let (home, store) = home([later("first", 0)]);
    let (mut command, _place) = Program::new().at_home_in(&home.join("")).into_command();
    let mut child = command.args(["approvals", "watch", "--format", "json"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["id"], "first");
    store.ask(later("second", 1)).unwrap();
    let second = next();
    assert_eq!((&second["id"], &second["number"]), (&json!("second"), &json!(2)));
    // A program in the background of a script ignores an interrupt.
    signal(child.id(), Signal::TERM).unwrap();
    assert!(!child.wait().unwrap().success(), "a signal ends it");
}

/// The answer to a question counts beside the decision that another person has made meanwhile.
#[test]
fn watch_keeps_the_decision_of_another_person() {
    for (other, typed, said, state) in [
        ("deny", "y\n", "approval `first` is denied by ", "denied"),
        ("grant", "y\n", "granted", "granted"),
        ("grant", "n\n", "revoked", "revoked"),
    ] {
        let (home, _store) = home([later("first", 0)]);
        let (mut command, _place) = Program::new().at_home_in(&home.join("")).into_command();
        let (mut terminal, open) = terminal::opened(80);
        command.args(["approvals", "watch"]).stdin(open()).stdout(open()).stderr(open());
        // It is no answer: the question has not been seen.
        terminal.write_all(b"y\n").unwrap();
        let mut child = command.spawn().unwrap();
        let mut next = BufReader::new(terminal.try_clone().unwrap()).bytes();
        let mut until = |end: &str| {
            let mut shown = String::new();
            while !shown.ends_with(end) {
                shown.push(next.next().unwrap().unwrap().into());
            }
        };
        until("decides later: ");
        assert_eq!(run(&home, &[other, "first"]).code, Some(0));
        terminal.write_all(typed.as_bytes()).unwrap();
        until(said);
        signal(child.id(), Signal::TERM).unwrap();
        child.wait().unwrap();
        assert_eq!(json(&home, &["show", "first"])["approval"]["state"], state);
    }
}

/// A service has a user of its own, in a directory that only root may enter.
#[test]
fn root_decides_as_the_user_of_the_store() {
    let tree = Tree::new("");
    let home = tree.join("private/home");
    let database = ApprovalDatabase::open(home.join(".local/state/prowess/state.db")).unwrap();
    database.ask(later("first", 0)).unwrap();
    drop(database);
    let owned = Command::new("chown").args(["-R", "12345:12345"]).arg(&home).output().unwrap();
    if !getuid().is_root() || !owned.status.success() {
        return;
    }
    fs::set_permissions(tree.join("private"), fs::Permissions::from_mode(0o700)).unwrap();
    let run = |args: &[&str]| Program::new().at_home_in(&home).run(args);
    assert!(run(&["approvals"]).text().contains("first"));
    let by = run(&["approvals", "grant", "1", "--format", "json"]).json();
    assert!(by["granted"]["by"].as_str().unwrap().ends_with("(uid 0)"), "{by}");
    run(&["list"]).text();
    let others = Command::new("find").arg(&home).args(["!", "-uid", "12345"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&others.stdout), "", "root leaves no file");
}
