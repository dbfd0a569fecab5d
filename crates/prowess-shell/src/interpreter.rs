//! The interpreter of commands, which only this file and the file system name.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bashkit::hooks::{HookAction, ToolEvent};
use bashkit::{
    Bash, Builtin, BuiltinContext, ExecOptions, ExecResult, ExecutionLimits, FileSystemExt as _,
    FsLimits, OverlayFs, SessionLimits, async_trait,
};

use crate::messages::End;
use crate::output::Output;
use crate::policy::{ShellLimits, ShellPolicy};
use crate::shallow::Shallow;
use crate::skill_files::SkillFiles;
use crate::unseen::{self, Checked, Yes};

/// The stack of a command. The interpreter calls itself for each level of functions and groups,
/// whose numbers are limited, and of `eval` and scripts, whose numbers are not.
pub(crate) const STACK: usize = 64 << 20;
/// The part of the stack after which no further command starts.
const MOST_STACK: usize = STACK / 2;
/// The most arguments of a command, and their most bytes: what no other limit counts, such as the
/// parameters of a script, grows by them.
const MOST_ARGUMENTS: usize = 100_000;
const MOST_ARGUMENT_BYTES: usize = 4 << 20;
/// The bytes that a sandbox may have besides its files.
const VARIABLES: u64 = 8 << 20;
/// The most steps of one command within programs.
const WORK: usize = 4_000_000;
/// The names of the user and of the machine that commands see.
const USER: &str = "agent";
const HOST: &str = "sandbox";
/// Makes a shell stop at the first failure, as a variable that a child shell inherits.
const STOP_AT_FAILURE: &str = "SHOPT_e";
/// A script for `sh` without a path: it runs its standard input, if there is any.
const READ_SCRIPT: &str = "script=$(cat); \
    if [ -z \"$script\" ]; then echo 'sh: missing script path' >&2; exit 2; fi; eval \"$script\"";
/// A script for `sh` with a path, which is its first argument: the message about a missing file,
/// and else the script, which stops at its first failure.
const RUN_SCRIPT: &str = "if [ ! -e \"$1\" ] || [ -d \"$1\" ]; then echo \"sh: $1: No such file\" >&2; exit 127; fi; \
    sh -e \"$@\"";
/// Keeps the streams of a call, and returns them to one, after `exec > file` has replaced them.
const KEEP_STREAMS: &str = "exec 250>&1 251>&2";
const OWN_STREAMS: &str = "exec 1>&250 2>&251";
/// The time between a cancellation and the end of a command that does not notice it.
const NOTICE: Duration = Duration::from_millis(200);
/// How long parsers may take to end.
const PARSERS: Duration = Duration::from_secs(6);
const CHECK: Duration = Duration::from_millis(20);

/// The state of one shell: its files, variables and functions.
pub(crate) struct Interpreter {
    bash: Bash,
    files: Arc<OverlayFs>,
    cancelled: Arc<AtomicBool>,
    /// The limit for which the command was cancelled.
    limit: Arc<Reached>,
    /// The command that the streams of the next one need.
    streams: Arc<Reached>,
    /// The address at which the stack of the command begins.
    stack: Arc<AtomicUsize>,
    time: Duration,
}

