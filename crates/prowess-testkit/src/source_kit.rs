//! The `# Behavior` list of `SkillSource` as checks.

use prowess_core::{
    Cancel, Coverage, Diagnostic, Found, Listing, PackagePath, PreviousScan, ReadFurther,
    ReadLimit, ResourcePath, ScanSink, SkillSource, SourceErrorKind, Stamp,
};

use crate::ScanRecorder;
use crate::scan_recorder::FoundPackage;
use crate::source_fixture::{SourceFixture, broken};
use crate::watch_kit::a_watch_reports_changes;

const ONCE: &str = "`scan` reports each package once, by a path in the normal form of \
     [`PackagePath`], and reports a diagnostic with a path for everything that prevented a package \
     from being reported";
const FILE: &str =
    "The file of a package is its `SKILL.md`, or its `skill.md` if there is no `SKILL.md`";
const KNOWN: &str = "`scan` compares each package with [`PreviousScan::stamp`] and reports one whose \
     stamp is still the same as unchanged, without reading it. A package with a provisional stamp may \
     be read once more";
const PARTLY: &str = "A failure that leaves some packages readable is a diagnostic. A source \
     returns an error only if it cannot report any package";
const ASKED: &str = "`scan_packages` reports for the requested packages what `scan` would \
     report. It may report more, and returns what it covered";
const INSIDE: &str =
    "`read` and `list` never leave the package, whatever the path, the links in it or a race";
const WHOLE: &str = "`read` returns the whole file or an error, never a part of it";
const SORTED: &str =
    "`list` is sorted, contains regular files only and states whether it is complete";
const THREADS: &str =
    "Every method may be called from any thread at any time, and ends soon after `cancel`";
const FURTHER: &str = "Asked to, the source reads further and calls again with more";

const LONG: &[u8] = &[b'x'; 20_000];

/// The files of most checks. `alphabet` starts like `alpha`, `lower` has only a `skill.md`.
const FILES: [(&str, &[u8]); 10] = [
    ("alpha/SKILL.md", b"alpha"),
    ("alpha/.hidden", b"hidden"),
    ("alpha/b.md", b"b"),
    ("alpha/references/notes.md", b"notes"),
    ("alphabet/SKILL.md", b"alphabet"),
    ("alphabet/secret.md", b"secret"),
    ("group/deep/SKILL.md", b"deep"),
    ("long/SKILL.md", LONG),
    ("lower/skill.md", b"lower"),
    ("notes/README.md", b"no skill"),
];

const PACKAGES: [&str; 5] = ["alpha", "alphabet", "group/deep", "long", "lower"];

/// Checks every rule of [`SkillSource`].
pub fn check_source(fixture: &dyn SourceFixture) {
    each_package_is_reported_once(fixture);
    unreadable_packages_are_reported(fixture);
    an_unchanged_package_is_not_reported_again(fixture);
    a_file_is_read_further_when_asked(fixture);
    a_few_packages_are_reported_as_in_a_scan(fixture);
    a_watch_reports_changes(fixture, &FILES);
    no_way_leads_out_of_a_package(fixture);
    a_file_is_read_whole_or_not_at_all(fixture);
    a_listing_is_sorted_and_says_when_it_is_cut(fixture);
    threads_do_not_disturb_each_other(fixture);
    a_scan_ends_soon_after_its_cancel(fixture);
}

fn scan(source: &dyn SkillSource) -> ScanRecorder {
    ScanRecorder::scan(source)
        .unwrap_or_else(|_| panic!("{}", broken(PARTLY, "it fails though every file is readable")))
}

fn package(path: &str) -> PackagePath {
    PackagePath::new(path).expect("the kit's paths are packages' paths")
}

fn resource(path: &str) -> ResourcePath {
    ResourcePath::new(path).expect("the kit's paths are resources' paths")
}

