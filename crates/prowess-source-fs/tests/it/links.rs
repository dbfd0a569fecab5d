//! Symbolic links to packages.

use std::os::unix::fs::symlink;

use prowess_core::{PackagePath, ReadLimit, ResourcePath, SkillSource, SourceErrorKind};
use prowess_source_fs::{FsConfig, Links, Nested};
use prowess_testkit::{ScanRecorder, Tree};

use crate::{config, problems, scan, source};

/// A root with links in it, beside a place that does not belong to it.
struct Place {
    tree: Tree,
}

impl Place {
    fn new(links: &[(&str, &str)]) -> Self {
        let tree = Tree::new(
            "//- /outside/pdf/SKILL.md\noutside\n//- /outside/pdf/canary.md\nCANARY\n\
             //- /outside/pdf/assets/logo.svg\n//- /root/real/SKILL.md\nreal\n\
             //- /root/a/deep/SKILL.md\ndeep\n//- /root/.git/stored/SKILL.md\nstored\n",
        );
        for (link, target) in links {
            let target = target.replace("$TREE", &tree.path().to_string_lossy());
            symlink(target, tree.join("root").join(link)).unwrap();
        }
        Self { tree }
    }

    fn config(&self, links: Links) -> FsConfig {
        FsConfig { root: self.tree.join("root"), links, ..config(&self.tree) }
    }
}

/// The two packages that are there without links are always found.
#[track_caller]
fn check(place: &[(&str, &str)], links: Links, packages: &[&str], reported: &[&str]) {
    let place = Place::new(place);
    for nested in [Nested::Stop, Nested::Descend] {
        let scan = scan(FsConfig { nested, ..place.config(links) });
        let mut expected = [packages, &["a/deep", "real"]].concat();
        expected.sort_unstable();
        assert_eq!(scan.packages(), expected, "{nested:?}: the packages of the tree");
        let root = place.tree.join("root");
        assert_eq!(problems(&scan, &root), reported, "{nested:?}: the findings of the scan");
    }
}

const ALL: [Links; 3] = [Links::Never, Links::WithinRoot, Links::Follow];

#[test]
fn a_link_is_followed_or_reported_by_its_policy() {
    for line in include_str!("../data/links.txt").lines() {
        let [links, policies, packages, reported] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let links: Vec<_> = links.split(' ').filter_map(|link| link.split_once('=')).collect();
        let packages: Vec<_> = packages.split_whitespace().collect();
        let reported: Vec<_> = reported.split(", ").filter(|it| !it.is_empty()).collect();
        for policy in ALL.iter().filter(|it| policies.contains(&format!("{it:?}"))) {
            check(&links, *policy, &packages, &reported);
        }
    }
}

/// A project's packages are linked from where they belong into the directory that clients look
/// into.
#[test]
fn a_link_may_lead_to_another_part_of_the_project() {
    let links = [
        ("absolute", "$TREE/project/parts/sql"),
        ("pack", "../packs"),
        ("relative", "../parts/pdf"),
    ];
    let tree = Tree::new(
        "//- /project/parts/pdf/SKILL.md\npdf\n//- /project/parts/pdf/notes.md\nNOTES\n\
         //- /project/parts/sql/SKILL.md\nsql\n//- /project/skills/own/SKILL.md\nown\n\
         //- /project/packs/csv/SKILL.md\ncsv\n//- /elsewhere/secret/SKILL.md\nsecret\n",
    );
    symlink("../../elsewhere/secret", tree.join("project/packs/secret")).unwrap();
    let away = [("away", "../../elsewhere/secret"), ("away-pack", "../../elsewhere")];
    for (link, target) in [&links[..], &away].concat() {
        let target = target.replace("$TREE", &tree.path().to_string_lossy());
        symlink(target, tree.join("project/skills").join(link)).unwrap();
    }
    let within_project = || FsConfig {
        within: Some(tree.join("project")),
        links: Links::WithinRoot,
        ..FsConfig::new(tree.join("project/skills"))
    };
    let found = scan(within_project());
    assert_eq!(found.packages(), ["absolute", "own", "pack/csv", "relative"]);
    let reported = ["/away", "/away-pack", "/pack/secret"];
    let reported = reported.map(|link| format!("warning root-is-symlink {link}"));
    let problems = problems(&found, &tree.join("project/skills"));
    assert_eq!(problems, reported, "it leads out of the project");
    let read = |package: &str, file: &str| {
        let package = PackagePath::new(package).unwrap();
        let source = source(within_project());
        let read = source.read(&package, &ResourcePath::new(file).unwrap(), ReadLimit::default());
        read.map_err(|error| error.kind)
    };
    assert_eq!(read("pack/csv", "SKILL.md"), Ok(b"csv\n".to_vec()));
    assert_eq!(read("pack/secret", "SKILL.md"), Err(SourceErrorKind::Escape));
    assert_eq!(read("away-pack/secret", "SKILL.md"), Err(SourceErrorKind::Escape));
    assert_eq!(read("relative", "notes.md"), Ok(b"NOTES\n".to_vec()));
    assert_eq!(read("away", "SKILL.md"), Err(SourceErrorKind::Escape));
    let alone = FsConfig { within: None, ..within_project() };
    assert_eq!(scan(alone).packages(), ["own"], "without a project the root is all there is");
}

