//! The stage: a process that confines itself before it does anything else.
//!
//! It has a single thread, so that each layer covers all of it and a fork copies all of it.

mod capabilities;
mod cgroup;
mod copies;
mod descriptors;
mod files;
mod filter;
mod fork;
mod init;
mod limits;
mod namespaces;
mod network;
mod outer;
mod paths;
mod places;
mod root;
mod supervisor;
mod verify;

use std::fs::File;
use std::io::{self, Write};
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

use landlock::RulesetCreated;
use rustix::process::Signal;
use seccompiler::BpfProgram;

pub use self::cgroup::remove_ended_groups;
pub(crate) use self::cgroup::remove_groups_of;
pub use self::copies::{ProcessCopy, limit_address_space, peak_memory};
use self::limits::Identity;
use self::network::Reach;
use self::outer::Host;
use crate::wire::{self, Answer, Order, Preparation, Replacement};
use crate::{Level, Limits, MissingLayer, Report};

/// The exit status of a stage that could not confine itself.
pub const EXIT_NOT_CONFINED: u8 = 126;

/// The files of an order that are standard streams.
const STREAMS: usize = 2;

/// The confined process and its connection to the host.
#[derive(Debug)]
pub struct Inside {
    /// The connection to the host.
    pub socket: UnixStream,
    /// The files that the host handed over, closed on `exec`.
    pub files: Vec<OwnedFd>,
    /// The layers around this process.
    pub report: Report,
    exec: Option<Replacement>,
}

/// The parts of a sandbox that are ready before the plan is known.
struct Prepared {
    identity: Identity,
    layers: Layers,
}

/// The layers of a level, as far as they can be built before the plan is known.
enum Layers {
    Unconfined,
    /// The process has its limits, has given up its privileges and the system calls that it will
    /// not make, and has the rules for the files of the system.
    Floor(RulesetCreated),
    /// Entering another root takes privileges and calls of its own.
    Namespaces(BpfProgram),
}

/// A layer that cannot be built.
type Failed = MissingLayer;

/// Returns a function that names the layer of an error.
fn failed<E: std::fmt::Display>(layer: &str) -> impl FnOnce(E) -> Failed {
    let layer = layer.to_owned();
    move |error| MissingLayer { layer, reason: error.to_string() }
}

/// Confines this process as the host that started it demands, and returns inside. Standard input is
/// empty from then on.
///
/// Call it first: every file that is open is closed, except the standard streams.
///
/// # Errors
///
/// A layer cannot be built, which has been reported to the host; end the process with
/// [`EXIT_NOT_CONFINED`]. Or standard input is not a connection to a host.
pub fn enter() -> io::Result<Inside> {
    let socket = take_socket()?;
    descriptors::close_all_except(&[socket.as_raw_fd()])?;
    let (preparation, _) = wire::receive::<Preparation>(&socket)?;
    // A layer that cannot be built is the answer to the order.
    let prepared = prepare(&preparation, &socket);
    let (order, mut files) = wire::receive::<Order>(&socket)?;
    if let Err(error) = order.exec.as_ref().map_or(Ok(()), |exec| take_place(exec, &mut files)) {
        wire::send(&socket, &Answer::NotStarted(error.to_string()), &[])?;
        return Err(error);
    }
    let confined = prepared.and_then(|prepared| {
        is_prepared_for(&preparation, &order)?;
        confine(&order, prepared)
    });
    match confined {
        Ok((report, listener)) => {
            let listener: Vec<_> = listener.iter().map(AsFd::as_fd).collect();
            wire::send(&socket, &Answer::Confined(report.clone()), &listener)?;
            Ok(Inside { socket, files, report, exec: order.exec })
        }
        Err(missing) => {
            let error = io::Error::other(format!("{}: {}", missing.layer, missing.reason));
            wire::send(&socket, &Answer::Unavailable(missing), &[])?;
            Err(error)
        }
    }
}

