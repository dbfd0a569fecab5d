//! A plugin that does wrong what a plugin can do wrong without ending its host, as its configuration and
//! the names of packages ask for it. Hosts are tested with it.
#![forbid(unsafe_code)]

use std::panic::panic_any;
use std::sync::Arc;
use std::thread;

use prowess_plugin_sdk::prowess_core::{
    Cancel, Catalog, ChangeListener, Code, Diagnostic, Found, Listing, PackagePath, ReadFurther,
    ReadLimit, Resource, ResourcePath, ScanSink, Severity, SourceChange, SourceError,
    SourceErrorKind, ToolContext, ToolDefinition, ToolResult, Watch,
};
use prowess_plugin_sdk::{
    Error, Host, Level, Plugin, Registration, SkillSource, Tool, ToolProvider, export_plugin,
};
use serde_json::{Value, json};

/// What to do wrong.
#[derive(serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// In `init`: `panic`, `refuse` or `hang`.
    init: String,
    /// In a scan: `panic`, `hang`, `cancel`, `sink`, `file`.
    scan: String,
    /// When the source is dropped: `panic`, `log`.
    drop: String,
    /// How many tools of one name there are.
    tools: usize,
    /// What the source's name is.
    name: String,
}

impl Default for Config {
    fn default() -> Self {
        let nothing = String::new;
        let name = "faulty".to_owned();
        Self { init: nothing(), scan: nothing(), drop: nothing(), tools: 1, name }
    }
}

struct Faulty;

impl Plugin for Faulty {
    type Config = Config;

    fn init(host: Host, config: Config) -> Result<Registration, Error> {
        host.log(Level::Info, "faulty", "begins");
        match &*config.init {
            "panic" => panic!("init panics"),
            "refuse" => return Err(Error::unavailable("nobody is there")),
            "hang" => hang(),
            _ => {}
        }
        let tools = FaultyTools(config.tools);
        Ok(Registration::new().source(FaultySource { config, host }).tools(tools))
    }
}

fn hang() {
    loop {
        thread::park();
    }
}

/// A value of a panic whose own end panics.
struct BadPayload;

impl Drop for BadPayload {
    fn drop(&mut self) {
        panic!("the payload panics");
    }
}

struct FaultySource {
    config: Config,
    host: Host,
}

impl Drop for FaultySource {
    fn drop(&mut self) {
        match &*self.config.drop {
            "panic" => panic!("the drop panics"),
            "log" => self.host.log(Level::Info, "faulty", "is dropped"),
            _ => {}
        }
    }
}

fn report(sink: &mut dyn ScanSink, package: &str, file: &str) -> ReadFurther {
    let head = b"---\nname: good\ndescription: Good.\n---\n";
    sink.found(Found { package, file, stamp: None, size: None, head, is_whole_file: true })
}

fn not_found(package: &PackagePath) -> SourceError {
    SourceError::new(SourceErrorKind::NotFound, format!("there is no `{package}`"))
}

impl SkillSource for FaultySource {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn root(&self) -> &str {
        "faulty://here"
    }

    fn scan(&self, sink: &mut dyn ScanSink, cancel: &Cancel) -> Result<(), SourceError> {
        match &*self.config.scan {
            "panic" => panic!("the scan panics"),
            "hang" => hang(),
            "cancel" => {
                while !cancel.is_cancelled() {
                    thread::yield_now();
                }
                return Err(SourceError::new(SourceErrorKind::Cancelled, "it was cancelled"));
            }
            "file" => {
                report(sink, "good", "README.md");
            }
            _ => {}
        }
        report(sink, "good", "SKILL.md");
        let code = Code::new("faulty-odd");
        let severity = Severity::Hint;
        sink.problem(Diagnostic::new(code, severity, "it is odd", "leave it"));
        Ok(())
    }

    fn watch(&self, listener: ChangeListener) -> Result<Option<Watch>, SourceError> {
        listener(SourceChange::Packages(vec![PackagePath::new("good").expect("a path")]));
        Ok(Some(Watch::new(())))
    }

    fn list(&self, package: &PackagePath, most: usize) -> Result<Listing, SourceError> {
        let resource = |path: &str| Resource {
            path: ResourcePath::new(path).expect("a file of the package"),
            bytes: 1,
        };
        let paths: &[&str] = match package.as_str() {
            "good" => &["a", "b"],
            "twice" => &["a", "a"],
            "unsorted" => &["b", "a"],
            "panic" => panic!("the listing panics"),
            _ => return Err(not_found(package)),
        };
        // It does not keep to `most`.
        let _ = most;
        let resources = paths.iter().map(|path| resource(path)).collect();
        Ok(Listing { resources, is_complete: true })
    }

    fn read(
        &self,
        package: &PackagePath,
        _: &ResourcePath,
        limit: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        match package.as_str() {
            "good" => Ok(b"good".to_vec()),
            "large" => Ok(vec![b'x'; limit.0 + 1]),
            "panic" => panic!("the read panics"),
            "payload" => panic_any(BadPayload),
            "hang" => {
                hang();
                Ok(Vec::new())
            }
            _ => Err(not_found(package)),
        }
    }
}

/// So many tools of one name.
struct FaultyTools(usize);

impl ToolProvider for FaultyTools {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        (0..self.0).map(|_| Arc::new(FaultyTool) as Arc<dyn Tool>).collect()
    }
}

struct FaultyTool;

impl Tool for FaultyTool {
    fn definition(&self, _: &Catalog) -> ToolDefinition {
        ToolDefinition {
            name: "faulty.do".into(),
            description: "Does what `how` says.".into(),
            input_schema: json!({"type": "object", "properties": {"how": {"type": "string"}}}),
        }
    }

    fn call(&self, context: &ToolContext<'_>, arguments: &Value) -> ToolResult {
        match arguments["how"].as_str() {
            Some("panic") => panic!("the tool panics"),
            Some("who") => ToolResult::data(json!({
                "session": context.session.id().as_str(),
                "caller": format!("{:?}", context.caller),
                "now": context.clock.now().0,
                "skills": context.catalog.len(),
            })),
            Some("wait") => {
                while !context.cancel.is_cancelled() {
                    thread::yield_now();
                }
                ToolResult::text("was cancelled")
            }
            _ => ToolResult::error(Code::new("faulty-how"), "say how"),
        }
    }
}

export_plugin!(Faulty, kinds = ["source", "tools"], config_schema = r#"{"type":"object"}"#);
