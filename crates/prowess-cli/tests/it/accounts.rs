//! The rule that no `SKILL.md` is lost in silence.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Checks that each `SKILL.md` below `root`, whatever it is, is in exactly one of `skills` and
/// `shadowed`, or is what an error is about, itself or by a directory that it lies in.
#[track_caller]
pub(crate) fn check(root: &Path, listed: &Value) {
    let mut files = Vec::new();
    collect(root, &mut files);
    let count = |list: &str, key: &str, file: &str| {
        let of_file = |entry: &&Value| entry[key] == *file;
        listed[list].as_array().expect("the key is a list").iter().filter(of_file).count()
    };
    for file in files {
        let is_error = errors(listed).any(|path| file == path || is_below(&file, path));
        let places = count("skills", "location", &file)
            + count("shadowed", "location", &file)
            + usize::from(is_error);
        assert_eq!(places, 1, "`{file}` is accounted for once in {listed:#}");
    }
}

fn errors(listed: &Value) -> impl Iterator<Item = &str> {
    let diagnostics = listed["diagnostics"].as_array().expect("the diagnostics are a list");
    let errors = diagnostics.iter().filter(|found| found["severity"] == "error");
    errors.filter_map(|found| found["path"].as_str())
}

fn is_below(file: &str, directory: &str) -> bool {
    file.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

fn collect(directory: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(directory).expect("the fixture can be listed") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name == "SKILL.md") {
            files.push(path.display().to_string());
        } else if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            collect(&path, files);
        }
    }
}
