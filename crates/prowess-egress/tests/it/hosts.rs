//! Patterns of hosts.

use prowess_egress::HostPattern;

#[track_caller]
fn check(pattern: &str, matching: &[(&str, u16)], others: &[(&str, u16)]) {
    let parsed = HostPattern::new(pattern).unwrap();
    for (host, port) in matching {
        assert!(parsed.matches(host, *port), "`{pattern}` has {host}:{port}");
    }
    for (host, port) in others {
        assert!(!parsed.matches(host, *port), "`{pattern}` has not {host}:{port}");
    }
    assert_eq!(parsed.to_string(), pattern, "it is shown as it was written");
}

#[test]
fn one_host_is_itself() {
    let others = [("example.com", 80), ("a.api.example.com", 443), ("api.example.com", 8443)];
    check("API.example.com", &[("api.example.com", 80), ("api.example.com", 443)], &others);
    check("a.b:22", &[("a.b", 22)], &[("a.b", 443)]);
    check("a.b:*", &[("a.b", 22), ("a.b", 443)], &[("c.a.b", 443)]);
}

#[test]
fn domain_is_not_below_itself() {
    let others = [("example.com", 443), ("badexample.com", 443), (".example.com", 443)];
    check("*.example.com", &[("a.example.com", 443), ("a.b.example.com", 80)], &others);
}

#[test]
fn every_host_has_no_addresses() {
    check("*", &[("a.b", 443)], &[("a.b", 22), ("1.2.3.4", 443), ("2606:4700::1111", 443)]);
}

#[test]
fn address_is_one_host() {
    check("1.2.3.4", &[("1.2.3.4", 443)], &[("1.2.3.5", 443)]);
    check("[2606:4700::1111]:53", &[("2606:4700::1111", 53)], &[("2606:4700::1111", 443)]);
}

#[test]
fn other_texts_name_no_host() {
    for text in [
        "", " ", ".", "a b", "http://a.b", "a.b/c", "a.b:", "a.b:0", "a.b:65536", "a.b:+1", "*a.b",
        "*.", "*.*", "a..b", "user@a.b", "1.2.3", "0x7f.1", "127.1", "0x7f000001", "2130706433",
        "[::1", "a.b:80:90", "\u{e9}.com", "a.b\r\n",
    ] {
        assert!(HostPattern::new(text).is_err(), "{text:?}");
    }
}
