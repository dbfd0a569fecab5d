//! Confined processes by means of this system's kernel.

use std::io;
use std::net::TcpListener;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::time::Duration;

use crate::launch::{Stage, handed_over};
use crate::ready::{Ready, Wanted};
use crate::wire::{self, Answer, Order, Preparation, Replacement};
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
    /// `None` if each plan starts its stage by itself.
    ready: Option<Ready>,
}

/// Why an attempt to start a process failed.
enum Refusal {
    Missing(MissingLayer),
    Failed(SandboxError),
    /// The stage did not answer: the error to return, and how the connection ended.
    NoAnswer(SandboxError, io::ErrorKind),
}

impl Native {
    /// Creates an isolation that probes with `stage`, a program that calls
    /// [`run_stage`](crate::run_stage).
    pub fn new(stage: Program) -> Self {
        Self { stage, no_namespaces: OnceLock::new(), ready: None }
    }

    /// Starts the stage of the next plan after each plan, so that the next one does not wait for
    /// it. By default, a stage is started when a plan needs it.
    ///
    /// The stage waits, without a file or a right of any plan, until a plan at the same level
    /// replaces it with a program. It has what it inherited when it was started. One with another
    /// user, right, limit, control group, namespace, mount or program file than a new one would
    /// have is not used, but Landlock is not visible: a host that restricts itself so does it
    /// first. Processes that a plan starts end with this value, which ends the waiting stage too.
    #[must_use]
    pub fn keep_ready(mut self) -> Self {
        self.ready = Some(Ready::default());
        self
    }

    /// Returns whether a stage waits for the next plan.
    pub fn is_ready(&self) -> bool {
        self.ready.as_ref().is_some_and(Ready::has_one)
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
        let preparation = Preparation::of(plan, level);
        if plan.exec.is_none() {
            let stage = Stage::kept(plan, &preparation, streams);
            let stage = stage.map_err(|error| not_started(plan, &error))?;
            return confine(stage, plan, level, streams, files);
        }
        let ready = self.ready.as_ref().and_then(|ready| {
            // An origin that cannot be read is that of no stage.
            Some((ready, Wanted::by_thread(&plan.stage, &preparation).ok()?))
        });
        let spare = ready.as_ref().and_then(|(ready, wanted)| ready.take(wanted));
        let mut running = None;
        if let Some(spare) = spare {
            running = match confine(spare, plan, level, streams, files) {
                // It has ended meanwhile, before anything of the program ran.
                Err(Refusal::NoAnswer(_, kind)) if !is_late(kind) => None,
                confined => Some(confined),
            };
        }
        let running = running.unwrap_or_else(|| {
            let stage = Stage::replaced(&plan.stage, &preparation);
            let stage = stage.map_err(|error| not_started(plan, &error))?;
            confine(stage, plan, level, streams, files)
        })?;
        if let Some((ready, wanted)) = ready {
            ready.start(wanted);
        }
        Ok(running)
    }
}

impl Isolation for Native {
    fn probe(&self) -> Result<Report, SandboxError> {
        let mut running = self.spawn(&Plan::enter(self.stage.clone()), &Streams::null(), &[])?;
        // A stage that has nothing to run ends by itself.
        let _ = running.child.wait();
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
            Refusal::Failed(error) | Refusal::NoAnswer(error, _) => error,
        })
    }
}

/// Gives a stage its order and waits until it is confined at exactly this level.
fn confine(
    mut stage: Stage,
    plan: &Plan,
    level: Level,
    streams: &Streams,
    files: &[BorrowedFd<'_>],
) -> Result<Running, Refusal> {
    match order(&mut stage, plan, level, streams, files) {
        Ok((report, listener)) => {
            let Stage { child, socket } = stage;
            Ok(Running { child, socket, listener, report })
        }
        Err(refusal) => {
            stage.end();
            Err(refusal)
        }
    }
}

/// Sends the order and waits for the answer.
fn order(
    stage: &mut Stage,
    plan: &Plan,
    level: Level,
    streams: &Streams,
    files: &[BorrowedFd<'_>],
) -> Result<(Report, Option<TcpListener>), Refusal> {
    let exec = plan.exec.as_ref().map(|program| Replacement {
        program: program.clone(),
        environment: plan.environment.clone(),
        directory: plan.directory.clone(),
    });
    let order =
        Order { level, confinement: plan.confinement.clone(), exec, proxy_port: plan.proxy_port };
    let deadline = Duration::from_millis(plan.start_ms.max(1));
    let answer = if order.exec.is_some() {
        let streams = stage.open_streams(streams).map_err(|error| not_started(plan, &error))?;
        exchange(&stage.socket, &order, &handed_over(&streams, files), deadline)
    } else {
        exchange(&stage.socket, &order, files, deadline)
    };
    match answer {
        Ok((Answer::Confined(report), listener)) => Ok((report, listener.map(TcpListener::from))),
        Ok((Answer::Unavailable(missing), _)) => Err(Refusal::Missing(missing)),
        Ok((Answer::NotStarted(reason), _)) => {
            let directory = plan.directory.display();
            let error = io::Error::other(format!("in `{directory}`: {reason}"));
            Err(not_started(plan, &error))
        }
        Err(error) => {
            let program = plan.stage.path.display();
            let failed = no_answer(&program.to_string(), plan.start_ms, &error);
            Err(Refusal::NoAnswer(failed, error.kind()))
        }
    }
}

fn exchange(
    socket: &UnixStream,
    order: &Order,
    files: &[BorrowedFd<'_>],
    deadline: Duration,
) -> io::Result<(Answer, Option<OwnedFd>)> {
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

fn no_answer(program: &str, start_ms: u64, error: &io::Error) -> SandboxError {
    SandboxError::failed(if is_late(error.kind()) {
        format!("`{program}` did not confine itself within {start_ms} ms")
    } else {
        format!("`{program}` ended before it confined itself: {error}")
    })
}

fn is_late(error: io::ErrorKind) -> bool {
    matches!(error, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
