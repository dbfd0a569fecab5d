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

#[test]
fn git_and_models_are_understood() {
    let rename =
        "diff --git a/run.sh b/go.sh\nsimilarity index 60%\nrename from run.sh\nrename to go.sh\n";
    let rename_both = "diff --git a/run.sh b/end.md\nrename from run.sh\nrename to end.md\n\
        diff --git a/end.md b/run.sh\nrename from end.md\nrename to run.sh\n";
    let cases: [(&str, &[&str]); 27] = [
        (
            "```diff\n--- a/end.md\n+++ b/end.md\n@@ -1,2 +1,2 @@\n-One.\n+1.\n Two.\n\\ No newline at end of file\n```\n\n",
            &["end.md - 1.\\nTwo."],
        ),
        ("````\n--- end.md\n+++ end.md\n@@\n-One.\n+```\n````", &["end.md - ```\\nTwo."]),
        (
            "diff --git a/end.md b/end.md\ndeleted file mode 100644\nindex 1..0\n--- a/end.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-One.\n-Two.\n\\ No newline at end of file\n",
            &["end.md"],
        ),
        ("--- a/unix.md\n+++ /dev/null\n-One.\n-Two.\n", &["unix.md"]),
        (
            "diff --git a/logo.png b/logo.png\ndeleted file mode 100644\nindex 1..0\nBinary files a/logo.png and /dev/null differ\n",
            &["logo.png"],
        ),
        (rename, &["go.sh x #!/bin/sh\\nexit 0\\n", "run.sh"]),
        (
            &format!(
                "{rename}index 1..2 100755\n--- a/run.sh\n+++ b/go.sh\n@@ -2 +2 @@\n-exit 0\n+exit 1\n"
            ),
            &["go.sh x #!/bin/sh\\nexit 1\\n", "run.sh"],
        ),
        (
            "diff --git a/logo.png b/img/logo.png\nsimilarity index 100%\nrename from logo.png\nrename to img/logo.png\n",
            &["img/logo.png - \u{fffd}\u{fffd}\\0", "logo.png"],
        ),
        (rename_both, &["end.md x #!/bin/sh\\nexit 0\\n", "run.sh - One.\\nTwo."]),
        (
            "diff --git a/end.md b/two.md\ncopy from end.md\ncopy to two.md\n",
            &["two.md - One.\\nTwo."],
        ),
        (
            "diff --git a/b.sh b/b.sh\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/b.sh\n@@ -0,0 +1 @@\n+exit\n",
            &["b.sh x exit\\n"],
        ),
        ("new file mode 100755\n--- /dev/null\n+++ b/b.sh\n+exit\n", &["b.sh x exit\\n"]),
        ("diff --git a/e.md b/e.md\nnew file mode 100644\nindex 0..e69de29\n", &["e.md - "]),
        (
            "diff --git a/end.md b/end.md\nold mode 100644\nnew mode 100755\n",
            &["end.md x One.\\nTwo."],
        ),
        (
            "diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\nindex 1..2\n--- a/run.sh\n+++ b/run.sh\n@@ -2 +2 @@\n-exit 0\n+exit 1\n",
            &["run.sh - #!/bin/sh\\nexit 1\\n"],
        ),
        (
            "--- a/end.md\n+++ b/end.md\n@@ -2 +2 @@\n-Two.\n\\ No newline at end of file\n+Two.\n",
            &["end.md - One.\\nTwo.\\n"],
        ),
        (
            "--- a/run.sh\n+++ b/run.sh\n@@ -2 +2 @@\n-exit 0\n+exit 0\n\\ No newline at end of file\n",
            &["run.sh x #!/bin/sh\\nexit 0"],
        ),
        (
            "--- a/unix.md\n+++ b/unix.md\n@@ -2 +2 @@\n-Two.\n+Two.\n\\ No newline at end of file\n",
            &["unix.md - One.\\r\\nTwo."],
        ),
        ("--- /dev/null\n+++ \"b/f\\303\\274r \\\"x.md\"\n@@\n+x\n", &[]),
        ("--- /dev/null\n+++ \"b/f\\303\\274r x.md\"\n@@\n+x\n", &["f\u{fc}r x.md - x\\n"]),
        (
            "--- i/end.md\t2026-11-29\n+++ w/end.md\t2026-11-29\n@@\n-One.\n+1.\n",
            &["end.md - 1.\\nTwo."],
        ),
        ("diff --git end.md end.md\nindex 1..2\n@@\n-One.\n+1.\n", &["end.md - 1.\\nTwo."]),
        ("--- a/skills/pdf/end.md\n+++ b/skills/pdf/end.md\n-One.\n+1.\n", &["end.md - 1.\\nTwo."]),
        ("--- ./pdf/end.md\t2026\n+++ /tmp/e\t2026\n-One.\n+1.\n", &["end.md - 1.\\nTwo."]),
        ("--- /dev/null\n+++ b/skills/pdf/n.md\n+x\n", &["n.md - x\\n"]),
        ("--- /dev/null\n+++ b/pdf/n.md\n+x\n", &["pdf/n.md - x\\n"]),
        ("--- a/other/pdf/end.md\n+++ b/other/pdf/end.md\n-One.\n+1.\n", &[]),
    ];
    for (diff, expected) in cases {
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
