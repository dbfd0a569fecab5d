//! The stage's check of its own layers, before anything of the program runs.

use rustix::fs::{Access, CWD, Mode, OFlags, access, openat, statfs};
use rustix::process::getpid;
use rustix::thread::{SecureComputingMode, capabilities, no_new_privs, secure_computing_mode};

use super::root::{OLD, TMPFS, is_fresh};
use super::{Failed, failed, network};
use crate::wire::Order;
use crate::{Level, Rights};

/// The number of the confined process in its namespace, after the init process.
const PID_INSIDE: i32 = 2;

/// Checks that each layer is in place.
pub(super) fn verify(order: &Order) -> Result<(), Failed> {
    let sets = capabilities(None).map_err(failed("capabilities"))?;
    let has_any = !(sets.effective | sets.permitted | sets.inheritable).is_empty();
    expect(!has_any, "capabilities", "the process still has capabilities")?;
    let cannot_gain = no_new_privs().map_err(failed("no-new-privileges"))?;
    expect(cannot_gain, "no-new-privileges", "the process may gain privileges")?;
    let mode = secure_computing_mode().map_err(failed("seccomp"))?;
    expect(mode == SecureComputingMode::Filter, "seccomp", "no filter is installed")?;
    expect(is_confined(&order.confinement.rights), "landlock", "`/` can still be listed")?;
    let is_inside = getpid().as_raw_nonzero().get() == PID_INSIDE;
    let demands = order.level == Level::Namespaces;
    expect(is_inside || !demands, "namespaces", "the process sees others")?;
    let has_root = !demands || !is_fresh(&order.confinement.rights) || is_in_fresh_root();
    expect(has_root, "root", "the process sees the files of the host")?;
    let has_network = order.proxy_port.is_none() || network::is_alone();
    expect(has_network, "network", "the process sees the network of the host")
}

/// Returns whether the root directory is in memory, without a way to the host's, and whether
/// `/proc` has processes alone. Landlock permits these checks, which open nothing.
fn is_in_fresh_root() -> bool {
    let is_in_memory = statfs("/").is_ok_and(|root| root.f_type == TMPFS);
    let is_absent = |path: &str| access(path, Access::EXISTS).is_err();
    is_in_memory && is_absent(OLD) && is_absent("/proc/sys")
}

/// Returns whether the root directory is closed, unless it was granted.
fn is_confined(rights: &Rights) -> bool {
    let is_granted = rights.read.iter().chain(&rights.write).any(|path| path.parent().is_none());
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    is_granted || openat(CWD, "/", flags, Mode::empty()).is_err()
}

fn expect(holds: bool, layer: &str, reason: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(failed(layer)(reason)) }
}
