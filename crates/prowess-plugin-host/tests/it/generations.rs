//! A plugin that is replaced while it is used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use prowess_core::{PackagePath, ReadLimit, ResourcePath};
use prowess_plugin_host::{LoadedCode, PluginErrorKind};
use prowess_testkit::{ScanRecorder, build_plugin_example};
use serde_json::json;

use crate::loaded::{Start, faulty, faulty_file, memory, open, verified};

#[test]
fn each_opening_is_an_image_of_its_own() {
    let file = faulty_file();
    let plugin = verified(&file);
    let again = LoadedCode::open_path(&file, &file, plugin.manifest());
    // The first opening of this very path may succeed; the second gives the same library.
    let twice = LoadedCode::open_path(&file, &file, plugin.manifest());
    let error = twice.expect_err("the system gives the same library again");
    assert_eq!(error.kind, PluginErrorKind::Open);
    assert!(error.to_string().contains("was opened before"), "{error}");
    drop(again);
    for _ in 0..3 {
        open(&file).expect("a staged copy is another image");
    }
}

#[test]
fn another_manifest_than_the_file_s_is_refused() {
    let mut manifest = verified(&faulty_file()).manifest().clone();
    manifest.version = "9.9.9".into();
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("copy.so");
    std::fs::copy(faulty_file(), &copy).unwrap();
    let error = LoadedCode::open_path(&copy, &copy, &manifest).expect_err("it is another plugin");
    assert!(error.to_string().contains("opens as another plugin"), "{error}");
}

#[test]
fn a_plugin_that_means_something_else_is_refused_before_it_begins() {
    let file = build_plugin_example("prowess-plugin-abi", "other_layout");
    let error = open(&file).expect_err("it has a root of its own");
    assert_eq!(error.kind, PluginErrorKind::Abi);
    let text = error.to_string();
    assert!(text.contains("means something else by what crosses: in `PluginModule`"), "{text}");
    assert!(text.contains("expected init, found priority") && !text.contains('\n'), "{text}");
}

#[test]
fn a_library_that_is_missing_is_named() {
    let manifest = verified(&faulty_file()).manifest().clone();
    let missing = std::path::Path::new("missing/plugin.so");
    let error = LoadedCode::open_path(missing, missing, &manifest).expect_err("there is no file");
    assert_eq!(error.kind, PluginErrorKind::Open);
    assert!(error.reason.contains("cannot open shared object file"), "{error}");
}

#[test]
fn the_old_instance_is_dropped_when_the_new_one_is_there() {
    let start = Start::with(json!({"drop": "log"}));
    let plugin = start.start(faulty()).unwrap();
    let source = Arc::clone(&plugin.sources()[0]);
    plugin.replace(open(&faulty_file()).unwrap()).unwrap();
    assert_eq!(plugin.generation(), 1);
    let lines = ["Info faulty: begins", "Info faulty: begins", "Info faulty: is dropped"];
    assert_eq!(start.log.lines(), lines, "the new one begins before the old one ends");
    assert!(ScanRecorder::scan(&*source).is_ok(), "the source is the same as before");
    drop((plugin, source));
    assert_eq!(start.log.lines().len(), 4, "the last one is dropped with the last user");
}

#[test]
fn another_plugin_does_not_take_its_place() {
    let start = Start::with(json!({}));
    let plugin = start.start(faulty()).unwrap();
    let error = plugin.replace(memory()).expect_err("it offers something else");
    assert!(error.to_string().contains("offers other sources or tools"), "{error}");
    assert_eq!(plugin.generation(), 0, "the old one goes on");
    assert!(ScanRecorder::scan(&*plugin.sources()[0]).is_ok(), "and answers");
}

#[test]
fn there_is_an_end_to_replacing() {
    let start = Start { generations: 1, ..Start::with(json!({})) };
    let plugin = start.start(faulty()).unwrap();
    plugin.replace(faulty()).expect("once is allowed");
    let error = plugin.replace(faulty()).expect_err("twice is not");
    assert_eq!(error.kind, PluginErrorKind::Generations);
    assert!(error.help.contains("restart"), "{}", error.help);
}

#[test]
fn readers_see_no_failure_while_it_is_replaced() {
    const REPLACEMENTS: usize = 30;

    let start = Start { generations: REPLACEMENTS, ..Start::with(json!({})) };
    let plugin = start.start(faulty()).unwrap();
    let source = Arc::clone(&plugin.sources()[0]);
    let is_over = AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let package = PackagePath::new("good").unwrap();
                let file = ResourcePath::new("file").unwrap();
                while !is_over.load(Ordering::Relaxed) {
                    let read = source.read(&package, &file, ReadLimit::default());
                    assert_eq!(read, Ok(b"good".to_vec()), "no read fails");
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for number in 0..REPLACEMENTS {
            // Most are further instances of one image, some are images of their own.
            let image = if number % 10 == 0 { open(&faulty_file()).unwrap() } else { faulty() };
            plugin.replace(image).expect("the plugin can be replaced");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(plugin.generation(), REPLACEMENTS);
    assert!(reads.into_inner() > 0, "there were readers");
}
