//! Hosts that are granted to a script.

use prowess_core::{RefusedHost, ScriptOutcome};
use prowess_sandbox::DemandedLevel;
use prowess_script::{HostPattern, ScriptPolicy};
use prowess_testkit::{Server, server_authority};

use crate::fixture::{Call, Skill};

pub(crate) const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// Returns a grant of hosts on this machine.
pub(crate) fn granting(hosts: &[&str]) -> ScriptPolicy {
    let network: Vec<HostPattern> = hosts.iter().map(|host| host.parse().unwrap()).collect();
    ScriptPolicy { private_hosts: network.clone(), network, ..ScriptPolicy::default() }
}

/// Runs a script with an argument and the certificate of the servers in its package.
pub(crate) fn run(script: (&str, &str), argument: &str, policy: ScriptPolicy) -> ScriptOutcome {
    let authority = server_authority();
    let skill = Skill::with(&[script, ("assets/authority.pem", &authority)], policy);
    let call = Call { arguments: &[argument], ..Call::default() };
    skill.call(script.0, &call).unwrap()
}

/// Returns the refusals of an outcome.
pub(crate) fn refused(outcome: &ScriptOutcome) -> Vec<(&str, &str)> {
    let refused = outcome.network.refused.iter();
    refused.map(|RefusedHost { host, code }| (host.as_str(), code.as_str())).collect()
}

/// Requests a URL of the proxy, and prints the answer.
pub(crate) const REQUEST: &str = include_str!("../data/network-request.txt");

const GET: (&str, &str) = ("scripts/get.sh", REQUEST);

#[test]
fn granted_host_is_reached() {
    let server = Server::plain(OK);
    let host = format!("localhost:{}", server.port);
    let outcome = run(GET, &format!("http://{host}/"), granting(&[&host]));
    assert!(outcome.stdout.ends_with("\r\n\r\nhello"), "{outcome:?}");
    assert_eq!(outcome.network.reached, [host], "the host is in the outcome");
    assert!(server.received().starts_with("GET / HTTP/1.1\r\n"));
}

#[test]
fn other_host_is_refused_with_the_next_step() {
    let server = Server::plain(OK);
    let host = format!("localhost:{}", server.port);
    let outcome = run(GET, &format!("http://{host}/"), granting(&["api.example.com"]));
    assert!(outcome.stdout.starts_with("HTTP/1.1 403 "), "{outcome:?}");
    assert!(outcome.stdout.contains("\r\n\r\nhost-not-granted: localhost:"), "{outcome:?}");
    assert!(outcome.stdout.contains("ask for the grant"), "{outcome:?}");
    assert_eq!(refused(&outcome), [(&*host, "host-not-granted")]);
    assert!(!server.has_received());
}

#[test]
fn name_of_a_private_address_is_refused() {
    let server = Server::encrypted(OK);
    let host = format!("localhost:{}", server.port);
    let policy = ScriptPolicy { private_hosts: Vec::new(), ..granting(&[&host]) };
    let outcome = run(GET, &format!("http://{host}/"), policy);
    assert_eq!(refused(&outcome), [(&*host, "host-address-private")], "{outcome:?}");
    assert!(!server.has_received());
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