/// Confines this process and replaces it with the program of the plan, if there is one. This is all
/// that the program of a stage does.
pub fn run_stage() -> ExitCode {
    let error = match enter() {
        Ok(Inside { exec: None, .. }) => return ExitCode::SUCCESS,
        Ok(Inside { exec: Some(replacement), files, .. }) => exec(&replacement, files),
        // A host that needs the stage no more has closed the connection.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return EXIT_NOT_CONFINED.into();
        }
        Err(error) => error,
    };
    // The host has received the reason already, unless it has ended.
    let _ = writeln!(io::stderr(), "prowess sandbox stage: {error}");
    EXIT_NOT_CONFINED.into()
}

/// Takes the standard streams and the directory of the program, and leaves the other files.
fn take_place(exec: &Replacement, files: &mut Vec<OwnedFd>) -> io::Result<()> {
    if files.len() < STREAMS {
        return Err(io::Error::other("the order came without streams"));
    }
    let others = files.split_off(STREAMS);
    let [stdout, stderr] = [&files[0], &files[1]];
    rustix::stdio::dup2_stdout(stdout)?;
    rustix::stdio::dup2_stderr(stderr)?;
    *files = others;
    std::env::set_current_dir(&exec.directory)
}

/// Replaces this process. The first file that is left becomes standard input.
fn exec(replacement: &Replacement, files: Vec<OwnedFd>) -> io::Error {
    let Replacement { program, environment, .. } = replacement;
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).env_clear();
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    if let Some(stdin) = files.into_iter().next() {
        command.stdin(Stdio::from(stdin));
    }
    let error = command.exec();
    io::Error::new(error.kind(), format!("`{}`: {error}", program.path.display()))
}

/// Takes the connection to the host from standard input.
fn take_socket() -> io::Result<UnixStream> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    socket.peer_addr().map_err(|_| io::Error::other("only a host can start this program"))?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(socket)
}

/// Does everything that does not depend on the plan. Returns in the process that will be confined.
fn prepare(preparation: &Preparation, socket: &UnixStream) -> Result<Prepared, Failed> {
    has_one_thread()?;
    die_with_parent().map_err(failed("parent"))?;
    if rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().cast_unsigned())
        != Some(preparation.host)
    {
        return Err(failed("parent")("the host has ended"));
    }
    limits::no_core_files().map_err(failed("limits"))?;
    let mut identity = Identity::grouped(&preparation.limits)?;
    let kept = [socket.as_raw_fd()];
    let Preparation { level, replaces_itself, starts_processes, has_own_network, .. } =
        *preparation;
    let kills = identity.take_memory_kills();
    if level == Level::Namespaces {
        let host = replaces_itself.then(|| Host { socket, kills });
        namespaces::enter(&kept, host, has_own_network).map_err(failed("namespaces"))?;
    } else if level == Level::Floor && starts_processes {
        supervisor::enter(&kept, Host { socket, kills }).map_err(failed("supervisor"))?;
    }
    let layers = build_ahead(preparation, &identity)?;
    Ok(Prepared { identity, layers })
}

fn build_ahead(preparation: &Preparation, identity: &Identity) -> Result<Layers, Failed> {
    if preparation.level == Level::Unconfined {
        return Ok(Layers::Unconfined);
    }
    capabilities::forbid_regaining().map_err(failed("capabilities"))?;
    let filter = filter::compile(preparation).map_err(failed("seccomp"))?;
    if preparation.level == Level::Namespaces {
        return Ok(Layers::Namespaces(filter));
    }
    give_up_privileges(identity)?;
    filter::install(&filter).map_err(failed("seccomp"))?;
    limits::set_of_process(&preparation.limits).map_err(failed("limits"))?;
    let reach = if preparation.uses_network { Reach::Everything } else { Reach::Nothing };
    let rules = files::rules_of_system(reach, preparation.executes);
    Ok(Layers::Floor(rules.map_err(failed("landlock"))?))
}

