//! Files inside a package that also belong to something outside: hard links and mounts.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, SystemTime};

use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource, SourceErrorKind, Trust};
use prowess_source_fs::{Discovery, FsConfig, Nested, SharedFiles};
use prowess_testkit::{BindMount, ScanRecorder, Tree, time_after_changes};

use crate::{config, problems, scan, source};

fn tree() -> Tree {
    Tree::new(
        "//- /skills/alpha/SKILL.md\nalpha\n//- /skills/beta/x\nx\n//- /out/SKILL.md\nsecret\n\
         //- /out/hostname\nsecret\n",
    )
}

fn skills(tree: &Tree, shared: SharedFiles) -> FsConfig {
    let root = tree.join("skills");
    FsConfig { root, hard_links: shared, mounts: shared, ..config(tree) }
}

fn read(config: FsConfig, package: &str, file: &str) -> Result<Vec<u8>, SourceErrorKind> {
    let package = PackagePath::new(package).unwrap();
    let file = ResourcePath::new(file).unwrap();
    source(config).read(&package, &file, ReadLimit::default()).map_err(|error| error.kind)
}

#[test]
fn hard_link_is_read_only_where_it_is_allowed() {
    let tree = tree();
    fs::hard_link(tree.join("out/hostname"), tree.join("skills/alpha/h")).unwrap();
    fs::hard_link(tree.join("out/SKILL.md"), tree.join("skills/beta/SKILL.md")).unwrap();
    let refused = skills(&tree, SharedFiles::Refuse);
    for (package, file) in [("alpha", "h"), ("beta", "SKILL.md")] {
        let error = Err(SourceErrorKind::MultipleLinks);
        assert_eq!(read(refused.clone(), package, file), error, "{package}/{file}");
        let bytes = read(skills(&tree, SharedFiles::Allow), package, file);
        assert_eq!(bytes, Ok(b"secret\n".to_vec()), "{package}/{file} where it is allowed");
    }
    assert_eq!(read(refused.clone(), "alpha", "SKILL.md"), Ok(b"alpha\n".to_vec()));
    let scanned = scan(refused);
    assert_eq!(scanned.packages(), ["alpha"]);
    let reported = problems(&scanned, &tree.join("skills"));
    assert!(reported.len() == 1 && reported[0].contains("multiple-links"), "{reported:?}");
    assert_eq!(scan(skills(&tree, SharedFiles::Allow)).packages(), ["alpha", "beta"]);
}

#[test]
fn file_that_gets_a_second_name_is_refused_by_the_next_scan() {
    let tree = tree();
    let source = source(skills(&tree, SharedFiles::Refuse));
    let first = ScanRecorder::scan(&source).unwrap();
    assert_eq!(first.packages(), ["alpha"]);
    fs::hard_link(tree.join("skills/alpha/SKILL.md"), tree.join("out/other")).unwrap();
    let second = first.next().record(&source).unwrap();
    assert!(second.found.is_empty() && second.unchanged.is_empty(), "{second:?}");
}

#[test]
fn mount_inside_a_package_is_read_only_where_it_is_allowed() {
    let tree = tree();
    fs::create_dir(tree.join("skills/alpha/mnt")).unwrap();
    fs::create_dir(tree.join("skills/gamma")).unwrap();
    let Some(_mounted) = BindMount::new(&tree.join("out"), &tree.join("skills/alpha/mnt")) else {
        return;
    };
    let _file = BindMount::new(&tree.join("out/SKILL.md"), &tree.join("skills/beta/x"));
    let _package = BindMount::new(&tree.join("out"), &tree.join("skills/gamma"));
    let refused = skills(&tree, SharedFiles::Refuse);
    let allowed = skills(&tree, SharedFiles::Allow);
    for (package, file) in [("alpha", "mnt/hostname"), ("beta", "x"), ("gamma", "SKILL.md")] {
        let error = Err(SourceErrorKind::CrossDevice);
        assert_eq!(read(refused.clone(), package, file), error, "{package}/{file}");
        let bytes = read(allowed.clone(), package, file);
        assert_eq!(bytes, Ok(b"secret\n".to_vec()), "{package}/{file} where it is allowed");
    }
    let missing = read(refused.clone(), "alpha", "mnt/gone");
    assert_eq!(missing, Err(SourceErrorKind::NotFound), "what is not there is not on a mount");
    let alpha = PackagePath::new("alpha").unwrap();
    let listed = source(refused.clone()).list(&alpha, 9).unwrap();
    assert!(listed.resources.is_empty() && !listed.is_complete, "{listed:?}");
    let scanned = scan(refused);
    assert_eq!(scanned.packages(), ["alpha"]);
    let reported = problems(&scanned, &tree.join("skills"));
    assert!(reported.len() == 1 && reported[0].contains("cross-device"), "{reported:?}");
    assert_eq!(scan(allowed).packages(), ["alpha", "gamma"]);
}

