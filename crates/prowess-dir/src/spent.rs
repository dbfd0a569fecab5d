//! Closes files that are no longer needed, many with one system call.

use std::os::fd::OwnedFd;

use crate::UncheckedFile;

/// The number of files that are closed together. More would use descriptors without a gain.
const MOST: usize = 16;

/// Open files that are no longer needed. They are closed when there are sixteen of them, and when
/// this value is dropped.
#[derive(Debug, Default)]
pub struct SpentFiles(Vec<OwnedFd>);

impl SpentFiles {
    /// Takes a file, to close it together with others.
    pub fn push(&mut self, file: UncheckedFile<'_>) {
        self.0.push(file.handle);
        if self.0.len() == MOST {
            self.close();
        }
    }

    /// Returns whether every file is closed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Closes the files now, for example because the process has no descriptor left.
    pub fn close(&mut self) {
        close_together(&mut self.0);
    }
}

impl Drop for SpentFiles {
    fn drop(&mut self) {
        self.close();
    }
}

/// Closes each run of consecutive descriptors with one call. The kernel uses the lowest free
/// number, so files that are opened one after another are mostly one run.
#[cfg(target_os = "linux")]
fn close_together(files: &mut Vec<OwnedFd>) {
    use std::os::fd::AsRawFd;

    files.sort_unstable_by_key(AsRawFd::as_raw_fd);
    while let Some(last) = files.len().checked_sub(1) {
        let mut first = last;
        while first > 0 && files[first - 1].as_raw_fd() + 1 == files[first].as_raw_fd() {
            first -= 1;
        }
        close_run(files.split_off(first));
    }
}

#[cfg(not(target_os = "linux"))]
fn close_together(files: &mut Vec<OwnedFd>) {
    files.clear();
}

/// Closes files whose descriptors are consecutive numbers.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the standard library closes one file at a time")]
fn close_run(files: Vec<OwnedFd>) {
    use std::os::fd::{AsRawFd, IntoRawFd};

    let [first, .., last] = &files[..] else { return };
    let first = first.as_raw_fd();
    let last = last.as_raw_fd();
    // SAFETY: the call takes numbers only. Each number from the first to the last is the descriptor
    // of one of `files`, which own them, so it closes no file of another value. The values of
    // closed files are given up below.
    let closed = unsafe {
        libc::syscall(libc::SYS_close_range, first.cast_unsigned(), last.cast_unsigned(), 0_u32)
    };
    // A kernel before 5.9, or a container that filters the call: dropping the files closes them.
    if closed == 0 {
        files.into_iter().map(IntoRawFd::into_raw_fd).for_each(drop);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::{AsRawFd, RawFd};

    use super::*;

    fn is_open(descriptor: RawFd) -> bool {
        std::fs::read_link(format!("/proc/self/fd/{descriptor}"))
            .is_ok_and(|target| target.ends_with("Cargo.toml"))
    }

    fn opened(count: usize) -> Vec<OwnedFd> {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        (0..count).map(|_| File::open(manifest).expect("the manifest is there").into()).collect()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn files_between_others_are_closed_alone() {
        let mut files = opened(40);
        // Every fifth stays open, so that the others are runs of four.
        let kept: Vec<_> = (0..8).map(|at| files.remove(at * 4)).collect();
        let closed: Vec<_> = files.iter().map(AsRawFd::as_raw_fd).collect();
        close_together(&mut files);
        assert!(files.is_empty(), "nothing is left to close");
        assert!(kept.iter().all(|file| is_open(file.as_raw_fd())), "other files stay open");
        let open = closed.into_iter().filter(|&file| is_open(file)).count();
        assert_eq!(open, 0, "each file is closed");
    }
}
