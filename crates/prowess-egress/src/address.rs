//! The addresses of the public Internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an address belongs to the public Internet: to no private, local, reserved or
/// documented network, nor to one that leads to such a network by translation.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !is_private_v4(address),
        IpAddr::V6(address) => !is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        // Networks of carriers, of protocols and of benchmarks.
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (18..20).contains(&b))
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, _, _, _, high, low] = address.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match first {
        // Addresses that translators and tunnels lead to IPv4.
        0x0064 if second == 0xff9b => third != 0 || embedded(high, low),
        0x2002 => embedded(second, third),
        // Only these are given to hosts of the public Internet. Documentation is within them.
        0x3fff => second < 0x1000,
        0x2000..=0x3ffe => first == 0x2001 && (second == 0x0db8 || second < 0x0200),
        _ => match address.to_ipv4_mapped() {
            Some(address) => is_private_v4(address),
            None => true,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn only_public_addresses_are_public() {
        let private = [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.8.8.8", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1",
            "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "224.0.0.1", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
            "64:ff9b::7f00:1", "64:ff9b:1::1", "2001::1", "2001:db8::1", "3fff:fff::1",
            "2002:7f00:1::", "fc00::1", "fd12::1", "fe80::1", "fec0::1", "ff02::1", "100::1",
            "4000::1",
        ];
        for address in private {
            assert!(!is_public(address.parse().expect("it is an address")), "{address}");
        }
        let public = [
            "1.1.1.1", "8.8.8.8", "100.63.0.1", "100.128.0.1", "172.32.0.1", "192.0.1.1",
            "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8",
            "64:ff9b::808:808", "2002:808:808::", "2001:4860::8888",
        ];
        for address in public {
            assert!(is_public(address.parse().expect("it is an address")), "{address}");
        }
    }
}
