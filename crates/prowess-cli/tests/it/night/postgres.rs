//! Three servers over one database, behind the proxy of Debian.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use prowess::{
    ApprovalId, ApprovalLog, ApprovalRequest, ApprovalStore, ArgumentPattern, AuditPolicy,
    NewApproval, Outcome, Runtime, SessionId, Timestamp, ToolCall,
};
use prowess_postgres::Database;
use prowess_testkit::{CutProxy, PostgresServer, Tree};
use rustix::process::Signal;
use serde_json::json;

use crate::plain_skill;
use crate::program::{Program, Ran};
use crate::serve_http::{HttpServer, load_in};

const SKILLS: [&str; 2] = ["pdf", "csv"];

fn tree() -> Tree {
    let tree = Tree::new("");
    for skill in SKILLS {
        tree.write(&format!("skills/{skill}/SKILL.md"), plain_skill(skill));
    }
    tree
}

/// Starts the server of one host.
fn host(name: &str, tree: &Tree, address: &str, proxy: u16, url: &str) -> HttpServer {
    let program = Program::new().root("user", &tree.join("skills")).variable("HOSTNAME", name);
    let allowed = format!("127.0.0.1:{proxy}");
    let args = ["--store", url, "--allow-host", &allowed, "--set", "audit.log=keep"];
    HttpServer::of(program, address, &args)
}

/// A proxy, which ends when it is dropped.
struct Proxy(Child);

impl Proxy {
    fn start(tree: &Tree, port: u16, hosts: &[HttpServer]) -> Self {
        let mut config = format!(
            "defaults\n mode http\n timeout connect 1s\n timeout client 30s\n timeout server 30s\n \
             retries 5\n option redispatch 1\n retry-on conn-failure 503\n\
             frontend clients\n bind 127.0.0.1:{port}\n default_backend hosts\n\
             backend hosts\n balance roundrobin\n option httpchk GET /readyz\n"
        );
        for (number, HttpServer { host, .. }) in hosts.iter().enumerate() {
            config += &format!(" server host{number} {host} check inter 20ms fall 1 rise 1\n");
        }
        tree.write("haproxy.cfg", config);
        let mut command = Command::new("haproxy");
        command.arg("-db").arg("-f").arg(tree.join("haproxy.cfg"));
        let proxy = Self(command.stderr(Stdio::null()).spawn().expect("it starts"));
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            thread::yield_now();
        }
        proxy
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn verify(url: &str) -> Ran {
    Program::new().run(&["audit", "verify", "--store", url, "--format", "json"])
}

#[test]
fn fleet_loses_no_session_while_its_hosts_end() {
    let server = PostgresServer::start();
    let url = server.database();
    let tree = tree();
    let proxy_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let names = ["one", "two", "three"];
    let start = |name: &str, address: &str| host(name, &tree, address, proxy_port, &url);
    let mut hosts = names.map(|name| start(name, "127.0.0.1:0"));
    let _proxy = Proxy::start(&tree, proxy_port, &hosts);
    let address = format!("127.0.0.1:{proxy_port}");
    let [is_over, is_killed] = [(); 2].map(|()| AtomicBool::new(false));
    let failed = thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|client| {
                let (address, is_over, is_killed) = (&address, &is_over, &is_killed);
                scope.spawn(move || {
                    let mut failed = 0;
                    // Once more after the end, so that each has loaded both.
                    for round in 0.. {
                        let is_last = is_over.load(Ordering::SeqCst) && round % 2 == 0;
                        let conversation = format!("chat-{client}");
                        let answer = load_in(address, "", SKILLS[round % 2], &conversation);
                        let fails = !answer.starts_with("HTTP/1.1 200");
                        let is_killed = is_killed.load(Ordering::SeqCst);
                        assert!(!fails || is_killed, "a restart lost a call: {answer}");
                        failed += usize::from(fails);
                        if is_last && round > 1 {
                            return failed;
                        }
                    }
                    failed
                })
            })
            .collect();
        // A rolling restart: each host answers what it has begun, and the others go on.
        for (host, name) in hosts.iter_mut().zip(names) {
            let address = host.host.clone();
            host.end(Signal::TERM);
            *host = start(name, &address);
        }
        // A host that is killed, and does not come back.
        is_killed.store(true, Ordering::SeqCst);
        hosts[1].end(Signal::KILL);
        is_over.store(true, Ordering::SeqCst);
        clients.into_iter().map(|client| client.join().unwrap()).sum::<usize>()
    });
    assert!(failed <= 4, "only what the killed host had begun fails: {failed}");
    let sessions = server.query(&url, "SELECT length(contents) / 20 FROM prowess.session");
    assert_eq!(sessions, "2\n2\n2\n2", "each conversation is one session with both skills");
    let verified = verify(&url).json();
    let verified: Vec<_> = verified["hosts"].as_array().unwrap().iter().collect();
    assert_eq!(verified.len(), 3, "each host has a chain: {verified:?}");
    assert!(verified.iter().all(|host| host["entries"].as_u64() > Some(0)), "{verified:?}");
    operator_reads_the_fleet(&url, &verified);
    server.query(&url, "DELETE FROM prowess.audit_line WHERE host = 'two' AND seq = 1");
    let broken = verify(&url);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.stderr.contains("of host `two` has number 2 and not 1"), "{broken:?}");
}