/// The times of what a mount hid until it went say nothing about what was read meanwhile.
#[test]
fn nothing_of_a_mount_that_has_gone_is_believed() {
    let names = |scan: &ScanRecorder| {
        let found = scan.found.iter().map(|it| (it.package.clone(), it.head.clone()));
        let unchanged = scan.unchanged.iter().map(|package| (package.clone(), Vec::new()));
        found.chain(unchanged).collect::<BTreeMap<_, _>>()
    };
    for (mounted, over, changed, nested) in [
        ("out", "skills/alpha", "alpha", Nested::Stop),
        ("out/SKILL.md", "skills/alpha/SKILL.md", "alpha", Nested::Stop),
        ("out", "skills/group/in", "group/in", Nested::Stop),
        ("all", "skills/group", "group/in", Nested::Stop),
        ("out", "skills/alpha", "alpha", Nested::Descend),
        ("empty", "skills/alpha/sub", "alpha/sub/deep", Nested::Descend),
        ("empty/x", "skills/alpha/sub/deep", "alpha/sub/deep", Nested::Descend),
    ] {
        let tree = tree();
        for path in ["skills/group/in", "skills/alpha/sub/deep", "all/in"] {
            tree.write(&format!("{path}/SKILL.md"), "below");
        }
        tree.write("empty/x/y", "no skill");
        let source = source(FsConfig { nested, ..FsConfig::new(tree.join("skills")) })
            .with_old_changes(time_after_changes(tree.path()));
        let Some(mount) = BindMount::new(&tree.join(mounted), &tree.join(over)) else { return };
        let first = ScanRecorder::scan(&source).unwrap();
        drop(mount);
        let next = names(&first.next().record(&source).unwrap());
        let text = next.get(changed).map(Vec::as_slice);
        let below = fs::read(tree.join("skills").join(changed).join("SKILL.md")).unwrap();
        assert_eq!(text, Some(&*below), "`{mounted}` was over `{over}`");
        assert!(next.keys().eq(names(&scan(source.config().clone())).keys()), "{over}");
    }
}

/// The kernel gives the number and the device of a mount that has gone to the next one.
#[test]
fn another_file_system_in_the_place_of_one_is_read() {
    let (tree, later) = (tree(), SystemTime::now() + Duration::from_secs(3_600));
    let root = tree.join("skills");
    let source = source(FsConfig::new(&root)).with_old_changes(later);
    let mut scan = ScanRecorder::default();
    for text in ["one", "two"] {
        let Some(_mounted) = BindMount::memory(&root) else { return };
        tree.write("skills/alpha/SKILL.md", text);
        scan = scan.next().record(&source).unwrap();
        assert_eq!(scan.found.first().map(|it| &*it.head), Some(text.as_bytes()));
    }
}

#[test]
fn trust_of_the_layer_decides_unless_the_policy_says_otherwise() {
    let shared = |policy: &Discovery, trust| {
        let config = policy.named_config("/skills", trust);
        (config.hard_links, config.mounts)
    };
    use SharedFiles::{Allow, Refuse};
    let standard = Discovery::default();
    assert_eq!(shared(&standard, Some(Trust::Trusted)), (Allow, Allow));
    for trust in [Some(Trust::AskFirst), Some(Trust::Untrusted), None] {
        assert_eq!(shared(&standard, trust), (Refuse, Refuse), "{trust:?}");
    }
    let own = Discovery { hard_links: Some(Allow), mounts: Some(Refuse), ..standard };
    for trust in [Some(Trust::Trusted), Some(Trust::Untrusted)] {
        assert_eq!(shared(&own, trust), (Allow, Refuse), "{trust:?}");
    }
}
