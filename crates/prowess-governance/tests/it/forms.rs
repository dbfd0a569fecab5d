//! The forms in which diffs are written: by git, by `diff`, and by models.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use prowess_core::{PackageFile, PackageFiles};

use crate::review::Place;

/// The skill, with a file that is executable, one that is not text and one that does not end with a
/// line break.
fn place() -> Place {
    let place = Place::new();
    place.write("run.sh", "#!/bin/sh\nexit 0\n");
    let script = place.tree.join("skills/pdf/run.sh");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(place.tree.join("skills/pdf/logo.png"), [0xff, 0xd8, 0]).unwrap();
    place.write("end.md", "One.\nTwo.");
    place.write("unix.md", "One.\r\nTwo.\r\n");
    place
}

/// Returns what a change has made of the files: `path mode text`, or the path of one that is gone.
fn changes(before: &PackageFiles, after: &PackageFiles) -> Vec<String> {
    let shown = |(path, file): (&String, &PackageFile)| {
        let mode = if file.is_executable { 'x' } else { '-' };
        format!("{path} {mode} {}", String::from_utf8_lossy(&file.content).escape_debug())
    };
    let gone = before.keys().filter(|path| !after.contains_key(*path)).cloned();
    let changed = after.iter().filter(|(path, file)| before.get(*path) != Some(file));
    let mut changes: Vec<_> = gone.chain(changed.map(shown)).collect();
    changes.sort_unstable();
    changes
}

/// Each line is a diff and what it changes, or nothing if it is refused; `⏎` ends a line.
#[test]
fn git_and_models_are_understood() {
    for line in include_str!("../data/forms.txt").lines() {
        let mut parts = line.split(" ¦ ").map(|part| part.replace('⏎', "\n"));
        let (diff, expected) = (&*parts.next().expect("a diff"), parts.collect::<Vec<_>>());
        let place = place();
        let before = place.files();
        match place.propose(diff) {
            Err(error) => assert!(expected.is_empty(), "{diff}: {error}"),
            Ok(_) => {
                place.accept(false).unwrap_or_else(|error| panic!("{diff}: {error}"));
                assert_eq!(changes(&before, &place.files()), expected, "{diff}");
            }
        }
    }
}

/// Each refusal has its reason.
#[test]
fn other_forms_are_refused() {
    for line in include_str!("../data/refused.jsonl").lines() {
        let (diff, expected): (String, String) = serde_json::from_str(line).expect("two texts");
        let error = place().propose(&diff).expect_err(&diff);
        assert!(error.message.contains(&expected), "{diff}: {error}");
    }
}

/// A removal and a rename are merged, too: the first only of what was reviewed.
#[test]
fn moved_files_are_merged() {
    let gone = "deleted file mode 100644\n";
    for (diff, changed, fits) in [
        (format!("diff --git a/end.md b/end.md\n{gone}"), "end.md", false),
        (format!("diff --git a/end.md b/end.md\n{gone}"), "run.sh", true),
        (format!("diff --git a/logo.png b/logo.png\n{gone}"), "logo.png", false),
        ("rename from end.md\nrename to two.md\n".to_owned(), "end.md", true),
        ("diff --git a/end.md b/end.md\nnew mode 100755\n".to_owned(), "end.md", true),
    ] {
        let place = place();
        place.propose(&diff).unwrap();
        place.write(changed, "Other.\n");
        assert!(place.accept(false).is_err(), "{diff}: its files have changed");
        let accepted = place.accept(true);
        assert_eq!(accepted.is_ok(), fits, "{diff}: {accepted:?}");
    }
}
