//! The system calls that a process may not make, by seccomp.
//!
//! A filter cannot inspect paths, so files are Landlock's task. The filter covers everything else
//! that a process could do to others: trace them, send them signals, change the machine, change the
//! permissions of a file, and reach parts of the kernel that no program of this kind needs.

mod calls;
mod first;

use std::collections::BTreeMap;

use rustix::process::getpid;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use super::network::Reach;
use crate::Rights;
use crate::wire::Order;

/// Rules by the number of a call; an empty list denies the call whatever its arguments are.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Built<T> = Result<T, seccompiler::Error>;

/// Installs the filter for this process and its descendants. Where the process will replace itself,
/// it may do so again: Landlock decides which programs it can run.
pub(super) fn install(order: &Order) -> Built<()> {
    let rights = &order.confinement.rights;
    // Programs that use the newer call fall back to the older one if it is reported as missing.
    let missing = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    apply_filter(&first::known_calls_only())?;
    apply_filter(&program(missing, libc::ENOSYS)?)?;
    let mut rules = rules(rights)?;
    rules.insert(libc::SYS_socket, sockets(Reach::of(order))?);
    if order.exec.is_none() && !rights.processes {
        rules.extend([libc::SYS_execve, libc::SYS_execveat].map(|call| (call, Vec::new())));
    }
    apply_filter(&program(rules, libc::EPERM)?)
}

fn program(rules: Rules, error: i32) -> Built<BpfProgram> {
    let deny = SeccompAction::Errno(error.cast_unsigned());
    let architecture = std::env::consts::ARCH.try_into()?;
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, deny, architecture)?.try_into()?)
}

fn rules(rights: &Rights) -> Built<Rules> {
    let mut rules: Rules = calls::ALWAYS.iter().map(|&call| (call, Vec::new())).collect();
    let mut deny = |calls: &[i64]| rules.extend(calls.iter().map(|&call| (call, Vec::new())));
    if rights.write.is_empty() {
        deny(&calls::CHANGES_OF_FILES);
    }
    if rights.read.is_empty() && rights.write.is_empty() {
        deny(calls::WATCHES);
    }
    if !rights.processes {
        deny(calls::PROCESSES);
    }
    deny_by_argument(&mut rules, rights)?;
    Ok(rules)
}

fn deny_by_argument(rules: &mut Rules, rights: &Rights) -> Built<()> {
    rules.insert(libc::SYS_clone, clones(rights)?);
    rules.insert(libc::SYS_ioctl, one_of(1, &[libc::TIOCSTI, libc::TIOCLINUX])?);
    let options = [libc::PR_SET_PDEATHSIG, libc::PR_SET_MM, libc::PR_SET_PTRACER];
    rules.insert(libc::SYS_prctl, one_of(0, &options.map(|option| option.cast_unsigned().into()))?);
    // The limits and the schedule of another process. A process names itself by zero.
    for call in [libc::SYS_prlimit64, libc::SYS_sched_setaffinity] {
        rules.insert(call, vec![none_of(0, &[0])?]);
    }
    if rights.processes {
        // Every process of the user, also those outside, where Landlock cannot tell them apart.
        let every = u64::from(u32::MAX);
        rules.insert(libc::SYS_kill, one_of(0, &[every])?);
    } else {
        let own = u64::from(getpid().as_raw_nonzero().get().cast_unsigned());
        rules.insert(libc::SYS_kill, vec![none_of(0, &[own])?]);
        rules.insert(libc::SYS_tgkill, vec![none_of(0, &[own])?]);
    }
    Ok(())
}

/// Denies new namespaces, and where there are to be no new processes, all but threads.
fn clones(rights: &Rights) -> Built<Vec<SeccompRule>> {
    let is_set = |flag: i32, expected: bool| {
        let flag = u64::from(flag.cast_unsigned());
        let mask = SeccompCmpOp::MaskedEq(flag);
        condition(0, SeccompCmpArgLen::Qword, mask, if expected { flag } else { 0 })
    };
    let mut rules = Vec::new();
    for namespace in calls::NAMESPACES {
        rules.push(SeccompRule::new(vec![is_set(namespace, true)?])?);
    }
    if !rights.processes {
        rules.push(SeccompRule::new(vec![is_set(libc::CLONE_THREAD, false)?])?);
    }
    Ok(rules)
}

/// Denies sockets of every family, or of all but the internet's.
fn sockets(reach: Reach) -> Built<Vec<SeccompRule>> {
    let families = match reach {
        Reach::Nothing => return Ok(Vec::new()),
        Reach::Proxy(_) => &[libc::AF_INET][..],
        Reach::Everything => &[libc::AF_INET, libc::AF_INET6],
    };
    let families: Vec<_> = families.iter().map(|family| family.cast_unsigned().into()).collect();
    Ok(vec![none_of(0, &families)?])
}

/// Matches if an argument has one of these values.
fn one_of(argument: u8, values: &[u64]) -> Built<Vec<SeccompRule>> {
    let mut rules = Vec::new();
    for &value in values {
        let equal = condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)?;
        rules.push(SeccompRule::new(vec![equal])?);
    }
    Ok(rules)
}

/// Matches if an argument has none of these values.
fn none_of(argument: u8, values: &[u64]) -> Built<SeccompRule> {
    let mut conditions = Vec::new();
    for &value in values {
        conditions.push(condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)?);
    }
    Ok(SeccompRule::new(conditions)?)
}

fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Built<SeccompCondition> {
    Ok(SeccompCondition::new(argument, length, operator, value)?)
}