impl Interpreter {
    /// Creates a shell over the mounted skills.
    pub(crate) fn new(skills: Arc<SkillFiles>, policy: &ShellPolicy) -> Self {
        let limits = &policy.limits;
        let scripts = Arc::clone(&skills);
        let mounted = Arc::clone(&skills);
        let files = Arc::new(OverlayFs::with_limits(skills, file_limits(limits)));
        files.upper().add_dir(format!("/home/{USER}"), 0o755);
        let stack = Arc::new(AtomicUsize::new(0));
        let begin = Arc::clone(&stack);
        let limit = Arc::new(Reached::default());
        let flag = Arc::new(OnceLock::<Arc<AtomicBool>>::new());
        let (reached, cancel) = (Arc::clone(&limit), Arc::clone(&flag));
        let stop = move |limit| {
            *lock(&reached) = Some(limit);
            cancel.get().inspect(|cancelled| cancelled.store(true, Ordering::Relaxed));
        };
        let is_deep_here = move || is_deep(&begin);
        let shallow = Shallow::new(Arc::clone(&files), mounted, is_deep_here, stop.clone());
        let builder = Bash::builder()
            .fs(Arc::new(shallow))
            .username(USER)
            .hostname(HOST)
            .cwd(format!("/home/{USER}"))
            .limits(execution_limits(limits))
            .session_limits(SessionLimits::unlimited())
            .builtin("printenv", Box::new(PrintVariables))
            .command("yes", Yes)
            .env(STOP_AT_FAILURE, "1");
        let builder = unseen::CHECKED
            .into_iter()
            .fold(builder, |builder, name| builder.builtin(name, Box::new(Checked(name))));
        let begin = Arc::clone(&stack);
        let streams = Arc::new(Mutex::new(Some(KEEP_STREAMS)));
        let replaced = Arc::clone(&streams);
        let before = move |mut event: ToolEvent| {
            if is_deep(&begin) {
                return HookAction::Cancel("it is nested too deeply".to_owned());
            }
            if let ("eval", [comment]) = (event.name.as_str(), &mut *event.args) {
                match scripts.script(comment) {
                    Some(Ok(script)) => *comment = script,
                    Some(Err(error)) => return HookAction::Cancel(error.to_string()),
                    None => {}
                }
            }
            if event.name == "exec" {
                *lock(&replaced) = Some(OWN_STREAMS);
            }
            let bytes: usize = event.args.iter().map(String::len).sum();
            let is_long = event.args.len() > MOST_ARGUMENTS || bytes > MOST_ARGUMENT_BYTES;
            let limit = is_long.then_some("the length of arguments");
            if let Some(limit) = limit.or_else(|| unseen::of_call(&event)) {
                stop(limit);
                return HookAction::Cancel("it reaches a limit".to_owned());
            }
            let event = shell_call(event);
            scripts.opens.started(&event);
            HookAction::Continue(event)
        };
        let bash = builder.before_tool(Box::new(before)).build();
        let cancelled = Arc::clone(flag.get_or_init(|| bash.cancellation_token()));
        Self { bash, files, cancelled, limit, streams, stack, time: limits.time() }
    }

    /// Returns the bytes that the state may have.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.usage().total_bytes.saturating_add(VARIABLES)
    }

    /// Returns the flag that cancels a command.
    pub(crate) fn cancellation(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// Runs a command until it ends, on a thread with a stack of [`STACK`] bytes. Its output is
    /// added to `output` while it runs.
    pub(crate) fn run(&mut self, command: &str, output: &Output) -> End {
        if unseen::has_long_range(command) {
            return stopped(unseen::BRACES);
        }
        if unseen::has_long_read(command) {
            return stopped(unseen::ENDLESS);
        }
        self.cancelled.store(false, Ordering::Relaxed);
        *lock(&self.limit) = None;
        self.stack.store(stack_address(), Ordering::Relaxed);
        block_on(self.execute(command, output.clone()))
            .unwrap_or_else(|error| End::Refused(format!("the shell cannot start: {error}")))
    }

    async fn execute(&mut self, command: &str, output: Output) -> End {
        let cancelled = self.cancellation();
        let options = ExecOptions::new().streaming(output.callback());
        let time = self.time;
        let streams = lock(&self.streams).take();
        if let Some(streams) = streams {
            let _ = self.bash.exec(streams).await;
            *lock(&self.streams) = None;
        }
        tokio::select! {
            result = self.bash.exec_with_options(command, options) => match result {
                Ok(result) => {
                    output.finish(&result);
                    End::Exit(result.exit_code)
                }
                Err(error) => match (*lock(&self.limit), error) {
                    (Some(limit), bashkit::Error::Cancelled) => stopped(limit),
                    (_, error) => end(error, time),
                },
            },
            () = unnoticed(&cancelled) => End::Lost,
        }
    }
}

/// `printenv` without the shell's own variables.
struct PrintVariables;