fn each_package_is_reported_once(fixture: &dyn SourceFixture) {
    let scan = scan(&*fixture.source(&FILES));
    assert_eq!(scan.packages(), PACKAGES, "{}", broken(ONCE, "other packages are reported"));
    assert!(scan.unchanged.is_empty(), "{}", broken(ONCE, "an unknown package is unchanged"));
    assert!(scan.problems.is_empty(), "{}", broken(ONCE, "it complains of good files"));
    for found in &scan.found {
        let path = format!("{}/{}", found.package, found.file);
        let file = FILES.iter().find(|(name, _)| *name == path);
        let (_, bytes) = file.unwrap_or_else(|| panic!("{}", broken(ONCE, "no such file")));
        let is_head = bytes.starts_with(&found.head);
        assert!(is_head, "{}", broken(ONCE, "the text is not the file's"));
        let is_whole = bytes.len() == found.head.len();
        assert_eq!(found.is_whole_file, is_whole, "{}", broken(ONCE, "where the file ends"));
        let is_size = found.size.is_none_or(|size| size == bytes.len() as u64);
        assert!(is_size, "{}", broken(ONCE, "the size is not the file's"));
    }
    let root = scan_of(fixture, &[("SKILL.md", b"root")]);
    assert_eq!(root.packages(), [""], "{}", broken(ONCE, "a root may be a package"));
    let both = scan_of(fixture, &[("a/SKILL.md", b"1"), ("a/skill.md", b"2")]);
    assert_eq!(
        both.packages(),
        ["a"],
        "{}",
        broken(FILE, "a package with both is reported otherwise")
    );
    assert_eq!(
        both.found[0].head,
        b"1",
        "{}",
        broken(FILE, "`skill.md` is used though there is a `SKILL.md`")
    );
}

fn scan_of(fixture: &dyn SourceFixture, files: &[(&str, &[u8])]) -> ScanRecorder {
    scan(&*fixture.source(files))
}

fn unreadable_packages_are_reported(fixture: &dyn SourceFixture) {
    let Some(unreadable) = fixture.with_unreadable(&FILES) else {
        return;
    };
    let scan = ScanRecorder::scan(&*unreadable.source);
    let scan =
        scan.unwrap_or_else(|_| panic!("{}", broken(PARTLY, "one bad file makes the scan fail")));
    assert_eq!(scan.packages(), PACKAGES, "{}", broken(PARTLY, "a bad file hides good ones"));
    let is_expected = |problem: &Diagnostic| {
        problem.is_error() && problem.path.as_deref() == Some(&*unreadable.path)
    };
    let reported = scan.problems.iter().filter(|problem| is_expected(problem)).count();
    assert_eq!(reported, 1, "{}", broken(ONCE, "no error names the file that cannot be read"));
}

fn an_unchanged_package_is_not_reported_again(fixture: &dyn SourceFixture) {
    let source = fixture.source(&FILES);
    let mut first = scan(&*source);
    if first.known.values().chain(first.next().known.values()).any(|stamp| stamp.is_provisional()) {
        // A provisional stamp may cost one further read, which returns an exact one.
        first = first.next().record(&*source).expect(KNOWN);
    }
    let second = first.next().record(&*source).expect(KNOWN);
    let stamped = second.known.len();
    let reported = second.found.iter().filter(|found| second.known.contains_key(&found.package));
    assert_eq!(reported.count(), 0, "{}", broken(KNOWN, "an unchanged package is read again"));
    assert_eq!(second.unchanged.len(), stamped, "{}", broken(KNOWN, "a package is forgotten"));

    let mut changed = first.next();
    for stamp in changed.known.values_mut() {
        // Another value, because the stamp of a file that is some seconds old may be provisional.
        *stamp = Stamp::provisional(!stamp.value()).confirmed();
    }
    let changed = changed.record(&*source).expect(KNOWN);
    let wrong = changed.unchanged.iter().any(|name| changed.known.contains_key(name));
    assert!(!wrong, "{}", broken(KNOWN, "another stamp is taken for the same"));
}

fn a_file_is_read_further_when_asked(fixture: &dyn SourceFixture) {
    let recorder = ScanRecorder { reads_to_the_end: true, ..ScanRecorder::default() };
    let recorder = recorder.record(&*fixture.source(&FILES)).expect(FURTHER);
    let mut reports = recorder.found.iter().filter(|found| found.package == "long");
    let lengths: Vec<_> = reports.clone().map(|found| found.head.len()).collect();
    let grows = lengths.is_sorted_by(|shorter, longer| shorter < longer);
    assert!(grows, "{}", broken(FURTHER, "a further report has no more than the last"));
    let is_whole = reports.next_back().is_some_and(|last| last.is_whole_file && last.head == LONG);
    assert!(is_whole, "{}", broken(FURTHER, "the end of a long file is never reached"));
}

