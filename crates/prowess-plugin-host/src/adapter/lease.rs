//! A sink that is lent to a plugin's thread and can be taken back at any time.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::ScanSink;

/// The owner's side: as long as it lives, the sink is lent.
pub(super) struct Lease<'a> {
    lent: Arc<Lent>,
    sink: PhantomData<&'a mut dyn ScanSink>,
}

/// The borrower's side. It may live longer than the sink; it finds it gone then.
pub(super) struct Lent {
    slot: Mutex<Slot>,
    uses: AtomicU64,
}

struct Slot {
    sink: Option<Pointer>,
    panic: Option<Box<dyn Any + Send>>,
}

struct Pointer(NonNull<dyn ScanSink>);

#[allow(unsafe_code, reason = "a pointer says nothing of threads")]
// SAFETY: a `ScanSink` is `Send`, and the pointer is used under the lock alone.
unsafe impl Send for Pointer {}

impl<'a> Lease<'a> {
    pub(super) fn new(sink: &'a mut dyn ScanSink) -> Self {
        let sink = NonNull::from(sink);
        #[allow(unsafe_code, reason = "the borrower's side has no lifetime")]
        // SAFETY: only the lifetime changes. The drop of the lease, which cannot outlive `'a`, takes the
        // pointer away under the lock, so nobody uses it later. A lease that is forgotten instead of
        // dropped does not happen: it never leaves the function that makes it.
        let sink = unsafe {
            std::mem::transmute::<NonNull<dyn ScanSink + 'a>, NonNull<dyn ScanSink + 'static>>(sink)
        };
        let slot = Mutex::new(Slot { sink: Some(Pointer(sink)), panic: None });
        let lent = Arc::new(Lent { slot, uses: AtomicU64::new(0) });
        Self { lent, sink: PhantomData }
    }

    pub(super) fn lent(&self) -> &Arc<Lent> {
        &self.lent
    }

    /// Takes the sink back. If the sink panicked on the borrower's thread, that goes on here.
    pub(super) fn end(self) {
        let panic = self.lent.take_back();
        drop(self);
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        drop(self.lent.take_back());
    }
}

impl Lent {
    /// Uses the sink; `otherwise` is the answer if it is gone.
    pub(super) fn with<T>(&self, otherwise: T, work: impl FnOnce(&mut dyn ScanSink) -> T) -> T {
        self.uses.fetch_add(1, Ordering::Relaxed);
        let mut slot = self.lock();
        let Some(sink) = &mut slot.sink else {
            return otherwise;
        };
        #[allow(unsafe_code, reason = "the sink is behind a pointer")]
        // SAFETY: as long as the pointer is in the slot, the sink lives and nobody else uses it: its
        // owner waits, and other borrowers wait for the lock.
        let sink = unsafe { sink.0.as_mut() };
        // The owner goes on with the panic, so nothing that is half done is seen by anybody else.
        catch_unwind(AssertUnwindSafe(|| work(sink))).unwrap_or_else(|payload| {
            (slot.sink, slot.panic) = (None, Some(payload));
            otherwise
        })
    }

    /// How often the sink was used, which shows that a scan goes on.
    pub(super) fn uses(&self) -> &AtomicU64 {
        &self.uses
    }

    /// Takes the sink away from the borrower.
    pub(super) fn take_back(&self) -> Option<Box<dyn Any + Send>> {
        let mut slot = self.lock();
        slot.sink = None;
        slot.panic.take()
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
