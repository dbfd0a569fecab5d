//! Faults that may happen in any call.

use std::hint::black_box;
use std::io::Write;
use std::panic::panic_any;
use std::time::{Duration, Instant};
use std::{env, process, ptr, thread};

/// Performs the fault `how`: `panic`, `payload`, `abort`, `exit`, `segfault`, `overflow`, `hang`,
/// `spin`, `fork`, `flood`, `grow`, `print`, `environment` or `directory`. Any other word has no
/// effect. `place` is part of the panic message.
pub(crate) fn act(how: &str, place: &str) {
    match how {
        "panic" => panic!("{place} panics"),
        "payload" => panic_any(BadPayload),
        "abort" => process::abort(),
        #[expect(clippy::exit, reason = "this is the fault")]
        "exit" => process::exit(42),
        "segfault" => segfault(),
        "overflow" => drop(black_box(overflow(0))),
        "hang" => hang(),
        "spin" => spin(),
        "fork" => fork(),
        "flood" => flood(),
        "grow" => grow(),
        "print" => print(),
        "environment" => environment(),
        "directory" => env::set_current_dir("/").expect("there is a root"),
        _ => {}
    }
}

/// Returns a string with invalid UTF-8.
pub(crate) fn forged(text: &str) -> String {
    let bytes = [text.as_bytes(), &[black_box(0xff), 0xfe]].concat();
    // SAFETY: unsound on purpose: the bytes are not UTF-8.
    unsafe { String::from_utf8_unchecked(bytes) }
}

/// A panic payload whose drop panics.
struct BadPayload;

impl Drop for BadPayload {
    fn drop(&mut self) {
        panic!("the payload panics");
    }
}

fn segfault() {
    // SAFETY: unsound on purpose: the address is not mapped.
    unsafe { ptr::without_provenance_mut::<u8>(8).write_volatile(0) };
}

#[expect(unconditional_recursion, reason = "the stack is to overflow")]
fn overflow(depth: u64) -> u64 {
    let here = black_box([depth; 512]);
    overflow(depth + 1) + here[7]
}

fn hang() {
    loop {
        thread::park();
    }
}

/// Uses a processor for longer than the timeout of any test, and returns so that the test process
/// can end.
fn spin() {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        black_box(0);
    }
}

/// Forks the process, if permitted, and aborts. The fork lives a little longer.
fn fork() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn getppid() -> i32;
    }
    let parent = i32::try_from(process::id()).expect("a number of a process");
    // SAFETY: unsound on purpose: the fork has only one of the threads.
    unsafe {
        if fork() == 0 {
            while getppid() == parent {}
        }
    }
    process::abort();
}

/// Prints ten megabytes.
fn flood() {
    let mut stderr = std::io::stderr().lock();
    for number in 0..200_000 {
        if writeln!(stderr, "\u{1b}[31m{number}: a line of forty-two characters and more").is_err()
        {
            return;
        }
    }
}

/// Allocates memory until that fails, which aborts. The amount exceeds the limit of any test. The
/// memory is not written to, so the machine does not provide pages for it.
fn grow() {
    let mut all = Vec::new();
    while all.len() < 64 {
        all.push(black_box(vec![0_u8; 256 << 20]));
    }
}

fn print() {
    // The reader may have closed the pipe.
    let _ = std::io::stdout().write_all(b"a plugin prints\n");
}

fn environment() {
    // SAFETY: unsound on purpose: a thread of the host may read the environment concurrently.
    unsafe { env::set_var("PROWESS_FAULTY", "was here") };
}