/// Reads the story of all hosts, ends a session, and finds a host that is missing.
fn operator_reads_the_fleet(url: &str, verified: &[&serde_json::Value]) {
    let audit = |args: &[&str]| {
        let args = [&["audit"], args, &["--store", url, "--format", "json"]].concat();
        Program::new().variable("HOSTNAME", "operator").run(&args)
    };
    let entries: u64 = verified.iter().filter_map(|host| host["entries"].as_u64()).sum();
    assert_eq!(audit(&["stats"]).json()["entries"], entries, "the entries of all hosts");
    let story = audit(&["show"]).json();
    let stories = story["sessions"].as_array().unwrap().iter();
    let stories = stories.filter(|session| session["lines"].as_array().unwrap().len() > 1);
    assert_eq!(stories.count(), 4, "one story for each session, whatever its hosts: {story}");
    let sessions = audit(&["sessions"]).json()["sessions"].as_array().unwrap().clone();
    assert_eq!(sessions.len(), 4, "{sessions:?}");
    let ended = sessions[0]["id"].as_str().unwrap();
    assert_eq!(audit(&["sessions", "--end", ended]).json()["ended"], ended);
    assert_eq!(audit(&["sessions", "--end", ended]).error()["code"], "session-not-found");
    assert_eq!(audit(&["sessions"]).json()["sessions"].as_array().unwrap().len(), 3);
    let story = audit(&["show"]).json().to_string();
    assert!(story.contains("ended"), "the end of its skills is recorded: {story}");
    let head = |host: &str| format!("{host}={}", verified[0]["head"].as_str().unwrap());
    let first = head(verified[0]["host"].as_str().unwrap());
    assert_eq!(audit(&["verify", "--head", &first]).code, Some(0), "an earlier head");
    let removed = audit(&["verify", "--head", &first, "--head", &head("gone")]);
    assert_eq!(removed.error()["code"], "audit-log-replaced", "{removed:?}");
}

