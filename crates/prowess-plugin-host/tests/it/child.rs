//! A plugin in a process of its own: real processes, and every way in which one can go wrong.
//!
//! The process is this test program again, run with one test that serves a source made for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_core::{
    ActiveSkill, Caller, Cancel, Catalog, Clock, Content, LoadMode, MemorySource, PackagePath,
    ReadLimit, Receipt, ResourcePath, ScanSink, Session, SessionError, SessionId, SessionState,
    SkillSource, SourceError, SourceErrorKind, Timestamp, Tool, ToolContext, ToolDefinition,
    ToolResult, Unload,
};
use prowess_plugin_host::{
    ChildPlugin, ChildRequest, Launch, PluginError, PluginErrorKind, PluginLimits, ProcessPlugin,
    serve_child, stage, start_process,
};
use prowess_testkit::{ManualClock, ScanRecorder, SourceFixture, check_source};
use serde_json::{Value, json};

use crate::fault_table::in_process;
use crate::old;

/// The last word on the command line of the process.
const AS_PROCESS: &str = "as-a-plugin-process";

/// Not a test, but the process of the others.
#[test]
fn the_process_of_a_plugin() {
    if std::env::args().any(|word| word == AS_PROCESS) {
        let _ = serve_child(open);
    }
}

fn open(request: ChildRequest) -> Result<ChildPlugin, PluginError> {
    let config = request.config.unwrap_or_default();
    match config["begin"].as_str() {
        Some("abort") => std::process::abort(),
        Some("hang") => hang(),
        Some("refuse") => {
            let reason = "has no address to call";
            let help = "set `address`";
            return Err(PluginError::failed(PluginErrorKind::Init, &request.file, reason, help));
        }
        _ => {}
    }
    let mut files = MemorySource::builder("wild");
    for (path, content) in config["files"].as_object().into_iter().flatten() {
        let bytes: Vec<u8> = serde_json::from_value(content.clone()).unwrap();
        files = files.file(path, bytes);
    }
    let source: Arc<dyn SkillSource> = Arc::new(files.build().unwrap());
    let wild = Wild { files: Arc::clone(&source) };
    Ok(ChildPlugin { sources: vec![source, Arc::new(wild)], tools: vec![Arc::new(Echo)] })
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

/// A source that does what the file's name says.
struct Wild {
    files: Arc<dyn SkillSource>,
}

impl SkillSource for Wild {
    fn name(&self) -> &str {
        "wild"
    }

    fn root(&self) -> &str {
        "/wild"
    }

    fn scan(&self, _: &mut dyn ScanSink, cancel: &Cancel) -> Result<(), SourceError> {
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        Err(SourceError::new(SourceErrorKind::Cancelled, "the plugin has heard"))
    }

    fn list(
        &self,
        package: &PackagePath,
        most: usize,
    ) -> Result<prowess_core::Listing, SourceError> {
        self.files.list(package, most)
    }

    fn read(
        &self,
        _: &PackagePath,
        resource: &ResourcePath,
        _: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        match resource.as_str() {
            "abort" => std::process::abort(),
            "exit" => std::process::exit(42),
            "overflow" => Ok(vec![u8::try_from(overflow(0) % 7).unwrap()]),
            "hang" => hang(),
            "panic" => panic!("on purpose"),
            "grow" => Ok(grow()),
            "large" => Ok(vec![0; 3 << 20]),
            "print" => {
                use std::io::Write;
                std::io::stdout().write_all(b"a plugin prints\n").unwrap();
                Ok(b"printed".to_vec())
            }
            "environment" => Ok(format!("{:?}", std::env::vars().collect::<Vec<_>>()).into()),
            "limits" => Ok(limits_of_this_process().into_bytes()),
            _ => Ok(b"fine".to_vec()),
        }
    }
}

#[expect(unconditional_recursion, reason = "the stack is to overflow")]
fn overflow(depth: u64) -> u64 {
    let here = std::hint::black_box([depth; 512]);
    overflow(depth + 1) + here[7]
}

fn grow() -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        all.push(std::hint::black_box(vec![1_u8; 64 << 20]));
        if all.len() > 1_000 {
            return Vec::new();
        }
    }
}

