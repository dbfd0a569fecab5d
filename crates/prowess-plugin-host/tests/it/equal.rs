//! A plugin's source behaves like the linked one.

use std::sync::Arc;

use prowess_core::{MemorySource, PackagePath, ReadLimit, ResourcePath, SkillSource};
use prowess_plugin_host::PluginLimits;
use prowess_testkit::ScanRecorder;
use serde_json::json;

use crate::fault_table::{in_host, in_process};
use crate::loaded::{faulty_file, memory, memory_source};

const FILES: [(&str, &[u8]); 5] = [
    ("pdf/SKILL.md", b"---\nname: pdf\ndescription: Fills forms.\n---\nBody\n"),
    ("pdf/references/fields.md", "Felder: \u{e4}\u{1f600}".as_bytes()),
    ("group/notes/SKILL.md", b"not even frontmatter"),
    ("lower/skill.md", b""),
    ("no-skill/README.md", b"readme"),
];

fn linked() -> MemorySource {
    let add = |source: prowess_core::MemorySourceBuilder, (path, bytes): &(&str, &[u8])| {
        source.file(path, bytes)
    };
    FILES.iter().fold(MemorySource::builder("memory"), add).build().unwrap()
}

#[test]
fn results_equal_those_of_the_linked_source() {
    let (linked, loaded) = (linked(), memory_source(&FILES));
    assert_eq!((loaded.name(), loaded.root()), (linked.name(), linked.root()));
    let [one, other] = [&linked as &dyn SkillSource, &*loaded].map(|source| {
        let scan = ScanRecorder::scan(source).unwrap();
        let again = scan.next().record(source).unwrap();
        (scan.found, scan.problems, again.unchanged, again.found)
    });
    assert_eq!(one, other, "the scans are equal");
    for (path, _) in FILES {
        let (package, file) = path.rsplit_once('/').unwrap();
        for file in [file, "missing", "references", "SKILL.md/deeper"] {
            let package = PackagePath::new(package).unwrap();
            let resource = ResourcePath::new(file).unwrap();
            for limit in [0, 3, 1_000] {
                let [one, other] = [&linked as &dyn SkillSource, &*loaded]
                    .map(|source| source.read(&package, &resource, ReadLimit(limit)));
                let kind = one.as_ref().map_err(|error| error.kind);
                assert_eq!(kind, other.as_ref().map_err(|error| error.kind), "`{path}` {limit}");
            }
        }
    }
    let package = PackagePath::new("pdf").unwrap();
    assert_eq!(linked.list(&package, 9), loaded.list(&package, 9), "the listings are equal");
}

#[test]
fn partial_scans_are_equal() {
    let (linked, loaded) = (linked(), memory_source(&FILES));
    let asked = [PackagePath::new("pdf").unwrap()];
    let [one, other] = [&linked as &dyn SkillSource, &*loaded].map(|source| {
        let (recorder, coverage) = ScanRecorder::default().record_packages(source, &asked).unwrap();
        (coverage, recorder.found)
    });
    assert_eq!(one, other, "the reports and the coverage are equal");
    let [one, other] = [&linked as &dyn SkillSource, &*loaded]
        .map(|source| source.watch(Arc::new(|_| ())).unwrap().is_some());
    assert_eq!(one, other, "both support watches, or neither");
}

/// The host keeps known packages in directories that a scan could not read.
#[test]
fn unreadable_directories_are_reported() {
    let (file, config) = (faulty_file(), json!({"scan": "unseen"}));
    for begin in [in_host, in_process] {
        let running = begin(&file, &config, PluginLimits::default()).unwrap();
        let scan = ScanRecorder::scan(&*running.source).unwrap();
        assert_eq!(scan.unreadable, ["group/shut"], "the directory is named");
        assert_eq!(scan.packages(), ["good"], "the readable package is found");
        assert_eq!(scan.problems.len(), 1, "the problem is reported: {:?}", scan.problems);
    }
}

#[test]
fn opened_library_supports_many_instances() {
    let image = memory();
    assert_eq!(image.manifest().name, "prowess-plugin-memory");
    let sources: Vec<_> = (0..10)
        .map(|number| memory_source(&[(&format!("skill-{number}/SKILL.md"), b"text")]))
        .collect();
    for (number, source) in sources.iter().enumerate() {
        let scan = ScanRecorder::scan(&**source).unwrap();
        assert_eq!(scan.packages(), [format!("skill-{number}")], "each instance has its own files");
    }
}
