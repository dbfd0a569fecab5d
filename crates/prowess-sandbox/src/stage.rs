//! The stage: a process that confines itself before it does anything else.
//!
//! It has a single thread, so that each layer covers all of it and a fork copies all of it.

mod capabilities;
mod cgroup;
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

use rustix::process::Signal;

use crate::wire::{self, Answer, Order};
use crate::{Level, Limits, MissingLayer, Program, Report};

/// The exit status of a stage that could not confine itself.
pub const EXIT_NOT_CONFINED: u8 = 126;

/// The confined process and its connection to the host.
#[derive(Debug)]
pub struct Inside {
    /// The connection to the host.
    pub socket: UnixStream,
    /// The files that the host handed over, closed on `exec`.
    pub files: Vec<OwnedFd>,
    /// The layers around this process.
    pub report: Report,
    exec: Option<Program>,
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
    let (order, files) = wire::receive::<Order>(&socket)?;
    match confine(&order, &socket, &files) {
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
        Ok(Inside { exec: Some(program), files, .. }) => exec(&program, files),
        Err(error) => error,
    };
    // The host has received the reason already, unless it has ended.
    let _ = writeln!(io::stderr(), "prowess sandbox stage: {error}");
    EXIT_NOT_CONFINED.into()
}

/// Replaces this process. The first file that was handed over becomes standard input.
fn exec(program: &Program, files: Vec<OwnedFd>) -> io::Error {
    let mut command = Command::new(&program.path);
    command.args(&program.arguments);
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

fn confine(
    order: &Order,
    socket: &UnixStream,
    files: &[OwnedFd],
) -> Result<(Report, Option<TcpListener>), Failed> {
    has_one_thread()?;
    die_with_parent().map_err(failed("parent"))?;
    if rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().cast_unsigned())
        != Some(order.host)
    {
        return Err(failed("parent")("the host has ended"));
    }
    limits::no_core_files().map_err(failed("limits"))?;
    let confinement = &order.confinement;
    let identity = limits::Identity::limited(&confinement.limits, order.level)?;
    if order.level == Level::Unconfined {
        return Ok((unconfined(&confinement.limits, &identity)?, None));
    }
    let replaces_itself = order.exec.is_some();
    let kept = std::iter::once(socket.as_raw_fd()).chain(files.iter().map(AsRawFd::as_raw_fd));
    let kept: Vec<_> = kept.collect();
    if order.level == Level::Namespaces {
        let host = replaces_itself.then_some(socket);
        namespaces::enter(&kept, host, order).map_err(failed("namespaces"))?;
    } else if replaces_itself && confinement.rights.processes {
        supervisor::enter(&kept, socket).map_err(failed("supervisor"))?;
    }
    let listener = order.proxy_port.map(network::listen).transpose();
    let listener = listener.map_err(failed("network"))?;
    limits::set(&confinement.limits, &identity).map_err(failed("limits"))?;
    capabilities::drop_all().map_err(failed("capabilities"))?;
    rustix::thread::set_no_new_privs(true).map_err(failed("no-new-privileges"))?;
    // Changes of credentials clear it.
    die_with_parent().map_err(failed("parent"))?;
    let landlock = files::restrict(order).map_err(failed("landlock"))?;
    filter::install(order).map_err(failed("seccomp"))?;
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

/// Sets the limits alone.
fn unconfined(limits: &Limits, identity: &limits::Identity) -> Result<Report, Failed> {
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