fn a_few_packages_are_reported_as_in_a_scan(fixture: &dyn SourceFixture) {
    let source = fixture.source(&FILES);
    let asked = ["alpha", "group/deep", "missing", "notes"].map(package);
    let recorded = ScanRecorder::default().record_packages(&*source, &asked);
    let (few, covered) = recorded.expect(ASKED);
    let expected: &[&str] = match covered {
        Coverage::Everything(_) => &PACKAGES,
        Coverage::Asked => &["alpha", "group/deep"],
    };
    let reported = few.packages();
    let has_all = expected.iter().all(|package| reported.contains(package));
    assert!(has_all, "{}", broken(ASKED, "a package that is there is not reported"));
    let is_real = reported.iter().all(|package| PACKAGES.contains(package));
    assert!(is_real, "{}", broken(ASKED, "a package that is not there is reported"));
    let whole = scan(&*source);
    let is_same = few.found.iter().all(|few| whole.found.iter().any(|whole| is_one(few, whole)));
    assert!(is_same, "{}", broken(ASKED, "it reports another file than a scan does"));
}

/// Returns whether two reports are of one version. A provisional stamp depends on the scan, and a
/// file that was just written may have none yet, so stamps that are not exact may differ.
fn is_one(one: &FoundPackage, other: &FoundPackage) -> bool {
    let is_settled = |found: &FoundPackage| found.stamp.is_some_and(|it| !it.is_provisional());
    let is_one_stamp = one.stamp == other.stamp || !is_settled(one) || !is_settled(other);
    // Sizes were not requested, so one scan may report them and another not.
    let is_one_size = one.size == other.size || one.size.is_none() || other.size.is_none();
    is_one_stamp
        && is_one_size
        && FoundPackage { stamp: one.stamp, size: one.size, ..other.clone() } == *one
}

fn no_way_leads_out_of_a_package(fixture: &dyn SourceFixture) {
    let source = fixture.source(&FILES);
    let alpha = package("alpha");
    for path in ["bet/secret.md", "secret.md", "alphabet/secret.md", "%2e%2e/alphabet/secret.md"] {
        let read = source.read(&alpha, &resource(path), ReadLimit::default());
        assert!(read.is_err(), "{}", broken(INSIDE, "a neighbour's file is read"));
    }
    let listing = source.list(&alpha, 100).expect(INSIDE);
    let expected = [".hidden", "b.md", "references/notes.md"];
    assert_eq!(sorted(&listing), expected, "{}", broken(INSIDE, "other files are listed"));
    for missing in ["alp", "missing", "alpha/b.md"] {
        let listed = source.list(&package(missing), 100);
        assert!(listed.is_err(), "{}", broken(INSIDE, "a package that is none is listed"));
    }
    for way in fixture.ways_out() {
        let package = package(way.package);
        let read = way.source.read(&package, &resource(way.resource), ReadLimit::default());
        assert!(read.is_err(), "{}", broken(INSIDE, way.resource));
        let listing = way.source.list(&package, 1_000).unwrap_or_default();
        let is_listed = sorted(&listing).contains(&way.resource);
        assert!(!is_listed, "{}", broken(INSIDE, way.resource));
    }
}

fn sorted(listing: &Listing) -> Vec<&str> {
    let paths = listing.resources.iter().map(|resource| resource.path.as_str());
    let mut paths: Vec<_> = paths.collect();
    paths.sort_unstable();
    paths
}

