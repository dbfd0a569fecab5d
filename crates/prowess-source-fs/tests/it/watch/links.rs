//! Links to packages, and their targets.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use prowess_core::SkillSource as _;
use prowess_source_fs::{FsConfig, Links, Nested};
use prowess_testkit::{Tree, without_override};

use super::{SKILL, config, rename, tree, watched, write};

#[test]
fn a_package_behind_a_link_is_reported_by_the_links_name() {
    let tree = tree();
    symlink(tree.join("outside/shared"), tree.join("skills/linked")).expect("links can be made");
    symlink(tree.join("skills/pdf"), tree.join("skills/twice")).expect("links can be made");
    let watched = watched(config(&tree));
    watched.exactly("linked", || write(tree.join("outside/shared/SKILL.md")));
    let reported = watched.exactly("pdf", || write(tree.join("skills/pdf/SKILL.md")));
    assert!(
        !reported.iter().any(|path| path == "twice"),
        "what lies inside has its own name: {reported:?}"
    );
}

#[test]
fn a_link_that_comes_leads_elsewhere_or_goes_may_change_everything() {
    let tree = tree();
    tree.write("outside/other/SKILL.md", SKILL);
    let watched = watched(config(&tree));
    symlink(tree.join("outside/shared"), tree.join("skills/linked")).expect("links can be made");
    watched.wait_for_everything();
    watched.exactly("linked", || write(tree.join("outside/shared/SKILL.md")));
    symlink(tree.join("outside/other"), tree.join("skills/.new")).expect("links can be made");
    rename(tree.join("skills/.new"), tree.join("skills/linked"));
    watched.wait_for_everything();
    // Between the two, everything may have been reported once more.
    watched.exactly("linked", || write(tree.join("outside/other/SKILL.md")));
    fs::remove_file(tree.join("skills/linked")).expect("links can be removed");
    watched.wait_for_everything();
}

#[test]
fn a_package_of_the_project_behind_a_link_is_reported() {
    let tree = tree();
    symlink("../outside/shared", tree.join("skills/shared")).expect("a link can be made");
    let within = Some(tree.path().to_owned());
    let config = FsConfig { links: Links::WithinRoot, within, ..config(&tree) };
    let watched = watched(config);
    watched.exactly("shared", || write(tree.join("outside/shared/SKILL.md")));
}

/// Makes a change: `link=target`, `old>new` for a rename, `-file` that goes, or a file to write.
fn change(base: &Path, change: &str) {
    let at = |path: &str| base.join(path);
    if let Some((link, target)) = change.split_once('=') {
        symlink(target, at("new")).expect("a link can be made");
        rename(at("new"), at(link));
    } else if let Some((old, new)) = change.split_once('>') {
        rename(at(old), at(new));
    } else if let Some(file) = change.strip_prefix('-') {
        fs::remove_file(at(file)).expect("it goes");
    } else {
        fs::create_dir_all(at(change).parent().expect("it has one")).expect("it can be made");
        write(at(change));
    }
}

/// As where `current` leads to the newest release, or a new version is put in place whole.
#[test]
fn what_comes_or_is_replaced_on_the_way_of_a_link_is_reported() {
    for line in include_str!("../../data/ways.txt").lines() {
        let tree = tree();
        for package in ["store/v1/a", "store/v2/a", "other/v1/a", "mid/x", "made"] {
            tree.write(&format!("{package}/SKILL.md"), SKILL);
        }
        let [made, changes, written] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!() };
        made.split(' ').for_each(|it| change(tree.path(), it));
        let (root, package) = written.split_once('/').expect("it has both");
        let watched = watched(FsConfig::new(tree.join(root)));
        for it in changes.split_terminator(' ') {
            change(tree.path(), it);
            watched.wait_for_everything();
        }
        watched.exactly(package, || change(tree.path(), &format!("{written}/SKILL.md")));
    }
}

/// Links of one directory share its watch, and each part of a path is looked at once.
#[test]
fn a_link_more_costs_a_watch_of_its_target_alone() {
    let tree = Tree::new("//- /a/skills/x\nx\n");
    for at in 0..100 {
        tree.write(&format!("a/store/v1/s{at}/SKILL.md"), SKILL);
        let link = tree.join(&format!("a/skills/s{at}"));
        symlink(format!("../store/current/s{at}"), link).expect("a link can be made");
    }
    symlink("v1", tree.join("a/store/current")).expect("a link can be made");
    // The root, each target, `store` and `v1`; `a` is watched for renames.
    for (most, is_enough) in [(103, true), (102, false)] {
        let config = FsConfig { max_watched: most, ..FsConfig::new(tree.join("a/skills")) };
        let watch = super::source(config).watch(std::sync::Arc::new(|_| {}));
        assert_eq!(watch.is_ok(), is_enough, "{most} directories");
    }
}

