//! The part of the filter that decides by the number of a call alone, before any argument.
//!
//! The kernel runs a filter for every number when it is installed. A list of comparisons would cost
//! more than everything else that the stage does, so the numbers are searched by halves.

use std::collections::{BTreeMap, BTreeSet};

use seccompiler::{BpfProgram, sock_filter};

/// The newest system call that this list was checked against: `mseal`, of Linux 6.10.
const NEWEST_KNOWN: u32 = 462;
/// The first and the last number of calls by the x32 interface of x86-64.
#[cfg(target_arch = "x86_64")]
const X32: [u32; 2] = [0x4000_0000, 0x7fff_ffff];

/// The kernel's number of the architecture that this code knows the calls of.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: u32 = 0xc000_00f3;

/// `BPF_LD | BPF_W | BPF_ABS`: loads a part of the call.
const LOAD: u16 = 0x20;
/// Where the number and the architecture of a call are.
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
/// `BPF_JMP | BPF_JEQ | BPF_K`, and the same for `BPF_JGE`: compare it.
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
/// `BPF_JMP | BPF_JA`: jumps any distance.
const JUMP: u16 = 0x05;
/// `BPF_RET | BPF_K`: ends the filter.
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const FAIL_WITH: u32 = 0x0005_0000;
const END_PROCESS: u32 = 0x8000_0000;
/// The arguments decide. It is no action of the kernel.
const INSPECT: u32 = 1;

/// The first number of a range and the action for its calls.
type Range = (u32, u32);

/// Returns a program that fails the calls of `denied` with these errors, and decides about those of
/// `inspected` by `arguments`. It reports later calls than this code knows as missing, and ends a
/// process that uses the interface of another architecture or x32.
pub(super) fn program(
    denied: &BTreeMap<i64, i32>,
    inspected: &BTreeSet<i64>,
    arguments: &[sock_filter],
) -> BpfProgram {
    let mut program = vec![
        instruction(LOAD, ARCHITECTURE_AT),
        sock_filter { code: IF_EQUAL, jt: 1, jf: 0, k: ARCHITECTURE },
        instruction(RETURN, END_PROCESS),
        instruction(LOAD, NUMBER_AT),
    ];
    search(&ranges(denied, inspected), &mut program);
    let end = program.len();
    for (at, one) in program.iter_mut().enumerate() {
        if (one.code, one.k) == (RETURN, INSPECT) {
            *one = instruction(JUMP, distance(at, end));
        }
    }
    program.extend_from_slice(arguments);
    program
}

fn ranges(denied: &BTreeMap<i64, i32>, inspected: &BTreeSet<i64>) -> Vec<Range> {
    let fail = |error: i32| FAIL_WITH | error.cast_unsigned();
    let mut actions: BTreeMap<_, _> = inspected.iter().map(|&call| (call, INSPECT)).collect();
    actions.extend(denied.iter().map(|(&call, &error)| (call, fail(error))));
    let mut ranges: Vec<Range> = vec![(0, ALLOW)];
    for (call, action) in actions {
        let Ok(call) = u32::try_from(call) else { continue };
        add(&mut ranges, (call, action));
        add(&mut ranges, (call + 1, ALLOW));
    }
    add(&mut ranges, (NEWEST_KNOWN + 1, fail(libc::ENOSYS)));
    #[cfg(target_arch = "x86_64")]
    {
        add(&mut ranges, (X32[0], END_PROCESS));
        add(&mut ranges, (X32[1] + 1, fail(libc::ENOSYS)));
    }
    ranges
}

/// Adds a range after the others. An empty one before it disappears, and one with the same action
/// continues.
fn add(ranges: &mut Vec<Range>, (first, action): Range) {
    if ranges.last().is_some_and(|last| last.0 == first) {
        ranges.pop();
    }
    if ranges.last().is_none_or(|last| last.1 != action) {
        ranges.push((first, action));
    }
}

