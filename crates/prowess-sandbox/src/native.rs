//! Confined processes by means of this system's kernel.

use std::io;
use std::net::TcpListener;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::time::Duration;

use crate::launch::{Stage, handed_over};
use crate::origin::Origin;
use crate::ready::{Ready, Wanted};
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
    /// `None` if each plan starts its stage by itself.
    ready: Option<Ready>,
}

/// Why an attempt to start a process failed.
enum Refusal {
    Missing(MissingLayer),
    Failed(SandboxError),
    /// The stage ended before it answered.
    Ended(SandboxError),
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
        let attempt = Attempt { plan, level, streams, files };
        match &self.ready {
            Some(ready) if plan.exec.is_some() => start_ready(ready, &attempt, preparation),
            _ => attempt.with_new_stage(&preparation),
        }
    }
}

/// Starts a process by the stage that waits, or by a new one if none fits, and starts the next.
fn start_ready(
    ready: &Ready,
    attempt: &Attempt<'_>,
    preparation: Preparation,
) -> Result<Running, Refusal> {
    let program = &attempt.plan.stage;
    // One that cannot be read is that of no stage.
    let mut origin = None;
    let waiting = ready.take(program, &preparation).map(|(stage, spare)| {
        // The stage builds its layers meanwhile.
        attempt.confine(stage, || {
            origin = Origin::of_thread(program).ok();
            origin.as_ref().is_some_and(|origin| spare.is_from(origin))
        })
    });
    let running = match waiting {
        // It has ended, or is not from here, and nothing of the program ran.
        None | Some(Err(Refusal::Ended(_))) => attempt.with_new_stage(&preparation),
        Some(confined) => confined,
    }?;
    if let Some(origin) = origin.or_else(|| Origin::of_thread(program).ok()) {
        ready.start(Wanted { program: program.clone(), preparation, origin });
    }
    Ok(running)
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
            Refusal::Failed(error) | Refusal::Ended(error) => error,
        })
    }
}

/// A plan that is to run at exactly this level.
struct Attempt<'a> {
    plan: &'a Plan,
    level: Level,
    streams: &'a Streams,
    files: &'a [BorrowedFd<'a>],
}

impl Attempt<'_> {
    fn with_new_stage(&self, preparation: &Preparation) -> Result<Running, Refusal> {
        let stage = if self.plan.exec.is_some() {
            Stage::replaced(&self.plan.stage, preparation)
        } else {
            Stage::kept(self.plan, preparation, self.streams)
        };
        self.confine(stage.map_err(|error| not_started(self.plan, &error))?, || true)
    }

    /// Gives a stage its order and waits until it is confined. It goes on only if `fits` holds.
    fn confine(&self, mut stage: Stage, fits: impl FnOnce() -> bool) -> Result<Running, Refusal> {
        match self.order(&mut stage, fits) {
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

    /// Sends the order and waits for the answer.
    fn order(
        &self,
        stage: &mut Stage,
        fits: impl FnOnce() -> bool,
    ) -> Result<(Report, Option<TcpListener>), Refusal> {
        let plan = self.plan;
        let files = if plan.exec.is_some() {
            let streams = stage.open_streams(self.streams);
            streams.map_err(|error| not_started(plan, &error))?.into()
        } else {
            Vec::new()
        };
        let files = handed_over(&files, self.files);
        let answer = exchange(&stage.socket, &Order::of(plan, self.level), &files, plan, fits);
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
}

fn exchange(
    socket: &UnixStream,
    order: &Order,
    files: &[BorrowedFd<'_>],
    plan: &Plan,
    fits: impl FnOnce() -> bool,
) -> io::Result<(Answer, Option<OwnedFd>)> {
    let deadline = Duration::from_millis(plan.start_ms.max(1));
    socket.set_read_timeout(Some(deadline))?;
    socket.set_write_timeout(Some(deadline))?;
    wire::send(socket, order, files)?;
    if !fits() {
        return Err(io::Error::other("the stage is not like a new one"));
    }
    wire::release(socket)?;
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
    Refusal::Ended(SandboxError::failed(ended))
}
