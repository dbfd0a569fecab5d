//! Attacks by sockets of every family.

use std::io;

use super::calls::call;
use super::{Attack, By};

pub(super) const ATTACKS: &[Attack] = &[
    ("opens a network socket", By::Anyone, |_| std::net::UdpSocket::bind("127.0.0.1:0").map(drop)),
    ("opens a stream of the internet", By::Anyone, |_| open(libc::AF_INET, libc::SOCK_STREAM)),
    ("opens a socket of IPv6", By::Anyone, |_| open(libc::AF_INET6, libc::SOCK_DGRAM)),
    ("opens a raw socket", By::Root, |_| open(libc::AF_PACKET, libc::SOCK_RAW)),
    ("opens a socket of this machine", By::Anyone, |_| open(libc::AF_UNIX, libc::SOCK_STREAM)),
    ("opens a socket of the kernel", By::Anyone, |_| open(libc::AF_NETLINK, libc::SOCK_RAW)),
    ("opens a socket of any family", By::Anyone, |_| {
        let kinds = [libc::SOCK_STREAM, libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET];
        let mut sockets = (0..64).flat_map(|family| kinds.map(|kind| open(family, kind)));
        sockets.find(Result::is_ok).unwrap_or_else(|| Err(io::ErrorKind::PermissionDenied.into()))
    }),
];

fn open(family: i32, kind: i32) -> io::Result<()> {
    let arguments = [family, kind, 0].map(|number| u64::from(number.cast_unsigned()));
    let opened = call(libc::SYS_socket, &arguments)?;
    call(libc::SYS_close, &[opened.cast_unsigned()]).map(drop)
}