/// A host whose connections to the database are cut sends its clients to the others.
#[test]
fn host_without_its_store_is_avoided() {
    let server = PostgresServer::start();
    let url = server.database();
    let relay = CutProxy::start(server.port(), "Z");
    let relayed = url.replace(&server.port().to_string(), &relay.port.to_string());
    let tree = tree();
    let proxy_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let start = |name, url: &str| host(name, &tree, "127.0.0.1:0", proxy_port, url);
    let hosts = [start("one", &relayed), start("two", &url)];
    let address = format!("127.0.0.1:{proxy_port}");
    let status = |address: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET /readyz HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
        std::io::read_to_string(stream).unwrap()[9..12].to_owned()
    };
    let _proxy = Proxy::start(&tree, proxy_port, &hosts);
    while status(&address) != "200" {}
    relay.lose(usize::MAX);
    for round in 0..8 {
        let answer = load_in(&address, "", "pdf", &format!("chat-{round}"));
        assert!(answer.starts_with("HTTP/1.1 200"), "{round}: {answer}");
    }
    let alone = load_in(&hosts[0].host, "", "pdf", "chat-0");
    assert!(alone.starts_with("HTTP/1.1 503") && alone.contains("store-unavailable"), "{alone}");
    assert_eq!(status(&hosts[0].host), "503");
    relay.lose(0);
    while status(&hosts[0].host) != "200" {
        thread::yield_now();
    }
    let alone = load_in(&hosts[0].host, "", "csv", "chat-0");
    assert!(alone.starts_with("HTTP/1.1 200"), "it goes on with the conversation: {alone}");
}

#[test]
fn approvals_of_a_fleet_are_decided_over_the_store() {
    let mut server = PostgresServer::start();
    let url = server.database();
    let database = Database::open(&url).unwrap();
    let (tool, arguments) = ("Bash".to_owned(), ArgumentPattern::Any);
    let asked = database.ask(NewApproval {
        id: ApprovalId::new("a1"),
        request: ApprovalRequest { tool, arguments, skill: None, package: None, tenant: None },
        session: SessionId::new("s1").unwrap(),
        preview: "git push".to_owned(),
        now: Timestamp(1),
        expires: Timestamp(u64::MAX / 2),
        log: Some(ApprovalLog {
            location: "postgres:h1".to_owned(),
            policy: AuditPolicy::BestEffort,
        }),
    });
    asked.unwrap();
    let run = |args: &[&str]| {
        Program::new().run(&[&["approvals", "--format=json", "--store", &url], args].concat())
    };
    let listed = run(&["list"]).json();
    assert_eq!(
        (&listed["approvals"][0]["id"], &listed["approvals"][0]["number"]),
        (&json!("a1"), &json!(1))
    );
    assert_eq!(run(&["grant", "1"]).json()["granted"]["state"], "granted");
    let recorded = "SELECT host FROM prowess.audit_line WHERE line LIKE '%\"granted\"%'";
    assert_eq!(server.query(&url, recorded), "h1", "the log of the host that asked");
    let again = run(&["deny", "a1"]);
    assert_eq!(again.code, Some(1), "it is decided: {again:?}");
    server.kill();
    let away = run(&["list"]);
    assert_eq!(away.code, Some(1), "{away:?}");
    assert!(away.stderr.contains("store-unavailable"), "no other store takes its place: {away:?}");
    assert!(away.stderr.contains("try again in 1 s"), "{away:?}");
}

#[test]
fn turn_goes_on_from_its_pin_while_the_store_is_away() {
    let mut server = PostgresServer::start();
    let tree = tree();
    let database = Arc::new(Database::open(&server.database()).unwrap());
    let runtime = Runtime::builder()
        .tree("user", tree.join("skills"))
        .session_store(Arc::clone(&database) as _)
        .approvals(database)
        .build()
        .unwrap();
    let session = runtime.open_session().unwrap();
    let load = |skill| ToolCall::new("skills_load", json!({ "names": [skill] }));
    let turn = runtime.turn(&session).unwrap();
    assert_eq!(turn.call(&load("pdf")).outcome, Outcome::Done);
    let turn = runtime.turn(&session).unwrap();
    let before = turn.prompt().whole_text().into_owned();
    server.kill();
    assert_eq!(turn.prompt().whole_text(), before, "the turn has its catalog and its session");
    assert!(before.contains("csv"), "{before}");
    let text = format!("{:?}", turn.call(&load("csv")).result);
    assert!(text.contains("store-unavailable"), "a change is refused: {text}");
    assert!(text.contains("try again in 1 s"), "{text}");
    let next = runtime.turn(&session).err().expect("no turn begins").to_string();
    assert!(next.contains("try again in 1 s"), "{next}");
}