fn a_file_is_read_whole_or_not_at_all(fixture: &dyn SourceFixture) {
    let source = fixture.source(&FILES);
    for (path, bytes) in &FILES[..9] {
        let (directory, file) = ["alpha", "alphabet", "group/deep", "long", "lower"]
            .iter()
            .find_map(|name| Some((*name, path.strip_prefix(name)?.strip_prefix('/')?)))
            .expect("the kit's files lie in its packages");
        let directory = package(directory);
        let file = resource(file);
        let read = |limit| source.read(&directory, &file, ReadLimit(limit));
        let kind = |limit| read(limit).err().map(|error| error.kind);
        let whole = read(bytes.len());
        assert_eq!(whole.as_deref(), Ok(*bytes), "{}", broken(WHOLE, "it is not the file"));
        let too_large = Some(SourceErrorKind::TooLarge);
        assert_eq!(kind(bytes.len() - 1), too_large, "{}", broken(WHOLE, "over the limit"));
    }
    let kind = |path| source.read(&package("alpha"), &resource(path), ReadLimit::default());
    let kind = |path| kind(path).err().map(|error| error.kind);
    let directory = Some(SourceErrorKind::NotRegular);
    assert_eq!(kind("references"), directory, "{}", broken(WHOLE, "a directory is read"));
    let missing = Some(SourceErrorKind::NotFound);
    assert_eq!(kind("missing"), missing, "{}", broken(WHOLE, "a missing file is read"));
}

fn a_listing_is_sorted_and_says_when_it_is_cut(fixture: &dyn SourceFixture) {
    let source = fixture.source(&FILES);
    let alpha = package("alpha");
    for most in [0, 1, 2, 3, 100] {
        let listing = source.list(&alpha, most).expect(SORTED);
        let paths: Vec<_> = listing.resources.iter().map(|resource| &resource.path).collect();
        let is_sorted = paths.is_sorted_by(|before, after| before < after);
        assert!(is_sorted, "{}", broken(SORTED, "it is not sorted"));
        assert_eq!(paths.len(), most.min(3), "{}", broken(SORTED, "how many there are"));
        assert_eq!(listing.is_complete, most >= 3, "{}", broken(SORTED, "whether it is cut"));
        for listed in &listing.resources {
            let read = source.read(&alpha, &listed.path, ReadLimit::default());
            let length = read.map(|bytes| bytes.len() as u64);
            assert_eq!(length, Ok(listed.bytes), "{}", broken(SORTED, "a file and its size"));
        }
    }
}

fn threads_do_not_disturb_each_other(fixture: &dyn SourceFixture) {
    let source = fixture.source(&FILES);
    let work = || {
        let packages = scan(&*source).packages().join(" ");
        let listing = source.list(&package("alpha"), 100).map(|listing| listing.resources.len());
        let read = source.read(&package("long"), &resource("SKILL.md"), ReadLimit::default());
        (packages, listing, read.map(|bytes| bytes.len()))
    };
    let alone = work();
    std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(work));
        for thread in threads {
            let together = thread.join().expect(THREADS);
            assert_eq!(together, alone, "{}", broken(THREADS, "threads see different things"));
        }
    });
}

/// Cancels a scan when the first package is found.
struct CancelAtOnce<'a> {
    cancel: &'a Cancel,
    found: usize,
}

impl ScanSink for CancelAtOnce<'_> {
    fn unchanged(&mut self, _: &str) {}

    fn found(&mut self, _: Found<'_>) -> ReadFurther {
        self.found += 1;
        self.cancel.cancel();
        ReadFurther::No
    }

    fn problem(&mut self, _: Diagnostic) {}
}

fn a_scan_ends_soon_after_its_cancel(fixture: &dyn SourceFixture) {
    const MANY: usize = 100;

    let names: Vec<_> = (0..MANY).map(|number| format!("skill-{number}/SKILL.md")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &b"text"[..])).collect();
    let source = fixture.source(&files);
    let cancel = Cancel::default();
    let mut sink = CancelAtOnce { cancel: &cancel, found: 0 };
    let kind = source.scan(&PreviousScan::none(), &mut sink, &cancel).err().map(|error| error.kind);
    let cancelled = Some(SourceErrorKind::Cancelled);
    assert_eq!(kind, cancelled, "{}", broken(THREADS, "a cancelled scan is no whole one"));
    assert!(sink.found < MANY / 2, "{}", broken(THREADS, "a cancelled scan goes on"));
}
