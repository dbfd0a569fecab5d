//! Lends the arguments of a scan to a worker thread that may outlive the scan.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use prowess_core::{PreviousScan, ScanSink};

use crate::guard::lock;

/// The borrowed arguments of a scan.
pub(super) struct ScanArguments<'a> {
    pub(super) previous: PreviousScan<'a>,
    pub(super) sink: &'a mut dyn ScanSink,
}

/// Lends scan arguments until it is dropped.
pub(super) struct Lease<'a> {
    lent: Arc<LentArguments>,
    arguments: PhantomData<&'a mut ScanArguments<'a>>,
}

/// The worker thread's access to scan arguments. It may outlive them; then it has no effect.
pub(super) struct LentArguments {
    slot: Mutex<Slot>,
    uses: AtomicU64,
}

struct Slot {
    arguments: Option<Pointer>,
    panic: Option<Box<dyn Any + Send>>,
}

struct Pointer(NonNull<ScanArguments<'static>>);

#[allow(unsafe_code, reason = "raw pointers are not `Send`")]
// SAFETY: `ScanArguments` is `Send`, and the pointer is only used under the lock.
unsafe impl Send for Pointer {}

impl<'a> Lease<'a> {
    pub(super) fn new(arguments: &'a mut ScanArguments<'_>) -> Self {
        // Only the lifetime changes. Dropping the lease, which cannot outlive `'a`, removes the
        // pointer under the lock, so it is not used later. A lease is never leaked, because it does
        // not leave the function that creates it.
        let arguments = NonNull::from(arguments).cast::<ScanArguments<'static>>();
        let slot = Mutex::new(Slot { arguments: Some(Pointer(arguments)), panic: None });
        let lent = Arc::new(LentArguments { slot, uses: AtomicU64::new(0) });
        Self { lent, arguments: PhantomData }
    }

    pub(super) fn lent(&self) -> &Arc<LentArguments> {
        &self.lent
    }

    /// Ends the lease. If the sink panicked on the worker thread, the panic is resumed here.
    pub(super) fn end(self) {
        let panic = self.lent.revoke();
        drop(self);
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        drop(self.lent.revoke());
    }
}

impl LentArguments {
    /// Calls `work` with the arguments, or returns `otherwise` if the lease has ended.
    pub(super) fn with<T>(
        &self,
        otherwise: T,
        work: impl FnOnce(&mut ScanArguments<'_>) -> T,
    ) -> T {
        self.uses.fetch_add(1, Ordering::Relaxed);
        let mut slot = lock(&self.slot);
        let Some(arguments) = &mut slot.arguments else {
            return otherwise;
        };
        #[allow(unsafe_code, reason = "the arguments are behind a raw pointer")]
        // SAFETY: as long as the pointer is in the slot, the arguments are alive and not used by
        // another thread: their owner waits for the call, and other borrowers wait for the lock.
        // `work` accepts any lifetime, so it cannot keep a reference or store a shorter-lived one.
        let arguments = unsafe { arguments.0.as_mut() };
        // The panic is resumed in the owner, so no other code sees a half-finished change.
        catch_unwind(AssertUnwindSafe(|| work(arguments))).unwrap_or_else(|payload| {
            (slot.arguments, slot.panic) = (None, Some(payload));
            otherwise
        })
    }

    /// The number of uses of the arguments, which shows that a scan makes progress.
    pub(super) fn uses(&self) -> &AtomicU64 {
        &self.uses
    }

    /// Removes the pointer, so that later uses have no effect. Returns the payload of a panic.
    pub(super) fn revoke(&self) -> Option<Box<dyn Any + Send>> {
        let mut slot = lock(&self.slot);
        slot.arguments = None;
        slot.panic.take()
    }
}
