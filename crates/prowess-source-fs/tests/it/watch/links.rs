//! Links to packages, and their targets.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use prowess_core::{PackagePath, SkillSource as _, SourceChange};
use prowess_source_fs::{FsConfig, Links, Nested};
use prowess_testkit::{Tree, without_override};

use super::{LONG, SKILL, config, rename, tree, watched, write};

#[test]
fn a_package_behind_a_link_is_reported_by_the_links_name() {
    let tree = tree();
    symlink(tree.join("outside/shared"), tree.join("skills/linked")).expect("links can be made");
    symlink(tree.join("skills/pdf"), tree.join("skills/twice")).expect("links can be made");
    let watched = watched(config(&tree));
    write(tree.join("outside/shared/SKILL.md"));
    watched.wait_for("linked");
    write(tree.join("skills/pdf/SKILL.md"));
    let reported = watched.wait_for("pdf");
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
    write(tree.join("outside/shared/SKILL.md"));
    watched.wait_for("linked");
    symlink(tree.join("outside/other"), tree.join("skills/.new")).expect("links can be made");
    rename(tree.join("skills/.new"), tree.join("skills/linked"));
    watched.wait_for_everything();
    // Between the two, everything may have been reported once more.
    write(tree.join("outside/other/SKILL.md"));
    watched.wait_for("linked");
    fs::remove_file(tree.join("skills/linked")).expect("links can be removed");
    watched.wait_for_everything();
}

/// A look at the packages alone follows no link.
#[test]
fn a_link_that_comes_along_with_a_directory_may_change_everything() {
    let tree = tree();
    fs::create_dir(tree.join("team")).expect("a directory can be made");
    symlink(tree.join("outside/shared"), tree.join("team/linked")).expect("links can be made");
    let watched = watched(config(&tree));
    rename(tree.join("team"), tree.join("skills/team"));
    watched.wait_for_everything();
    write(tree.join("outside/shared/SKILL.md"));
    watched.wait_for("team/linked");
}

#[test]
fn a_package_of_the_project_behind_a_link_is_reported() {
    let tree = tree();
    symlink("../outside/shared", tree.join("skills/shared")).expect("a link can be made");
    let within = Some(tree.path().to_owned());
    let config = FsConfig { links: Links::WithinRoot, within, ..config(&tree) };
    let watched = watched(config);
    write(tree.join("outside/shared/SKILL.md"));
    watched.wait_for("shared");
}

#[test]
fn a_package_that_is_searched_by_no_path_but_a_link_is_reported() {
    let tree = tree();
    tree.write("skills/node_modules/hidden/SKILL.md", SKILL);
    symlink("node_modules/hidden", tree.join("skills/shown")).expect("a link can be made");
    let watched = watched(config(&tree));
    write(tree.join("skills/node_modules/hidden/SKILL.md"));
    watched.wait_for("shown");
}

#[test]
fn what_a_link_leads_to_is_reported_when_it_comes() {
    for (link, made) in [
        ("../outside/late", "outside/late"),
        ("../outside/some/way/off", "outside/some/way/off"),
        ("../outside/../outside/late", "outside/late"),
        ("pdf/late", "skills/pdf/late"),
        ("node_modules/late", "skills/node_modules/late"),
        ("../late", "late"),
    ] {
        let tree = tree();
        symlink(link, tree.join("skills/one")).expect("a link can be made");
        symlink("one", tree.join("skills/chained")).expect("a link can be made");
        symlink("../outside/never", tree.join("skills/never")).expect("a link can be made");
        let watched = watched(config(&tree));
        tree.write(&format!("{made}/SKILL.md"), SKILL);
        watched.wait_for_everything();
        // It may have been made while everything was looked at.
        loop {
            write(tree.join(made).join("SKILL.md"));
            match watched.changes.recv_timeout(LONG).expect("it is reported") {
                SourceChange::Packages(packages) => {
                    let is_linked =
                        |path: &PackagePath| ["one", "chained"].contains(&path.as_str());
                    break assert!(packages.iter().any(is_linked), "{link}: {packages:?}");
                }
                SourceChange::Everything => {}
                other => panic!("{link}: {other:?}"),
            }
        }
    }
}

/// As where a new version is unpacked beside and put in place whole.
#[test]
fn what_a_link_leads_to_is_reported_when_it_is_moved_in() {
    for (links, made) in [
        (&[("one", "pdf/late")][..], "skills/pdf/late"),
        (&[("one", "../outside/late")], "outside/late"),
        // Its directory is watched as a package by another link.
        (&[("a", "../outside"), ("one", "../outside/late")], "outside/late"),
        // A link on the way leads nowhere yet.
        (&[("one", "../current/late"), ("../current", "releases/2")], "releases/2/late"),
    ] {
        let tree = tree();
        tree.write("made/SKILL.md", SKILL);
        fs::create_dir(tree.join("releases")).expect("a directory can be made");
        for (link, target) in links {
            symlink(target, tree.join("skills").join(link)).expect("a link can be made");
        }
        let watched = watched(config(&tree));
        let made = tree.join(made);
        if !made.parent().expect("it has one").exists() {
            fs::create_dir(made.parent().expect("it has one")).expect("a directory can be made");
            watched.wait_for_everything();
        }
        rename(tree.join("made"), &made);
        watched.wait_for_everything();
    }
}

