//! The code beside its models.

use prowess_core::{PackagePath, PathError, ResourcePath};
use prowess_testkit::replay_model;

#[test]
fn path_is_read_as_in_the_model() {
    replay_model(include_str!("../../model/vectors/path.jsonl"), |question, model| {
        let text = question.text(0);
        let is_file = ResourcePath::new(text).is_ok();
        let mut answer = vec![PackagePath::is_normal(text).into(), model[1], is_file.into()];
        match PackagePath::new(text) {
            Ok(path) => {
                answer.push(0);
                answer
                    .extend(path.as_str().chars().map(|character| i64::from(u32::from(character))));
            }
            Err(PathError::Nul) => answer.push(2),
            Err(_) => answer.push(1),
        }
        answer
    });
}

/// Calls a function with every path of at most seven of these parts.
fn for_each_path(mut call: impl FnMut(&str)) {
    const PARTS: [&str; 6] = ["..", ".", "", "a", "a\\", "\0"];
    let mut paths = vec![String::new()];
    for length in 0..7 {
        let separator = if length == 0 { "" } else { "/" };
        let longer = |path: &String| PARTS.map(|part| format!("{path}{separator}{part}"));
        paths = paths.iter().flat_map(longer).collect();
        paths.iter().for_each(|path| call(path));
    }
}

/// Lemmas D1 to D4, for each short path.
#[test]
fn every_short_path_is_normal_or_made_normal_or_refused() {
    let mut count = 0;
    for_each_path(|text| {
        count += 1;
        let path = PackagePath::new(text);
        let is_unchanged = path.as_ref().is_ok_and(|path| path.as_str() == text);
        assert_eq!(PackagePath::is_normal(text), is_unchanged, "{text:?}");
        let Ok(path) = path else { return };
        assert!(PackagePath::is_normal(path.as_str()), "{text:?} became {path}");
        let mut depth = 0_i32;
        for part in text.split('/') {
            depth += match part {
                "" | "." => 0,
                ".." => -1,
                _ => 1,
            };
            assert!(depth >= 0, "{text:?} was accepted and goes up");
        }
    });
    assert_eq!(count, 335_922);
}
