//! New skills.

use prowess_format::{Profile, parse, write};

#[test]
fn a_scaffold_pleases_every_checker() {
    let written = write::scaffold("pdf-forms", "Fills forms. Use when one arrives: always # so.")
        .expect("a good name and description");
    for profile in Profile::ALL {
        let parsed = parse(written.as_bytes(), profile);
        assert_eq!(parsed.diagnostics, [], "nothing is found under `{profile}`");
        let document = parsed.document.expect("it is read");
        assert_eq!(document.frontmatter.name, "pdf-forms");
        assert!(document.body.starts_with("# Pdf forms\n"), "the title is the name in words");
        assert_eq!(document.to_skill_md().as_ref(), Ok(&written), "it is canonical");
    }
}

#[test]
fn a_scaffold_of_a_bad_skill_is_refused() {
    let long = "a".repeat(1025);
    for (name, description) in [
        ("PDF", "x"),
        ("", "x"),
        ("con", "x"),
        ("a", ""),
        ("a", " "),
        ("a", &long),
        ("a", "\0"),
        ("a", "x\u{200b}"),
    ] {
        assert!(write::scaffold(name, description).is_err(), "{name:?}: {description:?}");
    }
}
