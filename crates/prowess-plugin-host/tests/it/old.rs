//! A plugin that was built when the boundary was 1.0, with the dependencies of another day.

use std::path::PathBuf;

use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource};
use prowess_plugin_host::{Isolation, LoadedCode};
use prowess_testkit::{ScanRecorder, build_plugin_outside};
use serde_json::json;

use crate::loaded::{Start, staged};

#[test]
fn a_plugin_of_the_first_day_runs_on_the_host_of_today() {
    let (plugin, staged) = staged(&built(), Isolation::InProcess).unwrap();
    assert_eq!(plugin.manifest().abi, "1.0", "it was built for the first boundary");
    assert_eq!(plugin.manifest().sdk, "", "and without an SDK");
    let image = LoadedCode::open(&plugin, staged).expect("both sides mean the same");
    let loaded = Start::with(json!({})).start(image).unwrap();
    let source = &*loaded.sources()[0];
    assert_eq!((source.name(), source.root()), ("old", "old://here"));
    assert_eq!(ScanRecorder::scan(source).unwrap().packages(), ["old"], "it is scanned");
    let package = PackagePath::new("old").unwrap();
    let read = |path| source.read(&package, &ResourcePath::new(path).unwrap(), ReadLimit(100));
    assert!(read("SKILL.md").is_ok_and(|bytes| bytes.ends_with(b"The body\n")), "it is read");
    assert_eq!(read("b"), Ok(b"b".to_vec()), "also what the plugin has to give back");
    assert_listed(source);
}

/// It names one file on each page.
pub(crate) fn assert_listed(source: &dyn SkillSource) {
    let listed = source.list(&PackagePath::new("old").unwrap(), 9).unwrap();
    let paths: Vec<_> = listed.resources.iter().map(|resource| resource.path.as_str()).collect();
    assert_eq!(paths, ["a", "b", "c"], "its pages become one listing");
    assert!(listed.is_complete, "to its end");
}

/// The plugin's file.
pub(crate) fn built() -> PathBuf {
    build_plugin_outside("crates/prowess-plugin-host/fixtures/old-plugin", "old-plugin")
}