/// As where `current` leads to the newest release, or a checkout is replaced whole.
#[test]
fn what_is_replaced_on_the_way_of_a_link_is_reported() {
    for (links, replaced, target) in [
        (
            &[("skills/one", "../store/current/a"), ("store/current", "v1")][..],
            "store/current",
            "v2",
        ),
        (&[("skills/one", "../mid/one"), ("mid/one", "../store/v1/a")], "mid/one", "../store/v2/a"),
        (&[("skills/one", "../store/v1/a")], "store/v1", "v2"),
        (&[("skills/one", "../store/v1/a")], "store", "other"),
        (
            &[("skills/one", "pdf/late/a"), ("skills/pdf/late", "../../store/v1")],
            "skills/pdf/late",
            "../../store/v2",
        ),
        (&[("root", "mid/skills"), ("mid/skills", "../store/v1")], "mid/skills", "../store/v2"),
        (&[("root", "store/v1")], "store", "other"),
    ] {
        let tree = tree();
        for package in ["store/v1/a", "store/v2/a", "other/v1/a", "other/v2/a", "mid/x"] {
            tree.write(&format!("{package}/SKILL.md"), SKILL);
        }
        for (link, target) in links {
            symlink(target, tree.join(link)).expect("a link can be made");
        }
        let root = if links[0].0 == "root" { "root" } else { "skills" };
        let watched = watched(FsConfig::new(tree.join(root)));
        let replaced = tree.join(replaced);
        if replaced.is_symlink() {
            symlink(target, tree.join("new")).expect("a link can be made");
            rename(tree.join("new"), &replaced);
        } else {
            rename(&replaced, tree.join("old"));
            watched.wait_for_everything();
            rename(replaced.with_file_name(target), &replaced);
        }
        watched.wait_for_everything();
        while watched.changes.recv_timeout(Duration::from_millis(100)).is_ok() {}
        let (package, path) = if root == "root" { ("a", "root/a") } else { ("one", "skills/one") };
        write(tree.join(path).join("SKILL.md"));
        watched.wait_for(package);
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
    type Edit<'e> = &'e dyn Fn(&Tree);
    let edits: [(&str, Edit<'_>); 6] = [
        ("README.md", &|tree| write(tree.join("skills/linked/README.md"))),
        ("docs/real.md", &|tree| write(tree.join("skills/linked/docs/real.md"))),
        ("docs/link.md", &|tree| write(tree.join("skills/linked/docs/real.md"))),
        ("docs/link.md", &|tree| {
            fs::remove_file(tree.join("skills/linked/docs/link.md")).expect("it goes");
        }),
        ("README.md", &|tree| {
            write(tree.join("skills/linked/.new"));
            rename(tree.join("skills/linked/.new"), tree.join("skills/linked/README.md"));
        }),
        ("docs/late.md", &|tree| write(tree.join("skills/linked/docs/late.md"))),
    ];
    for nested in [Nested::Stop, Nested::Descend] {
        for (leads_to, edit) in edits {
            for is_late in [false, true] {
                let tree = tree();
                for file in ["README.md", "docs/real.md"] {
                    tree.write(&format!("skills/linked/{file}"), SKILL);
                }
                symlink("real.md", tree.join("skills/linked/docs/link.md")).expect("a link");
                let file = tree.join("skills/linked/SKILL.md");
                let first = if is_late { "nowhere.md" } else { leads_to };
                symlink(first, &file).expect("a link can be made");
                let watched = watched(FsConfig { nested, ..config(&tree) });
                if is_late {
                    symlink(leads_to, tree.join("skills/linked/new")).expect("a link can be made");
                    rename(tree.join("skills/linked/new"), file);
                    watched.wait_for_everything();
                    while watched.changes.recv_timeout(Duration::from_millis(100)).is_ok() {}
                }
                edit(&tree);
                watched.wait_for("linked");
            }
        }
    }
}

#[test]
fn what_a_link_leads_to_inside_is_reported_when_it_opens() {
    without_override(|| {
        let tree = tree();
        tree.write("skills/node_modules/hidden/SKILL.md", SKILL);
        symlink("node_modules/hidden", tree.join("skills/shown")).expect("a link can be made");
        let rights = |mode| {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(tree.join("skills/node_modules/hidden"), mode)
                .expect("they change");
        };
        rights(0o000);
        let watched = watched(config(&tree));
        rights(0o755);
        watched.wait_for_everything();
    });
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
        while watched.changes.recv_timeout(Duration::from_millis(100)).is_ok() {}
        tree.write("other/pdf/SKILL.md", SKILL);
        watched.wait_for("pdf");
    }
}

#[test]
fn what_a_link_leads_to_is_reported_when_it_opens() {
    without_override(|| {
        for shut in ["outside", "outside/shared"] {
            let tree = tree();
            let rights = |mode| {
                let mode = fs::Permissions::from_mode(mode);
                fs::set_permissions(tree.join(shut), mode).expect("the rights change");
            };
            symlink("../outside/shared", tree.join("skills/one")).expect("a link can be made");
            rights(0o000);
            let watched = watched(config(&tree));
            rights(0o700);
            watched.wait_for_everything();
            write(tree.join("outside/shared/SKILL.md"));
            watched.wait_for("one");
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

#[test]
fn a_package_of_a_linked_pack_is_reported_by_the_links_name() {
    let tree = tree();
    tree.write("outside/pack/group/sql/SKILL.md", SKILL);
    symlink("../outside/pack", tree.join("skills/pack")).expect("links can be made");
    let watched = watched(config(&tree));
    write(tree.join("outside/pack/group/sql/SKILL.md"));
    watched.wait_for("pack/group/sql");
    tree.write("outside/pack/csv/SKILL.md", SKILL);
    watched.wait_for_everything();
}
