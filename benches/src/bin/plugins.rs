//! Prints what a source and a tool cost in a plugin, in the host's process and in a child process,
//! compared with the same code linked into the host.
//!
//! `plugins DIRECTORY [ROUNDS]`: `cargo xtask bench` builds plugins there; 15 rounds by default.
//! The CPU time of a child process is not that of the host, so both columns of its rows are
//! wall-clock time.
#![forbid(unsafe_code)]

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use benches::corpus;
use benches::measure::{CallTimes, least, least_by_the_clock, times_of_calls};
use benches::plugin::{loader, trust};
use benches::table::{print_alone, print_beside};
use benches::turn::Conversation;
use prowess_core::{
    Cancel, DeliveryPolicy, Diagnostic, Found, MemorySource, PackagePath, PreviousScan,
    ReadFurther, ReadLimit, ResourcePath, ResultTexts, ScanSink, SkillSource, ToolProvider,
    ToolResult,
};
use prowess_plugin_host::{Isolation, Plugin, PluginPolicy, PluginSettings};
use prowess_tools::{SkillTools, ToolPolicy};
use serde_json::{Map, Value, json};

const RECORDS: usize = 1_000;
const ON_DISK: usize = 10_000;

/// The maximum ratio of discovery by a plugin in the host's process to discovery by the linked
/// source.
const MOST_OF_DISCOVERY: f64 = 1.5;

/// The number of single calls, and the maximum median of the time over the linked call in
/// microseconds, for each crossing of the boundary: in the host's process and in a child process.
const SINGLE_CALLS: usize = 20_000;
const MOST_OVERHEAD_US: [f64; 2] = [3.0, 40.0];

struct Places {
    linked: Arc<dyn SkillSource>,
    here: Arc<dyn SkillSource>,
    elsewhere: Arc<dyn SkillSource>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().expect("`plugins DIRECTORY [ROUNDS]`"));
    let plugins = directory.canonicalize().expect("the directory is there");
    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(15);
    let memory = memory(&plugins);
    let work = |what, skills, times| Work { what, skills, times, most: None, rounds };
    work("read 5 bytes", 1, 200).measure(&memory, |source| length(source, "small"));
    work("read 5 KB", 1, 200).measure(&memory, |source| length(source, "body"));
    for (what, package) in [("read 5 bytes", "small"), ("read 5 KB", "body")] {
        let times =
            memory.each().map(|source| times_of_calls(SINGLE_CALLS, || length(source, package)));
        overhead(what, MOST_OVERHEAD_US, &times);
    }
    tool_calls(&plugins);
    work("scan of records in memory", RECORDS, 10).measure(&memory, scan);
    let directory = corpus::on_disk(ON_DISK);
    let discovery = work("discovery", ON_DISK, 1);
    Work { most: Some(MOST_OF_DISCOVERY), ..discovery }
        .measure(&filesystem(&plugins, directory.path()), |source| {
            corpus::registry_of(Arc::clone(source)).reload().catalog.len()
        });
}

/// Prints how much longer single calls of a plugin take than linked calls, which are the first: the
/// median and the 99th percentile, since the minimum is a call that found its thread awake.
fn overhead(what: &str, most: [f64; 2], [linked, loaded @ ..]: &[CallTimes; 3]) {
    let places = ["plugin in the host's process", "plugin in a child process"];
    for ((place, times), most) in places.into_iter().zip(loaded).zip(most) {
        let over = |time: Duration, linked| time.saturating_sub(linked).as_secs_f64() * 1e6;
        let what = format!("{what}, {place}, time over the linked call");
        let half = over(times.half, linked.half);
        print_alone(&format!("{what}, median"), 1, half, "µs", Some((most * 10.0).round() / 10.0));
        let slow = over(times.most, linked.most);
        print_alone(&format!("{what}, 99th percentile"), 1, slow, "µs", None);
    }
}

/// Measures calls of the skill tools: one that needs only its arguments, and one that needs the
/// session and a file of the host, which crosses the boundary twice: as the file, and in the
/// result. The limit is one for each crossing, and what the result takes in the same run.
fn tool_calls(plugins: &Path) {
    let source = (0..100)
        .map(corpus::skill)
        .fold(MemorySource::builder("skills"), |source, (name, text)| {
            source.file(&format!("{name}/SKILL.md"), text)
        });
    let source = Arc::new(source.build().expect("the paths are paths"));
    let catalog = corpus::registry_of(source).reload().catalog;
    let file = library(plugins, "skill_tools");
    let conversation = |tools: &dyn ToolProvider| {
        let conversation = Conversation::with_tools(Arc::clone(&catalog), tools);
        conversation.load(&conversation.some_ids(1)[0]);
        conversation
    };
    let loaded = |isolation| conversation(&*plugin(&file, &Value::Null, isolation).tools[0]);
    let linked = SkillTools::new(ToolPolicy::default(), DeliveryPolicy::default());
    let conversations =
        [conversation(&linked), loaded(Isolation::InProcess), loaded(Isolation::Process)];
    let calls = [
        // A page after the last skill is empty: the least that succeeds.
        ("tool call", 1.0, "skills_list", json!({"cursor": "~"})),
        (
            "tool call that reads the session and a file",
            2.0,
            "skills_read",
            json!({"path": "SKILL.md"}),
        ),
    ];
    for (what, crossings, tool, arguments) in calls {
        let times = conversations.each_ref().map(|conversation| {
            times_of_calls(SINGLE_CALLS, || {
                let answer = conversation.call(tool, arguments.clone());
                assert!(!answer.is_error, "a refusal takes another way: {answer:?}");
                answer.content.len()
            })
        });
        let texts = encoding(&conversations[0].call(tool, arguments));
        print_alone(&format!("{what}: write and read its result as JSON"), 1, texts, "µs", None);
        let [here, elsewhere] = MOST_OVERHEAD_US;
        let most = [here + texts, elsewhere + 2.0 * texts].map(|most| most * crossings);
        overhead(what, most, &times);
    }
}

