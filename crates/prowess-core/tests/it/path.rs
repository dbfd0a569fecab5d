//! Tests of the validation and normalization of paths.

use expect_test::{Expect, expect};
use prowess_core::{MemorySource, PackagePath, ReadLimit, ResourcePath, SkillSource};

/// Checks the normal form of a resource's path, or the reason why it is rejected.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    let path = ResourcePath::new(text).map(|path| path.to_string());
    expected.assert_eq(&path.unwrap_or_else(|error| format!("refused: {error}")));
}

#[test]
fn paths_out_of_the_package_are_rejected() {
    check(
        "references/../../CANARY",
        &expect![
            "refused: `references/../../CANARY` leaves the package; name a file relative to the skill's directory"
        ],
    );
    for text in ["..", "../x", "/etc/passwd", "//srv/share", "a/../../b", "a/b/../../../c", "./.."]
    {
        assert!(ResourcePath::new(text).is_err(), "{text} leads out of a package");
        assert!(PackagePath::new(text).is_err(), "{text} leads out of a source");
    }
}

#[test]
fn inner_dots_are_resolved_lexically() {
    check("references/../SKILL.md", &expect!["SKILL.md"]);
    check("./a//b/./c.md", &expect!["a/b/c.md"]);
    check("a/", &expect!["a"]);
}

/// On Windows a backslash is a separator, and a letter with a colon is a drive.
#[test]
fn windows_paths_are_rejected() {
    let texts = [".\\..\\..\\CANARY", "C:\\x", "C:x", "c:/x", "\\\\srv\\share\\x", "a\\b"];
    let after_normalising = ["./c:x", ".//C:/x", "a/../c:", "a/b/../../c:/x"];
    for text in texts.into_iter().chain(after_normalising) {
        assert!(ResourcePath::new(text).is_err(), "{text} is rejected on every system");
    }
}

/// Encoded or similar-looking dots are ordinary names.
#[test]
fn names_are_neither_decoded_nor_normalised() {
    let source = MemorySource::builder("test").file("alpha/SKILL.md", "").file("CANARY", "x");
    let source = source.build().unwrap();
    let alpha = PackagePath::new("alpha").unwrap();
    for text in [
        "%2e%2e/CANARY",
        "..%2fCANARY",
        "..%252fCANARY",
        "\u{ff0e}\u{ff0e}/CANARY",
        "\u{2024}\u{2024}/CANARY",
        "..\u{2215}CANARY",
    ] {
        let path = ResourcePath::new(text).unwrap();
        assert_eq!(path.as_str(), text, "the path is unchanged");
        let read = source.read(&alpha, &path, ReadLimit::default());
        assert_eq!(read.unwrap_err().kind.as_str(), "resource-not-found", "{text} does not exist");
    }
    let composed = ResourcePath::new("caf\u{e9}.md").unwrap();
    let decomposed = ResourcePath::new("cafe\u{301}.md").unwrap();
    assert_ne!(composed, decomposed, "names are compared by their bytes");
}

#[test]
fn package_directory_is_not_a_file() {
    check("", &expect!["refused: `` is not a file of the package"]);
    check(".", &expect!["refused: `.` is not a file of the package"]);
    check("references/..", &expect!["refused: `references/..` is not a file of the package"]);
    assert_eq!(PackagePath::new("").unwrap().as_str(), "", "a source may be one package");
}

#[test]
fn nul_and_overlong_paths_are_rejected() {
    check("a\0.md", &expect!["refused: a path must not hold a NUL character"]);
    assert!(ResourcePath::new(&"a".repeat(1024)).is_ok(), "1024 bytes are allowed");
    check(
        &"a".repeat(1025),
        &expect!["refused: a path must not be longer than 1024 bytes; this one has 1025"],
    );
}

/// Deserializing a path validates it.
#[test]
fn deserialised_paths_are_checked() {
    for text in ["../../.ssh/authorized_keys", "/etc/cron.d/x", "C:\\x"] {
        let json = serde_json::to_string(text).unwrap();
        let resource = serde_json::from_str::<ResourcePath>(&json).unwrap_err().to_string();
        assert!(resource.contains("leaves the package"), "{text} is rejected");
        assert!(serde_json::from_str::<PackagePath>(&json).is_err(), "{text} is no package path");
    }
    let good: ResourcePath = serde_json::from_str("\"a/./b\"").unwrap();
    assert_eq!(good.as_str(), "a/b", "a valid path is normalized");
}
