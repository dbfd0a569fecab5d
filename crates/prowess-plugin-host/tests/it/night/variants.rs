//! A plugin built with other compiler settings.

use std::path::Path;

use prowess_core::{Cancel, PackagePath};
use prowess_plugin_host::{Isolation, LoadedCode, PanicStrategy};
use prowess_testkit::{PluginFlavor, ScanRecorder, build_plugin_example_as};
use serde_json::json;

use crate::conversation;
use crate::fault_table::{Running, in_process};
use crate::loaded::{Start, staged};

fn file(flavor: PluginFlavor) -> std::path::PathBuf {
    build_plugin_example_as("prowess-plugin-sdk", "faulty", flavor)
}

/// Checks that all kinds of values cross the boundary, repeatedly.
fn answers(running: &Running) {
    let source = &*running.source;
    for round in 0..3 {
        let scan = ScanRecorder::scan(source).unwrap();
        assert_eq!(scan.packages(), ["good"], "round {round}: packages cross");
        let problems: Vec<_> = scan.problems.iter().map(|problem| problem.code.as_str()).collect();
        assert_eq!(
            problems,
            ["plugin-protocol-broken", "faulty-odd"],
            "round {round}: problems cross"
        );
        let listed = source.list(&PackagePath::new("good").unwrap(), 9).unwrap();
        assert_eq!(listed.resources.len(), 2, "lists cross");
        assert_eq!(running.read("good"), Ok(b"good".to_vec()), "bytes cross");
        let tool = &running.tools.tools()[0];
        let arguments = json!({"how": "who"});
        let answer = conversation::call(&**tool, &*running.clock, &arguments, &Cancel::default());
        let who = answer.structured.unwrap();
        assert_eq!(who["session"], "talk-7", "texts and numbers cross: {who}");
    }
}

#[test]
fn release_with_another_allocator_works() {
    let (plugin, staged) = staged(&file(PluginFlavor::Release), Isolation::InProcess).unwrap();
    assert!(!plugin.manifest().debug_assertions, "the manifest has the build's settings");
    let image = LoadedCode::open(&plugin, staged).unwrap();
    let start = Start::with(json!({"scan": "twice"}));
    let loaded = start.start(image).unwrap();
    let running = Running {
        source: std::sync::Arc::clone(&loaded.sources()[0]),
        tools: std::sync::Arc::clone(&loaded.tool_providers()[0]),
        clock: start.clock,
    };
    answers(&running);
    running.read("panic").expect_err("a panic is contained");
    answers(&running);
}

#[test]
fn randomized_layout_works() {
    let file: &Path = &file(PluginFlavor::Foreign);
    let (plugin, _) = staged(file, Isolation::Process).unwrap();
    assert_eq!(
        plugin.manifest().panic,
        PanicStrategy::Abort,
        "the manifest has the build's settings"
    );
    answers(&in_process(file, &json!({"scan": "twice"}), Default::default()).unwrap());
}
