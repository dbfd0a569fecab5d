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
    let of = |path: &str, lines: &str| format!("diff --git a/{path} b/{path}\n{lines}");
    let gone = "deleted file mode 100644\n";
    for (diff, expected) in [
        (of("SKILL.md", gone), "without which there is no skill"),
        (of("skill.md", gone), "without which there is no skill"),
        ("rename from SKILL.md\nrename to OLD.md\n".to_owned(), "without which there is no skill"),
        (of("l", "new file mode 120000\n--- /dev/null\n+++ b/l\n@@\n+/etc\n"), "no mode of a file"),
        (of("l", "new mode 160000\n"), "no mode of a file"),
        (of("logo.png", "index 1..2\nGIT binary patch\nliteral 1\n"), "not text"),
        (of("logo.png", "index 1..2\nBinary files a/logo.png and b/logo.png differ\n"), "not text"),
        (of("none.md", gone), "there is no such file"),
        (of("end.md", "index 1..2\n"), "no lines for `end.md`"),
        (of("end.md", "new mode 100644\n"), "changes nothing"),
        ("--- a/end.md\n+++ /dev/null\n@@\n-One.\n".to_owned(), "more lines than are removed"),
        ("rename from run.sh\nrename to end.md\n".to_owned(), "the file exists already"),
        ("copy from run.sh\ncopy to end.md\n".to_owned(), "the file exists already"),
        (of("end.md", gone) + &of("end.md", "new mode 100755\n"), "changed twice"),
        ("```diff\n-One.\n+1.\n".to_owned(), "no part of a unified diff: `\\u{60}"),
        ("--- /dev/null\n+++ /dev/null\n@@\n+x\n".to_owned(), "names no file"),
        ("rename from ../x\nrename to y\n".to_owned(), "no path of a file"),
        ("new file mode 100755\n@@\n-Save the form.\n+Save it.\n".to_owned(), "names no file"),
        ("diff --git \"a/\\377\" \"b/\\377\"\nnew file mode 100644\n".to_owned(), "names no file"),
    ] {
        let error = place().propose(&diff).expect_err(&diff);
        assert!(error.message.contains(expected), "{diff}: {error}");
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
