//! Scans by a process that has few file descriptors left.

use std::env;
use std::fs::File;
use std::process::Command;

use prowess_testkit::{ScanRecorder, Tree};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{config, source};

/// Set in the process that is limited.
const IS_LIMITED: &str = "PROWESS_TEST_DESCRIPTORS";

/// The descriptors that a scan may use: the root, and fewer files than are closed together.
const DESCRIPTORS: usize = 6;

/// Read files stay open until sixteen of them are closed with one call, or until no descriptor is
/// left.
#[test]
fn files_are_closed_when_no_descriptor_is_left() {
    if env::var_os(IS_LIMITED).is_some() {
        return scan_with_few_descriptors();
    }
    let mut test = Command::new(env::current_exe().expect("this program"));
    test.env(IS_LIMITED, "1").args(["--exact", "--test-threads", "1"]);
    let name = "descriptors::files_are_closed_when_no_descriptor_is_left";
    let ended = test.arg(name).output().expect("this program starts");
    let printed = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && printed.contains("1 passed"), "{printed}");
}

fn scan_with_few_descriptors() {
    let tree = Tree::new("");
    for at in 0..40 {
        tree.write(&format!("skill-{at}/SKILL.md"), format!("text of {at}"));
    }
    let source = source(config(&tree));
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limited = Rlimit { current: Some(256), maximum };
    setrlimit(Resource::Nofile, limited).expect("a lower limit is allowed");
    let mut others: Vec<_> = (0..256).map_while(|_| File::open("/dev/null").ok()).collect();
    others.truncate(others.len() - DESCRIPTORS);
    let scan = ScanRecorder::scan(&source).expect("the root opens");
    assert!(scan.problems.is_empty(), "each file opens: {:?}", scan.problems);
    assert_eq!(scan.found.len(), 40, "each package is found");
    drop(others);
}
