//! Replacing a plugin while it is used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use prowess_plugin_host::{LoadedCode, PluginErrorKind};
use prowess_testkit::{ScanRecorder, build_plugin_example};
use serde_json::json;

use crate::loaded::{Start, faulty, faulty_file, memory, open, verified};
use crate::running::read;

#[test]
fn staged_copies_are_separate_libraries() {
    let file = faulty_file();
    let plugin = verified(&file);
    let again = LoadedCode::open_path(&file, &file, plugin.manifest());
    // The first opening of this path may succeed; the second returns the same library.
    let twice = LoadedCode::open_path(&file, &file, plugin.manifest());
    let error = twice.expect_err("the loader returns the same library");
    assert_eq!(error.kind, PluginErrorKind::Open);
    assert!(error.to_string().contains("was already opened"), "{error}");
    drop(again);
    for _ in 0..3 {
        open(&file).expect("a staged copy is another library");
    }
}

#[test]
fn different_manifest_is_refused() {
    let mut manifest = verified(&faulty_file()).manifest().clone();
    manifest.version = "9.9.9".into();
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("copy.so");
    std::fs::copy(faulty_file(), &copy).unwrap();
    let error = LoadedCode::open_path(&copy, &copy, &manifest).expect_err("the manifests differ");
    assert!(error.to_string().contains("has another manifest after opening"), "{error}");
}

#[test]
fn different_layout_is_refused_before_start() {
    let file = build_plugin_example("prowess-plugin-abi", "other_layout");
    let error = open(&file).expect_err("its root module has another layout");
    assert_eq!(error.kind, PluginErrorKind::Abi);
    let text = error.to_string();
    assert!(text.contains("has another layout of the boundary types: in `PluginModule`"), "{text}");
    assert!(!text.contains('\n'), "{text}");
}

#[test]
fn missing_library_is_named() {
    let manifest = verified(&faulty_file()).manifest().clone();
    let missing = std::path::Path::new("missing/plugin.so");
    let error =
        LoadedCode::open_path(missing, missing, &manifest).expect_err("the file does not exist");
    assert_eq!(error.kind, PluginErrorKind::Open);
    assert!(error.reason.contains("cannot open shared object file"), "{error}");
}

#[test]
fn old_instance_is_dropped_after_the_replacement() {
    let start = Start::with(json!({"drop": "log"}));
    let plugin = start.start(faulty()).unwrap();
    let source = Arc::clone(&plugin.sources()[0]);
    plugin.replace(open(&faulty_file()).unwrap()).unwrap();
    let lines = ["Info faulty: begins", "Info faulty: begins", "Info faulty: is dropped"];
    assert_eq!(start.log.lines(), lines, "the new instance starts before the old one ends");
    assert!(ScanRecorder::scan(&*source).is_ok(), "the source is the same as before");
    drop((plugin, source));
    assert_eq!(start.log.lines().len(), 4, "the last instance is dropped with its last user");
}

#[test]
fn plugin_with_other_sources_is_refused() {
    let start = Start::with(json!({}));
    let plugin = start.start(faulty()).unwrap();
    let error = plugin.replace(memory()).expect_err("the sources differ");
    assert!(error.to_string().contains("offers other sources or tools"), "{error}");
    assert!(ScanRecorder::scan(&*plugin.sources()[0]).is_ok(), "the old build still works");
}

#[test]
fn replacements_are_limited() {
    let start = Start { generations: 1, ..Start::with(json!({})) };
    let plugin = start.start(faulty()).unwrap();
    plugin.replace(faulty()).expect("one replacement is allowed");
    let error = plugin.replace(faulty()).expect_err("a second replacement is not allowed");
    assert_eq!(error.kind, PluginErrorKind::Generations);
    assert!(error.help.contains("restart"), "{}", error.help);
}

#[test]
fn reads_do_not_fail_during_replacements() {
    const REPLACEMENTS: usize = 30;

    let start = Start { generations: REPLACEMENTS, ..Start::with(json!({})) };
    let plugin = start.start(faulty()).unwrap();
    let source = Arc::clone(&plugin.sources()[0]);
    let is_over = AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    assert_eq!(read(&*source, "good"), Ok(b"good".to_vec()), "no read fails");
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for number in 0..REPLACEMENTS {
            // Most are instances of the same library, some of other copies.
            let image = if number % 10 == 0 { open(&faulty_file()).unwrap() } else { faulty() };
            plugin.replace(image).expect("the plugin can be replaced");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(reads.into_inner() > 0, "some reads happened");
}
