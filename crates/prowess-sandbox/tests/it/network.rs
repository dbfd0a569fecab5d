//! A process in a network of its own reaches the proxy of its host, and nothing else.

use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};

use prowess_sandbox::{DemandedLevel, Isolation, Running, SandboxError, SandboxErrorKind, Streams};

use crate::host::{forbid_namespaces, native, output, plan};

const PORT: u16 = 3_128;

/// Starts a shell that has a proxy.
fn shell(script: &str, level: DemandedLevel) -> Result<Running, SandboxError> {
    let mut plan = plan(script, level);
    // It can open connections.
    plan.exec.as_mut().unwrap().path = "/bin/bash".into();
    plan.proxy_port = Some(PORT);
    native().spawn(&plan, &Streams::piped(), &[])
}

fn printed(running: &mut Running) -> String {
    let printed = output(running);
    running.child.wait().unwrap();
    printed
}

#[test]
fn connection_to_the_proxy_is_accepted_by_the_host() {
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{PORT}; echo asked >&3; cat <&3");
    let mut running = shell(&script, DemandedLevel::Best).unwrap();
    let (mut connection, _) = running.listener.as_ref().unwrap().accept().unwrap();
    let mut asked = [0; 6];
    connection.read_exact(&mut asked).unwrap();
    assert_eq!(&asked, b"asked\n");
    connection.write_all(b"answered").unwrap();
    drop(connection);
    assert_eq!(printed(&mut running), "answered");
}

#[test]
fn the_network_of_the_host_is_another_one() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let [to_tcp, to_udp] = [tcp.local_addr(), udp.local_addr()].map(|it| it.unwrap().port());
    let script = format!(
        "(exec 3<>/dev/tcp/127.0.0.1/{to_tcp}) 2>/dev/null || echo refused
         echo sent >/dev/udp/127.0.0.1/{to_udp}; echo done"
    );
    let mut running = shell(&script, DemandedLevel::Namespaces).unwrap();
    assert_eq!(printed(&mut running), "refused\ndone\n");
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    assert!(tcp.accept().is_err() && udp.recv(&mut [0; 8]).is_err(), "nothing arrived");
}

#[track_caller]
fn check_unavailable(started: Result<Running, SandboxError>, layer: &str, help: &str) {
    let error = started.unwrap_err();
    assert_eq!(error.kind, SandboxErrorKind::Unavailable, "{error}");
    assert!(error.reason.contains(&format!("`{layer}`")), "{error}");
    assert!(error.help.contains(help), "the next step is named: {error}");
}

#[test]
fn nothing_starts_without_namespaces() {
    for level in [DemandedLevel::Floor, DemandedLevel::Unconfined] {
        check_unavailable(shell("true", level), "network", "grant no hosts");
    }
    let thread = std::thread::spawn(|| {
        forbid_namespaces();
        check_unavailable(shell("true", DemandedLevel::Best), "namespaces", "user namespaces");
    });
    thread.join().unwrap();
}
