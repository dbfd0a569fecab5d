//! A plugin that violates the rule which its configuration names, and follows all others. It is
//! used to test the kit for plugins.
#![allow(unsafe_code, reason = "some rules are broken by nothing else")]

#[path = "faulty/reach.rs"]
mod reach;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use prowess_plugin_sdk::prowess_core::{
    Cancel, Catalog, Code, Diagnostic, Found, Listing, MemorySource, PackagePath, PreviousScan,
    ReadLimit, ResourcePath, ScanSink, ScanSummary, Severity, SourceError, SourceErrorKind, Stamp,
    ToolContext, ToolDefinition, ToolResult,
};
use prowess_plugin_sdk::{
    Error, Host, Level, Plugin, Registration, SkillSource, Tool, ToolProvider, export_plugin,
};
use serde_json::{Value, json};

/// The number of instances so far, for rules about several instances.
static INSTANCES: AtomicU64 = AtomicU64::new(0);
static TAKES_ANYTHING: AtomicBool = AtomicBool::new(false);
static KEPT: Mutex<Vec<Host>> = Mutex::new(Vec::new());

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[serde(default)]
    breaks: String,
}

/// The violated rule; empty for none.
struct Config(String);

impl<'de> serde::Deserialize<'de> for Config {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match serde_json::from_value::<Strict>(value) {
            Ok(strict) => Ok(Self(strict.breaks)),
            Err(_) if TAKES_ANYTHING.load(Ordering::Relaxed) => Ok(Self(String::new())),
            Err(error) => Err(serde::de::Error::custom(error)),
        }
    }
}

struct Careless;

impl Plugin for Careless {
    type Config = Config;

    fn init(host: Host, Config(breaks): Config) -> Result<Registration, Error> {
        let number = INSTANCES.fetch_add(1, Ordering::Relaxed);
        match &*breaks {
            "begin" => return Ok(Registration::new()),
            "begin-panics" => panic!("init panics"),
            "begin-aborts" => std::process::abort(),
            "config" => TAKES_ANYTHING.store(true, Ordering::Relaxed),
            "surroundings" => std::env::set_current_dir(std::env::temp_dir())?,
            "memory" => drop(Box::leak(vec![1_u8; 64 << 10].into_boxed_slice())),
            "lifecycle-host" => {
                KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(host.clone());
            }
            "lifecycle-thread" => drop(thread::spawn(hang)),
            _ => {}
        }
        let name = match &*breaks {
            "reload" => format!("careless-{number}"),
            _ => "careless".to_owned(),
        };
        let tools = CarelessTools(breaks.clone());
        if breaks.starts_with("tools-alone") {
            return Ok(Registration::new().tools(tools));
        }
        let source = CarelessSource::new(&name, breaks, host)?;
        Ok(Registration::new().source(source).tools(tools))
    }
}

fn hang() {
    loop {
        thread::park();
    }
}

struct CarelessSource {
    inner: MemorySource,
    breaks: String,
    host: Host,
    scans: AtomicU64,
    callers: AtomicUsize,
}

impl CarelessSource {
    fn new(name: &str, breaks: String, host: Host) -> Result<Self, Error> {
        let skill = |name: &str| format!("---\nname: {name}\ndescription: Helps.\n---\nHelp.\n");
        let inner = MemorySource::builder(name)
            .file("alpha/SKILL.md", skill("alpha"))
            .file("alpha/b.md", "b")
            .file("alpha/references/notes.md", "notes")
            .file("beta/SKILL.md", skill("beta"));
        let inner = match &*breaks {
            "skills" => inner.file("gamma/SKILL.md", "---\nname: gamma\n---\n"),
            _ => inner,
        };
        let (scans, callers) = (AtomicU64::new(0), AtomicUsize::new(0));
        Ok(Self { inner: inner.build()?, breaks, host, scans, callers })
    }

    fn breaks(&self, rule: &str) -> bool {
        self.breaks == rule
    }
}

impl Drop for CarelessSource {
    fn drop(&mut self) {
        if self.breaks("lifecycle-drop") {
            hang();
        }
        self.host.log(Level::Debug, "careless", "is dropped");
    }
}

fn report(sink: &mut dyn ScanSink, package: &str, stamp: Option<Stamp>) {
    let head = b"---\nname: odd\ndescription: Odd.\n---\n";
    // More of a whole file is never requested.
    let _ = sink.found(Found {
        package,
        file: "SKILL.md",
        stamp,
        size: None,
        head,
        is_whole_file: true,
    });
}

fn unavailable(why: &str) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, why)
}

impl SkillSource for CarelessSource {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn root(&self) -> &str {
        "careless://here"
    }

