//! Packing loses nothing.

use std::borrow::Cow;
use std::num::NonZeroU64;

use proptest::prelude::*;
use prowess_core::{Code, Diagnostic, NewRecord, RecordSet, RecordSetBuilder, Severity, Stamp};

/// A record that owns its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Owned {
    package: String,
    file: &'static str,
    id: String,
    name: String,
    description: String,
    tags: Vec<String>,
    priority: i16,
    version: Option<String>,
    stamp: Option<Stamp>,
}

impl Owned {
    fn push(&self, builder: &mut RecordSetBuilder) {
        let tags: Vec<_> = self.tags.iter().map(|tag| Cow::Borrowed(tag.as_str())).collect();
        builder.push(&NewRecord {
            package: &self.package,
            file: self.file,
            id: &self.id,
            name: &self.name,
            description: &self.description,
            tags: &tags,
            priority: self.priority,
            version: self.version.as_deref(),
            conditions: None,
            stamp: self.stamp,
        });
    }

    fn read(set: &RecordSet, at: usize) -> Self {
        Self {
            package: set.package(at).into(),
            file: set.file(at),
            id: set.id(at).into(),
            name: set.name(at).into(),
            description: set.description(at).into(),
            tags: set.tags(at).map(Into::into).collect(),
            priority: set.priority(at),
            version: set.version(at).map(Into::into),
            stamp: set.stamp(at),
        }
    }
}

fn record() -> impl Strategy<Value = Owned> {
    // Names that are the directory's, a part of it, and neither: all share texts differently.
    let name = prop_oneof!["pdf", "df", "pdf-é", "[a-z]{1,8}"];
    let texts = ("(a/)?(b/)?(pdf|[a-z]{1,8})", name, prop_oneof!["pdf", "[a-z]{1,8}"], ".{0,40}");
    let rest =
        (proptest::collection::vec("[a-zé]{1,6}", 0..4), any::<i16>(), any::<u64>(), any::<bool>());
    // Few versions, so that neighbours share one and others do not.
    let version = proptest::option::of("[12]\\.0");
    (texts, rest, version).prop_map(|(texts, (tags, priority, stamp, lower), version)| {
        let (package, name, id, description) = texts;
        Owned {
            package,
            file: if lower { "skill.md" } else { "SKILL.md" },
            id,
            name,
            description,
            tags,
            priority,
            version,
            stamp: NonZeroU64::new(stamp).map(Stamp),
        }
    })
}

proptest! {
    #[test]
    fn what_was_packed_is_read_back_and_can_be_taken_over(
        records in proptest::collection::vec(record(), 0..20)
    ) {
        let mut builder = RecordSetBuilder::new();
        records.iter().for_each(|record| record.push(&mut builder));
        let set = builder.finish();
        let mut again = RecordSetBuilder::new();
        (0..set.len()).for_each(|at| again.reuse(&set, at, set.stamp(at)));
        let again = again.finish();
        prop_assert_eq!(set.len(), records.len());
        for (at, record) in records.iter().enumerate() {
            prop_assert_eq!(&Owned::read(&set, at), record);
            prop_assert_eq!(&Owned::read(&again, at), record);
        }
    }
}

#[test]
fn a_text_beyond_the_bound_is_cut_between_characters() {
    let long = "é".repeat(40_000);
    let mut builder = RecordSetBuilder::new();
    let record = Owned {
        package: "a".into(),
        file: "SKILL.md",
        id: "a".into(),
        name: "a".into(),
        description: long,
        tags: Vec::new(),
        priority: 0,
        version: None,
        stamp: None,
    };
    record.push(&mut builder);
    let set = builder.finish();
    assert_eq!(set.description(0).len(), 65_534, "the last whole character within 65,535 bytes");
    assert_eq!(set.id(0), "a", "and the others are as they were");
}

#[test]
fn findings_come_sorted_and_go_with_their_package() {
    let finding = |path: &str| {
        Diagnostic::new(Code::new("test"), Severity::Warning, "a finding", "none").in_file(path)
    };
    let mut builder = RecordSetBuilder::new();
    builder.diagnose(Some("b"), finding("/b/SKILL.md"));
    builder.diagnose(None, finding("/"));
    builder.diagnose(Some("a"), finding("/a/SKILL.md"));
    let set = builder.finish();
    let places: Vec<_> = set.diagnostics().map(|found| found.path.as_deref()).collect();
    assert_eq!(places, [Some("/"), Some("/a/SKILL.md"), Some("/b/SKILL.md")]);
    let problems: Vec<_> = set.problems().map(|found| found.path.as_deref()).collect();
    assert_eq!(problems, [Some("/")], "a finding about no package is told apart");

    let mut next = RecordSetBuilder::new();
    next.reuse_diagnostics(&set, |package| package == "b");
    let kept: Vec<_> = next.finish().diagnostics().map(|found| found.path.clone()).collect();
    assert_eq!(kept, [Some("/b/SKILL.md".into())], "only those of a package that is kept");
}