#[async_trait]
impl Builtin for PrintVariables {
    async fn execute(&self, context: BuiltinContext<'_>) -> bashkit::Result<ExecResult> {
        let BuiltinContext { args, env, .. } = context;
        let variables = env.iter().filter(|(name, _)| *name != STOP_AT_FAILURE);
        let variables: BTreeMap<_, _> = variables.collect();
        if args.is_empty() {
            let lines = variables.iter().map(|(name, value)| format!("{name}={value}\n"));
            return Ok(ExecResult::ok(lines.collect::<String>()));
        }
        let values: Vec<_> = args.iter().filter_map(|name| variables.get(name)).collect();
        let exit_code = i32::from(values.len() < args.len());
        let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
        Ok(ExecResult { exit_code, ..ExecResult::ok(lines) })
    }
}

/// Returns whether a command uses so much of its stack that it may not go deeper.
fn is_deep(begin: &AtomicUsize) -> bool {
    begin.load(Ordering::Relaxed).saturating_sub(stack_address()) > MOST_STACK
}

/// Returns about the address of the end of this thread's stack, which grows downwards.
#[inline(never)]
fn stack_address() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}

/// Drives a future on this thread, which no other runtime may use.
fn block_on<T>(future: impl Future<Output = T>) -> std::io::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let value = runtime.block_on(future);
    // Parsers of long scripts run on a thread of the runtime, and end at a limit of their own. A
    // process is copied once they have ended.
    runtime.shutdown_timeout(PARSERS);
    Ok(value)
}

/// Waits until a cancellation was not noticed in time.
async fn unnoticed(cancelled: &AtomicBool) {
    while !cancelled.load(Ordering::Relaxed) {
        tokio::time::sleep(CHECK).await;
    }
    tokio::time::sleep(NOTICE).await;
}

/// Adapts a call of a shell: a script stops at its first failure, and a path is required. The
/// list of variables has none of the shell's own.
fn shell_call(mut event: ToolEvent) -> ToolEvent {
    let before: &[&str] = match (event.name.as_str(), event.args.first()) {
        ("sh" | "bash", None) => &["-c", READ_SCRIPT],
        ("sh", Some(first)) if !first.starts_with('-') => &["-c", RUN_SCRIPT, "sh"],
        ("bash", Some(first)) if !first.starts_with('-') => &["-e"],
        ("env", None) => &["-u", STOP_AT_FAILURE],
        _ => &[],
    };
    event.args.splice(0..0, before.iter().map(ToString::to_string));
    event
}

/// The limit that a command has reached.
type Reached = Mutex<Option<&'static str>>;

fn lock(limit: &Reached) -> MutexGuard<'_, Option<&'static str>> {
    limit.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stopped(limit: &str) -> End {
    End::Stopped(format!("the limit of {limit} was reached"))
}

fn end(error: bashkit::Error, time: Duration) -> End {
    use bashkit::{Error, LimitExceeded};

    match error {
        Error::Cancelled => End::Stopped("the command was cancelled".to_owned()),
        Error::ResourceLimit(LimitExceeded::Timeout(_)) => {
            End::Stopped(format!("the time limit of {} s was reached", time.as_secs()))
        }
        Error::ResourceLimit(LimitExceeded::Memory(limit)) if limit.ends_with('`') => {
            stopped(&limit)
        }
        Error::ResourceLimit(limit) => End::Stopped(limit.to_string()),
        error => End::Refused(error.to_string()),
    }
}

fn file_limits(limits: &ShellLimits) -> FsLimits {
    FsLimits::new()
        .max_total_bytes(limits.total_bytes)
        .max_file_size(limits.file_bytes)
        .max_file_count(limits.files)
        .max_dir_count(limits.files)
        .max_path_depth(limits.depth)
}

fn execution_limits(limits: &ShellLimits) -> ExecutionLimits {
    let file = usize::try_from(limits.file_bytes).unwrap_or(usize::MAX);
    let whole = file.saturating_add(1).max(limits.output_bytes);
    ExecutionLimits::new()
        .timeout(limits.time())
        .max_commands(limits.steps)
        // A pipe drops the error of `awk` for rounds of loops: its other work reaches its limit
        // first.
        .max_work_units(WORK as u64)
        .max_loop_iterations(WORK)
        .max_total_loop_iterations(WORK)
        .max_input_bytes(file)
        // A script is cut as a command is, also where a file receives its output; what a host
        // receives is cut in [`Output`].
        .max_stdout_bytes(whole)
        .max_stderr_bytes(whole)
}
