//! The shipped plugins pass the test kits, in the host's process and in a separate one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use prowess_core::{Cancel, Digest, MemorySource, PackagePath, SkillSource};
use prowess_plugin_host::PluginLimits;
use prowess_testkit::{
    DirectoryFixture, ScanRecorder, SourceFixture, Tree, build_plugin, check_source, check_tools,
};
use serde_json::{Value, json};

use crate::conversation;
use crate::loaded::verified;
use crate::running::{EVERYWHERE, Where};

fn built(plugin: &str) -> PathBuf {
    build_plugin(&format!("prowess-plugin-{plugin}"))
}

struct Memory(Where);

impl SourceFixture for Memory {
    fn source(&self, files: &[(&str, &[u8])]) -> Arc<dyn SkillSource> {
        let text =
            |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the kit's files are text");
        let files: BTreeMap<_, _> =
            files.iter().map(|(path, bytes)| (*path, text(bytes))).collect();
        self.0.source(&built("memory"), &json!({"files": files}))
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
    assert_eq!((again.unchanged.len(), again.found.len()), (files.len(), 0), "all are unchanged");
}

fn filesystem(place: Where, root: &Path) -> Arc<dyn SkillSource> {
    place.source(&built("filesystem"), &json!({"roots": [{"root": root}]}))
}

#[test]
fn filesystem_plugin_passes_the_source_kit() {
    for place in EVERYWHERE {
        check_source(&DirectoryFixture::new(|root| filesystem(place, root)));
    }
}

#[test]
fn size_of_a_truncated_file_is_reported() {
    let tree = Tree::of(&[("long/SKILL.md", [b'x'; 20_000])]);
    for place in EVERYWHERE {
        let scan = ScanRecorder::scan(&*filesystem(place, tree.path())).unwrap();
        let found = scan.found.iter().map(|found| (found.is_whole_file, found.size));
        assert_eq!(found.collect::<Vec<_>>(), [(false, Some(20_000))], "{place:?}: it has a size");
    }
}

#[test]
fn stamps_are_valid_in_the_next_run() {
    let file = built("filesystem");
    let tree = Tree::of(&[("alpha/SKILL.md", b"alpha")]);
    let config = json!({"roots": [{"root": tree.path()}]});
    let run = || Where::InTheHost.source(&file, &config);
    let (first, next) = (run(), run());
    let key = first.cache_key().expect("the source has a key");
    let digest = Digest::of(&std::fs::read(&file).unwrap()).to_string();
    assert!(key.starts_with(&digest), "the key contains the digest of the build: {key}");
    assert_eq!(next.cache_key(), Some(key), "the key is the same for the same configuration");
    // The second scan replaces the stamp of a recently written file.
    let scanned = ScanRecorder::scan(&*first).unwrap().next().record(&*first).unwrap();
    let again = scanned.next().record(&*next).unwrap();
    assert_eq!((&*again.unchanged, again.found.len()), (&["alpha".to_owned()][..], 0), "not read");
    // Stamps of a separate process cannot be requested per package.
    assert_eq!(Where::InAProcess.source(&file, &config).cache_key(), None, "another process: none");
    let memory = Memory(Where::InTheHost).source(&[]);
    assert_eq!(memory.cache_key(), None, "this source has no key");
}

#[test]
fn text_tools_plugin_passes_the_tool_kit() {
    let example = ("json.query", json!({"json": "{\"a\": [1, 2]}", "query": "/a/1"}));
    for place in EVERYWHERE {
        let running = place.start(&built("text-tools"), &Value::Null, PluginLimits::default());
        let running = running.expect("the plugin starts");
        check_tools(&*running.tools[0], std::slice::from_ref(&example));
        let call = |arguments| {
            let never = Cancel::default();
            conversation::call(&*running.tool(), &*running.clock, &arguments, &never)
        };
        assert_eq!(call(example.1.clone()).structured, Some(json!(2)), "{place:?}");
        for (document, query, code) in [("{", "", "invalid-arguments"), ("{}", "/a", "not-found")] {
            let result = call(json!({"json": document, "query": query}));
            assert_eq!(result.code.unwrap().as_str(), code, "{place:?}: {document} {query}");
        }
    }
}

/// Starts a plugin that refuses its configuration, and returns the reason.
fn refusal(plugin: &str, config: &Value) -> String {
    let refused = Where::InTheHost.start(&built(plugin), config, PluginLimits::default());
    refused.err().expect("the configuration is refused").reason
}

#[test]
fn invalid_configuration_is_refused() {
    for line in include_str!("../data/refused-settings.txt").lines() {
        let parts: Vec<_> = line.split(" ¦ ").collect();
        let [plugin, config, part] = parts[..] else { panic!("{line}") };
        let config = config.parse().expect("JSON");
        let reason = refusal(plugin, &config);
        assert!(reason.contains(part), "{plugin} refuses {config} with {part:?}: {reason:?}");
    }
}

/// Compares a schema with the fields that the error of an unknown field lists.
#[track_caller]
fn check_fields(schema: &Value, reason: &str) {
    let (_, expected) = reason.split_once(", expected ").expect("the error lists the fields");
    let listed: BTreeSet<_> = expected.split('`').skip(1).step_by(2).collect();
    let declared = schema["properties"].as_object().expect("a schema has properties");
    assert_eq!(declared.keys().map(String::as_str).collect::<BTreeSet<_>>(), listed);
}

#[test]
fn schema_has_each_field_of_the_configuration() {
    let schema = |plugin| verified(&built(plugin)).manifest().config_schema.clone().unwrap();
    for plugin in ["embedded", "filesystem", "mcp", "memory", "remote"] {
        check_fields(&schema(plugin), &refusal(plugin, &json!({"unknown": 1})));
    }
    let root = &schema("filesystem")["properties"]["roots"]["items"];
    check_fields(root, &refusal("filesystem", &json!({"roots": [{"unknown": 1}]})));
}

#[test]
fn embedded_plugin_needs_no_configuration() {
    let source = Where::InTheHost.source(&built("embedded"), &Value::Null);
    assert_eq!(source.root(), "embedded://prowess", "the default name");
}

#[test]
fn remote_plugin_applies_the_guards_of_its_configuration() {
    let key = minisign::KeyPair::generate_unencrypted_keypair().unwrap().pk.to_base64();
    for (guard, value, text, code) in [
        ("growth", "refuse", Some("One"), Some("surface-grown")),
        ("growth", "accept", Some("Two"), None),
        ("signer", &*key, None, Some("signer-changed")),
    ] {
        let skill = |body| format!("---\nname: pdf\ndescription: Fills forms.\n---\n{body}\n");
        let tree = Tree::of(&[("pdf/SKILL.md", skill("One").as_bytes())]);
        let cache = Tree::new("");
        let mut config = json!({
            "sources": [tree.path()], "directory": cache.path(), "interval_seconds": 1,
        });
        config[guard] = value.into();
        let running = Where::InTheHost.start(&built("remote"), &config, PluginLimits::default());
        let running = running.expect("the plugin starts");
        ScanRecorder::scan(running.source()).expect("the first versions are read");

        tree.write("pdf/SKILL.md", skill("Two"));
        tree.write("pdf/run.sh", "#!/bin/sh\n");
        running.clock.advance(Duration::from_secs(1));
        let scan = ScanRecorder::scan(running.source()).expect("the new version is read");
        let texts = scan.found.iter().map(|found| String::from_utf8_lossy(&found.head));
        let last = texts.map(|text| text.lines().last().unwrap_or_default().to_owned());
        assert_eq!(last.collect::<Vec<_>>(), Vec::from_iter(text), "{guard}: {value}");
        let codes = scan.problems.iter().map(|problem| problem.code.as_str());
        assert_eq!(codes.collect::<Vec<_>>(), Vec::from_iter(code), "{guard}: {value}");
    }
}

#[test]
fn token_of_the_mcp_plugin_is_sent_to_its_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(&stream).lines().map_while(Result::ok);
        let header: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
        let head = "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        header.join("\n").to_lowercase()
    });
    let file = Tree::new("//- /token\ns3cr3t\n");
    let config = json!({
        "label": "docs", "url": format!("http://{address}/mcp"), "hosts": [address],
        "token_file": file.join("token"),
    });
    let source = Where::InTheHost.source(&built("mcp"), &config);
    let error = source.list(&PackagePath::new("pdf").unwrap(), 1).expect_err("it refuses");
    assert!(!error.message.contains("s3cr3t"), "{error}");
    let header = served.join().unwrap();
    assert!(header.contains("authorization: bearer s3cr3t"), "{header}");
}
