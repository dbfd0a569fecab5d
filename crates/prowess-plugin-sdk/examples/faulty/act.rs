//! The faults that may happen anywhere.

use std::hint::black_box;
use std::io::Write;
use std::panic::panic_any;
use std::time::{Duration, Instant};
use std::{env, process, ptr, thread};

/// Does what `how` says: `panic`, `payload`, `abort`, `exit`, `segfault`, `overflow`, `hang`, `spin`,
/// `fork`, `flood`, `grow`, `print`, `environment`, `directory`. Any other word does nothing. `place` is for the panic's message.
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

/// Text that is not UTF-8, though its type says so.
pub(crate) fn forged(text: &str) -> String {
    let bytes = [text.as_bytes(), &[black_box(0xff), 0xfe]].concat();
    // SAFETY: there is none; the bytes are not UTF-8, and that is the fault.
    unsafe { String::from_utf8_unchecked(bytes) }
}

/// A value of a panic whose own end panics.
struct BadPayload;

impl Drop for BadPayload {
    fn drop(&mut self) {
        panic!("the payload panics");
    }
}

fn segfault() {
    // SAFETY: there is none; nothing is ever mapped at the beginning of memory, and that is the fault.
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

/// Uses a processor for longer than any deadline of a test, and ends for the sake of a test's own process.
fn spin() {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        black_box(0);
    }
}

/// Makes a copy of the process, if it can, and aborts. The copy lives a little longer.
fn fork() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn getppid() -> i32;
    }
    let parent = i32::try_from(process::id()).expect("a number of a process");
    // SAFETY: there is none; the copy has one of the threads, and that is the fault.
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

/// Takes memory until there is none, which aborts. More than so much is more than any bound of a test;
/// it is not written to, so the machine gives up nothing for it.
fn grow() {
    let mut all = Vec::new();
    while all.len() < 64 {
        all.push(black_box(vec![0_u8; 256 << 20]));
    }
}

fn print() {
    // Whoever reads it may have gone.
    let _ = std::io::stdout().write_all(b"a plugin prints\n");
}

fn environment() {
    // SAFETY: there is none; a thread of the host may read its environment just now, and that is the fault.
    unsafe { env::set_var("PROWESS_FAULTY", "was here") };
}