fn limits_of_this_process() -> String {
    use rustix::process::{Resource, getrlimit};
    let limit = |resource| getrlimit(resource).current.unwrap_or_default();
    let new_privileges = rustix::thread::no_new_privs().unwrap();
    let (space, files) = (limit(Resource::As), limit(Resource::Nofile));
    let core = limit(Resource::Core);
    format!("address space {space}, files {files}, core {core}, no new privileges {new_privileges}")
}

/// A tool that says what it was given.
struct Echo;

impl Tool for Echo {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "echo".into(),
            description: "Says what it was given".into(),
            input_schema: json!({"type": "object"}),
        }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        match arguments["mode"].as_str() {
            Some("abort") => std::process::abort(),
            _ => {
                let (id, caller) = (context.session.id(), context.caller);
                ToolResult::text(format!("{arguments} in {id} by {caller:?}"))
            }
        }
    }

    fn is_offered(&self, _: &Catalog) -> bool {
        false
    }
}

/// Time as it is, for what ends by itself.
struct RealClock(Instant);

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

fn real() -> Arc<dyn Clock> {
    Arc::new(RealClock(Instant::now()))
}

fn launch(config: Value, limits: PluginLimits) -> Launch {
    let (_place, plugin) = crate::stage::verified();
    let test = "child::the_process_of_a_plugin";
    let arguments = [test, "--exact", "--nocapture", "--quiet", AS_PROCESS];
    Launch {
        program: std::env::current_exe().unwrap(),
        arguments: arguments.map(Into::into).into(),
        file: "/plugins/wild.so".into(),
        library: stage(&plugin, &std::env::temp_dir()).unwrap(),
        config: Some(config),
        limits,
    }
}

fn bounds() -> PluginLimits {
    PluginLimits { address_space: 1 << 30, ..PluginLimits::default() }
}

fn start(config: Value, limits: PluginLimits, clock: Arc<dyn Clock>) -> ProcessPlugin {
    start_process(launch(config, limits), clock).expect("the plugin begins")
}

/// Reads a file of the wild source, which makes it do what the name says.
fn read(plugin: &ProcessPlugin, what: &str) -> Result<String, SourceError> {
    let (package, resource) = (PackagePath::new("").unwrap(), ResourcePath::new(what).unwrap());
    let bytes = plugin.sources[1].read(&package, &resource, ReadLimit(1 << 20))?;
    Ok(String::from_utf8(bytes).unwrap())
}

/// The source fails in this way, the host goes on, and the plugin is begun again after a while.
#[track_caller]
fn contained(what: &str, reason: &str) {
    let clock = Arc::new(ManualClock::default());
    let plugin = start(json!({}), bounds(), Arc::clone(&clock) as Arc<dyn Clock>);
    let error = read(&plugin, what).expect_err("the call fails");
    assert_eq!(error.kind, SourceErrorKind::Unavailable, "the error says so: {error}");
    assert!(error.message.contains(reason), "`{what}`: the reason is `{reason}`: {error}");
    let error = read(&plugin, "fine").expect_err("it is not begun again at once");
    assert!(error.message.contains("; it is begun again in 100 ms"), "`{what}`: {error}");
    clock.advance(Duration::from_millis(100));
    assert_eq!(read(&plugin, "fine").as_deref(), Ok("fine"), "`{what}`: it is begun again");
}

#[test]
fn a_plugin_that_ends_its_process_takes_nobody_along() {
    contained("abort", "[plugin-crashed] `/plugins/wild.so` ended its process by signal 6");
    contained("exit", "[plugin-crashed] `/plugins/wild.so` ended its process with exit code 42");
    contained("overflow", "[plugin-crashed] `/plugins/wild.so` ended its process by signal");
}

#[test]
fn a_plugin_that_takes_all_memory_takes_its_own() {
    contained("grow", "[plugin-crashed] `/plugins/wild.so` ended its process by signal");
}

