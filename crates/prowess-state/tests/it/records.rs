//! Tests of the serialization of record sets, also with invalid bytes under a valid checksum.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use prowess_core::{
    Code, Conditions, Diagnostic, NewRecord, PackagePath, RecordSet, RecordSetBuilder, Severity,
    Stamp,
};
use prowess_state::RecordCache;
use prowess_testkit::Tree;

use crate::cache::only_file;

/// The length of the header and the checksum of a file.
const HEAD: usize = 32;

/// The bytes of a file before its records: the build and the key.
const KEY: &[u8] = b"build\nkey\0";

/// A cache with one file.
struct Cache {
    tree: Tree,
    records: RecordCache,
}

impl Cache {
    fn new() -> Self {
        let tree = Tree::new("");
        let records = RecordCache::new(tree.join("cache"), "build");
        Self { tree, records }
    }

    /// Saves a set, and returns its bytes.
    fn bytes(&self, set: &RecordSet) -> Vec<u8> {
        self.records.save("key", set).expect("there is room");
        let file = std::fs::read(only_file(&self.tree)).expect("it was saved");
        file[HEAD + KEY.len()..].to_vec()
    }

    /// Reads bytes in the place of those that were saved last.
    fn read(&self, bytes: &[u8]) -> Option<RecordSet> {
        let path = only_file(&self.tree);
        let mut file = std::fs::read(&path).expect("it was saved");
        let body = [KEY, bytes].concat();
        file.truncate(HEAD - 16);
        file.extend(xxhash_rust::xxh3::xxh3_128(&body).to_le_bytes());
        file.extend(body);
        std::fs::write(path, file).expect("there is room");
        self.records.load("key").ok().flatten()
    }
}

thread_local!(static CACHE: Cache = Cache::new());

fn to_bytes(set: &RecordSet) -> Vec<u8> {
    CACHE.with(|cache| cache.bytes(set))
}

fn read(bytes: &[u8]) -> Option<RecordSet> {
    CACHE.with(|cache| cache.read(bytes))
}

/// A set of any kind: records with and without conditions, packages that cannot be used, findings.
fn set() -> impl Strategy<Value = RecordSet> {
    let record = ("(a/)?[a-zé]{1,6}", ".{0,12}", option::of("[a-z]{1,4}"), ".{0,40}", tags());
    let paths = option::of(vec("[a-z*]{1,4}", 1..3));
    let rest = (any::<i16>(), any::<u64>(), any::<bool>(), paths, option::of("[0-9.]{1,3}"));
    let rejected = ("[a-z]{1,6}", any::<u64>());
    let sets = (vec((record, rest), 0..8), vec(rejected, 0..4), vec(finding(), 0..4), any::<u64>());
    sets.prop_map(|(records, rejected, findings, listing)| {
        let mut builder = RecordSetBuilder::new();
        builder.listed(NonZeroU64::new(listing).map(Stamp::from_bits));
        for ((package, name, id, description, tags), rest) in &records {
            let (priority, stamp, is_lower_case, paths, version) = rest;
            let paths = paths.iter().flatten().map(|path| path.as_str().into()).collect();
            let conditions = Conditions { paths, ..Conditions::default() };
            builder.push(&NewRecord {
                package,
                file: if *is_lower_case { "skill.md" } else { "SKILL.md" },
                id: id.as_ref().unwrap_or(name),
                name,
                description,
                tags: &tags.iter().map(|tag| Cow::Borrowed(tag.as_str())).collect::<Vec<_>>(),
                priority: *priority,
                version: version.as_deref(),
                conditions: (!conditions.is_empty()).then(|| Arc::new(conditions)),
                stamp: NonZeroU64::new(*stamp).map(Stamp::from_bits),
            });
        }
        for (package, stamp) in &rejected {
            builder.reject(package, NonZeroU64::new(*stamp).map(Stamp::from_bits));
        }
        for (package, finding) in findings {
            builder.diagnose(package.as_deref(), finding);
        }
        builder.finish()
    })
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    vec("[a-zé]{1,6}", 0..3)
}

fn finding() -> impl Strategy<Value = (Option<String>, Diagnostic)> {
    let place = (option::of("/.{0,8}"), option::of(any::<u32>()), option::of(any::<u32>()));
    let span = option::of((0_usize..9, 0_usize..99).prop_map(|(start, end)| start..end));
    let parts = (option::of("[a-z]{0,4}"), place, span, ".{0,20}", 0_usize..3);
    parts.prop_map(|(package, (path, line, column), span, text, severity)| {
        let severity = [Severity::Hint, Severity::Warning, Severity::Error][severity];
        let path = path.map(Into::into);
        let found = Diagnostic::new(Code::new("some-code"), severity, text.clone(), text);
        (package, Diagnostic { path, line, column, span, ..found })
    })
}

/// Returns every value that a set exposes.
fn exposed(set: &RecordSet) -> impl PartialEq + std::fmt::Debug {
    let record = |at| {
        let texts = [set.package(at), set.file(at), set.id(at), set.name(at), set.description(at)];
        let texts = texts.map(str::to_owned);
        let tags: Vec<_> = set.tags(at).map(str::to_owned).collect();
        let version = set.version(at).map(str::to_owned);
        (texts, tags, set.priority(at), set.stamp(at), set.conditions(at).cloned(), version)
    };
    let records: Vec<_> = (0..set.len()).map(record).collect();
    let rejected = set.rejected().iter().map(|rejected| (rejected.package.clone(), rejected.stamp));
    let findings =
        set.findings().map(|(package, finding)| (package.map(str::to_owned), finding.clone()));
    let findings = findings.collect::<Vec<_>>();
    let problems = set.problems().cloned().collect::<Vec<_>>();
    (records, rejected.collect::<Vec<_>>(), set.listing(), findings, problems)
}

proptest! {
    #[test]
    fn bytes_round_trip(set in set()) {
        let read = read(&to_bytes(&set)).expect("what was written is a set");
        prop_assert_eq!(exposed(&read), exposed(&set));
        prop_assert_eq!(to_bytes(&read), to_bytes(&set), "and writes the same again");
    }

    #[test]
    fn damaged_bytes_never_panic(
        set in set(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = to_bytes(&set);
        let length = cut.index(bytes.len() + 1);
        prop_assert!(length == bytes.len() || read(&bytes[..length]).is_none());
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(read) = read(&bytes) {
            let _ = exposed(&read);
            let is_normal = |at| PackagePath::is_normal(read.package(at));
            prop_assert!((0..read.len()).all(is_normal), "no path leads out of its source");
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        to_bytes(&RecordSetBuilder::new().finish());
        let _ = read(&bytes);
    }
}

/// A path that is not in normal form would be opened as if a scan had found it.
#[test]
fn escaping_package_path_is_rejected() {
    for path in ["../../etc", "/etc", "a/../b", "a//b"] {
        let mut records = RecordSetBuilder::new();
        records.reject(path, None);
        assert!(read(&to_bytes(&records.finish())).is_none(), "{path}");
        let mut records = RecordSetBuilder::new();
        records.push(&prowess_testkit::record(path, "a", "a"));
        assert!(read(&to_bytes(&records.finish())).is_none(), "{path}");
    }
}
