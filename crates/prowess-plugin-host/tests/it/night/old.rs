//! A plugin that was built for ABI 1.0, with older dependencies.

use prowess_core::PackagePath;
use prowess_testkit::{ScanRecorder, build_plugin_outside};
use serde_json::json;

use crate::loaded::verified;
use crate::running::{EVERYWHERE, read_file};

#[test]
fn plugin_for_abi_1_0_works() {
    let file = build_plugin_outside("crates/prowess-plugin-host/fixtures/old-plugin", "old-plugin");
    let manifest = verified(&file).manifest().clone();
    assert_eq!((&*manifest.abi, &*manifest.sdk), ("1.0", ""), "it was built without the SDK");
    for place in EVERYWHERE {
        let source = &*place.source(&file, &json!({}));
        assert_eq!((source.name(), source.root()), ("old", "old://here"));
        assert_eq!(ScanRecorder::scan(source).unwrap().packages(), ["old"], "a scan works");
        let read = |path| read_file(source, "old", path);
        assert!(read("SKILL.md").is_ok_and(|bytes| bytes.ends_with(b"The body\n")));
        assert_eq!(read("b"), Ok(b"b".to_vec()), "the plugin frees its memory");
        let listed = source.list(&PackagePath::new("old").unwrap(), 9).unwrap();
        let paths: Vec<_> = listed.resources.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a", "b", "c"], "{place:?}: the pages of one file each are joined");
        assert!(listed.is_complete, "the listing is complete");
    }
}