#[test]
fn an_answer_that_is_too_large_is_not_taken() {
    let limits = PluginLimits { answer_bytes: 2 << 20, ..bounds() };
    let plugin = start(json!({}), limits, real());
    let error = read(&plugin, "large").expect_err("the answer is refused");
    assert!(error.message.contains("[plugin-protocol-broken]"), "{error}");
    assert!(error.message.contains("3145728 bytes"), "{error}");
}

#[test]
fn a_panic_that_nobody_caught_ends_its_call() {
    let plugin = start(json!({}), bounds(), real());
    let error = read(&plugin, "panic").expect_err("the call fails");
    assert_eq!(error.message, "the plugin panicked", "the call says why");
    assert_eq!(read(&plugin, "fine").as_deref(), Ok("fine"), "and the process goes on");
}

#[test]
fn a_call_that_hangs_ends_at_its_deadline() {
    let limits = PluginLimits { call_ms: 100, grace_ms: 100, ..bounds() };
    let plugin = start(json!({}), limits, real());
    let error = read(&plugin, "hang").expect_err("the call ends");
    let expected = "[plugin-deadline] `/plugins/wild.so` did not answer within 100 ms";
    assert!(error.message.contains(expected), "{error}");
}

#[test]
fn a_plugin_that_fails_too_often_is_left_alone() {
    let clock = Arc::new(ManualClock::default());
    let plugin = start(json!({}), bounds(), Arc::clone(&clock) as Arc<dyn Clock>);
    for _ in 0..4 {
        let error = read(&plugin, "exit").expect_err("the call fails");
        assert!(error.message.contains("exit code 42"), "it is begun again until then: {error}");
        clock.advance(Duration::from_secs(5));
    }
    let error = read(&plugin, "fine").expect_err("it is left alone");
    assert!(error.message.contains("[plugin-quarantined]"), "{error}");
    assert!(error.message.contains("failed 4 times in 600 s and is left alone"), "{error}");
    clock.advance(Duration::from_secs(601));
    assert_eq!(read(&plugin, "fine").as_deref(), Ok("fine"), "old failures are forgotten");
}

#[test]
fn pages_become_one_listing() {
    let running = in_process(&old::built(), &json!({}), PluginLimits::default()).unwrap();
    old::assert_listed(&*running.source);
}

#[test]
fn a_program_that_takes_nothing_is_buried() {
    // More than the kernel keeps for it, so that it is missed.
    let config = json!({ "text": "x".repeat(8 << 20) });
    let launch = Launch { program: "true".into(), ..launch(config, bounds()) };
    let refused = start_process(launch, Arc::new(ManualClock::default())).err().unwrap();
    assert_eq!(refused.kind, PluginErrorKind::Init, "{refused}");
    assert_eq!(dead_children("true"), 0, "nothing of it is left");
}

/// How many processes of this name have ended and are still waited for by this one.
fn dead_children(name: &str) -> usize {
    let own = format!("({name}) Z {} ", std::process::id());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let stat = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("stat")).ok();
    processes.filter_map(stat).filter(|stat| stat.contains(&own)).count()
}

#[test]
fn a_plugin_that_does_not_begin_is_told() {
    let check = |begin: &str, limits: PluginLimits, kind: PluginErrorKind, reason: &str| {
        let started = start_process(launch(json!({ "begin": begin }), limits), real());
        let error = started.err().expect("it does not begin");
        assert_eq!((error.kind, error.reason.as_str()), (kind, reason), "{begin}: {error}");
    };
    let quick = PluginLimits { init_ms: 300, ..bounds() };
    check("refuse", bounds(), PluginErrorKind::Init, "has no address to call");
    check("abort", bounds(), PluginErrorKind::Crashed, "ended its process by signal 6");
    check("hang", quick, PluginErrorKind::Init, "did not begin within 300 ms");
    let launch = Launch { program: "/nowhere/runner".into(), ..launch(json!({}), bounds()) };
    let error = start_process(launch, real()).err().expect("there is no such program");
    assert!(error.to_string().contains("by `/nowhere/runner`"), "{error}");
    assert!(error.to_string().ends_with("; nothing was executed"), "{error}");
}

