//! Bytes that cross the boundary without being copied.

use std::ffi::c_void;
use std::{fmt, mem, ptr, slice};

use abi_stable::StableAbi;

/// Bytes that are owned by the side that created them, with a function to release them.
#[repr(C)]
#[derive(StableAbi)]
pub struct Blob {
    bytes: *const u8,
    length: usize,
    owner: *mut c_void,
    release: extern "C" fn(*mut c_void),
}

// SAFETY: the bytes never change, and `Blob::of` requires an owner that may be dropped on any
// thread.
unsafe impl Send for Blob {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for Blob {}

extern "C" fn nothing_to_release(_: *mut c_void) {}

extern "C" fn release<T>(owner: *mut c_void) {
    // SAFETY: `Blob::of` created this pointer from a `Box<T>`, and a blob is released once.
    let owner = unsafe { Box::from_raw(owner.cast::<T>()) };
    contain(move || drop(owner));
}

/// Runs a function without a result, such as a drop. A panic is ignored, and so is one from the
/// drop of its payload. Both sides use it, and it is no part of the interface.
#[doc(hidden)]
pub fn contain(work: impl FnOnce()) {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let Err(payload) = catch_unwind(AssertUnwindSafe(work)) else { return };
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload)))
        && !(second.is::<&str>() || second.is::<String>())
    {
        // Dropping it may panic again; only the drop of a string runs no code of the owner.
        mem::forget(second);
    }
}

impl Blob {
    /// Creates a blob with the bytes of `owner`, which is dropped with the blob.
    pub fn of<T: AsRef<[u8]> + Send + Sync + 'static>(owner: T) -> Self {
        let owner = Box::into_raw(Box::new(owner));
        // Called after boxing, since the bytes of an array move with it, and on the raw pointer,
        // since moving a box asserts that it is not aliased.
        // SAFETY: the pointer is that of the box. If `as_ref` panics, the owner is leaked.
        let bytes: &[u8] = unsafe { &*owner }.as_ref();
        let (bytes, length) = (bytes.as_ptr(), bytes.len());
        Self { bytes, length, owner: owner.cast(), release: release::<T> }
    }

    /// Creates a blob with static bytes.
    pub const fn from_static(bytes: &'static [u8]) -> Self {
        Self {
            bytes: bytes.as_ptr(),
            length: bytes.len(),
            owner: ptr::null_mut(),
            release: nothing_to_release,
        }
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: both constructors store the pointer and the length of a slice that `owner` keeps
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
