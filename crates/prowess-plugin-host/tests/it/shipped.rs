//! The shipped plugins pass the test kits, in the host's process and in a separate one.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::{Digest, MemorySource, SkillSource, Timestamp, ToolProvider};
use prowess_plugin_host::{
    Launch, LoadedCode, PluginLimits, PluginRights, SandboxPolicy, VerifiedPlugin, stage,
    start_process,
};
use prowess_testkit::{
    Changing, FixtureSource, ManualClock, ScanRecorder, SourceFixture, Tree, Unreadable, WayOut,
    build_plugin, check_source, check_tools,
};
use serde_json::{Value, json};

use crate::loaded::{Start, open, verified};

/// Where a plugin runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Where {
    InTheHost,
    InAProcess,
}

pub(crate) const EVERYWHERE: [Where; 2] = [Where::InTheHost, Where::InAProcess];

/// A time long after the files of a test were written, so that their stamps are reliable.
const LATER: Timestamp = Timestamp(4_000_000_000_000);

type Offered = (Vec<Arc<dyn SkillSource>>, Vec<Arc<dyn ToolProvider>>);

impl Where {
    /// Starts a plugin.
    fn start(self, file: &Path, config: Value) -> Offered {
        match self {
            Self::InTheHost => {
                let start =
                    Start { clock: Arc::new(ManualClock::at(LATER)), ..Start::with(config) };
                let plugin = start.start(image(file)).expect("the plugin starts");
                (plugin.sources(), plugin.tool_providers())
            }
            Self::InAProcess => {
                let launch = Launch {
                    program: env!("CARGO_BIN_EXE_prowess-plugin-runner").into(),
                    arguments: Vec::new(),
                    name: "shipped".to_owned(),
                    file: file.to_owned(),
                    library: stage(checked(file), &std::env::temp_dir()).unwrap(),
                    config: Some(config),
                    limits: PluginLimits::default(),
                    sandbox: SandboxPolicy::Auto,
                    rights: PluginRights::default(),
                    shows_conversation: false,
                    directory: "/".into(),
                };
                let plugin = start_process(launch, Arc::new(ManualClock::default()));
                let plugin = plugin.expect("the plugin starts");
                (plugin.sources, vec![plugin.tools])
            }
        }
    }

    /// Returns the only source of a plugin.
    pub(crate) fn source(self, file: &Path, config: Value) -> Arc<dyn SkillSource> {
        let (sources, _) = self.start(file, config);
        let [source] =
            <[_; 1]>::try_from(sources).unwrap_or_else(|_| panic!("the plugin has one source"));
        source
    }
}

/// Returns a value that is created once per file and cached until the tests end.
fn once<T: Clone>(made: &Mutex<Vec<(PathBuf, T)>>, file: &Path, make: impl FnOnce() -> T) -> T {
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = made.iter().find(|(known, _)| known == file) {
        return known.clone();
    }
    let value = make();
    made.push((file.to_owned(), value.clone()));
    value
}

fn image(file: &Path) -> LoadedCode {
    static IMAGES: Mutex<Vec<(PathBuf, LoadedCode)>> = Mutex::new(Vec::new());
    once(&IMAGES, file, || open(file).unwrap())
}

fn checked(file: &Path) -> &'static VerifiedPlugin {
    static CHECKED: Mutex<Vec<(PathBuf, &VerifiedPlugin)>> = Mutex::new(Vec::new());
    once(&CHECKED, file, || Box::leak(Box::new(verified(file))))
}

struct Memory(Where);

impl SourceFixture for Memory {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        let text =
            |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the kit's files are text");
        let files: BTreeMap<_, _> =
            files.iter().map(|(path, bytes)| (*path, text(bytes))).collect();
        self.0.source(&build_plugin("prowess-plugin-memory"), json!({"files": files}))
    }
}

#[test]
fn memory_plugin_passes_the_source_kit() {
    EVERYWHERE.into_iter().for_each(|place| check_source(&Memory(place)));
}

#[test]
fn scan_of_several_batches_is_complete() {
    // A batch has at most 256 packages, or about 512 KiB.
    for (count, bytes) in [(600, 10), (150, 8 << 10)] {
        let path = |number| format!("skill-{number:03}/SKILL.md");
        let files: Vec<_> = (0..count).map(|number| (path(number), vec![b'x'; bytes])).collect();
        let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        let linked = MemorySource::builder("memory");
        let linked = files.iter().fold(linked, |source, (path, text)| source.file(path, *text));
        let expected = ScanRecorder::scan(&linked.build().unwrap()).unwrap();
        for place in EVERYWHERE {
            let source = Memory(place).source(&files);
            let scan = ScanRecorder::scan(&*source).unwrap();
            assert_eq!(scan.found, expected.found, "{place:?}: each package, once and in order");
            let again = scan.next().record(&*source).unwrap();
            let counts = (again.unchanged.len(), again.found.len());
            assert_eq!(counts, (count, 0), "{place:?}: each package is unchanged in the next scan");
        }
    }
}

