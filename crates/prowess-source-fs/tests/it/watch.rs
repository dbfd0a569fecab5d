//! What a watch tells of, with real files and the operating system's own word.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use prowess_core::{
    Cancel, Found, PackagePath, PreviousScan, ReadFurther, ScanSink, SkillSource, SourceChange,
    SourceErrorKind, Watch,
};
use prowess_source_fs::{FsConfig, FsSource, Links, Nested};
use prowess_testkit::{ManualClock, Tree, without_override};

/// How long a test waits for what must come. It fails long before it is this late.
const LONG: Duration = Duration::from_secs(60);

const SKILL: &str = "---\nname: skill\ndescription: Does things.\n---\nBody\n";

/// A source that is watched, and what was told of it.
struct Watched {
    source: FsSource,
    heard: mpsc::Receiver<SourceChange>,
    _watch: Watch,
}

fn source(config: FsConfig) -> FsSource {
    FsSource::new(config, Arc::new(ManualClock::default()))
}

fn watched(config: FsConfig) -> Watched {
    let source = source(config);
    let (tell, heard) = mpsc::channel();
    let watch = source.watch(Arc::new(move |change| drop(tell.send(change))));
    let _watch = watch.expect("there are watches").expect("directories can be watched");
    Watched { source, heard, _watch }
}

/// As [`watched`], with a listener that is held up the first time, until it is released.
fn held(config: FsConfig) -> (Watched, mpsc::Sender<()>) {
    let source = source(config);
    let (tell, heard) = mpsc::channel();
    let (release, held) = mpsc::channel();
    let (held, is_first) = (Mutex::new(held), AtomicBool::new(true));
    let listener = move |change| {
        let _ = tell.send(change);
        if is_first.swap(false, Ordering::Relaxed) {
            let _ = held.lock().expect("no test panics here").recv_timeout(LONG);
        }
    };
    let watch = source.watch(Arc::new(listener)).expect("there are watches");
    let _watch = watch.expect("directories can be watched");
    (Watched { source, heard, _watch }, release)
}

impl Watched {
    /// Waits until it is told that a package may have changed; gives the others that were told of
    /// before.
    #[track_caller]
    fn wait_for(&self, package: &str) -> Vec<String> {
        let mut before = Vec::new();
        loop {
            match self.heard.recv_timeout(LONG) {
                Ok(SourceChange::Packages(packages)) => {
                    let is_it = |path: &PackagePath| path.as_str() == package;
                    let found = packages.iter().any(is_it);
                    before.extend(packages.iter().map(ToString::to_string));
                    if found {
                        return before;
                    }
                }
                Ok(SourceChange::Everything) => return before,
                other => panic!("`{package}` is told of, and not {other:?} after {before:?}"),
            }
        }
    }

    /// Waits until it is told that anything may have changed.
    #[track_caller]
    fn wait_for_everything(&self) {
        loop {
            match self.heard.recv_timeout(LONG) {
                Ok(SourceChange::Everything) => return,
                Ok(SourceChange::Packages(_)) => {}
                other => panic!("everything may have changed, and not {other:?}"),
            }
        }
    }
}

fn tree() -> Tree {
    let tree = Tree::new("");
    for package in ["pdf", "tables", "group/inner"] {
        tree.write(&format!("skills/{package}/SKILL.md"), SKILL);
    }
    tree.write("skills/pdf/references/notes.md", "Notes");
    tree.write("outside/shared/SKILL.md", SKILL);
    tree
}

fn config(tree: &Tree) -> FsConfig {
    FsConfig::new(tree.join("skills"))
}

/// Makes an edit of the tree in the directory `skills` and waits until each of the packages was
/// told of.
#[track_caller]
fn check(edit: impl Fn(&Path), packages: &[&str]) {
    for nested in [Nested::Stop, Nested::Descend] {
        let tree = tree();
        let watched = watched(FsConfig { nested, ..config(&tree) });
        edit(&tree.join("skills"));
        // One after the other may come in any order, so each is waited for by an edit of its own.
        for package in packages {
            let told = watched.wait_for(package);
            if packages.len() > 1 && packages.iter().all(|&one| told.iter().any(|it| it == one)) {
                break;
            }
        }
    }
}

fn write(path: impl AsRef<Path>) {
    fs::write(path, SKILL).expect("the file can be written");
}

fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    fs::rename(from, to).expect("it can be renamed");
}

#[test]
fn a_file_that_is_written_in_place_is_told_of() {
    check(|skills| write(skills.join("pdf/SKILL.md")), &["pdf"]);
    check(|skills| write(skills.join("group/inner/SKILL.md")), &["group/inner"]);
}

#[test]
fn a_file_that_is_replaced_by_a_rename_is_told_of() {
    let save = |skills: &Path| {
        write(skills.join("pdf/.SKILL.md.tmp"));
        rename(skills.join("pdf/.SKILL.md.tmp"), skills.join("pdf/SKILL.md"));
    };
    check(save, &["pdf"]);
}

#[test]
fn a_file_that_is_moved_away_and_written_again_is_told_of() {
    let save = |skills: &Path| {
        rename(skills.join("pdf/SKILL.md"), skills.join("pdf/SKILL.md~"));
        write(skills.join("pdf/SKILL.md"));
    };
    check(save, &["pdf"]);
}

#[test]
fn a_file_that_goes_is_told_of() {
    check(|skills| fs::remove_file(skills.join("pdf/SKILL.md")).expect("it goes"), &["pdf"]);
    check(|skills| fs::remove_dir_all(skills.join("pdf")).expect("it goes"), &["pdf"]);
    check(|skills| fs::remove_dir_all(skills.join("group")).expect("it goes"), &["group/inner"]);
}

#[test]
fn the_other_name_of_the_file_is_told_of() {
    let rename = |skills: &Path| rename(skills.join("pdf/SKILL.md"), skills.join("pdf/skill.md"));
    check(rename, &["pdf"]);
}

#[test]
fn a_directory_that_is_renamed_is_told_of_by_both_names() {
    check(|skills| rename(skills.join("pdf"), skills.join("forms")), &["pdf"]);
    check(|skills| rename(skills.join("pdf"), skills.join("forms")), &["forms"]);
    check(|skills| rename(skills.join("group"), skills.join("team")), &["team/inner"]);
}

#[test]
fn a_directory_that_was_renamed_is_still_watched() {
    let tree = tree();
    let watched = watched(config(&tree));
    rename(tree.join("skills/tables"), tree.join("skills/aardvark"));
    // More often than there is word of the rename.
    for _ in 0..10 {
        write(tree.join("skills/aardvark/SKILL.md"));
        watched.wait_for("aardvark");
    }
}

#[test]
fn rights_that_change_are_told_of() {
    let shut = |path: &Path| {
        fs::set_permissions(path, fs::Permissions::from_mode(0o500)).expect("the rights change");
    };
    check(|skills| shut(&skills.join("pdf")), &["pdf"]);
    check(|skills| shut(&skills.join("pdf/SKILL.md")), &["pdf"]);
}

/// Makes a directory, waits until it is told of, and sees that what is edited in it later is told
/// of too.
#[track_caller]
fn check_new(make: impl Fn(&Tree), package: &str) {
    for nested in [Nested::Stop, Nested::Descend] {
        let tree = tree();
        let watched = watched(FsConfig { nested, ..config(&tree) });
        make(&tree);
        watched.wait_for(package);
        let file = tree.join("skills").join(package).join("SKILL.md");
        write(&file);
        watched.wait_for(package);
        fs::remove_file(file).expect("it goes");
        watched.wait_for(package);
    }
}

#[test]
fn a_directory_that_is_made_is_watched() {
    check_new(|tree| tree.write("skills/new/SKILL.md", SKILL), "new");
}

#[test]
fn directories_in_new_directories_are_watched() {
    check_new(|tree| tree.write("skills/a/b/c/SKILL.md", SKILL), "a/b/c");
}

#[test]
fn a_directory_that_is_moved_in_is_watched() {
    check_new(|tree| rename(tree.join("outside"), tree.join("skills/inside")), "inside/shared");
}

#[test]
fn a_directory_that_is_moved_back_is_watched() {
    let there_and_back = |tree: &Tree| {
        rename(tree.join("skills/group"), tree.join("away"));
        rename(tree.join("away"), tree.join("skills/group"));
    };
    check_new(there_and_back, "group/inner");
}

