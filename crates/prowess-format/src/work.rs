//! Counts the bytes that are read, so that a test can distinguish quadratic work from linear work.
//! Unlike a time, a count is the same on each machine. Outside the tests of this crate nothing is
//! counted.

#[cfg(test)]
mod counted;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use counted::Counted;

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Takes note that this many bytes are looked at.
#[cfg(test)]
pub(crate) fn count(bytes: usize) {
    STEPS.with(|steps| steps.set(steps.get() + bytes as u64));
}

/// Does nothing.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn count(_bytes: usize) {}
