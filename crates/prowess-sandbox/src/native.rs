//! Confined processes by means of this system's kernel.

use std::io;
use std::net::TcpListener;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::time::Duration;

use crate::launch::{Stage, handed_over};
use crate::wire::{self, Answer, Order, Preparation};
use crate::{
    DemandedLevel, Isolation, Level, MissingLayer, Plan, Program, Report, Running, SandboxError,
    Streams,
};

/// Confines processes with the kernel's own layers.
#[derive(Debug)]
pub struct Native {
    stage: Program,
    /// Why this machine has no namespaces, once that is known.
    no_namespaces: OnceLock<MissingLayer>,
}

/// Why an attempt to start a process failed.
enum Refusal {
    Missing(MissingLayer),
    Failed(SandboxError),
}

impl Native {
    /// Creates an isolation that probes with `stage`, a program that calls
    /// [`run_stage`](crate::run_stage).
    pub fn new(stage: Program) -> Self {
        Self { stage, no_namespaces: OnceLock::new() }
    }

    /// Returns the program that probes are made with.
    pub fn stage(&self) -> &Program {
        &self.stage
    }

    /// Starts a process at the highest level that works.
    fn best(
        &self,
        plan: &Plan,
        streams: &Streams,
        files: &[BorrowedFd<'_>],
    ) -> Result<Running, Refusal> {
        if self.no_namespaces.get().is_none() || plan.proxy_port.is_some() {
            match self.start(plan, Level::Namespaces, streams, files) {
                // There is no lower level with a network of its own.
                Err(Refusal::Missing(missing))
                    if missing.layer == "namespaces" && plan.proxy_port.is_none() =>
                {
                    let _ = self.no_namespaces.set(missing);
                }
                started => return started,
            }
        }
        let mut running = self.start(plan, Level::Floor, streams, files)?;
        running.report.missing.extend(self.no_namespaces.get().cloned());
        Ok(running)
    }

    /// Starts a process at exactly this level.
    fn start(
        &self,
        plan: &Plan,
        level: Level,
        streams: &Streams,
        files: &[BorrowedFd<'_>],
    ) -> Result<Running, Refusal> {
        let order = Order::of(plan, level);
        let preparation = Preparation::of(&order, std::process::id());
        let stage = if plan.exec.is_some() {
            Stage::replaced(&plan.stage, &preparation)
        } else {
            Stage::kept(plan, &preparation, streams)
        };
        let mut stage = stage.map_err(|error| not_started(plan, &error))?;
        match confine(&mut stage, plan, &order, streams, files) {
            Ok((report, listener)) => {
                let Stage { child, socket } = stage;
                Ok(Running { child, socket, listener, report, has_used_up_memory: false })
            }
            Err(refusal) => {
                stage.end();
                Err(refusal)
            }
        }
    }
}

impl Isolation for Native {
    fn probe(&self) -> Result<Report, SandboxError> {
        let mut running = self.spawn(&Plan::enter(self.stage.clone()), &Streams::null(), &[])?;
        // A stage that has nothing to run ends by itself.
        let _ = running.child.wait();
        crate::stage::remove_groups_of(running.child.id());
        Ok(running.report)
    }

    fn spawn(
        &self,
        plan: &Plan,
        streams: &Streams,
        files: &[BorrowedFd<'_>],
    ) -> Result<Running, SandboxError> {
        let own_network = plan.proxy_port.is_some();
        let started = match plan.confinement.level {
            DemandedLevel::Floor | DemandedLevel::Unconfined if own_network => {
                Err(Refusal::Missing(no_network()))
            }
            DemandedLevel::Best => self.best(plan, streams, files),
            DemandedLevel::Unconfined => self.start(plan, Level::Unconfined, streams, files),
            DemandedLevel::Floor => self.start(plan, Level::Floor, streams, files),
            DemandedLevel::Namespaces => self.start(plan, Level::Namespaces, streams, files),
        };
        started.map_err(|refusal| match refusal {
            Refusal::Missing(missing) => SandboxError::unavailable(&missing),
            Refusal::Failed(error) => error,
        })
    }
}

/// Gives a stage its order and waits until it is confined.
fn confine(
    stage: &mut Stage,
    plan: &Plan,
    order: &Order,
    streams: &Streams,
    files: &[BorrowedFd<'_>],
) -> Result<(Report, Option<TcpListener>), Refusal> {
    let mut opened = Vec::new();
    if plan.exec.is_some() {
        opened.extend(stage.open_streams(streams).map_err(|error| not_started(plan, &error))?);
    }
    let files = handed_over(&opened, files);
    let answer = exchange(&stage.socket, order, &files, plan);
    match answer.map_err(|error| no_answer(plan, &error))? {
        (Answer::Confined(report), listener) => Ok((report, listener.map(TcpListener::from))),
        (Answer::Unavailable(missing), _) => Err(Refusal::Missing(missing)),
        (Answer::NotStarted(reason), _) => {
            let directory = plan.directory.display();
            let error = io::Error::other(format!("in `{directory}`: {reason}"));
            Err(not_started(plan, &error))
        }
    }
}

fn exchange(
    socket: &UnixStream,
    order: &Order,
    files: &[BorrowedFd<'_>],
    plan: &Plan,
) -> io::Result<(Answer, Option<OwnedFd>)> {
    let deadline = Duration::from_millis(plan.start_ms.max(1));
    socket.set_read_timeout(Some(deadline))?;
    socket.set_write_timeout(Some(deadline))?;
    wire::send(socket, order, files)?;
    let (answer, received) = wire::receive(socket)?;
    socket.set_read_timeout(None)?;
    socket.set_write_timeout(None)?;
    Ok((answer, received.into_iter().next()))
}

fn not_started(plan: &Plan, error: &io::Error) -> Refusal {
    Refusal::Failed(SandboxError::not_started(&plan.stage.path, error))
}

/// Returns why a level without namespaces cannot grant hosts.
fn no_network() -> MissingLayer {
    let reason = "only the level `namespaces` has a network of its own".into();
    MissingLayer { layer: "network".into(), reason }
}

fn no_answer(plan: &Plan, error: &io::Error) -> Refusal {
    let program = plan.stage.path.display();
    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) {
        let late = format!("`{program}` did not confine itself within {} ms", plan.start_ms);
        return Refusal::Failed(SandboxError::failed(late));
    }
    let ended = format!("`{program}` ended before it confined itself: {error}");
    Refusal::Failed(SandboxError::failed(ended))
}