#[test]
fn a_link_is_where_it_leads_and_not_what_its_text_looks_like() {
    let tree = Tree::new(
        "//- /parts/a/SKILL.md\na\n//- /parts/clone/.git/x\n-\n//- /parts/clone/SKILL.md\n-\n\
         //- /parts/deep/x\n-\n//- /parts/only/SKILL.md\n-\n//- /skills/only/x\n-\n\
         //- /node_modules/one/SKILL.md\n-\n//- /node_modules/two/SKILL.md\n-\n\
         //- /node_modules/one/skills/x\n-\n",
    );
    for (link, target) in [
        ("absolute", "$TREE/skills/../parts/a"),
        ("clone", "../parts/clone"),
        ("down", "../parts/deep"),
        ("one", "../node_modules/one"),
        ("turn", "down/../only"),
        ("two", "../node_modules/two"),
    ] {
        let target = target.replace("$TREE", &tree.path().to_string_lossy());
        symlink(target, tree.join("skills").join(link)).unwrap();
    }
    for (link, target) in [("own", "../../one"), ("two", "../../two")] {
        symlink(target, tree.join("node_modules/one/skills").join(link)).unwrap();
    }
    let scan = |root: &str| {
        let (links, within) = (Links::WithinRoot, Some(tree.path().to_owned()));
        scan(FsConfig { links, within, ..FsConfig::new(tree.join(root)) })
    };
    let found = scan("skills");
    assert_eq!(found.packages(), ["absolute", "turn"]);
    let mut expected = vec!["hint link-not-searched /skills/down"];
    let refused = ["clone", "one", "two"].map(|it| format!("warning root-is-symlink /skills/{it}"));
    expected.extend(refused.iter().map(|it| &**it));
    assert_eq!(problems(&found, tree.path()), expected);
    let found = scan("node_modules/one/skills");
    assert_eq!(found.packages(), ["own"], "each package of others is its own");
}

#[test]
fn a_package_is_distinguished_by_its_directory() {
    let place = Place::new(&[("link", "../outside/pdf"), ("again", "../outside/pdf")]);
    let source = source(place.config(Links::Follow));
    let identity = |package| source.identity(&PackagePath::new(package).unwrap());
    assert!(identity("link").is_some() && identity("link") == identity("again"));
    assert_ne!(identity("link"), identity("real"));
    assert_eq!(identity("nothing"), None);
    let other = crate::source(place.config(Links::WithinRoot));
    let real = PackagePath::new("real").unwrap();
    assert_eq!(other.identity(&real), source.identity(&real), "by whichever way it is opened");
    for source in [source, other] {
        let link = place.tree.join("root/moved");
        symlink("real", &link).unwrap();
        let moved = || source.identity(&PackagePath::new("moved").unwrap());
        assert_eq!(moved(), source.identity(&real));
        std::fs::remove_file(&link).unwrap();
        ScanRecorder::scan(&source).unwrap();
        assert_eq!(moved(), None, "what is known ends with a scan");
    }
}

