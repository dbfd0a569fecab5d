//! Trees that are larger than anybody meant.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prowess_core::{Clock, Timestamp};
use prowess_source_fs::{FsConfig, FsSource, Links, Nested, SharedFiles};
use prowess_testkit::{ScanRecorder, Tree};

use crate::{config, problems, scan, source};

#[test]
fn many_empty_directories_end_the_search_and_not_the_skills() {
    let tree = Tree::new("//- /good/SKILL.md\ngood\n");
    for number in 0..300 {
        fs::create_dir(tree.join(&format!("empty-{number}"))).unwrap();
    }
    let scan = scan(FsConfig { max_directories: 100, ..config(&tree) });
    assert_eq!(scan.packages(), ["good"], "a skill beside them is found wherever it stands");
    let reported = problems(&scan, tree.path());
    assert_eq!(reported.len(), 1, "the bound is reported once: {reported:?}");
    assert!(reported[0].starts_with("warning scan-truncated /empty-"), "{reported:?}");
    let message = &scan.problems[0].message;
    assert!(message.contains("116 directories"), "the message names the bound: {message}");
}

#[test]
fn names_are_counted_and_packages_are_no_directories_to_search() {
    let tree = Tree::new("");
    for number in 0..100 {
        tree.write(&format!("skill-{number}/SKILL.md"), "text");
        tree.write(&format!("skill-{number}/scripts/deep/a.sh"), "text");
    }
    let some = scan(FsConfig { max_entries: 40, ..config(&tree) });
    assert_eq!(some.packages().len(), 40, "what was found before the bound is reported");
    assert_eq!(problems(&some, tree.path()), ["warning scan-truncated "], "the rest is reported");
    assert!(some.problems[0].message.contains("40 names"), "the message names the bound");
    for nested in [Nested::Stop, Nested::Descend] {
        let all = scan(FsConfig { max_directories: 0, nested, ..config(&tree) });
        assert_eq!(all.packages().len(), 100, "directories of skills use up no bound");
        assert!(all.problems.is_empty(), "{nested:?}: and nothing was left out");
    }
}

/// Whoever fills one directory uses up no bound before what lies near the root is searched.
#[test]
fn the_shallow_comes_before_the_deep() {
    let tree = Tree::new("");
    for group in ["a", "b", "c"] {
        tree.write(&format!("{group}/skills/good/SKILL.md"), "good");
        fs::create_dir_all(tree.join(&format!("{group}/skills/1/2/3/4"))).unwrap();
    }
    let config = FsConfig { max_directories: 6, ..config(&tree) };
    let found = ["a/skills/good", "b/skills/good", "c/skills/good"];
    assert_eq!(scan(config).packages(), found, "six directories lead to three skills");
}

#[test]
fn the_deepest_level_is_searched_and_what_lies_below_is_reported() {
    let tree = Tree::new("//- /1/2/3/SKILL.md\nin\n//- /x/y/z/below/SKILL.md\nout\n");
    for nested in [Nested::Stop, Nested::Descend] {
        let scan = scan(FsConfig { max_depth: 3, nested, ..config(&tree) });
        assert_eq!(scan.packages(), ["1/2/3"], "{nested:?}: three directories deep");
        let reported = problems(&scan, tree.path());
        let deeper = ["warning scan-truncated /x/y/z"];
        assert_eq!(reported, deeper, "{nested:?}: only what goes deeper");
        assert!(scan.problems[0].help.contains("max_depth"), "the help names the bound");
    }
}

