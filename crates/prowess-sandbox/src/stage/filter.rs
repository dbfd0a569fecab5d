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

use crate::wire::Preparation;

/// Rules by the number of a call.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Built<T> = Result<T, seccompiler::Error>;

/// The sockets that a process may open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sockets {
    None,
    ToProxy,
    All,
}

impl Sockets {
    fn of(preparation: &Preparation) -> Self {
        match preparation {
            Preparation { has_own_network: true, .. } => Self::ToProxy,
            Preparation { uses_network: true, .. } => Self::All,
            _ => Self::None,
        }
    }
}

/// Compiles the filter of this process.
pub(super) fn compile(preparation: &Preparation) -> Built<BpfProgram> {
    let sockets = Sockets::of(preparation);
    let rules = by_argument(preparation, sockets)?;
    let inspected: BTreeSet<_> = rules.keys().copied().collect();
    let denied = denied(preparation, sockets);
    Ok(numbers::program(&denied, &inspected, &program(rules)?))
}

/// Installs a filter for this process and its descendants. Where the process will replace itself,
/// it may do so again: Landlock decides which programs it can run.
pub(super) fn install(filter: &BpfProgram) -> Built<()> {
    apply_filter(filter)
}

fn program(rules: Rules) -> Built<BpfProgram> {
    let deny = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let architecture = std::env::consts::ARCH.try_into()?;
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, deny, architecture)?.try_into()?)
}

/// Returns the calls that are denied whatever their arguments are, with their errors.
fn denied(preparation: &Preparation, sockets: Sockets) -> BTreeMap<i64, i32> {
    // Programs that use the newer call fall back to the older one if it is reported as missing.
    let mut denied = BTreeMap::from([(libc::SYS_clone3, libc::ENOSYS)]);
    let mut deny = |calls: &[i64]| denied.extend(calls.iter().map(|&call| (call, libc::EPERM)));
    deny(calls::ALWAYS);
    if !preparation.writes {
        deny(&calls::CHANGES_OF_FILES);
    }
    if !preparation.reads && !preparation.writes {
        deny(calls::WATCHES);
    }
    if !preparation.starts_processes {
        deny(calls::PROCESSES);
    }
    if !preparation.replaces_itself && !preparation.starts_processes {
        deny(&[libc::SYS_execve, libc::SYS_execveat]);
    }
    if sockets == Sockets::None {
        deny(&[libc::SYS_socket]);
    }
    denied
}

fn by_argument(preparation: &Preparation, sockets: Sockets) -> Built<Rules> {
    let mut rules = Rules::from([(libc::SYS_clone, clones(preparation)?)]);
    rules.insert(libc::SYS_ioctl, one_of(1, &[libc::TIOCSTI, libc::TIOCLINUX])?);
    let options = [libc::PR_SET_PDEATHSIG, libc::PR_SET_MM, libc::PR_SET_PTRACER];
    rules.insert(libc::SYS_prctl, one_of(0, &options.map(|option| option.cast_unsigned().into()))?);
    // The limits and the schedule of another process. A process names itself by zero.
    for call in [libc::SYS_prlimit64, libc::SYS_sched_setaffinity] {
        rules.insert(call, vec![none_of(0, &[0])?]);
    }
    if preparation.starts_processes {
        // Every process of the user, also those outside, where Landlock cannot tell them apart.
        let every = u64::from(u32::MAX);
        rules.insert(libc::SYS_kill, one_of(0, &[every])?);
    } else {
        let own = u64::from(getpid().as_raw_nonzero().get().cast_unsigned());
        rules.insert(libc::SYS_kill, vec![none_of(0, &[own])?]);
        rules.insert(libc::SYS_tgkill, vec![none_of(0, &[own])?]);
    }
    rules.extend(families(sockets)?);
    Ok(rules)
}

/// Denies new namespaces, and where there are to be no new processes, all but threads.
fn clones(preparation: &Preparation) -> Built<Vec<SeccompRule>> {
    let is_set = |flag: i32, expected: bool| {
        let flag = u64::from(flag.cast_unsigned());
        let mask = SeccompCmpOp::MaskedEq(flag);
        condition(0, SeccompCmpArgLen::Qword, mask, if expected { flag } else { 0 })
    };
    let mut rules = Vec::new();
    for namespace in calls::NAMESPACES {
        rules.push(SeccompRule::new(vec![is_set(namespace, true)?])?);
    }
    if !preparation.starts_processes {
        rules.push(SeccompRule::new(vec![is_set(libc::CLONE_THREAD, false)?])?);
    }
    Ok(rules)
}

/// Denies sockets of all families but the internet's, unless every socket is denied already.
fn families(sockets: Sockets) -> Built<Option<(i64, Vec<SeccompRule>)>> {
    let families = match sockets {
        Sockets::None => return Ok(None),
        Sockets::ToProxy => &[libc::AF_INET][..],
        Sockets::All => &[libc::AF_INET, libc::AF_INET6],
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
