//! Socket reads that spin before they block.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use crate::spin::Spin;

/// The spin before a read blocks. Each check is a system call.
static SPIN: Spin = Spin::new(1);

/// A socket whose reads poll for data for some microseconds before they block.
pub(super) struct SpinReader<'a>(pub(super) &'a UnixStream);

impl Read for SpinReader<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let mut got = Err(Errno::AGAIN);
        let has_data = || {
            got = recv(self.0, &mut *to, RecvFlags::DONTWAIT).map(|(count, _)| count);
            got != Err(Errno::AGAIN)
        };
        if SPIN.until(has_data) {
            return Ok(got?);
        }
        (&mut &*self.0).read(to)
    }
}