#[test]
fn a_directory_that_was_replaced_is_the_same_through_a_link() {
    let place = Place::new(&[("link", "../outside/pdf")]);
    let outside = FsConfig::new(place.tree.join("outside"));
    let sources = [source(place.config(Links::Follow)), source(outside)];
    let scan = |at: usize| drop(ScanRecorder::scan(&sources[at]).unwrap());
    let identity = |at: usize, package| sources[at].identity(&PackagePath::new(package).unwrap());
    (0..2).for_each(scan);
    assert_eq!(identity(0, "link"), identity(1, "pdf"));
    std::fs::rename(place.tree.join("outside/pdf"), place.tree.join("old")).unwrap();
    place.tree.write("outside/pdf/SKILL.md", "new");
    scan(1);
    assert_eq!(identity(0, "link"), identity(1, "pdf"), "although one is scanned first");
}

#[test]
fn a_link_to_a_pack_finds_each_package_once() {
    let followed = |links: &[(&str, &str)], packages: &[&str]| {
        check(links, Links::Follow, packages, &[]);
        let refused: Vec<_> =
            links.iter().map(|(link, _)| format!("warning root-is-symlink /{link}")).collect();
        check(links, Links::Never, &[], &refused.iter().map(|it| &**it).collect::<Vec<_>>());
    };
    followed(&[("pack", "../outside")], &["pack/pdf"]);
    followed(&[("pack", "$TREE/outside")], &["pack/pdf"]);
    followed(&[("one", "../outside"), ("two", "one")], &["one/pdf"]);
    followed(&[("one", "../outside/pdf"), ("two", "../outside/pdf")], &["one"]);
    // A package of a pack that a link of its own reached before.
    followed(&[("a/pdf", "../../outside/pdf"), ("pack", "../outside")], &["a/pdf"]);
    check(&[("pack", "../outside")], Links::WithinRoot, &[], &["warning root-is-symlink /pack"]);
}

/// It is offered as a skill that its user has installed.
#[test]
fn link_to_an_installed_package_is_no_problem() {
    for (name, reported) in [("0f".repeat(32), false), ("0f".repeat(31), true)] {
        let place = Place::new(&[("doc", &format!("../prowess/store/packages/{name}"))]);
        place.tree.write(&format!("prowess/store/packages/{name}/SKILL.md"), "doc");
        let scan = scan(place.config(Links::WithinRoot));
        assert_eq!(scan.packages(), ["a/deep", "real"]);
        assert_eq!(!problems(&scan, &place.tree.join("root")).is_empty(), reported);
    }
}

#[test]
fn links_of_a_pack_lead_on_and_end() {
    let place = Place::new(&[("pack", "../outside")]);
    place.tree.write("more/sql/SKILL.md", "sql");
    place.tree.write("outside/a/b/c/deep/SKILL.md", "deep");
    place.tree.write("outside/a/b/c/d/deeper/SKILL.md", "deeper");
    for (link, target) in [("self", "."), ("up", ".."), ("root", "../root"), ("more", "../more")] {
        symlink(target, place.tree.join("outside").join(link)).unwrap();
    }
    let found = scan(place.config(Links::Follow));
    let expected = ["a/deep", "pack/a/b/c/deep", "pack/more/sql", "pack/pdf", "real"];
    assert_eq!(found.packages(), expected, "each once, as far down as packs are searched");
    let package = PackagePath::new("pack/more/sql").unwrap();
    let (source, file) = (source(place.config(Links::Follow)), ResourcePath::new("SKILL.md"));
    let read = source.read(&package, &file.unwrap(), ReadLimit::default());
    assert_eq!(read.ok().as_deref(), Some(&b"sql"[..]), "what is found can be read");
}

#[test]
fn reading_keeps_to_the_same_policy() {
    let place = Place::new(&[("link", "../outside/pdf")]);
    let package = PackagePath::new("link").unwrap();
    let resource = ResourcePath::new("canary.md").unwrap();
    let read = |links| {
        let source = source(place.config(links));
        let listed = source.list(&package, 10).map(|listing| listing.resources.len());
        let read = source.read(&package, &resource, ReadLimit::default());
        assert_eq!(listed.is_ok(), read.is_ok(), "{links:?}: listing and reading agree");
        read.map_err(|error| error.kind)
    };
    assert_eq!(read(Links::Follow), Ok(b"CANARY\n".to_vec()), "a followed link is a package");
    assert_eq!(read(Links::WithinRoot), Err(SourceErrorKind::Escape), "it leads out of the root");
    assert_eq!(read(Links::Never), Err(SourceErrorKind::Escape), "no link is followed");
}
