//! The bare system calls.

use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, ResolveFlags, fstat, open, openat, openat2,
    statat,
};
use rustix::io::{pread, read};

/// How much of each file is read.
const HEAD: usize = 4 * 1024;

/// Lists the root and reads the head of each `SKILL.md`; gives the number of files.
pub fn discover(root: &Path) -> usize {
    let root = open_root(root);
    let mut buffer = [0_u8; HEAD];
    let mut files = 0;
    each_skill(&root, |path| {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = openat(&root, path, flags, Mode::empty()).expect("each skill has its file");
        files += usize::from(read(&file, &mut buffer).expect("it can be read") > 0);
    });
    files
}

/// Lists each directory of a tree once, and reads the head of each `SKILL.md`; gives the number of
/// files.
pub fn walk(root: &Path) -> usize {
    walk_in(&open_root(root))
}

fn walk_in(directory: &OwnedFd) -> usize {
    let mut buffer = Vec::with_capacity(32 * 1024);
    let mut entries = RawDir::new(directory, buffer.spare_capacity_mut());
    let mut below = Vec::new();
    let mut files = 0;
    while let Some(entry) = entries.next() {
        let entry = entry.expect("a directory can be listed");
        let name = entry.file_name();
        if name.to_bytes() == b"SKILL.md" {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            let file = openat(directory, name, flags, Mode::empty()).expect("it is there");
            files += usize::from(read(&file, &mut [0_u8; HEAD]).expect("it can be read") > 0);
        } else if entry.file_type() == FileType::Directory && !name.to_bytes().starts_with(b".") {
            below.push(name.to_owned());
        }
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = |name: CString| openat(directory, name, flags, Mode::empty());
    let below = below.into_iter().map(|name| walk_in(&open(name).expect("it is there")));
    files + below.sum::<usize>()
}

/// The same with so many reads in flight, by as many threads.
pub fn discover_at_once(root: &Path, threads: usize) -> usize {
    let root = open_root(root);
    let mut paths = Vec::new();
    each_skill(&root, |path| paths.push(path.to_owned()));
    let next = AtomicUsize::new(0);
    let read_on = || {
        let mut buffer = [0_u8; HEAD];
        let mut files = 0;
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            let file =
                openat(&root, &**path, flags, Mode::empty()).expect("each skill has its file");
            files += usize::from(read(&file, &mut buffer).expect("it can be read") > 0);
        }
        files
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(read_on)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).sum()
    })
}

/// Lists the root and asks for the state of each `SKILL.md`; gives the number of files.
pub fn stat_sweep(root: &Path) -> usize {
    let root = open_root(root);
    let mut files = 0;
    each_skill(&root, |path| {
        let stat = statat(&root, path, AtFlags::SYMLINK_NOFOLLOW).expect("each skill has its file");
        files += usize::from(stat.st_size > 0);
    });
    files
}

/// Opens, states, reads whole and closes one file; gives its length.
pub fn read_whole(path: &Path) -> usize {
    content(path).len()
}

/// The same; gives what was read.
pub fn content(path: &Path) -> Vec<u8> {
    let file = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).expect("it is there");
    let size = fstat(&file).expect("it has a state").st_size;
    let mut bytes = vec![0; usize::try_from(size).expect("it is small")];
    let length = read(&file, &mut bytes[..]).expect("it can be read");
    bytes.truncate(length);
    bytes
}

/// What a read takes that follows no link and notices when the file is written to meanwhile: opens
/// a file, states it, reads it whole, states it again and closes it; gives its length.
pub fn read_still(path: &Path) -> usize {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    let file = file.expect("it is there");
    let size = fstat(&file).expect("it has a state").st_size;
    let mut bytes = vec![0; usize::try_from(size).expect("it is small") + 1];
    let length = pread(&file, &mut bytes[..], 0).expect("it can be read");
    assert_eq!(fstat(&file).expect("it has a state").st_size, size, "it is not written to");
    length
}

fn open_root(root: &Path) -> OwnedFd {
    open(root, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .expect("the corpus is there")
}

/// Calls `visit` with the path of each `SKILL.md` from the root.
fn each_skill(root: &OwnedFd, mut visit: impl FnMut(&[u8])) {
    let mut buffer = Vec::with_capacity(64 * 1024);
    let mut entries = RawDir::new(root, buffer.spare_capacity_mut());
    let mut path = Vec::new();
    while let Some(entry) = entries.next() {
        let entry = entry.expect("the root can be listed");
        let name = entry.file_name().to_bytes();
        if name.starts_with(b".") {
            continue;
        }
        path.clear();
        path.extend_from_slice(name);
        path.extend_from_slice(b"/SKILL.md");
        visit(&path);
    }
}
