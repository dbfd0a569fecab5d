//! What becomes of each fault of a plugin, in the host's process and in one of its own.
//!
//! The rows are the table of `SECURITY.md`, which a test compares; to write it anew after a change, set
//! `UPDATE_EXPECT`. What ends its host ends a copy of this program that is started for it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use prowess_core::{
    Cancel, Clock, Code, Diagnostic, PackagePath, ReadLimit, ResourcePath, SkillSource,
    SourceError, ToolProvider,
};
use prowess_plugin_host::{
    Isolation, Launch, LoadedPlugin, PluginError, PluginErrorKind, PluginLimits, PluginRights,
    SandboxPolicy, start_process,
};
use prowess_testkit::{ManualClock, PluginFlavor, ScanRecorder, build_plugin_example_as};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde_json::{Value, json};

use crate::clock::MovableClock;
use crate::conversation;
use crate::loaded::{Start, memory_source, staged};

use Act::{Begin, End, List, Read, Scan, Tool, Watch};
use Outcome::{Code as Told, EndsHost, Nothing, ReachesHost};

/// What is asked of a plugin. The texts are the plugin's own words, see its `act`.
#[derive(Clone, Copy, Debug)]
enum Act {
    Begin,
    Scan,
    List(&'static str),
    Read(&'static str),
    Tool(&'static str),
    Watch,
    End,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// An error or a diagnostic with this code.
    Code(&'static str),
    /// Everything goes on as if nothing were.
    Nothing,
    /// The host's process ends.
    EndsHost,
    /// The host goes on, and something of its own is another.
    ReachesHost,
}

/// A fault, how it is provoked, and what comes of it here and there.
struct Row {
    fault: &'static str,
    flavor: PluginFlavor,
    cases: Vec<(Value, Act)>,
    in_host: Outcome,
    in_process: Outcome,
}

fn row(fault: &'static str, cases: Vec<(Value, Act)>, outcomes: (Outcome, Outcome)) -> Row {
    let (in_host, in_process) = outcomes;
    Row { fault, flavor: PluginFlavor::Usual, cases, in_host, in_process }
}

fn rows() -> Vec<Row> {
    let same = |code| (Told(code), Told(code));
    let with = |key: &str, words: &[&str], act| -> Vec<_> {
        words.iter().map(|word| (json!({ key: word }), act)).collect()
    };
    let usual = |acts: &[Act]| acts.iter().map(|&act| (json!({}), act)).collect::<Vec<_>>();
    let deadly = ["abort", "exit", "segfault", "overflow", "grow"];
    vec![
        row(
            "panics while it begins or says what it offers",
            [
                with("init", &["panic", "payload"], Begin),
                with("describe", &["panic"], Begin),
                with("provide", &["panic"], Begin),
            ]
            .concat(),
            same("plugin-panicked"),
        ),
        row(
            "refuses to begin, or its configuration",
            [with("init", &["refuse"], Begin), with("tool", &["1"], Begin)].concat(),
            same("plugin-init-failed"),
        ),
        row("does not begin in time", with("init", &["hang"], Begin), same("plugin-init-failed")),
        row(
            "offers two tools of one name",
            vec![(json!({"tools": 2}), Begin)],
            same("plugin-protocol-broken"),
        ),
        row(
            "panics in a call, also with a value whose own end panics",
            [
                usual(&[Read("panic"), Read("payload"), List("panic"), List("payload")]),
                usual(&[Tool("panic"), Tool("payload")]),
                with("scan", &["panic", "payload"], Scan),
                with("watch", &["panic", "payload"], Watch),
            ]
            .concat(),
            same("plugin-panicked"),
        ),
        row(
            "panics while a watch of it ends, or while it is dropped",
            [with("watch", &["end"], Watch), with("drop", &["panic", "payload"], End)].concat(),
            (Nothing, Nothing),
        ),
        row(
            "does not return from a call",
            [usual(&[Read("hang"), List("hang")]), with("scan", &["hang"], Scan)].concat(),
            same("plugin-deadline"),
        ),
        row(
            "does not return while it is dropped",
            with("drop", &["hang"], End),
            (Nothing, Nothing),
        ),
        row(
            "answers with 1 GB, or more than is allowed",
            [usual(&[Read("huge"), Read("large"), Tool("large")]), with("scan", &["head"], Scan)]
                .concat(),
            same("plugin-protocol-broken"),
        ),
        row(
            "reports a package twice or by a path that is none, a file that no skill has, or files \
             twice or out of order",
            [
                with("scan", &["twice", "path", "file"], Scan),
                usual(&[List("twice"), List("unsorted")]),
            ]
            .concat(),
            same("plugin-protocol-broken"),
        ),
        row(
            "reports or answers text that is not UTF-8",
            [
                with("scan", &["bytes", "file-bytes", "unchanged-bytes"], Scan),
                usual(&[Tool("bytes")]),
            ]
            .concat(),
            same("plugin-protocol-broken"),
        ),
        row(
            "reports a path of 10 MB, or 200,000 problems",
            with("scan", &["long", "problems"], Scan),
            same("plugin-protocol-broken"),
        ),
        row(
            "goes on talking to the host after it was dropped",
            with("drop", &["late"], End),
            (Nothing, Nothing),
        ),
        row(
            "aborts, exits, crashes, overflows its stack or takes all memory, in a call",
            [
                deadly.map(|how| (json!({}), Read(how))).to_vec(),
                deadly.map(|how| (json!({}), Tool(how))).to_vec(),
            ]
            .concat(),
            (EndsHost, Told("plugin-crashed")),
        ),
        row(
            "does so while it begins",
            with("init", &deadly, Begin),
            (EndsHost, Told("plugin-crashed")),
        ),
        row("does so while it is dropped", with("drop", &deadly, End), (EndsHost, Nothing)),
        row("forks, and aborts", usual(&[Read("fork")]), (EndsHost, Told("plugin-crashed"))),
        row(
            "uses a processor and does not return",
            usual(&[Read("spin")]),
            same("plugin-deadline"),
        ),
        row("prints to standard output", usual(&[Read("print")]), (ReachesHost, Nothing)),
        row(
            "changes the environment or the working directory",
            usual(&[Read("environment"), Read("directory")]),
            (ReachesHost, Nothing),
        ),
        Row {
            flavor: PluginFlavor::Foreign,
            ..row(
                "was built with `panic = \"abort\"`",
                usual(&[Begin]),
                (Told("plugin-panic-aborts"), Nothing),
            )
        },
        Row {
            flavor: PluginFlavor::Foreign,
            ..row(
                "panics, built that way",
                usual(&[Read("panic")]),
                (Told("plugin-panic-aborts"), Told("plugin-crashed")),
            )
        },
    ]
}

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

/// A plugin that runs, wherever that is.
pub(crate) struct Running {
    pub(crate) source: Arc<dyn SkillSource>,
    pub(crate) tools: Arc<dyn ToolProvider>,
    pub(crate) clock: Arc<dyn Advance>,
}

fn file(flavor: PluginFlavor) -> PathBuf {
    // A copy of this program is told, so as not to build anything.
    let told = std::env::var_os(FILE).map(PathBuf::from);
    told.unwrap_or_else(|| build_plugin_example_as("prowess-plugin-sdk", "faulty", flavor))
}

/// Little patience for what hangs, and much for the rest: the machine may be busy.
fn limits(config: &Value, act: Act) -> PluginLimits {
    let milliseconds = |hangs| if hangs { 500 } else { 60_000 };
    let hangs = matches!(act, Read("hang" | "spin") | List("hang")) || config["scan"] == "hang";
    PluginLimits {
        init_ms: milliseconds(config["init"] == "hang"),
        call_ms: milliseconds(hangs),
        // On a busy machine even an end that ends the host takes a while.
        grace_ms: if hangs || config["drop"] == "hang" { 200 } else { 60_000 },
        answer_bytes: 1 << 20,
        ..PluginLimits::default()
    }
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

type Begins = fn(&Path, &Value, PluginLimits) -> Result<Running, PluginError>;

/// The codes that come of an act.
fn codes_of(
    begin: Begins,
    file: &Path,
    config: &Value,
    act: Act,
) -> (Option<Running>, Vec<String>) {
    match begin(file, config, limits(config, act)) {
        Ok(running) => {
            let codes = running.does(act);
            (Some(running), codes)
        }
        Err(error) => (None, vec![error.kind.as_str().to_owned()]),
    }
}

impl Running {
    fn does(&self, act: Act) -> Vec<String> {
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

/// The code that stands in front of a message.
fn code_in(error: &SourceError) -> Vec<String> {
    let code = error.message.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let code = code.map_or(error.kind.as_str(), |(code, _)| code);
    vec![code.to_owned()]
}

/// The host and another plugin go on, and so does the plugin itself.
fn goes_on(begin: Begins, running: Option<Running>, what: &str) {
    let read = |source: &dyn SkillSource| {
        let (package, file) = (PackagePath::new("pdf").unwrap(), ResourcePath::new("a").unwrap());
        source.read(&package, &file, ReadLimit::default())
    };
    assert_eq!(read(&*neighbour()), Ok(b"fine".to_vec()), "{what}: another plugin goes on");
    let fresh = || begin(&file(PluginFlavor::Usual), &json!({}), PluginLimits::default());
    let running = running.unwrap_or_else(|| fresh().expect("one in order begins"));
    running.clock.advance(Duration::from_secs(5));
    assert_eq!(running.read("good"), Ok(b"good".to_vec()), "{what}: it answers the next call");
}

fn neighbour() -> Arc<dyn SkillSource> {
    static NEIGHBOUR: OnceLock<Arc<dyn SkillSource>> = OnceLock::new();
    let files: &[(&str, &[u8])] = &[("pdf/SKILL.md", b"text"), ("pdf/a", b"fine")];
    Arc::clone(NEIGHBOUR.get_or_init(|| memory_source(files)))
}

fn check(begin: Begins, row: &Row, outcome: Outcome) {
    let file = file(row.flavor);
    for (config, act) in &row.cases {
        let what = format!("{}: {config} {act:?}", row.fault);
        let (running, codes) = codes_of(begin, &file, config, *act);
        match outcome {
            Told(code) => assert!(codes.iter().any(|told| told == code), "{what}: {codes:?}"),
            Nothing => {
                let faults: Vec<_> = codes.iter().filter(|code| *code != "faulty-odd").collect();
                assert!(faults.is_empty(), "{what}: nothing is wrong: {faults:?}");
            }
            EndsHost | ReachesHost => unreachable!("that is for a process of its own"),
        }
        let running = if matches!(act, End) { None } else { running };
        goes_on(begin, running, &what);
    }
}

#[test]
fn a_fault_in_a_process_of_its_own_is_contained() {
    for row in rows() {
        check(in_process, &row, row.in_process);
    }
}

#[test]
fn a_fault_in_the_host_is_contained_where_the_table_says_so() {
    for row in rows().iter().filter(|row| !matches!(row.in_host, EndsHost | ReachesHost)) {
        check(in_host, row, row.in_host);
    }
}

/// The environment variable that names the plugin to a copy of this program.
const FILE: &str = "PROWESS_FAULTY_FILE";
/// The word on the command line before the numbers of row and case.
const CASE: &str = "case-";

/// Not a test, but the host in which a fault is not contained.
#[test]
fn the_host_of_a_fault() {
    let Some(case) = std::env::args().find_map(|word| Some(word.strip_prefix(CASE)?.to_owned()))
    else {
        return;
    };
    // Whatever takes all memory must not take the machine's.
    let most = Some(3 << 30);
    setrlimit(Resource::As, Rlimit { current: most, maximum: most }).unwrap();
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).unwrap();
    let (row, case) = case.split_once('-').unwrap();
    let row = &rows()[row.parse::<usize>().unwrap()];
    let (config, act) = &row.cases[case.parse::<usize>().unwrap()];
    let before = surroundings();
    let (running, _) = codes_of(in_host, &file(row.flavor), config, *act);
    drop(running);
    println!("the host goes on, its surroundings are the same: {}", before == surroundings());
}

/// What a plugin in the host can change of it.
fn surroundings() -> (PathBuf, Vec<(String, String)>) {
    (std::env::current_dir().unwrap(), std::env::vars().collect())
}

fn host_of(row: usize, case: usize, file: &Path) -> Output {
    let test = "fault_table::the_host_of_a_fault";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--quiet", &format!("{CASE}{row}-{case}")]);
    command.env(FILE, file).output().unwrap()
}

#[test]
fn a_fault_in_the_host_is_not_contained_where_the_table_says_so() {
    for (number, row) in rows().iter().enumerate() {
        if !matches!(row.in_host, EndsHost | ReachesHost) {
            continue;
        }
        let file = file(row.flavor);
        for (case, (config, act)) in row.cases.iter().enumerate() {
            let ended = host_of(number, case, &file);
            let said = String::from_utf8_lossy(&ended.stdout);
            let what = format!("{}: {config} {act:?}: {ended:?}", row.fault);
            let goes_on = said.contains("the host goes on");
            assert_eq!(goes_on, row.in_host == ReachesHost, "the host goes on or not: {what}");
            assert_eq!(ended.status.success(), goes_on, "and ends in order or not: {what}");
            let is_reached = said.contains("a plugin prints") || said.contains("same: false");
            assert_eq!(is_reached, goes_on, "what the host calls its own is another: {what}");
        }
    }
}

#[test]
fn leftovers_of_a_plugin_are_ignored() {
    let start = Start::with(json!({"drop": "late"}));
    let (plugin, staged) = staged(&file(PluginFlavor::Usual), Isolation::InProcess).unwrap();
    let image = prowess_plugin_host::LoadedCode::open(&plugin, staged).unwrap();
    drop(start.start(image).unwrap());
    let heard = start.log.lines().len();
    // The thread that was left behind says more in this time than in all of the time before.
    for _ in 0..10_000 {
        std::thread::yield_now();
    }
    assert_eq!(start.log.lines().len(), heard, "whose instance is gone is not heard");
}

fn table() -> String {
    let cell = |outcome| match outcome {
        Told(code) => format!("`{code}`"),
        Nothing => "nothing".to_owned(),
        EndsHost => "**the host ends**".to_owned(),
        ReachesHost => "**reaches the host**".to_owned(),
    };
    let head = "| a plugin … | in the host's process | in a process of its own |\n|---|---|---|\n";
    let line = |row: &Row| {
        format!("| {} | {} | {} |\n", row.fault, cell(row.in_host), cell(row.in_process))
    };
    head.to_owned() + &rows().iter().map(line).collect::<String>()
}

#[test]
fn the_document_says_what_is_contained_where() {
    const BEGIN: &str = "<!-- The table is made by the tests of prowess-plugin-host. -->\n\n";
    const END: &str = "\n<!-- End of the table. -->";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../SECURITY.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let begin = text.find(BEGIN).expect("the table has its place") + BEGIN.len();
    let end = begin + text[begin..].find(END).expect("and its end");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, [&text[..begin], &table(), &text[end..]].concat()).unwrap();
        return;
    }
    assert_eq!(text[begin..end], table(), "run this test with `UPDATE_EXPECT=1`");
}

#[test]
fn every_code_of_the_table_is_one() {
    let known: Vec<_> = PluginErrorKind::ALL.iter().map(|kind| kind.as_str()).collect();
    for outcome in rows().iter().flat_map(|row| [row.in_host, row.in_process]) {
        if let Told(code) = outcome {
            assert!(known.contains(&code), "`{code}` is a code of plugins");
        }
    }
}
