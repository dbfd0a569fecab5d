//! A plugin that runs in the process of the host, or in its own.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{
    Cancel, Clock, Code, Diagnostic, PackagePath, ReadLimit, ResourcePath, SkillSource,
    SourceError, ToolProvider,
};
use prowess_plugin_host::{
    Isolation, Launch, LoadedPlugin, PluginError, PluginLimits, PluginRights, SandboxPolicy,
    start_process,
};
use prowess_testkit::{ManualClock, ScanRecorder};
use serde_json::{Value, json};

use super::rows::Act::{self, Begin, End, List, Read, Scan, Tool, Watch};
use crate::clock::MovableClock;
use crate::conversation;
use crate::loaded::{Start, staged};

/// A clock that a test can move forward.
pub(crate) trait Advance: Clock {
    fn advance(&self, time: Duration);
}

impl Advance for ManualClock {
    fn advance(&self, time: Duration) {
        self.advance(time);
    }
}

impl Advance for MovableClock {
    fn advance(&self, time: Duration) {
        self.advance(time);
    }
}

/// A running plugin, in either process.
pub(crate) struct Running {
    pub(crate) source: Arc<dyn SkillSource>,
    pub(crate) tools: Arc<dyn ToolProvider>,
    pub(crate) clock: Arc<dyn Advance>,
}

pub(crate) fn in_host(
    file: &Path,
    config: &Value,
    limits: PluginLimits,
) -> Result<Running, PluginError> {
    let (plugin, staged) = staged(file, Isolation::InProcess)?;
    let image = prowess_plugin_host::LoadedCode::open(&plugin, staged)?;
    let start = Start { limits, ..Start::with(config.clone()) };
    let plugin: LoadedPlugin = start.start(image)?;
    Ok(Running {
        source: Arc::clone(&plugin.sources()[0]),
        tools: Arc::clone(&plugin.tool_providers()[0]),
        clock: start.clock,
    })
}

pub(crate) fn in_process(
    file: &Path,
    config: &Value,
    limits: PluginLimits,
) -> Result<Running, PluginError> {
    let (plugin, library) = staged(file, Isolation::Process)?;
    let clock = Arc::<MovableClock>::default();
    let launch = Launch {
        program: env!("CARGO_BIN_EXE_prowess-plugin-runner").into(),
        arguments: Vec::new(),
        name: plugin.manifest().name.clone(),
        file: plugin.file().to_owned(),
        library,
        config: Some(config.clone()),
        limits,
        sandbox: SandboxPolicy::Auto,
        rights: PluginRights::default(),
        shows_conversation: false,
        directory: "/".into(),
    };
    let started = start_process(launch, Arc::clone(&clock) as _)?;
    Ok(Running { source: Arc::clone(&started.sources[0]), tools: started.tools, clock })
}

impl Running {
    pub(super) fn does(&self, act: Act) -> Vec<String> {
        match act {
            Begin | End => Vec::new(),
            Scan => match ScanRecorder::scan(&*self.source) {
                Ok(scan) => scan.problems.iter().map(code_of_problem).collect(),
                Err(error) => code_in(&error),
            },
            List(package) => failed(self.source.list(&PackagePath::new(package).unwrap(), 9)),
            Read(package) => failed(self.read(package)),
            Watch => failed(self.source.watch(Arc::new(|_| ())).map(drop)),
            Tool(how) => {
                let tool = &self.tools.tools()[0];
                let arguments = json!({ "how": how });
                let never = Cancel::default();
                let result = conversation::call(&**tool, &*self.clock, &arguments, &never);
                result.code.iter().map(|code| code.as_str().to_owned()).collect()
            }
        }
    }

    pub(crate) fn read(&self, package: &str) -> Result<Vec<u8>, SourceError> {
        let package = PackagePath::new(package).unwrap();
        self.source.read(&package, &ResourcePath::new("file").unwrap(), ReadLimit::default())
    }
}

fn failed<T>(answer: Result<T, SourceError>) -> Vec<String> {
    answer.err().iter().flat_map(code_in).collect()
}

fn code_of_problem(problem: &Diagnostic) -> String {
    Code::as_str(&problem.code).to_owned()
}

/// Returns the code at the beginning of a message.
fn code_in(error: &SourceError) -> Vec<String> {
    let code = error.message.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let code = code.map_or(error.kind.as_str(), |(code, _)| code);
    vec![code.to_owned()]
}