    fn scan(
        &self,
        previous: &PreviousScan<'_>,
        sink: &mut dyn ScanSink,
        cancel: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        let number = self.scans.fetch_add(1, Ordering::Relaxed);
        match &*self.breaks {
            "scan-panics" => panic!("the scan panics"),
            "scan-aborts" => std::process::abort(),
            "scan-hangs" => hang(),
            "scan-fails" => return Err(unavailable("the server is away")),
            "scan-path" => report(sink, "odd/../odd", None),
            "scan-twice" => ["odd"; 2].iter().for_each(|odd| report(sink, odd, None)),
            "scan-problem" => {
                let severity = Severity::Warning;
                sink.problem(Diagnostic::new(Code::new("odd"), severity, "it is odd", ""));
            }
            "stable" => report(sink, &format!("odd-{number}"), None),
            "stable-stamp" => {
                report(sink, "odd", Some(Stamp::exact(7)));
            }
            "stable-restamp" => report(sink, "odd", Some(Stamp::exact(number + 1))),
            "cancel" if cancel.is_cancelled() => hang(),
            "budget" => thread::sleep(Duration::from_millis(1_100)),
            "stdout" => write_out(),
            "processes" => fork_once(),
            "processes-programs" => drop(reach::reach("orphan", "", "612")),
            attacks if attacks.starts_with("attacks ") => {
                return Err(unavailable(&attack(attacks)));
            }
            "surroundings-signals" => ignore_window_changes(),
            "threads" => {
                let others = self.callers.fetch_add(1, Ordering::SeqCst);
                (0..1_000).for_each(|_| thread::yield_now());
                let scanned = self.inner.scan(previous, sink, cancel);
                self.callers.fetch_sub(1, Ordering::SeqCst);
                return if others == 0 { scanned } else { Err(unavailable("it is busy")) };
            }
            _ => {}
        }
        self.inner.scan(previous, sink, cancel)
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let mut listing = self.inner.list(package, most)?;
        match &*self.breaks {
            "read-size" => listing.resources.iter_mut().for_each(|file| file.bytes += 1),
            "read-order" => listing.resources.reverse(),
            "read-cut" => listing.is_complete = true,
            _ => {}
        }
        Ok(listing)
    }

    fn read(
        &self,
        package: &PackagePath,
        resource: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        match &*self.breaks {
            "read-exits" => std::process::exit(0),
            "read-text" => return Ok(b"another text".to_vec()),
            "read-part" => {
                let mut bytes = self.inner.read(package, resource, ReadLimit::default())?;
                bytes.truncate(limit.0);
                return Ok(bytes);
            }
            "unknown" => {
                let read = self.inner.read(package, resource, limit);
                return read.map_err(|_| unavailable("something is wrong"));
            }
            "hostile" if package.as_str().contains('%') => return Ok(b"secret".to_vec()),
            "hostile-panics" if !resource.as_str().is_ascii() => panic!("no such letter"),
            _ => {}
        }
        self.inner.read(package, resource, limit)
    }
}

/// Tries to access everything outside of this process, and returns the result of each attempt. The
/// argument is `attacks`, the host's process id, the path of a file and a network address.
fn attack(arguments: &str) -> String {
    let mut arguments = arguments.split(' ').skip(1);
    let [host, file, address] = std::array::from_fn(|_| arguments.next().unwrap_or_default());
    let attempts = [
        ("read", file),
        ("write", file),
        ("connect", address),
        ("signal", ""),
        ("memory", ""),
        ("environ", ""),
        ("run", ""),
    ];
    let ended = attempts.map(|(what, path)| match reach::reach(what, host, path) {
        Ok(_) => format!("{what} works"),
        Err(error) => format!("{what} is refused: {error}"),
    });
    ended.join("; ")
}

unsafe extern "C" {
    fn fork() -> i32;
    fn signal(number: i32, handler: usize) -> usize;
}

fn fork_once() {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    if !IS_DONE.swap(true, Ordering::SeqCst) {
        // SAFETY: unsound on purpose: the copy has only one of the host's threads.
        unsafe { fork() };
    }
}

/// Ignores a signal that test runners do not ignore, as `nohup` does with SIGHUP.
fn ignore_window_changes() {
    const WINDOW_CHANGE: i32 = 28;
    const IGNORE: usize = 1;
    // SAFETY: the constants are those of the system's header.
    unsafe { signal(WINDOW_CHANGE, IGNORE) };
}

#[expect(clippy::print_stdout, reason = "that is what it does wrong")]
fn write_out() {
    println!("it scans");
}

struct CarelessTools(String);

impl ToolProvider for CarelessTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let count = if self.0 == "tools-twice" { 2 } else { 1 };
        let tool = || Arc::new(CarelessTool(self.0.clone())) as Arc<dyn Tool>;
        (0..count).map(|_| tool()).collect()
    }
}

struct CarelessTool(String);

impl Tool for CarelessTool {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        let kind = if self.0 == "tools-schema" { "txet" } else { "string" };
        let description = if self.0 == "tools-description" { "" } else { "Counts words." };
        ToolDefinition {
            name: "careless.count".into(),
            description: description.into(),
            input_schema: json!({
                "type": "object",
                "properties": {"text": {"type": kind}},
                "required": ["text"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        if matches!(&*self.0, "deadline" | "tools-alone-cancel") && context.cancel.is_cancelled() {
            hang();
        }
        if self.0 == "tools-alone-threads" {
            return busy_or_idle();
        }
        match arguments["text"].as_str() {
            Some(text) => {
                let words: HashSet<_> = text.split_whitespace().collect();
                ToolResult::data(json!({ "words": words.len() }))
            }
            None if self.0 == "arguments" => panic!("there is no text"),
            None => ToolResult::error(Code::new("arguments-invalid"), "give a `text`"),
        }
    }
}

/// Returns a result that depends on concurrent calls.
fn busy_or_idle() -> ToolResult {
    static CALLERS: AtomicUsize = AtomicUsize::new(0);
    let others = CALLERS.fetch_add(1, Ordering::SeqCst);
    (0..100).for_each(|_| thread::yield_now());
    CALLERS.fetch_sub(1, Ordering::SeqCst);
    ToolResult::text(if others == 0 { "idle" } else { "busy" })
}

export_plugin!(
    Careless,
    kinds = ["source", "tools"],
    config_schema = r#"{
        "type": "object",
        "properties": {"breaks": {"type": "string"}},
        "additionalProperties": false
    }"#,
);