/// Deeper than any path that can be given to the system, so it is made part by part.
#[test]
fn a_chain_longer_than_any_path_ends() {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, unlinkat};

    const LEVELS: usize = 600;
    const NAME: &str = "directory";

    let tree = Tree::new("//- /good/SKILL.md\ngood\n");
    let mut here = openat(CWD, tree.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..LEVELS {
        mkdirat(&here, NAME, Mode::RWXU).unwrap();
        here = openat(&here, NAME, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let reported = |max_depth| {
        let scan = scan(FsConfig { max_depth, ..config(&tree) });
        assert_eq!(scan.packages(), ["good"], "the skill beside it is found");
        scan.problems[0].code.as_str().to_owned()
    };
    assert_eq!(reported(6), "scan-truncated", "the depth ends it");
    assert_eq!(reported(usize::MAX), "path-not-portable", "without a depth its path does");

    // The standard library removes a tree by holding each of its levels open.
    for _ in 0..LEVELS {
        here = openat(&here, "..", OFlags::DIRECTORY, Mode::empty()).unwrap();
        unlinkat(&here, NAME, AtFlags::REMOVEDIR).unwrap();
    }
}

#[test]
fn the_skills_are_counted() {
    let tree = Tree::new("");
    for number in 0..9 {
        tree.write(&format!("group-{}/skill-{number}/SKILL.md", number % 3), "text");
    }
    let all = scan(FsConfig { max_skills: 9, ..config(&tree) });
    assert_eq!((all.packages().len(), all.problems.len()), (9, 0), "a bound that fits is none");
    let some = scan(FsConfig { max_skills: 4, ..config(&tree) });
    assert_eq!(some.packages().len(), 4, "what was found before the bound is reported");
    let reported = problems(&some, tree.path());
    let is_one = reported.len() == 1 && reported[0].starts_with("warning scan-truncated /group-");
    assert!(is_one, "{reported:?}");
    assert!(some.problems[0].message.contains("after 4 skills"), "the message names the bound");
}

#[test]
fn a_directory_of_many_is_reported_whole_and_no_bound_is_passed_by() {
    let tree = Tree::new("");
    let names: Vec<_> = (0..50).map(|number| format!("skill-{number:02}")).collect();
    for (number, name) in names.iter().enumerate() {
        let file = if number % 7 == 3 { "skill.md" } else { "SKILL.md" };
        tree.write(&format!("{name}/{file}"), name.repeat(1_000));
        tree.write(&format!("nothing-{number}/README.md"), "no skill");
        tree.write(&format!("größe {number}/deep/notes.md"), "no skill");
    }
    let all = scan(config(&tree));
    assert_eq!(all.packages(), names);
    assert!(all.found.iter().all(|found| found.head.starts_with(found.package.as_bytes())));
    for most in [1, 15, 16, 17, 40] {
        let some = scan(FsConfig { max_skills: most, ..config(&tree) });
        assert_eq!((some.packages().len(), some.problems.len()), (most, 1), "of {most}");
    }
}

/// A clock that goes on by a second whenever it is asked.
#[derive(Default)]
struct Hurrying(AtomicU64);

impl Clock for Hurrying {
    fn now(&self) -> Timestamp {
        Timestamp(32_503_680_000_000)
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(1, Ordering::SeqCst))
    }
}

#[test]
fn the_time_is_bounded_by_the_clock_of_the_host() {
    let tree = Tree::new("");
    for number in 0..9 {
        tree.write(&format!("group-{number}/skill/SKILL.md"), "text");
    }
    let look = |seconds| {
        let config = FsConfig { max_time: Duration::from_secs(seconds), ..config(&tree) };
        let source = FsSource::new(config, Arc::new(Hurrying::default()));
        ScanRecorder::scan(&source).expect("what was found is reported")
    };
    assert_eq!(look(1_000).packages().len(), 9, "there is time enough");
    let scan = look(10);
    let found = scan.packages().len();
    assert!(0 < found && found < 9, "some were found in time: {found}");
    let reported = problems(&scan, tree.path());
    let is_one = reported.len() == 1 && reported[0].starts_with("warning scan-truncated /group-");
    assert!(is_one, "{reported:?}");
    assert!(scan.problems[0].message.contains(" seconds;"), "the message names the bound");
}

#[test]
fn links_to_packages_count_and_end_in_time_too() {
    let tree = Tree::new("");
    fs::create_dir(tree.join("skills")).unwrap();
    for number in 0..9 {
        tree.write(&format!("shared/skill-{number}/SKILL.md"), "text");
        let target = tree.join(&format!("shared/skill-{number}"));
        symlink(target, tree.join(&format!("skills/skill-{number}"))).unwrap();
    }
    let of_links = || FsConfig { links: Links::Follow, ..FsConfig::new(tree.join("skills")) };
    for most in 1..9 {
        let some = scan(FsConfig { max_skills: most, ..of_links() });
        assert_eq!((some.packages().len(), some.problems.len()), (most, 1), "of {most}");
        let bound = format!("after {most} skill");
        assert!(some.problems[0].message.contains(&bound), "the message names the bound");
    }
    let all = scan(FsConfig { max_skills: 9, ..of_links() });
    assert_eq!((all.packages().len(), all.problems.len()), (9, 0), "there are no more");
    let config = FsConfig { max_time: Duration::from_secs(8), ..of_links() };
    let late = ScanRecorder::scan(&FsSource::new(config, Arc::new(Hurrying::default())));
    let late = late.expect("what was found is reported");
    assert!(late.packages().len() < 9, "there was no time for all");
    let reported = problems(&late, tree.path());
    let is_one = reported.len() == 1 && reported[0].starts_with("warning scan-truncated /skills/");
    assert!(is_one, "{reported:?}");
}

/// The registry rejects a file by its size, so a first scan has to know it as later ones do.
#[test]
fn size_of_a_long_file_is_known_in_every_scan() {
    for links in [SharedFiles::Refuse, SharedFiles::Allow] {
        let tree = Tree::new("//- /short/SKILL.md\nx\n//- /long/SKILL.md\nx\n");
        let file = fs::File::options().write(true).open(tree.join("long/SKILL.md"));
        file.unwrap().set_len(3 << 20).unwrap();
        let source = source(FsConfig { hard_links: links, ..config(&tree) });
        let scan = ScanRecorder::scan(&source).unwrap();
        let sizes = scan.found.iter().map(|found| (found.package.as_str(), found.size));
        let mut sizes: Vec<_> = sizes.collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [("long", Some(3 << 20)), ("short", Some(2))], "{links:?}");
    }
}