#[test]
fn packages_below_one_that_ends_the_walk_come_with_its_end() {
    let tree = tree();
    tree.write("skills/pdf/deep/SKILL.md", SKILL);
    let watched = watched(config(&tree));
    fs::remove_file(tree.join("skills/pdf/SKILL.md")).expect("it goes");
    watched.wait_for("pdf/deep");
    write(tree.join("skills/pdf/deep/SKILL.md"));
    watched.wait_for("pdf/deep");
    write(tree.join("skills/pdf/SKILL.md"));
    watched.wait_for("pdf/deep");
}

#[test]
fn what_no_scan_would_see_is_not_told_of() {
    let tree = tree();
    let watched = watched(config(&tree));
    watched
        .source
        .scan(&PreviousScan::none(), &mut Deaf, &Cancel::default())
        .expect("a scan reads every file");
    tree.write("skills/pdf/.SKILL.md.swp", "an editor's own");
    tree.write("skills/pdf/references/more.md", "More");
    tree.write("skills/README.md", "no skill");
    fs::create_dir(tree.join("skills/pdf/scripts")).expect("it can be made");
    tree.write("elsewhere/pdf/SKILL.md", SKILL);
    write(tree.join("skills/tables/SKILL.md"));
    assert_eq!(watched.wait_for("tables"), ["tables"], "only the last is told of");
}

struct Deaf;

impl ScanSink for Deaf {
    fn unchanged(&mut self, _: &str) {}

    fn found(&mut self, _: Found<'_>) -> ReadFurther {
        ReadFurther::No
    }

    fn problem(&mut self, _: prowess_core::Diagnostic) {}
}

#[test]
fn a_package_behind_a_link_is_told_of_by_the_links_name() {
    let tree = tree();
    symlink(tree.join("outside/shared"), tree.join("skills/linked")).expect("links can be made");
    symlink(tree.join("skills/pdf"), tree.join("skills/twice")).expect("links can be made");
    let watched = watched(config(&tree));
    write(tree.join("outside/shared/SKILL.md"));
    watched.wait_for("linked");
    write(tree.join("skills/pdf/SKILL.md"));
    let told = watched.wait_for("pdf");
    assert!(
        !told.iter().any(|path| path == "twice"),
        "what lies inside has its own name: {told:?}"
    );
}

#[test]
fn a_link_that_comes_or_leads_elsewhere_may_change_everything() {
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
    // Between the two, everything may have been told of once more.
    write(tree.join("outside/other/SKILL.md"));
    watched.wait_for("linked");
}

