//! The first part of the filter: calls that this code does not know.

use seccompiler::{BpfProgram, sock_filter};

/// The newest system call that this list was checked against: `mseal`, of Linux 6.10. On x86-64 the
/// calls of the x32 interface have numbers above a billion.
const NEWEST_KNOWN: u32 = 462;

/// `BPF_LD | BPF_W | BPF_ABS`: loads the number of the call, which comes first.
const LOAD: u16 = 0x20;
/// `BPF_JMP | BPF_JGT | BPF_K`: compares it.
const JUMP_IF_GREATER: u16 = 0x25;
/// `BPF_RET | BPF_K`: ends the filter.
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
const FAIL_WITH: u32 = 0x0005_0000;

/// Returns a program that reports every later call as missing.
pub(super) fn known_calls_only() -> BpfProgram {
    let missing = FAIL_WITH | libc::ENOSYS.cast_unsigned();
    vec![
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_GREATER, jt: 0, jf: 1, k: NEWEST_KNOWN },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: missing },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: ALLOW },
    ]
}
