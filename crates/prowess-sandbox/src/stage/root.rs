//! A root directory that has the paths of a plan and nothing else of the host's.

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::process::pivot_root;

use super::network::Reach;
use super::paths::TEMPORARY;
use super::places::Places;
use crate::Rights;
use crate::wire::Order;

/// The type of a file system in memory.
pub(super) const TMPFS: rustix::fs::FsWord = 0x0102_1994;
/// The host's root directory, while the fresh one is filled.
pub(super) const OLD: &str = "/.host";
/// Where the fresh root is mounted before it becomes the root. Every system has the directory, and
/// the fresh root has another one.
const MOUNT_POINT: &str = "/proc";
/// Links that programs expect next to devices.
const DEVICE_LINKS: [(&str, &str); 4] = [
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

/// Returns whether a process with these rights has a root of its own: one that was granted `/` sees
/// the host's.
pub(super) fn is_fresh(rights: &Rights) -> bool {
    !rights.read.iter().chain(&rights.write).any(|path| path.parent().is_none())
}

/// Gives this process and the init process of its namespaces a root of their own.
pub(super) fn enter(order: &Order) -> io::Result<()> {
    let confinement = &order.confinement;
    let rights = &confinement.rights;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    if !is_fresh(rights) {
        return mount_processes();
    }
    let directory = std::env::current_dir();
    let places = Places::of(rights, Reach::of(order));
    leave_old_root()?;
    fill(&places, rights.private_tmp.then_some(confinement.limits.file_bytes))?;
    fs::create_dir("/proc")?;
    mount_processes()?;
    unmount(OLD, UnmountFlags::DETACH)?;
    fs::remove_dir(OLD)?;
    let directory = directory.unwrap_or_else(|_| "/".into());
    // It may be a directory of the host's that was not granted: then it is empty.
    let _ = fs::create_dir_all(&directory);
    mount_remount("/", quiet() | MountFlags::RDONLY, c"")?;
    std::env::set_current_dir(directory).or_else(|_| std::env::set_current_dir("/"))
}

fn quiet() -> MountFlags {
    MountFlags::NOSUID | MountFlags::NODEV
}

/// Mounts the processes of the namespace, without what `/proc` has about the machine.
fn mount_processes() -> io::Result<()> {
    let flags = quiet() | MountFlags::NOEXEC;
    Ok(mount("proc", "/proc", "proc", flags, Some(c"subset=pid"))?)
}

/// Replaces the root by an empty one, in which [`OLD`] is the host's.
fn leave_old_root() -> io::Result<()> {
    mount("tmpfs", MOUNT_POINT, "tmpfs", quiet(), Some(c"size=4m,mode=755"))?;
    let old = format!("{MOUNT_POINT}{OLD}");
    fs::create_dir(&old)?;
    pivot_root(MOUNT_POINT, old.as_str())?;
    std::env::set_current_dir("/")
}

/// Fills the fresh root. `temporary` is the size of a private `/tmp`.
fn fill(places: &Places, temporary: Option<u64>) -> io::Result<()> {
    if let Some(bytes) = temporary {
        fs::create_dir(TEMPORARY)?;
        let options = CString::new(format!("size={bytes},nr_inodes=10000,mode=1777"))?;
        mount("tmpfs", TEMPORARY, "tmpfs", quiet(), Some(options.as_c_str()))?;
    }
    let devices = DEVICE_LINKS.map(|(path, target)| (Path::new(path), Path::new(target)));
    let links = places.links.iter().map(|(path, target)| (path.as_path(), target.as_path()));
    for (path, target) in links.chain(devices) {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        if path.symlink_metadata().is_err() {
            symlink(target, path)?;
        }
    }
    places.binds.iter().try_for_each(|(path, is_writable)| bind(path, *is_writable))
}

/// Binds a path of the host. One that this user cannot look at is skipped.
fn bind(path: &Path, is_writable: bool) -> io::Result<()> {
    let source = Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path));
    let Ok(metadata) = fs::metadata(&source) else { return Ok(()) };
    if metadata.is_dir() {
        fs::create_dir_all(path)?;
    } else if !path.exists() {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        File::create(path)?;
    }
    mount_bind_recursive(&source, path)?;
    let device = if path.starts_with("/dev") { 0 } else { libc::MOUNT_ATTR_NODEV };
    let read_only = if is_writable || device == 0 { 0 } else { libc::MOUNT_ATTR_RDONLY };
    restrict(&File::open("/")?, path, libc::MOUNT_ATTR_NOSUID | device | read_only)
}

/// Adds attributes to a mount and to those below it.
#[allow(unsafe_code, reason = "rustix does not have the call")]
fn restrict(root: &File, path: &Path, attributes: u64) -> io::Result<()> {
    let path = CString::new(path.strip_prefix("/").unwrap_or(path).as_os_str().as_encoded_bytes())?;
    let change =
        libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path ends with a NUL, and the size is that of the structure; both live during the
    // call, which keeps neither.
    let changed = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            root.as_raw_fd(),
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    };
    if changed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
