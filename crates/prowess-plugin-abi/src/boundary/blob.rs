//! Bytes that cross without being copied.

use std::ffi::c_void;
use std::{fmt, mem, ptr, slice};

use abi_stable::StableAbi;

/// Bytes that belong to the side that made them, together with the way to give them back.
#[repr(C)]
#[derive(StableAbi)]
pub struct Blob {
    bytes: *const u8,
    length: usize,
    owner: *mut c_void,
    release: extern "C" fn(*mut c_void),
}

// SAFETY: the bytes never change, and `Blob::of` asks for an owner that may be dropped on any
// thread.
unsafe impl Send for Blob {}
// SAFETY: as above; sharing only reads.
unsafe impl Sync for Blob {}

extern "C" fn nothing_to_release(_: *mut c_void) {}

extern "C" fn release<T>(owner: *mut c_void) {
    // SAFETY: `Blob::of` made this pointer of a `Box<T>`, and a blob is released once.
    let owner = unsafe { Box::from_raw(owner.cast::<T>()) };
    contain(move || drop(owner));
}

/// A panic must not leave `release`, not even one that dropping another panic's payload raises.
fn contain(work: impl FnOnce()) {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            // It may panic again, and so on; only a text has no code of its owner's.
            match second.is::<&str>() || second.is::<String>() {
                true => drop(second),
                false => mem::forget(second),
            }
        }
    }
}

impl Blob {
    /// The bytes of `owner`, which is dropped when the last user of the blob lets go.
    pub fn of<T: AsRef<[u8]> + Send + Sync + 'static>(owner: T) -> Self {
        let owner = Box::into_raw(Box::new(owner));
        // Asked for after boxing, since the bytes of an array move with it, and after the box has
        // become a pointer, since a box that is moved asserts that no other pointer leads into it.
        // SAFETY: the pointer is that of the box. If `as_ref` panics, the owner is lost and no
        // more.
        let bytes: &[u8] = unsafe { &*owner }.as_ref();
        let (bytes, length) = (bytes.as_ptr(), bytes.len());
        Self { bytes, length, owner: owner.cast(), release: release::<T> }
    }

    /// Bytes that are never given back.
    pub const fn from_static(bytes: &'static [u8]) -> Self {
        Self {
            bytes: bytes.as_ptr(),
            length: bytes.len(),
            owner: ptr::null_mut(),
            release: nothing_to_release,
        }
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: both constructors take pointer and length of one slice, which `owner` keeps
        // alive.
        unsafe { slice::from_raw_parts(self.bytes, self.length) }
    }
}

impl Drop for Blob {
    fn drop(&mut self) {
        (self.release)(self.owner);
    }
}

impl fmt::Debug for Blob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Blob({} bytes)", self.length)
    }
}
