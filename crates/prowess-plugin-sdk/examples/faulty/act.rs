//! The faults that may happen anywhere.

use std::hint::black_box;
use std::io::Write;
use std::panic::panic_any;
use std::{env, process, ptr, thread};

/// Does what `how` says: `panic`, `payload`, `abort`, `exit`, `segfault`, `overflow`, `hang`, `grow`,
/// `print`, `environment`, `directory`. Any other word does nothing. `place` is for the panic's message.
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
        "grow" => grow(),
        "print" => print(),
        "environment" => environment(),
        "directory" => env::set_current_dir("/").expect("there is a root"),
        _ => {}
    }
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
