//! Attacks on files, on the host's descriptors and on what `/proc` has of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};

use super::calls::{address, attempt, call, output, signed, text};
use super::{Attack, By, Target, contains};

pub(super) const ATTACKS: &[Attack] = &[
    ("reads the host's environment", By::Anyone, |target| {
        contains(&fs::read(target.of_host("environ"))?, b"hidden-in-the-environment")
    }),
    ("writes to the host's standard output", By::Anyone, |target| {
        let mut stdout = OpenOptions::new().append(true).open(target.of_host("fd/1"))?;
        stdout.write_all(b"written by the attacker\n")
    }),
    ("reads the host's memory", By::Anyone, |target| {
        let mut bytes = [0; 16];
        File::open(target.of_host("mem"))?.read_exact_at(&mut bytes, target.address)?;
        contains(&bytes, b"hidden-in-memory")
    }),
    ("writes to the host's memory", By::Anyone, |target| {
        let memory = OpenOptions::new().write(true).open(target.of_host("mem"))?;
        memory.write_all_at(b"written-by-other", target.address)
    }),
    ("reads the host's command line", By::Anyone, |target| read(target, "cmdline")),
    ("reads the host's mappings", By::Anyone, |target| read(target, "maps")),
    ("reads a file by the host's root", By::Anyone, |target| read(target, "root/etc/passwd")),
    ("lists the host's working directory", By::Anyone, |target| list(target, "cwd/")),
    ("lists the host's descriptors", By::Anyone, |target| list(target, "fd")),
    ("makes the host a victim of low memory", By::Anyone, |target| {
        fs::write(target.of_host("oom_score_adj"), "500")
    }),
    ("finds the host among the processes", By::Anyone, |target| {
        let host = target.host.to_string();
        let found = fs::read_dir("/proc")?.flatten().any(|entry| *entry.file_name() == *host);
        if found { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }),
    ("reads the version of the kernel", By::Anyone, |_| fs::read("/proc/version").map(drop)),
    ("reads where core files go", By::Anyone, |_| fs::read(CORE_PATTERN).map(drop)),
    ("changes where core files go", By::Root, |_| {
        OpenOptions::new().write(true).open(CORE_PATTERN).map(drop)
    }),
    ("uses a descriptor that the host forgot", By::Anyone, |_| {
        let files = (3..64).filter_map(|number| fs::read(format!("/proc/self/fd/{number}")).ok());
        contains(&files.collect::<Vec<_>>().concat(), b"hidden in a leaked file")
    }),
    ("reads the users of the machine", By::Anyone, |_| fs::read("/etc/passwd").map(drop)),
    ("lists the root directory", By::Anyone, |_| fs::read_dir("/").map(drop)),
    ("reads a file of the host's", By::Anyone, |target| {
        fs::read(target.directory.join("secret")).map(drop)
    }),
    ("writes a file of the host's", By::Anyone, |target| {
        fs::write(target.directory.join("secret"), "written by the attacker")
    }),
    ("creates a file", By::Anyone, |target| fs::write(target.directory.join("created"), "")),
    ("creates a directory", By::Anyone, |target| fs::create_dir(target.directory.join("new"))),
    ("creates a link", By::Anyone, |target| symlink("secret", target.directory.join("link"))),
    ("gives a file a second name", By::Anyone, |target| {
        fs::hard_link(target.directory.join("secret"), target.directory.join("second"))
    }),
    ("creates a device", By::Root, |target| {
        let path = text(target.directory.join("device"));
        let mode = u64::from(libc::S_IFCHR | 0o600);
        attempt(libc::SYS_mknodat, &[signed(libc::AT_FDCWD), address(&*path), mode, 0x103])
    }),
    ("renames a file", By::Anyone, |target| {
        fs::rename(target.directory.join("renamed"), target.directory.join("other"))
    }),
    ("removes a file", By::Anyone, |target| fs::remove_file(target.directory.join("victim"))),
    ("changes the mode of a file", By::Anyone, |target| {
        fs::set_permissions(target.directory.join("secret"), fs::Permissions::from_mode(0o666))
    }),
    ("changes the owner of a file", By::Anyone, |target| {
        std::os::unix::fs::chown(target.directory.join("secret"), None, None)
    }),
    ("changes the dates of a file", By::Anyone, |target| {
        let path = text(target.directory.join("secret"));
        attempt(libc::SYS_utimensat, &[signed(libc::AT_FDCWD), address(&*path), 0, 0])
    }),
    ("changes an attribute of a file", By::Anyone, |target| {
        let path = text(target.directory.join("secret"));
        let name = text("user.attack");
        attempt(libc::SYS_setxattr, &[address(&*path), address(&*name), address(b"x"), 1, 0])
    }),
    ("cuts a file", By::Anyone, |target| {
        let path = text(target.directory.join("secret"));
        attempt(libc::SYS_truncate, &[address(&*path), 1])
    }),
    ("watches a directory", By::Anyone, |target| {
        let watcher = rustix::fs::inotify::init(rustix::fs::inotify::CreateFlags::empty())?;
        let events = rustix::fs::inotify::WatchFlags::CREATE;
        rustix::fs::inotify::add_watch(watcher, &*target.directory, events)?;
        Ok(())
    }),
    ("watches files by handles", By::Anyone, |_| {
        call(libc::SYS_fanotify_init, &[0x200, 0]).map(drop)
    }),
    ("names a file by a handle", By::Anyone, |target| {
        let path = text(target.directory.join("secret"));
        let mut handle = [0_u32; 34];
        handle[0] = 128;
        let mut mount = 0_i32;
        let mount = output(&mut mount);
        let at = [signed(libc::AT_FDCWD), address(&*path), output(&mut handle), mount, 0];
        attempt(libc::SYS_name_to_handle_at, &at)
    }),
];

const CORE_PATTERN: &str = "/proc/sys/kernel/core_pattern";

fn read(target: &Target, file: &str) -> io::Result<()> {
    fs::read(target.of_host(file)).map(drop)
}

fn list(target: &Target, directory: &str) -> io::Result<()> {
    fs::read_dir(target.of_host(directory)).map(drop)
}
