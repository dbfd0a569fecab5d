//! Granted hosts and the programs that scripts use to reach them.

use prowess_testkit::Server;

use crate::network::{OK, granting, refused, run};

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
fn other_name_in_tls_is_refused() {
    let server = Server::encrypted(OK);
    let host = format!("localhost:{}", server.port);
    let script = include_str!("../../data/network-script.txt");
    let outcome = run(("scripts/a.py", script), &host, granting(&[&host]));
    let expected = "HTTP/1.1 200 Connection established\nTLSV1_ALERT_ACCESS_DENIED\n";
    assert_eq!(outcome.stdout, expected, "{outcome:?}");
    assert_eq!(refused(&outcome), [(&*host, "server-name-mismatch")]);
    assert!(!server.has_received());
}
