//! Tests that need a process of their own, one after the other: they use up what the system has of
//! something, or install a subscriber for all threads.

mod traces;

use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use prowess::registry::Subscription;
use prowess::{Policies, Runtime};
use prowess_testkit::Tree;
use rustix::fs::inotify;
use rustix::process::{Resource, getrlimit, setrlimit};

/// The instances that this process has.
fn instances() -> usize {
    let open = fs::read_dir("/proc/self/fd").expect("it can be listed").flatten();
    let open = open.filter_map(|entry| fs::read_link(entry.path()).ok());
    open.filter(|file| file.as_os_str() == "anon_inode:inotify").count()
}

/// As many as the system has; far fewer than a process may have files.
fn take_all(taken: &mut Vec<OwnedFd>) {
    while let Ok(one) = inotify::init(inotify::CreateFlags::CLOEXEC) {
        taken.push(one);
        assert!(taken.len() < 100_000, "the system has an end");
    }
    // The limit of watchers ended the loop, not that of open files.
    drop(fs::File::open("/").expect("a file can still be opened"));
}

/// One test at a time.
static TURN: Mutex<()> = Mutex::new(());

/// A runtime that found no instance, and the instances that it would have taken.
///
/// The system gives an instance back a while after it is closed, here or by a process that ended.
/// A runtime that got such a late one is dropped, and it is taken as well.
fn without_instances(directory: &Path) -> (Runtime, Vec<OwnedFd>) {
    // A thread that ends closes its own a moment later.
    while instances() > 0 {
        std::thread::yield_now();
    }
    let mut taken = Vec::new();
    loop {
        take_all(&mut taken);
        let runtime = polling(directory);
        loop {
            if is_not_watched(&runtime) {
                return (runtime, taken);
            }
            if instances() > taken.len() {
                break;
            }
            std::thread::yield_now();
        }
    }
}

/// A runtime that watches a directory, and polls it each second if it cannot.
fn polling(directory: &Path) -> Runtime {
    let policies = Policies::from_yaml("refresh: {mode: watch, poll_seconds: 1}");
    let builder = Runtime::builder().policies(policies.expect("the policies are good"));
    builder.skills_directory("user", directory).build().expect("it does without watches")
}

fn wait_until(subscription: &Subscription, is_so: &dyn Fn() -> bool) {
    while !is_so() {
        subscription.recv_timeout(Duration::from_secs(60)).expect("a change is reported");
    }
}

fn is_not_watched(runtime: &Runtime) -> bool {
    let catalog = runtime.catalog();
    catalog.diagnostics().any(|found| found.code.as_str() == "source-not-watched")
}

#[test]
fn changes_are_found_by_polling_and_that_is_reported() {
    let _turn = TURN.lock();
    let tree = Tree::new("");
    let write = |text: &str| {
        let text = format!("---\nname: pdf\ndescription: {text}\n---\nBody\n");
        tree.write("pdf/SKILL.md", text);
    };
    write("First.");
    let (runtime, taken) = without_instances(tree.path());
    let subscription = runtime.subscribe();
    let wait_until = |is_so: &dyn Fn() -> bool| wait_until(&subscription, is_so);
    let says = |text: &str| {
        let catalog = runtime.catalog();
        catalog.get("pdf").is_some_and(|skill| skill.description() == text)
    };
    assert!(says("First."), "what there is is offered all the same");
    write("Second.");
    wait_until(&|| says("Second."));
    drop(taken);
    assert!(is_not_watched(&runtime), "it stays reported: nothing tries again by itself");
}

/// Each user may have few instances, often 128, and many agents start a server each.
#[test]
fn all_directories_share_one_instance() {
    let _turn = TURN.lock();
    let tree = Tree::new("");
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Helps.\n---\nBody\n");
    let policies = Policies::from_yaml("refresh: {mode: watch}").expect("the policies are good");
    let mut builder = Runtime::builder().policies(policies);
    for name in ["one", "two", "three"] {
        tree.write(&format!("{name}/{name}/SKILL.md"), skill(name));
        builder = builder.skills_directory("user", tree.join(name));
    }
    let runtime = builder.build().expect("the runtime is complete");
    let subscription = runtime.subscribe();
    for name in ["one", "two", "three"] {
        let late = format!("late-{name}");
        tree.write(&format!("{name}/{late}/SKILL.md"), skill(&late));
        wait_until(&subscription, &|| runtime.catalog().get(&late).is_some());
    }
    assert_eq!(instances(), 1);
}

/// A package in a directory that was created while the process could open no file is found later.
#[test]
fn a_watch_that_cannot_look_is_given_up_for_polling() {
    let _turn = TURN.lock();
    let tree = Tree::new("");
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Helps.\n---\nBody\n");
    tree.write("beside/group/late/SKILL.md", skill("late"));
    tree.write("skills/pdf/SKILL.md", skill("pdf"));
    let runtime = polling(&tree.join("skills"));
    let subscription = runtime.subscribe();
    let wait_until = |is_so: &dyn Fn() -> bool| wait_until(&subscription, is_so);
    // Past the setting-up of the watch.
    tree.write("skills/first/SKILL.md", skill("first"));
    wait_until(&|| runtime.catalog().get("first").is_some());
    let usual = getrlimit(Resource::Nofile);
    let few = rustix::process::Rlimit { current: Some(256), ..usual };
    setrlimit(Resource::Nofile, few).expect("a process may give up what it may");
    let mut taken = Vec::new();
    while let Ok(file) = fs::File::open("/dev/null") {
        taken.push(file);
    }
    fs::rename(tree.join("beside/group"), tree.join("skills/group")).expect("it takes no file");
    wait_until(&|| is_not_watched(&runtime));
    assert!(runtime.catalog().get("pdf").is_some(), "what there was is offered all the same");
    drop(taken);
    wait_until(&|| runtime.catalog().get("late").is_some());
    setrlimit(Resource::Nofile, usual).expect("and have it back");
}

/// A package that cannot be opened is not removed. The number of free descriptors decides where a
/// scan fails: at the root, a directory or a file.
#[test]
fn a_process_without_open_files_to_spare_keeps_its_skills() {
    let _turn = TURN.lock();
    let tree = Tree::new("");
    for package in ["pdf", "group/deep", "group/inner/deeper"] {
        let name = package.rsplit('/').next().expect("a path has a last part");
        let text = format!("---\nname: {name}\ndescription: Helps.\n---\nBody\n");
        tree.write(&format!("{package}/SKILL.md"), text);
    }
    let builder = Runtime::builder().skills_directory("user", tree.path());
    let runtime = builder.build().expect("the runtime is complete");
    let usual = getrlimit(Resource::Nofile);
    let few = rustix::process::Rlimit { current: Some(256), ..usual };
    setrlimit(Resource::Nofile, few).expect("a process may give up what it may");
    for left in 0..6 {
        let mut taken = Vec::new();
        while let Ok(file) = fs::File::open("/dev/null") {
            taken.push(file);
        }
        taken.truncate(taken.len() - left);
        let catalog = runtime.reload().catalog;
        drop(taken);
        let ids: Vec<_> = catalog.skills().map(|skill| skill.id().to_owned()).collect();
        assert_eq!(ids, ["deep", "deeper", "pdf"], "with {left} files left");
    }
    setrlimit(Resource::Nofile, usual).expect("and have it back");
    let catalog = runtime.reload().catalog;
    assert_eq!((catalog.len(), catalog.diagnostics().count()), (3, 0), "all is well again");
}