#[test]
fn what_a_plugin_prints_disturbs_nobody() {
    let plugin = start(json!({}), bounds(), real());
    assert_eq!(read(&plugin, "print").as_deref(), Ok("printed"), "the answer comes all the same");
}

#[test]
fn the_process_is_in_its_bounds() {
    let plugin = start(json!({}), bounds(), real());
    let told = read(&plugin, "limits").unwrap();
    let expected = "address space 1073741824, files 256, core 0, no new privileges true";
    assert_eq!(told, expected, "the bounds are those of the policy");
    let environment = read(&plugin, "environment").unwrap();
    for (name, _) in std::env::vars().filter(|(name, _)| !name.starts_with("RUST")) {
        let is_told = environment.contains(&format!("({name:?},"));
        assert!(!is_told, "the host's `{name}` is none of its business: {environment}");
    }
}

#[test]
fn calls_at_once_do_not_wait_for_each_other_and_end_when_cancelled() {
    let limits = PluginLimits { calls_at_once: 4, ..bounds() };
    let plugin = start(json!({}), limits, real());
    let cancel = Cancel::default();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| plugin.sources[1].scan(&mut ScanRecorder::default(), &cancel));
        for _ in 0..20 {
            assert_eq!(read(&plugin, "fine").as_deref(), Ok("fine"), "one call holds up no other");
        }
        cancel.cancel();
        let error = waiting.join().unwrap().expect_err("it was cancelled");
        assert_eq!(error.message, "the plugin has heard", "the plugin ends by itself: {error}");
    });
    assert_eq!(read(&plugin, "fine").as_deref(), Ok("fine"), "and the process goes on");
}

#[test]
fn a_tool_of_a_process_is_a_tool() {
    let plugin = start(json!({}), bounds(), real());
    let tools = plugin.tools.tools();
    let catalog = Arc::new(Catalog::empty());
    let definition = tools[0].definition(&catalog);
    assert_eq!(definition, Echo.definition(&catalog), "it is shown as it is");
    let clock = ManualClock::default();
    let cancel = Cancel::default();
    let context = ToolContext {
        catalog: &catalog,
        session: &Conversation(SessionId::new("s-1")),
        caller: Caller::User,
        clock: &clock,
        cancel: &cancel,
    };
    let told = tools[0].call(&context, &json!({"a": 1}));
    let expected = vec![Content::Text { text: "{\"a\":1} in s-1 by User".into() }];
    assert_eq!(
        told.content, expected,
        "it gets its arguments, the conversation's name and who calls"
    );
    assert!(!tools[0].is_offered(&catalog), "it is not shown where it does not want to be");
    let failed = tools[0].call(&context, &json!({"mode": "abort"}));
    assert!(failed.is_error, "a crash is an answer: {failed:?}");
    assert_eq!(failed.code.unwrap().as_str(), "plugin-crashed", "with a code");
}

struct Conversation(SessionId);

impl Session for Conversation {
    fn id(&self) -> &SessionId {
        &self.0
    }

    fn state(&self) -> Result<SessionState, SessionError> {
        Ok(SessionState::new(self.0.clone(), Timestamp(0)))
    }

    fn load(&self, _: Vec<ActiveSkill>, _: LoadMode) -> Result<Receipt, SessionError> {
        Err(SessionError::NotFound(self.0.clone()))
    }

    fn unload(&self, _: &Unload) -> Result<Receipt, SessionError> {
        Err(SessionError::NotFound(self.0.clone()))
    }
}

/// Sources in memory, behind a process.
struct Processes;

impl SourceFixture for Processes {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        let files: serde_json::Map<_, _> =
            files.iter().map(|(path, content)| ((*path).to_owned(), json!(content))).collect();
        let plugin = start(json!({ "files": files }), bounds(), real());
        Arc::clone(&plugin.sources[0])
    }
}

#[test]
fn a_source_of_a_process_keeps_the_rules_of_sources() {
    check_source(&Processes);
}