#[test]
fn depth_limit_names_how_many_skills_it_hides() {
    let tree = Tree::new(
        "//- /1/2/in/SKILL.md\nx\n//- /a/b/c/one/SKILL.md\nx\n//- /a/b/c/one/sub/SKILL.md\nx\n\
         //- /a/b/c/two/deep/SKILL.md\nx\n",
    );
    for (nested, count) in [(Nested::Stop, 2), (Nested::Descend, 3)] {
        let scan = scan(FsConfig { max_depth: 3, nested, ..config(&tree) });
        assert_eq!(scan.packages(), ["1/2/in"], "{nested:?}");
        assert_eq!(problems(&scan, tree.path()), ["warning scan-truncated /a/b/c"], "{nested:?}");
        let message = &scan.problems[0].message;
        assert!(message.starts_with(&format!("{count} skills")), "{nested:?}: {message}");
    }
}

/// The search for hidden skills ends further below, and the finding shows that.
#[test]
fn depth_limit_over_a_very_deep_tree_names_at_least_so_many() {
    let tree = Tree::new("//- /a/b/one/SKILL.md\nx\n");
    tree.write(&format!("a/b/{}two/SKILL.md", "deep/".repeat(20)), "x");
    let scan = scan(FsConfig { max_depth: 2, ..config(&tree) });
    let [finding] = &scan.problems[..] else { panic!("one finding: {:?}", scan.problems) };
    assert!(finding.message.starts_with("at least 1 skill in"), "{finding}");
}

#[test]
fn depth_limit_that_hides_no_skill_is_no_finding() {
    for (tree, max_depth, package) in [
        ("//- /pdf/SKILL.md\nx\n//- /a/b/c/d/e/notes.md\nno skill\n", 2, "pdf"),
        ("//- /a/b/x/SKILL.md\nx\n//- /a/b/x/references/v1/deep/notes.md\nno\n", 3, "a/b/x"),
    ] {
        let tree = Tree::new(tree);
        for nested in [Nested::Stop, Nested::Descend] {
            let scan = scan(FsConfig { max_depth, nested, ..config(&tree) });
            assert_eq!(scan.packages(), [package], "{nested:?}");
            assert!(scan.problems.is_empty(), "{nested:?}: nothing is lost: {:?}", scan.problems);
        }
    }
}
