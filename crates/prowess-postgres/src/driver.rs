//! The thread on which connections run, and waiting for them from any other.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, JoinHandle, Thread};
use std::time::Instant;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// A thread that runs connections until it is dropped, and sleeps while none has work.
pub(crate) struct Driver {
    pub(crate) handle: Handle,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Driver {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        let run = move || drop(runtime.block_on(ended));
        let thread = thread::Builder::new().name("postgres".to_owned()).spawn(run)?;
        Ok(Self { handle, end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits on this thread, which may be one of any runtime, until the future is ready; returns `None`
/// if it is not ready at the deadline. A limit of the server does not help against one that is
/// stopped or behind a cut cable.
pub(crate) fn wait<T>(future: impl Future<Output = T>, deadline: Instant) -> Option<T> {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Some(value);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        thread::park_timeout(left);
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
