//! Confined processes by means of this system's kernel.

use std::io;
use std::net::TcpListener;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::wire::{self, Answer, Order};
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
            match start(plan, Level::Namespaces, streams, files) {
                // There is no lower level with a network of its own.
                Err(Refusal::Missing(missing))
                    if missing.layer == "namespaces" && plan.proxy_port.is_none() =>
                {
                    let _ = self.no_namespaces.set(missing);
                }
                started => return started,
            }
        }
        let mut running = start(plan, Level::Floor, streams, files)?;
        running.report.missing.extend(self.no_namespaces.get().cloned());
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
            DemandedLevel::Unconfined => start(plan, Level::Unconfined, streams, files),
            DemandedLevel::Floor => start(plan, Level::Floor, streams, files),
            DemandedLevel::Namespaces => start(plan, Level::Namespaces, streams, files),
        };
        started.map_err(|refusal| match refusal {
            Refusal::Missing(missing) => SandboxError::unavailable(&missing),
            Refusal::Failed(error) => error,
        })
    }
}

/// Starts the stage and waits until it is confined at exactly this level.
fn start(
    plan: &Plan,
    level: Level,
    streams: &Streams,
    files: &[BorrowedFd<'_>],
) -> Result<Running, Refusal> {
    let not_started =
        |error: io::Error| Refusal::Failed(SandboxError::not_started(&plan.stage.path, &error));
    let (socket, theirs) = UnixStream::pair().map_err(not_started)?;
    let mut child = spawn_stage(plan, streams, theirs).map_err(not_started)?;
    match confine(plan, level, &socket, files) {
        Ok((report, listener)) => Ok(Running { child, socket, listener, report }),
        Err(refusal) => {
            // No other process waits for the stage.
            let _ = child.kill();
            let _ = child.wait();
            Err(refusal)
        }
    }
}

fn spawn_stage(plan: &Plan, streams: &Streams, theirs: UnixStream) -> io::Result<Child> {
    let mut command = Command::new(&plan.stage.path);
    command
        .args(&plan.stage.arguments)
        .env_clear()
        .envs(plan.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&plan.directory)
        .process_group(0)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(streams.stdout.to_stdio()?)
        .stderr(streams.stderr.to_stdio()?);
    command.spawn()
}

/// Sends the order and waits for the answer.
fn confine(
    plan: &Plan,
    level: Level,
    socket: &UnixStream,
    files: &[BorrowedFd<'_>],
) -> Result<(Report, Option<TcpListener>), Refusal> {
    let order = Order {
        level,
        confinement: plan.confinement.clone(),
        exec: plan.exec.clone(),
        proxy_port: plan.proxy_port,
        host: std::process::id(),
    };
    let answer = exchange(socket, &order, files, Duration::from_millis(plan.start_ms.max(1)));
    match answer {
        Ok((Answer::Confined(report), listener)) => Ok((report, listener.map(TcpListener::from))),
        Ok((Answer::Unavailable(missing), _)) => Err(Refusal::Missing(missing)),
        Err(error) => {
            let program = plan.stage.path.display();
            Err(Refusal::Failed(no_answer(&program.to_string(), plan.start_ms, &error)))
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

/// Returns why a level without namespaces cannot grant hosts.
fn no_network() -> MissingLayer {
    let reason = "only the level `namespaces` has a network of its own".into();
    MissingLayer { layer: "network".into(), reason }
}

fn no_answer(program: &str, start_ms: u64, error: &io::Error) -> SandboxError {
    let reason = match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("`{program}` did not confine itself within {start_ms} ms")
        }
        _ => format!("`{program}` ended before it confined itself: {error}"),
    };
    SandboxError::failed(reason)
}
