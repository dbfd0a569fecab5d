//! Hosts that are granted to a script.

use prowess_core::{RefusedHost, ScriptOutcome};
use prowess_sandbox::DemandedLevel;
use prowess_script::{HostPattern, ScriptPolicy};
use prowess_testkit::{Server, server_authority};

use crate::fixture::{Call, Skill};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// Returns a grant of hosts on this machine.
fn granting(hosts: &[&str]) -> ScriptPolicy {
    let network: Vec<HostPattern> = hosts.iter().map(|host| host.parse().unwrap()).collect();
    ScriptPolicy { private_hosts: network.clone(), network, ..ScriptPolicy::default() }
}

/// Runs a script with an argument and the certificate of the servers in its package.
fn run(script: (&str, &str), argument: &str, policy: ScriptPolicy) -> ScriptOutcome {
    let authority = server_authority();
    let skill = Skill::with(&[script, ("assets/authority.pem", &authority)], policy);
    let call = Call { arguments: &[argument], ..Call::default() };
    skill.call(script.0, &call).unwrap()
}

/// Returns the refusals of an outcome.
fn refused(outcome: &ScriptOutcome) -> Vec<(&str, &str)> {
    let refused = outcome.network.refused.iter();
    refused.map(|RefusedHost { host, code }| (host.as_str(), code.as_str())).collect()
}

const PYTHON: (&str, &str) = (
    "scripts/get.py",
    "\
import ssl, sys, urllib.error, urllib.request
context = ssl.create_default_context(cafile='assets/authority.pem')
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=60, context=context).read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
",
);
const CURL: (&str, &str) =
    ("scripts/get.sh", "curl --silent --max-time 60 --cacert assets/authority.pem \"$1\"");

#[test]
fn granted_host_is_reached_by_common_programs() {
    for script in [PYTHON, CURL] {
        let (plain, encrypted) = (Server::plain(OK), Server::encrypted(OK));
        for (scheme, server) in [("http", plain), ("https", encrypted)] {
            let host = format!("localhost:{}", server.port);
            let outcome = run(script, &format!("{scheme}://{host}/"), granting(&[&host]));
            assert_eq!(outcome.stdout.trim_end(), "hello", "{scheme}: {outcome:?}");
            assert_eq!(outcome.network.reached, [host], "the host is in the outcome");
            assert!(server.received().starts_with("GET / HTTP/1.1\r\n"));
        }
    }
}

#[test]
fn other_host_is_refused_with_the_next_step() {
    let server = Server::plain(OK);
    let host = format!("localhost:{}", server.port);
    let outcome = run(PYTHON, &format!("http://{host}/"), granting(&["api.example.com"]));
    assert!(outcome.stdout.starts_with("403 host-not-granted: localhost:"), "{outcome:?}");
    assert!(outcome.stdout.contains("ask for the grant"), "{outcome:?}");
    assert_eq!(refused(&outcome), [(&*host, "host-not-granted")]);
    assert!(!server.has_received());
}

#[test]
fn name_of_a_private_address_is_refused() {
    let server = Server::encrypted(OK);
    let host = format!("localhost:{}", server.port);
    let policy = ScriptPolicy { private_hosts: Vec::new(), ..granting(&[&host]) };
    let outcome = run(CURL, &format!("https://{host}/"), policy);
    assert_eq!(refused(&outcome), [(&*host, "host-address-private")], "{outcome:?}");
    let outcome = run(CURL, "http://169.254.169.254/", granting(&["*"]));
    assert_eq!(refused(&outcome), [("169.254.169.254:80", "host-not-granted")], "{outcome:?}");
    assert!(!server.has_received());
}

#[test]
fn other_name_in_tls_is_refused() {
    let server = Server::encrypted(OK);
    let host = format!("localhost:{}", server.port);
    let script = "\
import os, socket, ssl, sys
proxy = os.environ['HTTPS_PROXY'].rsplit(':', 1)
tunnel = socket.create_connection(('127.0.0.1', int(proxy[1])))
tunnel.sendall(f'CONNECT {sys.argv[1]} HTTP/1.1\\r\\n\\r\\n'.encode())
print(tunnel.recv(100).split(b'\\r')[0].decode())
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
try:
    context.wrap_socket(tunnel, server_hostname='other.example.com')
except ssl.SSLError as error:
    print(error.reason)
";
    let outcome = run(("scripts/a.py", script), &host, granting(&[&host]));
    let expected = "HTTP/1.1 200 Connection established\nTLSV1_ALERT_ACCESS_DENIED\n";
    assert_eq!(outcome.stdout, expected, "{outcome:?}");
    assert_eq!(refused(&outcome), [(&*host, "server-name-mismatch")]);
    assert!(!server.has_received());
}

#[test]
fn script_that_goes_on_leaves_no_connection() {
    let server = Server::plain(OK);
    let host = format!("localhost:{}", server.port);
    let script = "\
import os, socket
proxy = os.environ['HTTP_PROXY'].rsplit(':', 1)
held = [socket.create_connection(('127.0.0.1', int(proxy[1]))) for _ in range(40)]
if os.fork() == 0:
    os.setsid()
    held[0].recv(1)
";
    let outcome = run(("scripts/a.py", script), "", granting(&[&host]));
    assert_eq!(outcome.exit_code, Some(0), "the run ends with the script: {outcome:?}");
}

#[test]
fn level_without_a_network_of_its_own_starts_nothing() {
    for level in [DemandedLevel::Floor, DemandedLevel::Unconfined] {
        let policy = ScriptPolicy { level, ..granting(&["api.example.com"]) };
        let skill = Skill::with(&[("scripts/a.sh", "echo ran")], policy);
        let (code, message) = skill.refused("scripts/a.sh", &Call::default());
        assert_eq!(code, "sandbox-unavailable", "{message}");
        assert!(message.contains("or grant no hosts"), "the next step is named: {message}");
    }
}

#[test]
fn authorities_that_cannot_be_read_start_nothing() {
    let authorities = Some("/nowhere/authority.pem".into());
    let policy = ScriptPolicy { authorities, ..granting(&["api.example.com"]) };
    let skill = Skill::with(&[("scripts/a.sh", "echo ran")], policy);
    let (code, message) = skill.refused("scripts/a.sh", &Call::default());
    assert_eq!(code, "secret-unavailable", "{message}");
    assert!(!message.contains("nowhere"), "no path of the host is in it: {message}");
}

#[test]
fn every_refusal_has_a_declared_code() {
    for kind in prowess_egress::RefusalKind::ALL {
        let mut codes = prowess_script::codes::ALL.iter();
        assert!(codes.any(|entry| entry.code.as_str() == kind.as_str()), "{}", kind.as_str());
    }
}