/// Returns how long it takes, in microseconds, to write a result as JSON and to read it again, with
/// long texts apart as plugins send them. The interface of plugins requires this once, and a child
/// process once more; a linked call has no need of it.
fn encoding(result: &ToolResult) -> f64 {
    let times = times_of_calls(SINGLE_CALLS, || {
        let mut document = result.clone();
        let texts = ResultTexts::take(&mut document, usize::MAX);
        let document = serde_json::to_string(&document).expect("it is JSON");
        let read: Map<String, Value> = serde_json::from_str(&document).expect("it is an object");
        read.len() + texts.map_or(0, |texts| texts.text.len())
    });
    times.half.as_secs_f64() * 1e6
}

/// Work that each isolation does in turn, and how it is reported.
struct Work {
    what: &'static str,
    skills: usize,
    /// How often it is done in each round; the row is about one of them.
    times: u32,
    /// The maximum ratio to the linked source, in the host's process.
    most: Option<f64>,
    rounds: usize,
}

impl Work {
    fn measure(&self, places: &Places, run: impl Fn(&Arc<dyn SkillSource>) -> usize) {
        let repeat = |source| (0..self.times).map(|_| run(source)).sum();
        let [linked, here, elsewhere] = [&places.linked, &places.here, &places.elsewhere];
        let times = least(self.rounds, [&mut || repeat(here), &mut || repeat(linked)]);
        self.print("plugin in the host's process", times, self.most);
        let works: [&mut dyn FnMut() -> usize; 2] =
            [&mut || repeat(elsewhere), &mut || repeat(linked)];
        let times = least_by_the_clock(self.rounds, works);
        self.print("plugin in a child process, wall-clock time", times, None);
    }

    fn print(&self, place: &str, times: [Duration; 2], most: Option<f64>) {
        let what = format!("{}, {place}", self.what);
        let [time, linked] = times.map(|time| time / self.times);
        print_beside(&what, self.skills, time, linked, most);
    }
}

fn length(source: &Arc<dyn SkillSource>, package: &str) -> usize {
    let package = PackagePath::new(package).expect("it is a path");
    let file = ResourcePath::new("SKILL.md").expect("it is a path");
    source.read(&package, &file, ReadLimit::default()).expect("the file is there").len()
}

fn scan(source: &Arc<dyn SkillSource>) -> usize {
    let mut sink = Counter(0);
    source
        .scan(&PreviousScan::none(), &mut sink, &Cancel::default())
        .expect("the source can be scanned");
    assert!(sink.0 >= RECORDS, "each record is reported");
    sink.0
}

struct Counter(usize);

impl ScanSink for Counter {
    fn unchanged(&mut self, _: &str) {}

    fn found(&mut self, found: Found<'_>) -> ReadFurther {
        self.0 += usize::from(!found.head.is_empty());
        ReadFurther::No
    }

    fn problem(&mut self, _: Diagnostic) {}
}

/// A thousand skills of the corpus, a small file and a body of the usual length.
fn memory(plugins: &Path) -> Places {
    let own = [("small", "small".to_owned()), ("body", "x".repeat(5 << 10))];
    let own = own.map(|(name, text)| (name.to_owned(), text));
    let mut linked = MemorySource::builder("memory");
    let mut files = Map::new();
    for (name, text) in (0..RECORDS).map(short_skill).chain(own) {
        let path = format!("{name}/SKILL.md");
        linked = linked.file(&path, text.as_str());
        files.insert(path, Value::String(text));
    }
    let linked = Arc::new(linked.build().expect("the paths are paths"));
    Places::new(linked, &library(plugins, "memory"), &json!({"files": files}))
}

/// Returns the beginning of a skill: a configuration should not have megabytes.
fn short_skill(number: usize) -> (String, String) {
    let (name, mut text) = corpus::skill(number);
    text.truncate(text.floor_char_boundary(2 << 10));
    (name, text)
}

fn filesystem(plugins: &Path, root: &Path) -> Places {
    let config = json!({"roots": [{"root": root}]});
    Places::new(corpus::source(root), &library(plugins, "filesystem"), &config)
}

fn library(plugins: &Path, name: &str) -> PathBuf {
    plugins.join(format!("{DLL_PREFIX}prowess_plugin_{name}{DLL_SUFFIX}"))
}

impl Places {
    fn new(linked: Arc<dyn SkillSource>, file: &Path, config: &Value) -> Self {
        let load = |isolation| Arc::clone(&plugin(file, config, isolation).sources[0]);
        Self { linked, here: load(Isolation::InProcess), elsewhere: load(Isolation::Process) }
    }

    /// The linked source, then the loaded ones.
    fn each(&self) -> [&Arc<dyn SkillSource>; 3] {
        [&self.linked, &self.here, &self.elsewhere]
    }
}

fn plugin(file: &Path, config: &Value, isolation: Isolation) -> Plugin {
    let config = (!config.is_null()).then(|| config.clone());
    let settings = PluginSettings { config, ..PluginSettings::default() };
    let policy = PluginPolicy { isolation, ..PluginPolicy::default() };
    let mut loader = loader(policy, std::env::temp_dir());
    let bytes = std::fs::read(file).expect("the plugin is there");
    trust(&mut loader, file, &bytes).expect("it is a plugin");
    let loaded = loader.load_with(file, settings);
    loaded.unwrap_or_else(|error| panic!("{error}; {}", error.help))
}
