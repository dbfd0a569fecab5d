//! Reports of scans, and several instances of one library.

use prowess_testkit::ScanRecorder;
use serde_json::json;

use crate::loaded::{faulty_file, memory_source};
use crate::running::EVERYWHERE;

/// The host keeps known packages in directories that a scan could not read.
#[test]
fn unreadable_directories_are_reported() {
    let (file, config) = (faulty_file(), json!({"scan": "unseen"}));
    for place in EVERYWHERE {
        let scan = ScanRecorder::scan(&*place.source(&file, &config)).unwrap();
        assert_eq!(scan.unreadable, ["group/shut"], "the directory is named");
        assert_eq!(scan.packages(), ["good"], "the readable package is found");
        assert_eq!(scan.problems.len(), 1, "the problem is reported: {:?}", scan.problems);
    }
}

#[test]
fn opened_library_supports_many_instances() {
    let sources: Vec<_> = (0..10)
        .map(|number| memory_source(&[(&format!("skill-{number}/SKILL.md"), b"text")]))
        .collect();
    for (number, source) in sources.iter().enumerate() {
        let scan = ScanRecorder::scan(&**source).unwrap();
        assert_eq!(scan.packages(), [format!("skill-{number}")], "each instance has its own files");
    }
}