#[test]
fn a_link_that_goes_may_change_everything() {
    let tree = tree();
    symlink(tree.join("outside/shared"), tree.join("skills/linked")).expect("links can be made");
    let watched = watched(config(&tree));
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
fn a_package_of_the_project_behind_a_link_is_told_of() {
    let tree = tree();
    symlink("../outside/shared", tree.join("skills/shared")).expect("a link can be made");
    let within = Some(tree.path().to_owned());
    let config = FsConfig { links: Links::WithinRoot, within, ..config(&tree) };
    let watched = watched(config);
    write(tree.join("outside/shared/SKILL.md"));
    watched.wait_for("shared");
}

#[test]
fn a_package_that_is_searched_by_no_path_but_a_link_is_told_of() {
    let tree = tree();
    tree.write("skills/node_modules/hidden/SKILL.md", SKILL);
    symlink("node_modules/hidden", tree.join("skills/shown")).expect("a link can be made");
    let watched = watched(config(&tree));
    write(tree.join("skills/node_modules/hidden/SKILL.md"));
    watched.wait_for("shown");
}

#[test]
fn what_a_link_leads_to_is_heard_of_when_it_comes() {
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
            match watched.heard.recv_timeout(LONG).expect("it is told of") {
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
fn what_a_link_leads_to_is_heard_of_when_it_is_moved_in() {
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

#[test]
fn what_a_link_leads_to_inside_is_heard_of_when_it_opens() {
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
        while watched.heard.recv_timeout(Duration::from_millis(100)).is_ok() {}
        tree.write("other/pdf/SKILL.md", SKILL);
        watched.wait_for("pdf");
    }
}

#[test]
fn what_a_link_leads_to_is_heard_of_when_it_opens() {
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
    write(tree.join("outside/shared/SKILL.md"));
    write(tree.join("skills/pdf/SKILL.md"));
    assert_eq!(watched.wait_for("pdf"), ["pdf"]);
}

#[test]
fn a_root_that_is_made_later_is_watched() {
    let tree = Tree::new("");
    let watched = watched(FsConfig::new(tree.join("a/b/skills")));
    fs::create_dir(tree.join("a")).expect("it can be made");
    watched.wait_for_everything();
    tree.write("a/b/skills/pdf/SKILL.md", SKILL);
    // Each write is told of, by name once the watch is up and as anything before.
    loop {
        write(tree.join("a/b/skills/pdf/SKILL.md"));
        let told = watched.heard.recv_timeout(LONG).expect("a write is told of");
        if matches!(told, SourceChange::Packages(_)) {
            break;
        }
    }
}

#[test]
fn a_root_that_goes_and_comes_back_is_watched() {
    let tree = tree();
    let watched = watched(config(&tree));
    rename(tree.join("skills"), tree.join("away"));
    watched.wait_for_everything();
    rename(tree.join("away"), tree.join("skills"));
    watched.wait_for_everything();
    write(tree.join("skills/pdf/SKILL.md"));
    watched.wait_for("pdf");
}

#[test]
fn a_root_that_is_moved_with_the_directory_above_it_is_heard_of() {
    let tree = Tree::new("");
    tree.write("project/.agents/skills/pdf/SKILL.md", SKILL);
    let watched = watched(FsConfig::new(tree.join("project/.agents/skills")));
    for (from, to) in [(".agents", ".off"), (".agents/skills", ".agents/off")] {
        let (from, to) = (tree.join("project").join(from), tree.join("project").join(to));
        rename(&from, &to);
        watched.wait_for_everything();
        rename(&to, &from);
        watched.wait_for_everything();
        while watched.heard.recv_timeout(Duration::from_millis(100)).is_ok() {}
    }
    write(tree.join("project/.agents/skills/pdf/SKILL.md"));
    watched.wait_for("pdf");
}

#[test]
fn a_root_behind_a_link_is_watched_and_so_is_the_link() {
    let tree = tree();
    tree.write("other/tables/SKILL.md", SKILL);
    symlink(tree.join("skills"), tree.join("root")).expect("links can be made");
    let watched = watched(FsConfig::new(tree.join("root")));
    write(tree.join("skills/pdf/SKILL.md"));
    watched.wait_for("pdf");
    symlink(tree.join("other"), tree.join(".new")).expect("links can be made");
    rename(tree.join(".new"), tree.join("root"));
    watched.wait_for_everything();
    write(tree.join("other/tables/SKILL.md"));
    watched.wait_for("tables");
}

#[test]
fn a_tree_of_too_many_directories_is_not_watched() {
    let tree = tree();
    let config = FsConfig { max_watched: 3, ..config(&tree) };
    let refused = source(config).watch(Arc::new(|_| {})).expect_err("there are five");
    assert_eq!(refused.kind, SourceErrorKind::TooLarge);
}

#[test]
fn a_tree_that_grows_too_large_is_lost() {
    let tree = tree();
    let watched = watched(FsConfig { max_watched: 5, ..config(&tree) });
    tree.write("skills/one-more/SKILL.md", SKILL);
    loop {
        match watched.heard.recv_timeout(LONG).expect("it is told of") {
            SourceChange::Lost(error) => break assert_eq!(error.kind, SourceErrorKind::TooLarge),
            SourceChange::Packages(_) => {}
            other => panic!("the watch is lost, and not {other:?}"),
        }
    }
}

/// What is searched is for these files to say, be they in the tree or above it.
#[test]
fn a_gitignore_that_comes_changes_or_goes_may_change_everything() {
    for place in ["skills/.gitignore", "skills/group/.gitignore", ".gitignore"] {
        let tree = tree();
        let watched = watched(FsConfig { gitignore: Some(tree.path().into()), ..config(&tree) });
        for text in ["drafts/\n", ""] {
            tree.write(place, text);
            watched.wait_for_everything();
        }
        fs::remove_file(tree.join(place)).expect("it goes");
        watched.wait_for_everything();
    }
}

/// The system tells nobody of a directory that one may not list, and a skill in it can be opened by
/// its name.
#[test]
fn a_directory_that_can_be_entered_and_not_listed_is_not_silently_left_out() {
    let rights = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the rights change");
    };
    without_override(|| {
        let tree = tree();
        let pdf = tree.join("skills/pdf");
        rights(&pdf, 0o300);
        let refused =
            source(config(&tree)).watch(Arc::new(|_| {})).expect_err("it is not heard of");
        assert_eq!(refused.kind, SourceErrorKind::Denied);
        assert!(
            refused.message.contains("skills/pdf` can be entered and not watched"),
            "{refused}"
        );
        rights(&pdf, 0o000);
        let watched = watched(config(&tree));
        rights(&pdf, 0o700);
        watched.wait_for("pdf");
        rights(&tree.join("skills/group"), 0o300);
        tree.write("skills/group/late/SKILL.md", SKILL);
        loop {
            match watched.heard.recv_timeout(LONG).expect("it is told of") {
                SourceChange::Lost(error) => break assert_eq!(error.kind, SourceErrorKind::Denied),
                SourceChange::Packages(_) | SourceChange::Everything => {}
                other => panic!("the watch is lost, and not {other:?}"),
            }
        }
    });
}

#[test]
fn a_root_that_is_shut_for_a_while_is_heard_of_when_it_opens() {
    without_override(|| {
        let tree = tree();
        let skills = tree.join("skills");
        let rights = |mode| {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(&skills, mode).expect("the rights change");
        };
        let watched = watched(config(&tree));
        rights(0o000);
        watched.wait_for_everything();
        rights(0o700);
        watched.wait_for_everything();
        tree.write("skills/pdf/SKILL.md", SKILL);
        watched.wait_for("pdf");
    });
}

#[test]
fn a_watch_that_is_dropped_tells_nothing_more() {
    let tree = tree();
    let held = Arc::new(());
    let witness = Arc::clone(&held);
    let listener = Arc::new(move |_| drop(Arc::clone(&witness)));
    let watch = source(config(&tree)).watch(listener).expect("there are watches");
    assert_eq!(Arc::strong_count(&held), 2);
    drop(watch);
    assert_eq!(Arc::strong_count(&held), 1, "the listener is gone");
}

#[test]
fn many_changes_at_once_are_told_of() {
    let tree = tree();
    let watched = watched(config(&tree));
    for number in 0..1_000 {
        tree.write(&format!("skills/many/skill-{number}/SKILL.md"), SKILL);
    }
    write(tree.join("skills/tables/SKILL.md"));
    watched.wait_for("tables");
    // Whatever was told of one by one or as a whole, each is watched in the end.
    loop {
        write(tree.join("skills/many/skill-999/SKILL.md"));
        if watched.wait_for("many/skill-999").iter().any(|path| path == "many/skill-999") {
            break;
        }
    }
}

/// The kernel keeps so many events for whoever does not fetch them, and then drops the rest with a
/// word that it did. A listener that is held up holds up the one thread that fetches.
#[test]
fn what_the_operating_system_drops_may_be_anything() {
    let kept = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events");
    let kept: usize = kept.expect("the kernel says it").trim().parse().expect("a number");
    let tree = tree();
    let (watched, release) = held(config(&tree));
    write(tree.join("skills/pdf/SKILL.md"));
    let first = watched.heard.recv_timeout(LONG).expect("the first change is told of");
    assert!(matches!(first, SourceChange::Packages(_)), "{first:?}");
    // Each is at least two events that are not alike; the last ones find no room.
    let passing = tree.join("skills/pdf/passing");
    for _ in 0..=kept / 2 {
        fs::write(&passing, "").expect("it can be written");
        fs::remove_file(&passing).expect("it was written");
    }
    tree.write("skills/late/SKILL.md", SKILL);
    release.send(()).expect("the listener waits");
    loop {
        match watched.heard.recv_timeout(LONG).expect("it is told that something was dropped") {
            SourceChange::Everything => break,
            SourceChange::Packages(told) => {
                let is_late = told.iter().any(|path| path.as_str() == "late");
                assert!(!is_late, "there was no room for it: {told:?}");
            }
            other => panic!("the watch is kept up, and not {other:?}"),
        }
    }
    write(tree.join("skills/late/SKILL.md"));
    let is_late = |change| matches!(change, SourceChange::Packages(told) if told.iter().any(|path| path.as_str() == "late"));
    while !is_late(watched.heard.recv_timeout(LONG).expect("what came meanwhile is watched")) {}
}
