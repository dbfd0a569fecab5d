//! The system calls that a process may not make, by seccomp.
//!
//! A filter cannot inspect paths, so files are Landlock's task. The filter covers everything else
//! that a process could do to others: trace them, send them signals, change the machine, change the
//! permissions of a file, and reach parts of the kernel that no program of this kind needs.

mod calls;
mod numbers;

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::getpid;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use super::network::Reach;
use crate::Rights;
use crate::wire::Order;

/// Rules by the number of a call.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Built<T> = Result<T, seccompiler::Error>;

/// Installs the filter for this process and its descendants. Where the process will replace itself,
/// it may do so again: Landlock decides which programs it can run.
pub(super) fn install(order: &Order) -> Built<()> {
    let rights = &order.confinement.rights;
    let reach = Reach::of(order);
    let rules = by_argument(rights, reach)?;
    let inspected: BTreeSet<_> = rules.keys().copied().collect();
    let denied = denied(order, reach);
    apply_filter(&numbers::program(&denied, &inspected, &program(rules)?))
}

fn program(rules: Rules) -> Built<BpfProgram> {
    let deny = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let architecture = std::env::consts::ARCH.try_into()?;
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, deny, architecture)?.try_into()?)
}

/// Returns the calls that are denied whatever their arguments are, with their errors.
fn denied(order: &Order, reach: Reach) -> BTreeMap<i64, i32> {
    let rights = &order.confinement.rights;
    // Programs that use the newer call fall back to the older one if it is reported as missing.
    let mut denied = BTreeMap::from([(libc::SYS_clone3, libc::ENOSYS)]);
    let mut deny = |calls: &[i64]| denied.extend(calls.iter().map(|&call| (call, libc::EPERM)));
    deny(calls::ALWAYS);
    if rights.write.is_empty() {
        deny(&calls::CHANGES_OF_FILES);
    }
    if rights.read.is_empty() && rights.write.is_empty() {
        deny(calls::WATCHES);
    }
    if !rights.processes {
        deny(calls::PROCESSES);
    }
    if order.exec.is_none() && !rights.processes {
        deny(&[libc::SYS_execve, libc::SYS_execveat]);
    }
    if reach == Reach::Nothing {
        deny(&[libc::SYS_socket]);
    }
    denied
}

fn by_argument(rights: &Rights, reach: Reach) -> Built<Rules> {
    let mut rules = Rules::from([(libc::SYS_clone, clones(rights)?)]);
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
    rules.extend(sockets(reach)?);
    Ok(rules)
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

/// Denies sockets of all families but the internet's, unless every socket is denied already.
fn sockets(reach: Reach) -> Built<Option<(i64, Vec<SeccompRule>)>> {
    let families = match reach {
        Reach::Nothing => return Ok(None),
        Reach::Proxy(_) => &[libc::AF_INET][..],
        Reach::Everything => &[libc::AF_INET, libc::AF_INET6],
    };
    let families: Vec<_> = families.iter().map(|family| family.cast_unsigned().into()).collect();
    Ok(Some((libc::SYS_socket, vec![none_of(0, &families)?])))
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