/// Gives up everything that the confined process must not have, and what would give it back.
fn give_up_privileges(identity: &Identity) -> Result<(), Failed> {
    identity.take_user().map_err(failed("limits"))?;
    capabilities::drop_all().map_err(failed("capabilities"))?;
    rustix::thread::set_no_new_privs(true).map_err(failed("no-new-privileges"))?;
    // Changes of credentials clear it.
    die_with_parent().map_err(failed("parent"))
}

/// Fails if an order needs other preparations.
fn is_prepared_for(preparation: &Preparation, order: &Order) -> Result<(), Failed> {
    if *preparation == Preparation::of(order, preparation.host) {
        return Ok(());
    }
    Err(failed("preparation")("the stage was prepared for another plan"))
}

fn confine(order: &Order, prepared: Prepared) -> Result<(Report, Option<TcpListener>), Failed> {
    let Prepared { identity, layers } = prepared;
    let confinement = &order.confinement;
    let (landlock, listener) = match layers {
        Layers::Unconfined => return Ok((unconfined(&confinement.limits, &identity)?, None)),
        Layers::Floor(rules) => (restrict(rules, order, &identity)?, None),
        Layers::Namespaces(filter) => confine_in_namespaces(order, &identity, &filter)?,
    };
    verify::verify(order)?;
    let mut layers = vec![landlock, "seccomp".into(), "no capabilities".into()];
    layers.extend(["no new privileges".into(), identity.describe(&confinement.limits)]);
    if order.level == Level::Namespaces {
        layers.push("namespaces for processes, mounts, IPC and host names".into());
        if root::is_fresh(&confinement.rights) {
            layers.push("a root directory of its own".into());
        }
    }
    if listener.is_some() {
        layers.push("a network of its own, with a proxy".into());
    }
    let limits = identity.keepers();
    Ok((Report { level: order.level, layers, limits, missing: Vec::new() }, listener))
}

fn confine_in_namespaces(
    order: &Order,
    identity: &Identity,
    filter: &BpfProgram,
) -> Result<(String, Option<TcpListener>), Failed> {
    root::enter(order).map_err(failed("namespaces"))?;
    let listener = order.proxy_port.map(network::listen).transpose();
    let listener = listener.map_err(failed("network"))?;
    give_up_privileges(identity)?;
    limits::set_of_process(&order.confinement.limits).map_err(failed("limits"))?;
    // The paths of the system are those of the new root.
    let executes = !order.confinement.rights.execute.is_empty();
    let rules = files::rules_of_system(Reach::of(order), executes);
    let landlock = restrict(rules.map_err(failed("landlock"))?, order, identity)?;
    filter::install(filter).map_err(failed("seccomp"))?;
    Ok((landlock, listener))
}

/// Restricts the processes and the files of this process, and returns a line for the report.
fn restrict(rules: RulesetCreated, order: &Order, identity: &Identity) -> Result<String, Failed> {
    identity.limit_user(&order.confinement.limits, order.level).map_err(failed("limits"))?;
    files::restrict(rules, order).map_err(failed("landlock"))
}

/// Sets the limits alone.
fn unconfined(limits: &Limits, identity: &Identity) -> Result<Report, Failed> {
    rustix::thread::set_no_new_privs(true).map_err(failed("no-new-privileges"))?;
    limits::set_of_process(limits).map_err(failed("limits"))?;
    let layers = vec!["no new privileges".into(), identity.describe(limits)];
    let kept = identity.keepers();
    Ok(Report { level: Level::Unconfined, layers, limits: kept, missing: Vec::new() })
}

fn die_with_parent() -> rustix::io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
}

/// Checks that no other thread would stay outside of the layers.
fn has_one_thread() -> Result<(), Failed> {
    let threads = std::fs::read_dir("/proc/self/task").map_err(failed("single-thread"))?.count();
    if threads == 1 {
        return Ok(());
    }
    Err(failed("single-thread")(format!("the stage has {threads} threads")))
}