#[test]
fn long_requests_arrive() {
    // More than 4 MiB of configuration, and then of stamps.
    let path = |number| format!("{}-{number:05}/SKILL.md", "x".repeat(180));
    let paths: Vec<_> = (0..24_000).map(path).collect();
    let files: Vec<_> = paths.iter().map(|path| (&**path, &b""[..])).collect();
    let source = Memory(Where::InAProcess).source(&files);
    let again = ScanRecorder::scan(&*source).unwrap().next().record(&*source).unwrap();
    assert_eq!(
        (again.unchanged.len(), again.found.len()),
        (files.len(), 0),
        "each package is unchanged"
    );
}

struct Filesystem(Where);

pub(crate) fn tree(files: &[(&str, &[u8])]) -> Tree {
    let tree = Tree::new("");
    files.iter().for_each(|(path, bytes)| tree.write(path, bytes));
    tree
}

impl Filesystem {
    fn over(&self, tree: Tree) -> FixtureSource<Arc<Tree>> {
        let config = json!({"roots": [{"root": tree.path()}]});
        let source = self.0.source(&build_plugin("prowess-plugin-filesystem"), config);
        FixtureSource { source, fixture: Arc::new(tree) }
    }
}

impl SourceFixture for Filesystem {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        Arc::new(self.over(tree(files)))
    }

    fn with_unreadable(&self, files: &[(&str, &[u8])]) -> Option<Unreadable> {
        let tree = tree(files);
        let bad = tree.join("bad/SKILL.md");
        std::fs::create_dir_all(&bad).unwrap();
        let path = bad.to_string_lossy().into_owned();
        Some(Unreadable { path, source: Arc::new(self.over(tree)) })
    }

    fn ways_out(&self) -> Vec<WayOut> {
        let tree = Tree::new("//- /alpha/SKILL.md\nalpha\n//- /neighbour/SKILL.md\nx\n");
        symlink("../neighbour/SKILL.md", tree.join("alpha/link.md")).unwrap();
        symlink("..", tree.join("alpha/up")).unwrap();
        symlink("/etc/hostname", tree.join("alpha/absolute")).unwrap();
        let source: Arc<dyn SkillSource> = Arc::new(self.over(tree));
        let way = |resource| WayOut { source: Arc::clone(&source), package: "alpha", resource };
        ["link.md", "up/neighbour/SKILL.md", "absolute"].map(way).into()
    }

    fn changing(&self, files: &[(&str, &[u8])]) -> Option<Changing> {
        let source = self.over(tree(files));
        let tree = Arc::clone(&source.fixture);
        let write = Box::new(move |path: &str, bytes: &[u8]| tree.write(path, bytes));
        Some(Changing { source: Arc::new(source), write })
    }
}

#[test]
fn filesystem_plugin_passes_the_source_kit() {
    EVERYWHERE.into_iter().for_each(|place| check_source(&Filesystem(place)));
}

#[test]
fn size_of_a_truncated_file_is_reported() {
    for place in EVERYWHERE {
        let source = Filesystem(place).over(tree(&[("long/SKILL.md", &[b'x'; 20_000])]));
        let scan = ScanRecorder::scan(&source).unwrap();
        let found = scan.found.iter().map(|found| (found.is_whole_file, found.size));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [(false, Some(20_000))],
            "{place:?}: the size is reported"
        );
    }
}

#[test]
fn stamps_are_valid_in_the_next_run() {
    let file = build_plugin("prowess-plugin-filesystem");
    let tree = tree(&[("alpha/SKILL.md", b"alpha")]);
    let config = json!({"roots": [{"root": tree.path()}]});
    let run = || Where::InTheHost.source(&file, config.clone());
    let (first, next) = (run(), run());
    let key = first.cache_key().expect("the source has a key");
    let digest = Digest::of(&std::fs::read(&file).unwrap()).to_string();
    assert!(key.starts_with(&digest), "the key contains the digest of the build: {key}");
    assert_eq!(next.cache_key(), Some(key), "the key is the same for the same configuration");
    // The second scan replaces the stamp of a recently written file.
    let scanned = ScanRecorder::scan(&*first).unwrap().next().record(&*first).unwrap();
    let again = scanned.next().record(&*next).unwrap();
    assert_eq!(
        (&*again.unchanged, again.found.len()),
        (&["alpha".to_owned()][..], 0),
        "the file is not read"
    );
    // Stamps of a separate process cannot be requested per package.
    assert_eq!(
        Where::InAProcess.source(&file, config).cache_key(),
        None,
        "a source in a separate process has no key"
    );
    let memory = Memory(Where::InTheHost).source(&[]);
    assert_eq!(memory.cache_key(), None, "this source has no key");
}

#[test]
fn text_tools_plugin_passes_the_tool_kit() {
    let examples = [
        ("csv.rows", json!({"csv": "a,b\n1,2\n"})),
        ("markdown.section", json!({"markdown": "# A\n\ntext\n", "heading": "a"})),
        ("json.query", json!({"json": "[1, 2]", "query": "$[1]"})),
    ];
    for place in EVERYWHERE {
        let (_, providers) = place.start(&build_plugin("prowess-plugin-text-tools"), Value::Null);
        check_tools(&*providers[0], &examples);
    }
}