#[test]
fn edits_of_what_a_skill_file_leads_to_are_reported() {
    let edits = "README.md README.md, docs/real.md docs/real.md, docs/link.md docs/real.md, \
                 docs/link.md -docs/link.md, README.md made/x>README.md, \
                 docs/late.md docs/late.md";
    for (leads_to, edit) in edits.split(", ").filter_map(|it| it.split_once(' ')) {
        for (nested, is_late) in
            [(Nested::Stop, false), (Nested::Stop, true), (Nested::Descend, false)]
        {
            let tree = tree();
            // A report may still be of a change before, so several packages are edited.
            let linked: Vec<_> = (0..16).map(|at| format!("linked-{at}")).collect();
            let change = |package: &str, it: &str| change(&tree.join("skills").join(package), it);
            let first = format!("SKILL.md={}", if is_late { "nowhere.md" } else { leads_to });
            for it in ["README.md", "docs/real.md", "docs/link.md=real.md", &*first, "made/x"] {
                linked.iter().for_each(|package| change(package, it));
            }
            let watched = watched(FsConfig { nested, ..config(&tree) });
            if is_late {
                let lead = |package: &String| change(package, &format!("SKILL.md={leads_to}"));
                linked.iter().for_each(lead);
                watched.exactly("pdf", || write(tree.join("skills/pdf/SKILL.md")));
            }
            let is_reported = |package: &String| {
                change(package, edit);
                watched.wait_for(package).is_some()
            };
            assert!(linked.iter().any(is_reported), "{leads_to} {edit}");
        }
    }
}

/// The parent of a root that is a link is watched for the link; nothing else may take that away.
#[test]
fn what_a_link_leads_to_beside_the_root_leaves_the_roots_own_watch() {
    for link in ["../late", ".."] {
        let tree = tree();
        symlink("skills", tree.join("root")).expect("a link can be made");
        symlink(link, tree.join("skills/one")).expect("a link can be made");
        // By another spelling than the link's own.
        let outer = Tree::new("");
        symlink(tree.path(), outer.join("way")).expect("a link can be made");
        let watched = watched(FsConfig::new(outer.join("way/root")));
        fs::create_dir_all(tree.join("other/pdf")).expect("a directory can be made");
        symlink("other", tree.join("new")).expect("a link can be made");
        rename(tree.join("new"), tree.join("root"));
        watched.wait_for_everything();
        watched.exactly("pdf", || tree.write("other/pdf/SKILL.md", SKILL));
    }
}

#[test]
fn what_a_link_leads_to_is_reported_when_it_opens() {
    without_override(|| {
        for (target, shut) in [
            ("../outside/shared", "outside"),
            ("../outside/shared", "outside/shared"),
            ("../outside/linked", "outside/linked/docs"),
            ("node_modules/hidden", "skills/node_modules/hidden"),
        ] {
            let tree = tree();
            tree.write("outside/linked/docs/r.md", SKILL);
            symlink("docs/r.md", tree.join("outside/linked/SKILL.md")).expect("it can be made");
            tree.write("skills/node_modules/hidden/SKILL.md", SKILL);
            let rights = |mode| {
                let mode = fs::Permissions::from_mode(mode);
                fs::set_permissions(tree.join(shut), mode).expect("the rights change");
            };
            symlink(target, tree.join("skills/one")).expect("a link can be made");
            rights(0o000);
            let watched = watched(config(&tree));
            rights(0o700);
            watched.wait_for_everything();
            watched.exactly("one", || write(tree.join("skills/one/SKILL.md")));
        }
    });
}

#[test]
fn a_link_that_may_not_be_followed_is_not() {
    let tree = tree();
    symlink(tree.join("outside/shared"), tree.join("skills/linked")).expect("links can be made");
    let watched = watched(FsConfig { links: Links::WithinRoot, ..config(&tree) });
    let reported = watched.exactly("pdf", || {
        write(tree.join("outside/shared/SKILL.md"));
        write(tree.join("skills/pdf/SKILL.md"));
    });
    assert_eq!(reported, ["pdf"]);
}