/// Appends the search for a number in some ranges, of which there is at least one.
fn search(ranges: &[Range], program: &mut BpfProgram) {
    let (below, above) = ranges.split_at(ranges.len() / 2);
    let Some(&(middle, action)) = above.first() else { return };
    if below.is_empty() {
        program.push(instruction(RETURN, action));
        return;
    }
    program.push(sock_filter { code: IF_AT_LEAST, jt: 0, jf: 1, k: middle });
    let jump = program.len();
    program.push(instruction(JUMP, 0));
    search(below, program);
    program[jump].k = distance(jump, program.len());
    search(above, program);
}

/// Returns how far the jump at `from` goes to reach `to`.
fn distance(from: usize, to: usize) -> u32 {
    u32::try_from(to - from - 1).expect("there are fewer than a thousand calls")
}

fn instruction(code: u16, k: u32) -> sock_filter {
    sock_filter { code, jt: 0, jf: 0, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The action of the part for arguments in these tests.
    const INSPECTED: u32 = 0x7ff0_0000;

    /// Returns the action for a call and the number of instructions that were run, as the kernel
    /// interprets them.
    fn run(program: &[sock_filter], architecture: u32, call: u32) -> (u32, usize) {
        let mut loaded = 0;
        let mut at = 0;
        for steps in 1.. {
            let sock_filter { code, jt, jf, k } = program[at];
            let branch = |is_met: bool| usize::from(if is_met { jt } else { jf });
            let distance = match code {
                LOAD => {
                    loaded = if k == NUMBER_AT { call } else { architecture };
                    0
                }
                IF_EQUAL => branch(loaded == k),
                IF_AT_LEAST => branch(loaded >= k),
                JUMP => k as usize,
                _ => return (k, steps),
            };
            at += 1 + distance;
        }
        unreachable!("a filter ends");
    }

    /// Denies every call of the lists, and some that are next to each other.
    fn denied() -> BTreeMap<i64, i32> {
        let all = super::super::calls::ALWAYS.iter().chain(super::super::calls::PROCESSES);
        let some = [(0, libc::ENOSYS), (1, libc::ENOSYS), (2, libc::EPERM), (462, libc::EPERM)];
        all.map(|&call| (call, libc::EPERM)).chain(some).collect()
    }

    fn action(call: u32, denied: &BTreeMap<i64, i32>, inspected: &BTreeSet<i64>) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if (X32[0]..=X32[1]).contains(&call) {
            return END_PROCESS;
        }
        let fail = |error: i32| FAIL_WITH | error.cast_unsigned();
        if let Some(&error) = denied.get(&i64::from(call)) {
            return fail(error);
        }
        if call > NEWEST_KNOWN {
            return fail(libc::ENOSYS);
        }
        if inspected.contains(&i64::from(call)) { INSPECTED } else { ALLOW }
    }

    #[test]
    fn every_number_has_its_action() {
        let ends = [0x3fff_ffff, 0x4000_0000, 0x7fff_ffff, 0x8000_0000, u32::MAX];
        let arguments = [instruction(RETURN, INSPECTED)];
        // A call of both lists is denied.
        for inspected in [BTreeSet::new(), [2, 3, 4, 9, 460].into()] {
            for denied in [BTreeMap::new(), denied()] {
                let program = program(&denied, &inspected, &arguments);
                for call in (0..1_000).chain(ends) {
                    let expected = action(call, &denied, &inspected);
                    assert_eq!(run(&program, ARCHITECTURE, call).0, expected, "call {call}");
                }
            }
        }
    }

    #[test]
    fn another_architecture_ends_the_process() {
        let program = program(&BTreeMap::new(), &BTreeSet::new(), &[]);
        for other in [0, 0x4000_0003, ARCHITECTURE + 1] {
            assert_eq!(run(&program, other, 1).0, END_PROCESS, "architecture {other:#x}");
        }
    }

    #[test]
    fn a_call_is_decided_in_few_steps() {
        let program = program(&denied(), &BTreeSet::new(), &[]);
        let most = (0..1_000).map(|call| run(&program, ARCHITECTURE, call).1).max();
        assert!(most <= Some(24), "a search by halves, not a list: {most:?} steps");
    }
}
