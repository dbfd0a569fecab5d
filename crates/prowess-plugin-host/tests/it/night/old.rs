//! A plugin that was built for ABI 1.0, with older dependencies.

use std::path::PathBuf;

use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource};
use prowess_plugin_host::{Isolation, LoadedCode, PluginLimits};
use prowess_testkit::{ScanRecorder, build_plugin_outside};
use serde_json::json;

use crate::fault_table::in_process;
use crate::loaded::{Start, staged};

#[test]
fn plugin_for_abi_1_0_works() {
    let (plugin, staged) = staged(&built(), Isolation::InProcess).unwrap();
    assert_eq!(plugin.manifest().abi, "1.0", "the plugin was built for ABI 1.0");
    assert_eq!(plugin.manifest().sdk, "", "the plugin was built without the SDK");
    let image = LoadedCode::open(&plugin, staged).expect("the layouts are compatible");
    let loaded = Start::with(json!({})).start(image).unwrap();
    let source = &*loaded.sources()[0];
    assert_eq!((source.name(), source.root()), ("old", "old://here"));
    assert_eq!(ScanRecorder::scan(source).unwrap().packages(), ["old"], "a scan works");
    let package = PackagePath::new("old").unwrap();
    let read = |path| source.read(&package, &ResourcePath::new(path).unwrap(), ReadLimit(100));
    assert!(read("SKILL.md").is_ok_and(|bytes| bytes.ends_with(b"The body\n")), "a read works");
    assert_eq!(read("b"), Ok(b"b".to_vec()), "a read of memory that the plugin frees works");
    assert_listed(source);
}

/// Checks a listing with one file per page.
fn assert_listed(source: &dyn SkillSource) {
    let listed = source.list(&PackagePath::new("old").unwrap(), 9).unwrap();
    let paths: Vec<_> = listed.resources.iter().map(|resource| resource.path.as_str()).collect();
    assert_eq!(paths, ["a", "b", "c"], "the pages are joined");
    assert!(listed.is_complete, "the listing is complete");
}

#[test]
fn pages_of_a_separate_process_are_joined() {
    let running = in_process(&built(), &json!({}), PluginLimits::default()).unwrap();
    assert_listed(&*running.source);
}

/// Builds the plugin and returns its file.
fn built() -> PathBuf {
    build_plugin_outside("crates/prowess-plugin-host/fixtures/old-plugin", "old-plugin")
}
