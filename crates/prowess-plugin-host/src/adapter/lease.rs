//! One scan's sink and previous scan, lent to a plugin's thread until they are taken back.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prowess_core::{PreviousScan, ScanSink};

/// The arguments of a scan.
pub(super) struct Exchange<'a> {
    pub(super) previous: PreviousScan<'a>,
    pub(super) sink: &'a mut dyn ScanSink,
}

/// The owner's side: as long as it lives, the sink is lent.
pub(super) struct Lease<'a> {
    lent: Arc<Lent>,
    exchange: PhantomData<&'a mut Exchange<'a>>,
}

/// The borrower's side. It may live longer than the sink; it finds it gone then.
pub(super) struct Lent {
    slot: Mutex<Slot>,
    uses: AtomicU64,
}

struct Slot {
    exchange: Option<Pointer>,
    panic: Option<Box<dyn Any + Send>>,
}

struct Pointer(NonNull<Exchange<'static>>);

#[allow(unsafe_code, reason = "a pointer says nothing of threads")]
// SAFETY: an `Exchange` is `Send`, and the pointer is used under the lock alone.
unsafe impl Send for Pointer {}

impl<'a> Lease<'a> {
    pub(super) fn new(exchange: &'a mut Exchange<'_>) -> Self {
        // Only the lifetime changes. The drop of the lease, which cannot outlive `'a`, takes the
        // pointer away under the lock, so it is not used later. A lease is never forgotten instead
        // of dropped: it does not leave the function that makes it.
        let exchange = NonNull::from(exchange).cast::<Exchange<'static>>();
        let slot = Mutex::new(Slot { exchange: Some(Pointer(exchange)), panic: None });
        let lent = Arc::new(Lent { slot, uses: AtomicU64::new(0) });
        Self { lent, exchange: PhantomData }
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
    /// Uses the exchange, or returns `otherwise` if it was taken back.
    pub(super) fn with<T>(&self, otherwise: T, work: impl FnOnce(&mut Exchange<'_>) -> T) -> T {
        self.uses.fetch_add(1, Ordering::Relaxed);
        let mut slot = self.lock();
        let Some(exchange) = &mut slot.exchange else {
            return otherwise;
        };
        #[allow(unsafe_code, reason = "the exchange is behind a pointer")]
        // SAFETY: as long as the pointer is in the slot, the exchange lives and has no other user:
        // its owner waits, and other borrowers wait for the lock. `work` takes any lifetime, so it
        // cannot keep a reference or put in one that is too short.
        let exchange = unsafe { exchange.0.as_mut() };
        // The owner goes on with the panic, so nothing that is half done is seen by anybody else.
        catch_unwind(AssertUnwindSafe(|| work(exchange))).unwrap_or_else(|payload| {
            (slot.exchange, slot.panic) = (None, Some(payload));
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
        slot.exchange = None;
        slot.panic.take()
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
