//! The network of a process, which may have one of its own with a proxy at the other end.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;

use rustix::net::{AddressFamily, SocketType, socket};

use super::paths::{CERTIFICATES, NAMES};
use crate::wire::Order;

/// `IFF_UP`, as wide as the kernel takes it.
const IFF_UP: libc::c_short = 1;

/// The hosts that a process reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Nothing,
    /// The proxy of the host at this port of `127.0.0.1`.
    Proxy(u16),
    /// Whatever the host reaches.
    Everything,
}

impl Reach {
    pub(super) fn of(order: &Order) -> Self {
        match order.proxy_port {
            Some(port) => Self::Proxy(port),
            None if order.confinement.rights.network => Self::Everything,
            None => Self::Nothing,
        }
    }

    /// Returns the files of the system that it takes. A proxy resolves names by itself.
    pub(super) fn files(self) -> impl Iterator<Item = &'static Path> {
        let names = if self == Self::Everything { &NAMES[..] } else { &[] };
        let certificates = if self == Self::Nothing { &[] } else { &CERTIFICATES[..] };
        names.iter().chain(certificates).map(Path::new)
    }
}

/// Listens in a network of its own, in which nothing else does.
pub(super) fn listen(port: u16) -> io::Result<TcpListener> {
    start_loopback()?;
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
}

/// Starts the loopback interface, which a new network has and does not use.
#[allow(unsafe_code, reason = "rustix does not have the call")]
fn start_loopback() -> io::Result<()> {
    let any = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    // SAFETY: numbers and arrays of numbers, of which zero is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(*b"lo") {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_flags = IFF_UP;
    // SAFETY: the call reads the structure, which lives during it.
    let set =
        unsafe { libc::ioctl(any.as_fd().as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns whether the loopback interface is the only one of this network.
pub(super) fn is_alone() -> bool {
    // Two lines of headings come first.
    let interfaces = fs::read_to_string("/proc/self/net/dev").unwrap_or_default();
    let mut names = interfaces.lines().skip(2).filter_map(|line| line.split(':').next());
    names.next().is_some_and(|name| name.trim() == "lo") && names.next().is_none()
}
